package settings

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/say"
)

func TestPath(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "elsewhere"))
	check := func(want string) {
		t.Helper()
		if got, err := Path(); err != nil || got != filepath.Join(want, "windsock", "config.toml") {
			t.Errorf("got %s, %v", got, err)
		}
	}
	check(filepath.Join(home, "elsewhere"))
	if runtime.GOOS != "linux" {
		t.Skip("the system's own place")
	}
	for _, relative := range []string{"", "elsewhere"} {
		t.Setenv("XDG_CONFIG_HOME", relative)
		check(filepath.Join(home, ".config"))
	}
	t.Setenv("HOME", "")
	const want = "Windsock cannot tell where its settings are: $HOME is not defined. Set it and try again."
	got, err := Path()
	if say.Sentence(err, "") != want {
		t.Errorf("without a home: %s, %v", got, err)
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		make func(path string) error
		want []string
	}{
		{"missing", func(string) error { return nil }, nil},
		{"directory_missing", func(path string) error { return os.Remove(filepath.Dir(path)) }, nil},
		{"fine", func(path string) error { return os.WriteFile(path, []byte("[usage]\n"), 0o600) }, nil},
		{"largest", func(path string) error { return os.WriteFile(path, []byte(strings.Repeat("\n", maxSize)), 0o600) }, nil},
		{
			"problem", func(path string) error { return os.WriteFile(path, []byte("a = 1"), 0o600) },
			[]string{", line 1: there is no key a; there are [usage], [tray], [api], [log]."},
		},
		{
			"too_large", func(path string) error { return os.WriteFile(path, make([]byte, 2<<20), 0o600) },
			[]string{": it is too large."},
		},
		{
			"directory", func(path string) error { return os.Mkdir(path, 0o700) },
			[]string{": it is no ordinary file."},
		},
		{
			"link_to_nowhere", func(path string) error { return os.Symlink("nowhere", path) },
			[]string{": it is a link to a file that is not there."},
		},
		{
			"link_to_itself", func(path string) error { return os.Symlink(Name, path) },
			[]string{": it cannot be read: too many levels of symbolic links."},
		},
		{
			"file_for_directory", func(path string) error {
				dir := filepath.Dir(path)
				return errors.Join(os.Remove(dir), os.WriteFile(dir, nil, 0o600))
			},
			[]string{": it cannot be read: not a directory."},
		},
		{"device", func(path string) error { return os.Symlink(os.DevNull, path) }, []string{": it is no ordinary file."}},
		{
			"forbidden", func(path string) error { return os.WriteFile(path, nil, 0) },
			[]string{": it cannot be read: permission denied."},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "alice", Name)
			if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o700), tt.make(path)); err != nil {
				t.Skip(err)
			}
			if tt.name == "forbidden" && os.Geteuid() <= 0 {
				t.Skip("nothing is forbidden to root")
			}
			got, err := at(path).Load()
			if diff := cmp.Diff(tt.want, told(t, err)); diff != "" && runtime.GOOS != "windows" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if (err != nil) != (tt.want != nil) || !reflect.DeepEqual(got, sampleDefaults()) {
				t.Errorf("error %v beside %+v", err, got)
			}
			if err != nil && strings.Contains(err.Error(), "alice") {
				t.Errorf("the path is told: %v", err)
			}
		})
	}
}
