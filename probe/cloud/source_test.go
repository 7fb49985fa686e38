package cloud

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windsock/probe/languageserver"
	"windsock/probe/say"
	"windsock/probe/signin"
)

const (
	windsurfState = "~/.config/Windsurf/User/globalStorage/state.vscdb"
	desktopState  = "~/.config/Devin/User/globalStorage/state.vscdb"
	cursorState   = "~/.config/Cursor/User/globalStorage/state.vscdb"
	devinFile     = "~/.local/share/devin/credentials.toml"
)

// The sources, in their order, and what is said of their files, on a computer that has
// none of them and on one that has some.
func TestSources(t *testing.T) {
	t.Parallel()
	type source struct {
		Name, Product, App, File, FixedHost string
		There                               bool
	}
	list := func(h disk) (all []source) {
		for _, s := range Sources(h.dirs) {
			if !slices.Contains([]string{"windsurf", "windsurf-next", "windsurf-eu", devinCLI, cursor}, s.Name) {
				continue // another variant, like the second one
			}
			all = append(all, source{s.Name, s.Product, s.App, s.File, s.FixedHost(), s.There()})
		}
		return all
	}
	state := "/User/globalStorage/state.vscdb"
	mac := newDisk(t, "darwin")
	full := newDisk(t, "linux")
	full.dirs.Data = full.path("~/data")
	for _, title := range []string{desktopState, "~/.config/cursor/auth.json", "~/data/devin/credentials.toml"} {
		full.write(t, title, "not opened")
	}
	elsewhere := newDisk(t, "linux")
	elsewhere.dirs.Config, elsewhere.dirs.Data = t.TempDir(), t.TempDir()
	tests := []struct {
		name string
		home disk
		want []source
	}{
		{"nothing", newDisk(t, "linux"), []source{
			{"windsurf", "windsurf", "Windsurf (Devin Desktop)", "~/.config/Windsurf" + state, "", false},
			{"windsurf-next", "windsurf", "Windsurf Next", "~/.config/Windsurf - Next" + state, "", false},
			{"windsurf-eu", "windsurf", "Windsurf EU", "~/.config/Windsurf - EU" + state, "", false},
			{"devin-cli", "windsurf", "Devin CLI", devinFile, "", false},
			{"cursor", "cursor", "Cursor", cursorState, "api2.cursor.sh", false},
		}},
		{"some", full, []source{
			{"windsurf", "windsurf", "Devin Desktop", desktopState, "", true},
			{"windsurf-next", "windsurf", "Windsurf Next", "~/.config/Windsurf - Next" + state, "", false},
			{"windsurf-eu", "windsurf", "Windsurf EU", "~/.config/Windsurf - EU" + state, "", false},
			{"devin-cli", "windsurf", "Devin CLI", "~/data/devin/credentials.toml", "", true},
			{"cursor", "cursor", "Cursor", "~/.config/cursor/auth.json", "api2.cursor.sh", true},
		}},
		{"mac", mac, []source{
			{"windsurf", "windsurf", "Windsurf (Devin Desktop)", "~/Library/Application Support/Windsurf" + state, "", false},
			{"windsurf-next", "windsurf", "Windsurf Next", "~/Library/Application Support/Windsurf - Next" + state, "", false},
			{"windsurf-eu", "windsurf", "Windsurf EU", "~/Library/Application Support/Windsurf - EU" + state, "", false},
			{"devin-cli", "windsurf", "Devin CLI", devinFile, "", false},
			{"cursor", "cursor", "Cursor", "~/Library/Application Support/Cursor" + state, "api2.cursor.sh", false},
		}},
		{"windows", newDisk(t, "windows"), []source{
			{"windsurf", "windsurf", "Windsurf (Devin Desktop)", `%APPDATA%\Windsurf\User\globalStorage\state.vscdb`, "", false},
			{"windsurf-next", "windsurf", "Windsurf Next", `%APPDATA%\Windsurf - Next\User\globalStorage\state.vscdb`, "", false},
			{"windsurf-eu", "windsurf", "Windsurf EU", `%APPDATA%\Windsurf - EU\User\globalStorage\state.vscdb`, "", false},
			{"devin-cli", "windsurf", "Devin CLI", `%APPDATA%\devin\credentials.toml`, "", false},
			{"cursor", "cursor", "Cursor", `%APPDATA%\Cursor\User\globalStorage\state.vscdb`, "api2.cursor.sh", false},
		}},
		{"directories_elsewhere", elsewhere, []source{
			{"windsurf", "windsurf", "Windsurf (Devin Desktop)", "$XDG_CONFIG_HOME/Windsurf" + state, "", false},
			{"windsurf-next", "windsurf", "Windsurf Next", "$XDG_CONFIG_HOME/Windsurf - Next" + state, "", false},
			{"windsurf-eu", "windsurf", "Windsurf EU", "$XDG_CONFIG_HOME/Windsurf - EU" + state, "", false},
			{"devin-cli", "windsurf", "Devin CLI", "$XDG_DATA_HOME/devin/credentials.toml", "", false},
			{"cursor", "cursor", "Cursor", "$XDG_CONFIG_HOME/Cursor" + state, "api2.cursor.sh", false},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, list(tt.home)); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, s := range Sources(signin.Dirs{Data: "relative"}) {
		if s.There() || s.Sign() != "" {
			t.Errorf("%s is there, below the working directory", s.Name)
		}
		if _, failure := s.read(t.Context()); failure == nil || failure.Code != NoCredential {
			t.Errorf("%s: %v", s.Name, failure)
		}
	}
}

// The mark changes with each file that counts, and with a -wal.
func TestSign(t *testing.T) {
	t.Parallel()
	h := newDisk(t, "linux")
	s := h.source(t, cursor)
	marks := map[string]string{s.Sign(): "nothing"}
	for _, step := range []struct{ file, content string }{
		{"~/.config/cursor/auth.json", "1"},
		{cursorState, "1"},
		{cursorState + "-wal", "1"},
		{cursorState + "-wal", "12"},
		{cursorState, "12"},
	} {
		h.write(t, step.file, step.content)
		mark := s.Sign()
		if before, twice := marks[mark]; twice {
			t.Errorf("after %+v the mark is that after %s", step, before)
		}
		marks[mark] = step.file + "=" + step.content
	}
	h.makeOld(t, cursorState)
	if mark := s.Sign(); marks[mark] != "" {
		t.Error("another time is no other mark")
	}
}

// What a person reads of a sign-in that cannot be used.
func TestSignInSentences(t *testing.T) {
	t.Parallel()
	s := Source{Name: cursor, Product: cursor, App: "Cursor"}
	from := signin.Place{Title: "~/.config/cursor/auth.json"}
	tests := []struct {
		name    string
		failure *Failure
		want    string
	}{
		{"signed_out", s.noCredential(from, signin.ErrSignedOut, ""), "Cursor is not signed in. Sign in to Cursor, then try again."},
		{"closed", s.noCredential(from, os.ErrPermission, ""), "The sign-in of Cursor may not be read. Give yourself the right to read ~/.config/cursor/auth.json, then try again."},
		{"unusable", s.noCredential(from, errors.New("it is too large"), ""), "The sign-in of Cursor cannot be used: it is too large. Sign in to Cursor, then try again."},
		{"expired", s.expired(""), "The sign-in of Cursor has ended. Open Cursor once, then try again."},
		{"no_host", s.noHost(""), "The sign-in of Cursor names its server in a way that Windsock does not follow. Sign in to Cursor, then try again."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := say.Sentence(tt.failure, ""); got != tt.want || say.Exit(tt.failure) != 4 {
				t.Errorf("%s, exit %d\nwant %s", got, say.Exit(tt.failure), tt.want)
			}
		})
	}
}

// What doctor may say holds the file that was read, and nothing of the token or the user.
func TestDescribe(t *testing.T) {
	t.Parallel()
	h := newDisk(t, "linux")
	token := cursorJWT(`{"sub":"auth0|user_1","exp":1795435200}`)
	h.write(t, "~/.config/cursor/auth.json", `{"accessToken":"`+token+`"}`)
	h.signIn(t, cursorState, rows("other", "1"))
	h.signIn(t, windsurfState, rows("windsurfAuthStatus", storedKey(t, session, &languageserver.UserStatus{Email: "jo@example.com"})))
	written := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	for _, title := range []string{"~/.config/cursor/auth.json", windsurfState} {
		if err := os.Chtimes(h.path(title), written, written); err != nil {
			t.Fatal(err)
		}
	}
	h.write(t, devinFile, "windsurf_api_key = '"+session+"'\napi_server_url = 'https://evil.example'")
	devinWritten := signInTime(t, h.path(devinFile))
	end := time.Unix(1795435200, 0)
	tests := []struct {
		source string
		now    time.Time
		want   Description
		code   string
	}{
		{cursor, end.Add(-time.Second), Description{"~/.config/cursor/auth.json", written, "JWT", end, hostCursor, nil}, ""},
		{cursor, end, Description{"~/.config/cursor/auth.json", written, "JWT", end, hostCursor, nil}, "expired"},
		{"windsurf", end, Description{windsurfState, written, "session token", time.Time{}, hostWindsurf, nil}, ""},
		{devinCLI, end, Description{devinFile, devinWritten, "session token", time.Time{}, "", nil}, "host_not_allowed"},
		{"windsurf-next", end, Description{File: "~/.config/Windsurf - Next/User/globalStorage/state.vscdb"}, "no_credential"},
	}
	for _, tt := range tests {
		t.Run(tt.source+tt.code, func(t *testing.T) {
			t.Parallel()
			got := h.source(t, tt.source).describeAt(t.Context(), tt.now)
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(Description{}, "Err")); diff != "" || say.Code(got.Err) != tt.code {
				t.Errorf("%v\n%s", got.Err, diff)
			}
			if said := fmt.Sprintf("%+v", got); strings.Contains(said, "eyJ") || strings.Contains(said, "user_1") || strings.Contains(said, "jo@") {
				t.Errorf("it says %s", said)
			}
		})
	}
}

func signInTime(t *testing.T, path string) time.Time {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime()
}
