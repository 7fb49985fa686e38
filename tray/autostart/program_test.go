package autostart

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRunBy(t *testing.T) {
	own := makeExecutable(t, "windsock.exe")
	other := makeExecutable(t, "other.exe")
	named := makeExecutable(t, "bin", "windsock-in-path.exe")
	t.Setenv("PATH", filepath.Dir(named))
	t.Chdir(filepath.Dir(own))
	alias := filepath.Join(t.TempDir(), "alias.exe")
	if err := os.Link(own, alias); err != nil {
		t.Fatal(err)
	}
	gone := filepath.Join(t.TempDir(), "gone.exe")
	for _, tt := range []struct {
		name    string
		program program
		words   []string
		want    bool
	}{
		{"same", program{own, nil}, []string{own}, true},
		{"same_file_by_another_path", program{own, nil}, []string{alias}, true},
		{"by_name", program{named, nil}, []string{"windsock-in-path.exe"}, true},
		{"another_of_that_name", program{own, nil}, []string{"windsock-in-path.exe"}, false},
		{"another", program{own, nil}, []string{other}, false},
		{"nothing", program{own, nil}, nil, false},
		{"gone", program{gone, nil}, []string{gone}, false},
		{"arguments", program{own, []string{"tray"}}, []string{own, "tray"}, true},
		{"arguments_missing", program{own, []string{"tray"}}, []string{own}, false},
		{"arguments_differ", program{own, []string{"tray"}}, []string{own, "status"}, false},
		{"arguments_added", program{own, []string{"tray"}}, []string{own, "tray", "--verbose"}, true},
		{"handed_to_another", program{own, []string{"tray"}}, []string{other, "A=1", own, "tray"}, true},
		{"handed_to_one_that_is_gone", program{own, nil}, []string{gone, own}, false},
		{"relative", program{own, nil}, []string{"./windsock.exe"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.program.runBy(tt.words); got != tt.want {
				t.Errorf("got %t, want %t", got, tt.want)
			}
		})
	}
}

var (
	goneSaid      = told{"write autostart entry: executable is gone", "The program file of this Windsock was moved or deleted, so it would not start at the next login. Start Windsock from where it lies now and try again."}
	temporarySaid = told{"write autostart entry: executable is temporary", "This Windsock runs from a temporary directory, which may be empty at the next login. Move it to a lasting place, start it from there and try again."}
	relativeSaid  = told{"write autostart entry: executable is not an absolute path", "Windsock does not know where its own program file lies, so it cannot be set to start at login. Start it by its full path and try again."}
)

func TestLasts(t *testing.T) {
	passing := t.TempDir()
	below := filepath.Join(passing, "x", "windsock.exe")
	if err := os.Mkdir(filepath.Dir(below), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(below, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, executable string
		want             told
	}{
		{"lasting", makeExecutable(t, "windsock.exe"), told{}},
		{"beside_a_passing_directory", makeExecutable(t, filepath.Base(passing)+"-not", "windsock.exe"), told{}},
		{"relative", "windsock.exe", relativeSaid},
		{"empty", "", relativeSaid},
		{"gone", filepath.Join(t.TempDir(), "gone.exe"), goneSaid},
		{"directory", t.TempDir(), goneSaid},
		{"below_a_passing_directory", below, temporarySaid},
		{"go_run", makeExecutable(t, "go-build1234", "b001", "exe", "windsock.exe"), temporarySaid},
		{"go_run_from_the_cache", makeExecutable(t, "go-build", "ab", "windsock.exe"), temporarySaid},
		{"named_like_it", makeExecutable(t, "go-builder", "windsock.exe"), told{}},
		{"translocated", makeExecutable(t, "AppTranslocation", "1", "windsock.exe"), temporarySaid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got told
			if err := (program{tt.executable, nil}).lasts([]string{passing}); err != nil {
				got = tell(t, err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A test's directory is a temporary one on every system, so the real New refuses
// what lies there, before it touches anything.
func TestEnableRefusesATemporaryExecutable(t *testing.T) {
	config := t.TempDir()
	t.Setenv("HOME", config)
	t.Setenv("XDG_CONFIG_HOME", config)
	err := New(makeExecutable(t, "windsock.exe")).Enable()
	if err == nil {
		t.Fatal("enabled")
	}
	if diff := cmp.Diff(temporarySaid, tell(t, err)); diff != "" {
		t.Error(diff)
	}
	left, err := os.ReadDir(config)
	if err != nil || len(left) > 0 {
		t.Errorf("touched: %v %v", left, err)
	}
}
