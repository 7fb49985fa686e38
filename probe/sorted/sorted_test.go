package sorted

import (
	"cmp"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

func TestBy(t *testing.T) {
	t.Parallel()
	words := []string{"quota", "plan", "pace", "credit", "a", "meter"}
	By(words, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	if diff := gocmp.Diff([]string{"a", "plan", "pace", "quota", "meter", "credit"}, words); diff != "" {
		t.Errorf("equal ones have to keep their order (-want +got):\n%s", diff)
	}
}
