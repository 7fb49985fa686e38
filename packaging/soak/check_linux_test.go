package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCheckWords(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, log, printed string
		want               []string
	}{
		{name: "nothing", log: "level=INFO msg=\"figures had\"\n", printed: "windsock: fine\n"},
		{name: "expected_warning", log: "level=WARN msg=\"settings not usable\" problem=x\n"},
		{
			name: "other_warning", log: "level=INFO msg=started\nlevel=WARN msg=\"history is being lost\"\n",
			want: []string{`logged: level=WARN msg="history is being lost"`},
		},
		{name: "error", log: "level=ERROR msg=\"ended by an error\"\n", want: []string{`logged: level=ERROR msg="ended by an error"`}},
		{name: "panic", printed: "panic: oh\n\ngoroutine 1 [running]:\n", want: []string{"printed: panic: oh\n\ngoroutine 1 [running]:\n"}},
		{name: "race", printed: "==\nWARNING: DATA RACE\n", want: []string{"printed: WARNING: DATA RACE\n"}},
		{name: "secret_logged", log: "level=INFO key=hush\n", want: []string{"told the secret hush"}},
		{name: "secret_printed", printed: "hush\n", want: []string{"told the secret hush"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, checkWords(tt.log, tt.printed, []string{"hush"})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestCheckFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	place := func(name string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range kept {
		place(name)
	}
	for _, sub := range []string{"run/windsock", "tmp"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	got, err := checkFiles(dir)
	if diff := cmp.Diff([]string(nil), got); err != nil || diff != "" {
		t.Errorf("%v, (-want +got):\n%s", err, diff)
	}
	place("home/.config/Windsurf/User/globalStorage/state.vscdb-wal")
	place("home/.local/state/windsock/history.db-wal")
	place("run/windsock/lock")
	if err := os.Mkdir(filepath.Join(dir, "tmp", "windsock-state-1"), 0o700); err != nil {
		t.Fatal(err)
	}
	got, err = checkFiles(dir)
	want := []string{
		"left over: home/.config/Windsurf/User/globalStorage/state.vscdb-wal",
		"left over: home/.local/state/windsock/history.db-wal",
		"left over: run/windsock/lock",
		"left over: tmp/windsock-state-1",
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v, (-want +got):\n%s", err, diff)
	}
}

func TestCrowds(t *testing.T) {
	t.Parallel()
	const dump = `goroutine 1 [running]:
goroutine 5 [select]:
created by windsock/tray.(*actor).later in goroutine 63
	windsock/tray/actor.go:192 +0x9d
goroutine 6 [select]:
created by windsock/tray.(*actor).later in goroutine 63
goroutine 7 [select]:
created by windsock/usage.once in goroutine 1
`
	want := []string{"2 goroutines of windsock/tray.(*actor).later"}
	if diff := cmp.Diff(want, crowds(dump)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
