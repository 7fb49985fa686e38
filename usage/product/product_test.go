package product

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tidwall/gjson"

	"windsock/usage"
)

// answers are the answers of a product that its own tests have, by file and place.
func answers(t *testing.T, p usage.Product) map[string][][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", string(p), "testdata/*/*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no answers: %v", err)
	}
	all := map[string][][]byte{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range gjson.GetBytes(raw, "cases.#.input").Array() {
			all[file] = append(all[file], []byte(c.Raw))
		}
		if len(all[file]) == 0 {
			all[file] = [][]byte{raw}
		}
	}
	return all
}

func TestOf(t *testing.T) {
	t.Parallel()
	for _, p := range usage.Products() {
		for file, list := range answers(t, p) {
			for i, raw := range list {
				if got := Of(raw); got != p {
					t.Errorf("%s, %d: answer of %q: %s", file, i, got, raw)
				}
				if got := Of(Anonymize(p, raw)); got != Of(raw) {
					t.Errorf("%s, %d: saved, it is an answer of %q", file, i, got)
				}
			}
		}
	}
	for _, raw := range []string{``, `[]`, `{}`, `{"userStatus":{}}`, `{"userStatus":{"email":"robin@example.com"}}`, `{"code":16}`} {
		if got := Of([]byte(raw)); got != usage.Windsurf {
			t.Errorf("%s is an answer of %q", raw, got)
		}
	}
}

func TestEachProduct(t *testing.T) {
	t.Parallel()
	for _, p := range usage.Products() {
		for _, list := range answers(t, p) {
			for _, raw := range list {
				if s, _ := Decode(p, raw, usage.Source{}); s.Plan.Product != p {
					t.Errorf("%q's answer belongs to %q: %s", p, s.Plan.Product, raw)
				}
			}
		}
	}
}
