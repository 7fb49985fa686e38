package doctor

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"windsock/probe"
	"windsock/probe/secret"
	"windsock/probe/signin"
	"windsock/probe/system"
	"windsock/probe/system/systemtest"
)

// The planted secrets are in every place that doctor reads, so that a leak shows.
const (
	plantedToken = "aa11bb22-planted-token"
	plantedName  = "Zaphod Beeblebrox"
	plantedMail  = "zaphod@heart-of-gold.example"
	plantedUser  = "zbeeblebrox"
	plantedTitle = "secret-workspace"
)

// plantedKeys have the four forms of a key (PROTOCOL.md 2.2). All are made up.
var plantedKeys = map[string]string{
	"legacy_uuid":   "01234567-89ab-4cde-8f01-23456789abcd",
	"self_serve":    "sk-ws-01-" + strings.Repeat("Xy9", 31),
	"session_token": "devin-session-token$eyJhbGciOiJIUzI1NiJ9.eyJzZXNzaW9uX2lkIjoieCJ9.c2ln",
	"team_token":    "cog_0123456789abcdef",
}

// TestDoctorTellsNoSecret: in no state does the text or the JSON hold a key, a token, a
// name, an address, a title or the home directory.
func TestDoctorTellsNoSecret(t *testing.T) {
	t.Parallel()
	for form, key := range plantedKeys {
		for state, lay := range secretStates {
			t.Run(form+"_"+state, func(t *testing.T) {
				t.Parallel()
				home := filepath.Join(t.TempDir(), plantedUser)
				told := lay(t, home, key)
				for _, secret := range []string{key, plantedToken, plantedName, plantedMail, plantedTitle, plantedUser, home} {
					for _, written := range []string{
						secret, url.QueryEscape(secret), base64.StdEncoding.EncodeToString([]byte(secret)), strings.ToUpper(secret),
					} {
						if strings.Contains(told, written) {
							t.Errorf("it tells %q:\n%s", written, told)
						}
					}
				}
				for _, part := range strings.FieldsFunc(key, func(r rune) bool { return r == '.' || r == '$' }) {
					if len(part) > len("devin-session-token") && strings.Contains(told, part) {
						t.Errorf("it tells %q, a part of the key:\n%s", part, told)
					}
				}
				if !strings.Contains(told, "windsurf") || len(told) < 300 {
					t.Errorf("it tells next to nothing: %s", told)
				}
			})
		}
	}
}

// secretStates fill a home directory and processes with secrets, and return doctor's
// output.
var secretStates = map[string]func(t *testing.T, home, key string) string{
	"works": func(t *testing.T, home, key string) string {
		t.Helper()
		return tell(t, home, key, func(w http.ResponseWriter, _ *http.Request) { systemtest.Answer(w, 200, plantedAnswer(key)) }, nil)
	},
	"server_repeats_it": func(t *testing.T, home, key string) string {
		t.Helper()
		return tell(t, home, key, func(w http.ResponseWriter, _ *http.Request) {
			systemtest.Answer(w, 500, fmt.Sprintf(`{"code":"internal","message":%q}`, plantedAnswer(key)))
		}, nil)
	},
	"signed_out": func(t *testing.T, home, key string) string {
		t.Helper()
		return tell(t, home, key, func(w http.ResponseWriter, _ *http.Request) {
			systemtest.Answer(w, 401, fmt.Sprintf(`{"code":"unauthenticated","message":%q}`, plantedAnswer(key)))
		}, nil)
	},
	"wrong_token": func(t *testing.T, home, key string) string {
		t.Helper()
		return tell(t, home, key, nil, func(s *systemtest.Fake) { s.Procs[0].Token = secret.New(plantedToken + "2") })
	},
	"no_token": func(t *testing.T, home, key string) string {
		t.Helper()
		return tell(t, home, key, nil, func(s *systemtest.Fake) {
			s.Procs[0].Token = secret.Secret{}
			s.Procs[0].TokenErr = &os.PathError{Op: "open", Path: home + "/environ", Err: errors.New(plantedMail + " " + key)}
		})
	},
	"antigravity": func(t *testing.T, home, key string) string {
		t.Helper()
		return tell(t, home, key, func(w http.ResponseWriter, _ *http.Request) { systemtest.Answer(w, 200, plantedAnswer(key)) }, asAntigravity(home))
	},
	"antigravity_repeats_it": func(t *testing.T, home, key string) string {
		t.Helper()
		return tell(t, home, key, func(w http.ResponseWriter, _ *http.Request) {
			systemtest.Answer(w, 200, fmt.Sprintf(`{"code":%q,"message":%q}`, key, plantedAnswer(key)))
		}, asAntigravity(home))
	},
	"not_running": func(t *testing.T, home, key string) string {
		t.Helper()
		return tell(t, home, key, nil, func(s *systemtest.Fake) { s.Procs = nil })
	},
	"damaged": func(t *testing.T, home, key string) string {
		t.Helper()
		writePlanted(t, filepath.Join(home, ".config", "Windsurf", "User", "globalStorage", "state.vscdb"), plantedAnswer(key))
		return tell(t, home, key, nil, func(s *systemtest.Fake) { s.Procs = nil })
	},
}

