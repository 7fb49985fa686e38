package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCheckTellsEverythingThatIsWrong(t *testing.T) {
	whole := contents{"package.json": []byte(`{"version":"1.0.0","license":"MIT"}`), "dist/a.js": []byte("let a\n")}
	for _, tt := range []struct {
		name string
		// spoil changes what lies in the directory, what the package has, or the list.
		spoil func(t *testing.T, dir string, files contents, l list)
		want  []string
	}{
		{name: "as_taken", spoil: func(*testing.T, string, contents, list) {}},
		{
			name:  "changed_here",
			spoil: func(t *testing.T, dir string, _ contents, _ list) { t.Helper(); put(t, dir, "a.js", "let b\n") },
			want:  []string{"a.js: not the package's dist/a.js"},
		},
		{
			name:  "changed_there",
			spoil: func(_ *testing.T, _ string, files contents, _ list) { files["dist/a.js"] = []byte("fetch('//')") },
			want:  []string{"a.js: not the package's dist/a.js"},
		},
		{
			name: "other_checksum_and_a_stray_file",
			spoil: func(t *testing.T, dir string, _ contents, l list) {
				t.Helper()
				l[0].Files[0].SHA256 = "00"
				put(t, dir, "stray.js", "")
			},
			want: []string{
				"a.js: its checksum is " + checksum([]byte("let a\n")) + ", the list has 00",
				"stray.js: not in the list",
			},
		},
		{
			name:  "gone_there",
			spoil: func(_ *testing.T, _ string, files contents, _ list) { delete(files, "dist/a.js") },
			want:  []string{"a.js: the package has no dist/a.js"},
		},
		{
			name: "other_licence",
			spoil: func(_ *testing.T, _ string, files contents, _ list) {
				files["package.json"] = []byte(`{"version":"1.0.0","license":"GPL-3.0"}`)
			},
			want: []string{"lib: the package is 1.0.0 under GPL-3.0, the list has 1.0.0 under MIT"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, files := t.TempDir(), contents{}
			maps.Copy(files, whole)
			l := list{{Name: "lib", Version: "1.0.0", Licence: "MIT", Files: []taken{{File: "a.js", Source: "dist/a.js"}}}}
			if err := l.write(dir, map[string]contents{"lib": files}); err != nil {
				t.Fatal(err)
			}
			l, err := readList(dir)
			if err != nil {
				t.Fatal(err)
			}
			tt.spoil(t, dir, files, l)
			var got []string
			if err := l.check(dir, map[string]contents{"lib": files}); err != nil {
				got = strings.Split(err.Error(), "\n")
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("check (-want +got):\n%s", diff)
			}
		})
	}
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
