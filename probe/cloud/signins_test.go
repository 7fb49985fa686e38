package cloud

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/signin"
	"windsock/probe/simulator/simtest"
)

// disk is a home directory in the layout of a system.
type disk struct {
	dir  string
	dirs signin.Dirs
}

func newDisk(tb testing.TB, system string) disk {
	tb.Helper()
	h := disk{dir: tb.TempDir()}
	h.dirs = signin.Below(h.dir)
	h.dirs.OS = system
	switch system {
	case "darwin":
		h.dirs.Config = filepath.Join(h.dir, "Library", "Application Support")
	case "windows":
		h.dirs.Config = filepath.Join(h.dir, "AppData", "Roaming")
	}
	return h
}

// path is where a path of a person's lies in the home directory; that of another home is
// beside it.
func (h disk) path(title string) string {
	title = strings.ReplaceAll(title, `\`, "/")
	title = strings.NewReplacer("~", "", "$XDG_DATA_HOME", "data", "%APPDATA%", "AppData/Roaming").Replace(title)
	return filepath.Join(h.dir, filepath.FromSlash(title))
}

func (h disk) write(tb testing.TB, title, content string) {
	tb.Helper()
	path := h.path(title)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
		tb.Fatal(err)
	}
}

// signIn writes a state.vscdb.
func (h disk) signIn(tb testing.TB, title string, auth simtest.Auth) {
	tb.Helper()
	dir, ok := strings.CutSuffix(h.path(title), filepath.FromSlash("/User/globalStorage/state.vscdb"))
	if err := simtest.SignIn(dir, auth); err != nil || !ok {
		tb.Fatal(err)
	}
}

// source is the source with that name.
func (h disk) source(tb testing.TB, name string) Source {
	tb.Helper()
	for _, s := range Sources(h.dirs) {
		if s.Name == name {
			return s
		}
	}
	tb.Fatalf("no source %s", name)
	return Source{}
}

// makeOld sets when a file was last written to, and those beside it.
func (h disk) makeOld(tb testing.TB, title string) {
	tb.Helper()
	for _, suffix := range []string{"", "-wal", "-shm"} {
		err := os.Chtimes(h.path(title)+suffix, time.Time{}, time.Now().Add(-time.Hour))
		if err != nil && (suffix == "" || !errors.Is(err, fs.ErrNotExist)) {
			tb.Fatal(err)
		}
	}
}

// signInCase is what lies on a disk, and what each source that is there makes of it.
type signInCase struct {
	ID     string                       `json:"id"`
	OS     string                       `json:"os"`
	Env    map[string]string            `json:"env"`
	Files  map[string]*string           `json:"files"` // nil: closed to this user
	States map[string]map[string]string `json:"state_vscdb"`
	Want   map[string]seen              `json:"want"`
}

type seen struct {
	State string `json:"state"`
	Form  string `json:"form,omitempty"`
	Host  string `json:"host,omitempty"`
	Known bool   `json:"known,omitempty"`
	Why   string `json:"why,omitempty"`
}

// see says what a sign-in is, as Describe and Host tell it.
func see(t *testing.T, s Source) seen {
	t.Helper()
	d := s.Describe(t.Context())
	host, known, err := s.Host(t.Context())
	if host != d.Host || (err != nil) != (d.Err != nil) {
		t.Errorf("Host = %s, %v; Describe: %+v", host, err, d)
	}
	got := seen{State: "ready", Form: d.Form, Host: d.Host, Known: known}
	if failure, ok := errors.AsType[*Failure](d.Err); ok {
		got.State = string(failure.Code)
		if cause := failure.Unwrap(); cause != nil {
			got.Why = cause.Error()
		}
	}
	return got
}

// Two sign-ins are two sources, each with its own host. Not a source, since a person could
// not name it by its file: a key in the environment (env-key). Nor the file of the plug-ins
// of other editors (codeium-config), whose key need not have a plan. Nor anything in
// another system's home (wsl-windows-side).
func TestSignIns(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(filepath.Join("testdata", "sign-ins.json"))
	var cases []signInCase
	if err := errors.Join(err, json.Unmarshal(content, &cases)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range cases {
		if tt.ID == "cli-not-readable" {
			continue // root may read everything: TestSignInNotReadable
		}
		t.Run(tt.ID, func(t *testing.T) {
			t.Parallel()
			checkSignIns(t, newDisk(t, tt.OS), tt)
		})
	}
}

func checkSignIns(t *testing.T, h disk, tt signInCase) {
	t.Helper()
	if tt.Env["XDG_DATA_HOME"] != "" {
		h.dirs.Data = h.path("$XDG_DATA_HOME")
	}
	for title, content := range tt.Files {
		if content != nil {
			h.write(t, title, *content)
			continue
		}
		h.write(t, title, "")
		if err := os.Chmod(h.path(title), 0); err != nil {
			t.Fatal(err)
		}
	}
	for title, rows := range tt.States {
		var auth simtest.Auth
		for key, value := range rows {
			auth.Rows = append(auth.Rows, simtest.Row{Key: key, Value: value})
		}
		h.signIn(t, title, auth)
	}
	got := map[string]seen{}
	for _, s := range Sources(h.dirs) {
		if s.There() {
			got[s.Name] = see(t, s)
		} else if absent := see(t, s); absent.State != string(NoCredential) {
			t.Errorf("%s is not there, and is %+v", s.Name, absent)
		}
	}
	if diff := cmp.Diff(tt.Want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// session is a token of Windsurf's, made up.
const session = "devin-session-token$eyJhbGciOiJub25lIn0.eyJzZXNzaW9uX2lkIjoid2luZHN1cmYtc2Vzc2lvbi0wIn0.sig"