// asAntigravity makes the server Antigravity's.
func asAntigravity(home string) func(*systemtest.Fake) {
	args := strings.Fields("--app_data_dir antigravity --csrf_token " + plantedToken + " --workspace_id " + plantedTitle + " --override_ide_version 2.3.1-" + plantedUser)
	return func(s *systemtest.Fake) {
		s.Procs[0] = system.NewProcess(100, 1, home+"/antigravity/bin/language_server_"+plantedUser, args, nil, nil)
	}
}

func plantedAnswer(key string) string {
	return fmt.Sprintf(`{"userStatus":{"name":%q,"email":%q,"apiKey":%q,"workspace":%q}}`, plantedName, plantedMail, key, plantedTitle)
}

func tell(t *testing.T, home, key string, status http.HandlerFunc, change func(*systemtest.Fake)) string {
	t.Helper()
	server := systemtest.Serve(t, plantedToken, func(w http.ResponseWriter, r *http.Request) {
		if status != nil {
			status(w, r)
		}
	})
	args := strings.Fields("--ide_name windsurf --csrf_token " + plantedToken + " --workspace_id " + plantedTitle + " --windsurf_version 1.2.3-" + plantedUser)
	p := system.NewProcess(100, 1, home+"/"+plantedUser+"/language_server_"+plantedUser, args, []string{"USER=" + plantedUser}, nil)
	sys := &systemtest.Fake{}
	sys.Add("", server.URL)
	sys.Procs[0] = p
	if change != nil {
		change(sys)
	}
	writePlanted(t, filepath.Join(home, ".codeium", "config.json"), fmt.Sprintf(`{"apiKey":%q,"name":%q,"email":%q}`, key, plantedName, plantedMail))
	f := probe.NewFinder(probe.WithDirs(signin.Below(home)), probe.WithSystem(sys))
	d := doctorOf(f)
	d.Figures = func(product string, _ []byte) (string, error) {
		if product != probe.Windsurf { // no key is read for another one
			key = ""
		}
		return "", errors.New("read " + home + "/x: " + key + " of " + plantedMail)
	}
	d.Checks = append(d.Checks, func(context.Context) []Step {
		return []Step{{Name: "settings", Finding: "open " + home + "/.config: denied to " + plantedMail, Cure: "Ask " + plantedMail + "."}}
	})
	g := d.Examine(t.Context(), probe.Variants())
	var json strings.Builder
	if err := g.writeJSON(&json); err != nil {
		t.Fatal(err)
	}
	return d.Text(g, 1000) + json.String()
}

func writePlanted(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}
