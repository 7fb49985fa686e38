package settings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"windsock/probe/say"
)

func TestInit(t *testing.T) {
	t.Parallel()
	const there = "config.toml is there already; it was left as it is."
	tests := []struct {
		name  string
		setup func(path string) error
		want  string
	}{
		{"nothing_there", func(string) error { return nil }, ""},
		{"directory_there", func(path string) error { return os.MkdirAll(filepath.Dir(path), 0o755) }, ""},
		{
			"file_there", func(path string) error {
				return errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600))
			}, there,
		},
		{
			"link_to_nowhere", func(path string) error {
				return errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.Symlink("nowhere", path))
			}, there,
		},
		{
			"directory_links_nowhere", func(path string) error {
				dir := filepath.Dir(path)
				return errors.Join(os.MkdirAll(filepath.Dir(dir), 0o700), os.Symlink("nowhere", dir))
			}, "config.toml cannot be made: file exists.",
		},
		{
			"file_for_directory", func(path string) error { return os.WriteFile(filepath.Dir(filepath.Dir(path)), nil, 0o600) },
			"config.toml cannot be made: not a directory.",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			path := filepath.Join(root, "alice", "windsock", Name)
			if err := tt.setup(path); err != nil {
				t.Skip(err)
			}
			err := at(path).Init()
			if tt.want != "" {
				if err == nil || say.Exit(err) != 1 || errors.Is(err, ErrThere) != (tt.want == there) {
					t.Fatalf("error %v", err)
				}
				if got := say.Sentence(err, ""); got != tt.want && runtime.GOOS != "windows" {
					t.Errorf("says %q", got)
				}
				if strings.Contains(say.Sentence(err, "")+err.Error(), "alice") {
					t.Errorf("the path is told: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != template(t) {
				t.Errorf("wrote %q, %v", got, err)
			}
			entries, _ := os.ReadDir(filepath.Dir(path))
			if len(entries) != 1 {
				t.Errorf("left behind: %v", entries)
			}
			if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
				t.Errorf("file: %v, %v", info.Mode(), err)
			}
			want := fs.ModeDir | 0o700
			if tt.name == "directory_there" {
				want = fs.ModeDir | 0o755
			}
			if info, err := os.Stat(filepath.Dir(path)); err != nil || runtime.GOOS != "windows" && info.Mode() != want {
				t.Errorf("directory: %v, %v", info.Mode(), err)
			}
		})
	}
}
