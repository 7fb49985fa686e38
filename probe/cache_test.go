package probe

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/signin"
	"windsock/probe/simulator/simtest"
)

// The variants come in the order of the list; of a variant's directories the last
// written comes first.
func TestCachesOfVariants(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for i, dir := range []string{"Windsurf", "Devin", "Windsurf - Next"} {
		data := filepath.Join(home, ".config", dir)
		if err := simtest.SignIn(data, simtest.Auth{PlanInfo: `{"planName":"` + dir + `"}`}); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(time.Duration(i-9) * time.Hour)
		if err := os.Chtimes(filepath.Join(data, "User", "globalStorage", "state.vscdb"), at, at); err != nil {
			t.Fatal(err)
		}
	}
	windsurf, devin := Server{Variant: "windsurf", App: "Windsurf"}, Server{Variant: "windsurf", App: "Devin Desktop"}
	next := Server{Variant: "windsurf-next", App: "Windsurf Next"}
	for _, tt := range []struct {
		list []Variant
		want []Server
	}{
		{Variants(), []Server{devin, windsurf, next}},
		{Variants()[1:2], []Server{next}},
	} {
		var got []Server
		for c, err := range NewFinder(WithDirs(signin.Below(home))).Caches(t.Context(), tt.list) {
			if err != nil {
				t.Error(err)
			}
			got = append(got, c.Server)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Error(diff)
		}
	}
}
