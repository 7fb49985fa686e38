package cloud

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"windsock/probe/languageserver"
	"windsock/probe/signin"
	"windsock/probe/simulator/simtest"
)

// cursorJWT is a token of Cursor's with that payload, made up.
func cursorJWT(payload string) string {
	return "eyJhbGciOiJub25lIn0." + base64.RawURLEncoding.EncodeToString([]byte(payload)) + ".sig"
}

// rows are the rows of a state.vscdb: keys and values in turn.
func rows(keysAndValues ...string) (auth simtest.Auth) {
	for i := 0; i < len(keysAndValues); i += 2 {
		auth.Rows = append(auth.Rows, simtest.Row{Key: keysAndValues[i], Value: keysAndValues[i+1]})
	}
	return auth
}

// storedKey is the row of an editor's sign-in, with that status in it if it is not nil.
func storedKey(t *testing.T, token string, status *languageserver.UserStatus) string {
	t.Helper()
	if status == nil {
		return fmt.Sprintf(`{"apiKey":%q}`, token)
	}
	binary, err := proto.Marshal(status)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`{"apiKey":%q,"userStatusProtoBinaryBase64":%q}`, token, base64.StdEncoding.EncodeToString(binary))
}

// what is a credential in comparable form.
type what struct {
	Token, URL, User string
	Expires          time.Time
	Form             signin.Form
}

// The parts of a sign-in, and which place counts of several.
func TestRead(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	user := &languageserver.UserStatus{UserId: "u1", Email: "jo@example.com", TeamId: "t1", Name: "Jo"}
	const other = "sk-ws-01-other"
	valid, ended := cursorJWT(`{"sub":"auth0|user_1","exp":1795435201}`), cursorJWT(`{"sub":"user_1","exp":1795435200}`)
	plain := what{Token: session, Form: signin.FormSession}
	jo := what{Token: valid, User: `"user_1"`, Expires: now.Add(time.Second), Form: signin.FormJWT}
	tests := []struct {
		name, source string
		prepare      func(t *testing.T, h disk)
		want         what
		failed       string // code and cause
	}{
		{"user_of_an_editor", "windsurf", func(t *testing.T, h disk) {
			t.Helper()
			h.signIn(t, windsurfState, rows("windsurfAuthStatus", storedKey(t, session, user), "codeium.windsurf", `{"apiServerUrl":"https://eu.windsurf.com/_route/api_server"}`))
		}, what{
			Token: session, URL: "https://eu.windsurf.com/_route/api_server",
			User: `{"email":"jo@example.com","teamId":"t1","userId":"u1"}`, Form: signin.FormSession,
		}, ""},
		{"user_by_email", "windsurf", func(t *testing.T, h disk) {
			t.Helper()
			h.signIn(t, windsurfState, rows("windsurfAuthStatus", storedKey(t, session, &languageserver.UserStatus{Email: `"jo"@example.com`})))
		}, what{Token: session, User: `{"email":"\"jo\"@example.com"}`, Form: signin.FormSession}, ""},
		{"user_unreadable", "windsurf", func(t *testing.T, h disk) {
			t.Helper()
			h.signIn(t, windsurfState, rows("windsurfAuthStatus", `{"apiKey":"`+session+`","userStatusProtoBinaryBase64":"/////w=="}`))
		}, plain, ""},
		{"wide_blob_in_wal", "windsurf", func(t *testing.T, h disk) {
			t.Helper()
			auth := rows("windsurfAuthStatus", storedKey(t, session, nil), "codeium.windsurf", `{"apiServerUrl":"https://server.codeium.com"}`)
			auth.Blob, auth.Wide, auth.WAL = true, true, true
			h.signIn(t, windsurfState, auth)
		}, what{Token: session, URL: "https://server.codeium.com", Form: signin.FormSession}, ""},
		{"url_is_a_number", "windsurf", func(t *testing.T, h disk) {
			t.Helper()
			h.signIn(t, windsurfState, rows("windsurfAuthStatus", storedKey(t, session, nil), "codeium.windsurf", `{"apiServerUrl":7}`))
		}, what{Token: session, URL: "7", Form: signin.FormSession}, ""},
		{"url_of_no_server", "windsurf", func(t *testing.T, h disk) {
			t.Helper()
			h.signIn(t, windsurfState, rows("windsurfAuthStatus", storedKey(t, session, nil), "codeium.windsurf", `{"apiServerUrl":null,"lastLoginEmail":"jo@example.com"}`))
		}, plain, ""},
		{"url_damaged", "windsurf", func(t *testing.T, h disk) {
			t.Helper()
			h.signIn(t, windsurfState, rows("windsurfAuthStatus", storedKey(t, session, nil), "codeium.windsurf", `{"apiServerUrl":"https://eu.wind`))
		}, what{}, "no_credential: what it says of its server is damaged"},
		{"newer_directory", "windsurf", func(t *testing.T, h disk) {
			t.Helper()
			h.signIn(t, windsurfState, rows("windsurfAuthStatus", storedKey(t, other, nil), "codeium.windsurf", `{"apiServerUrl":"https://eu.windsurf.com/_route/api_server"}`))
			h.signIn(t, desktopState, rows("windsurfAuthStatus", storedKey(t, session, nil)))
			h.makeOld(t, windsurfState)
		}, plain, ""},
		{"signed_out_of_the_newer", "windsurf", func(t *testing.T, h disk) {
			t.Helper()
			h.signIn(t, windsurfState, rows("windsurfAuthStatus", storedKey(t, other, nil)))
			h.signIn(t, desktopState, rows("windsurfAuthStatus", "null"))
			h.makeOld(t, windsurfState)
		}, what{}, "no_credential: nobody is signed in there"},
		{"never_signed_in_to_the_newer", "windsurf", func(t *testing.T, h disk) {
			t.Helper()
			h.signIn(t, windsurfState, rows("windsurfAuthStatus", storedKey(t, session, nil)))
			h.signIn(t, desktopState, rows("other", "1", "codeium.windsurf", `{"apiServerUrl":"https://eu.windsurf.com/_route/api_server"}`))
			h.makeOld(t, windsurfState)
		}, plain, ""},
		{"newer_damaged", "windsurf", func(t *testing.T, h disk) {
			t.Helper()
			h.signIn(t, windsurfState, rows("windsurfAuthStatus", storedKey(t, other, nil)))
			h.write(t, desktopState, "no database")
			h.makeOld(t, windsurfState)
		}, what{}, "no_credential: the file is no database"},
		{"editor_row_cut_off", "windsurf", func(t *testing.T, h disk) {
			t.Helper()
			h.signIn(t, windsurfState, rows("windsurfAuthStatus", `{"apiKey":"`+session))
		}, what{}, "no_credential: the stored sign-in is damaged"},
		{"bare_jwt_of_an_editor", "windsurf", func(t *testing.T, h disk) {
			t.Helper()
			h.signIn(t, windsurfState, rows("windsurfAuthStatus", storedKey(t, valid, nil)))
		}, what{}, "no_credential: it holds a code for signing in, and no token"},
		{"token_of_codeium", "windsurf", func(t *testing.T, h disk) {
			t.Helper()
			h.signIn(t, windsurfState, rows("windsurfAuthStatus", storedKey(t, "01234567-89ab-4cde-8f01-23456789abcd", nil)))
		}, what{}, "no_credential: its token is of a kind that Windsock does not know"},
		{"long_token", devinCLI, func(t *testing.T, h disk) {
			t.Helper()
			h.write(t, devinFile, `windsurf_api_key = "sk-ws-`+strings.Repeat("x", 8<<10)+`"`)
		}, what{}, "no_credential: its token is far too long"},
		{"long_file", devinCLI, func(t *testing.T, h disk) {
			t.Helper()
			h.write(t, devinFile, `windsurf_api_key = "`+session+`" #`+strings.Repeat("x", 64<<10))
		}, what{}, "no_credential: it is too large"},
		{"names_in_capitals", devinCLI, func(t *testing.T, h disk) {
			t.Helper()
			h.write(t, devinFile, `WINDSURF_API_KEY = "`+session+`"`)
		}, what{}, "no_credential: nobody is signed in there"},
		{"token_is_a_number", devinCLI, func(t *testing.T, h disk) {
			t.Helper()
			h.write(t, devinFile, `windsurf_api_key = 7`)
		}, what{}, "no_credential: it holds no token"},
		{"url_is_a_list", devinCLI, func(t *testing.T, h disk) {
			t.Helper()
			h.write(t, devinFile, "windsurf_api_key = '"+session+"'\napi_server_url = []")
		}, what{Token: session, URL: "[]", Form: signin.FormSession}, ""},
		{"first_file_counts", devinCLI, func(t *testing.T, h disk) {
			t.Helper()
			h.write(t, devinFile, `windsurf_api_key = "`+session+`"`)
			h.write(t, "~/.local/share/cognition/credentials.toml", `windsurf_api_key = "`+other+`"`)
		}, plain, ""},
		{"first_file_broken", devinCLI, func(t *testing.T, h disk) {
			t.Helper()
			h.write(t, devinFile, `windsurf_api_key = "`)
			h.write(t, "~/.local/share/cognition/credentials.toml", `windsurf_api_key = "`+other+`"`)
		}, what{}, "no_credential: it cannot be read as TOML"},
		{"cursor", cursor, func(t *testing.T, h disk) {
			t.Helper()
			h.signIn(t, cursorState, rows("cursorAuth/accessToken", valid, "cursorAuth/refreshToken", "refresh"))
		}, jo, ""},
		{"cursor_in_wal", cursor, func(t *testing.T, h disk) {
			t.Helper()
			auth := rows("cursorAuth/accessToken", `"`+valid+`"`)
			auth.WAL = true
			h.signIn(t, cursorState, auth)
		}, jo, ""},
		{"cursor_ended", cursor, func(t *testing.T, h disk) {
			t.Helper()
			h.signIn(t, cursorState, rows("cursorAuth/accessToken", ended))
		}, what{}, "expired"},
		{"cursor_without_end_and_user", cursor, func(t *testing.T, h disk) {
			t.Helper()
			h.signIn(t, cursorState, rows("cursorAuth/accessToken", cursorJWT(`{}`)))
		}, what{Token: cursorJWT(`{}`), Form: signin.FormJWT}, ""},
		{"cursor_end_that_is_none", cursor, func(t *testing.T, h disk) {
			t.Helper()
			h.signIn(t, cursorState, rows("cursorAuth/accessToken", cursorJWT(`{"exp":"soon","sub":"auth0|"}`)))
		}, what{Token: cursorJWT(`{"exp":"soon","sub":"auth0|"}`), Form: signin.FormJWT}, ""},
		{"cursor_not_its_command_line", cursor, func(t *testing.T, h disk) {
			t.Helper()
			h.signIn(t, cursorState, rows("cursorAuth/accessToken", valid))
			h.write(t, "~/.config/cursor/auth.json", `{"accessToken":"`+cursorJWT(`{"sub":"other"}`)+`"}`)
		}, jo, ""},
		{"cursor_command_line", cursor, func(t *testing.T, h disk) {
			t.Helper()
			h.signIn(t, cursorState, rows("cursorAuth/accessToken", ""))
			h.write(t, "~/.config/cursor/auth.json", `{"accessToken":"`+valid+`","refreshToken":"refresh","apiKey":"crsr_0"}`)
		}, jo, ""},
		{"cursor_command_line_alone", cursor, func(t *testing.T, h disk) {
			t.Helper()
			h.write(t, "~/.config/cursor/auth.json", `{"accessToken":"`+valid+`"}`)
		}, jo, ""},
		{"cursor_command_line_signed_out", cursor, func(t *testing.T, h disk) {
			t.Helper()
			h.write(t, "~/.config/cursor/auth.json", `{"apiKey":"crsr_0"}`)
		}, what{}, "no_credential: nobody is signed in there"},
		{"cursor_command_line_broken", cursor, func(t *testing.T, h disk) {
			t.Helper()
			h.write(t, "~/.config/cursor/auth.json", `{"accessToken":"`)
		}, what{}, "no_credential: it cannot be read as JSON"},
		{"cursor_null", cursor, func(t *testing.T, h disk) {
			t.Helper()
			h.signIn(t, cursorState, rows("cursorAuth/accessToken", "null"))
			h.write(t, "~/.config/cursor/auth.json", `{"accessToken":7}`)
		}, what{}, "no_credential: it holds no token"},
		{"cursor_payload_is_a_list", cursor, func(t *testing.T, h disk) {
			t.Helper()
			h.signIn(t, cursorState, rows("cursorAuth/accessToken", cursorJWT(`["user_1"]`)))
		}, what{}, "no_credential: its token is of a kind that Windsock does not know"},
		{"cursor_line_feed_in_token", cursor, func(t *testing.T, h disk) {
			t.Helper()
			h.signIn(t, cursorState, rows("cursorAuth/accessToken", `"`+valid+`\nX-Evil: 1"`))
		}, what{}, "no_credential: its token has characters that no token has"},
		{"cursor_damaged", cursor, func(t *testing.T, h disk) {
			t.Helper()
			h.write(t, cursorState, "no database")
			h.write(t, "~/.config/cursor/auth.json", `{"accessToken":"`+valid+`"}`)
		}, what{}, "no_credential: the file is no database"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newDisk(t, "linux")
			tt.prepare(t, h)
			s := h.source(t, tt.source)
			c, failure := s.readAt(t.Context(), now)
			got, failed := what{c.token.Reveal(), c.url, string(c.user), c.expires, c.form}, ""
			if failure != nil {
				failed = failure.Error()
				if failure.Sign != s.Sign() {
					t.Errorf("the failure's mark is %q, not %q", failure.Sign, s.Sign())
				}
			} else if c.sign != s.Sign() || c.sign == "" {
				t.Errorf("the mark is %q, not %q", c.sign, s.Sign())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || failed != tt.failed {
				t.Errorf("failed: %q, want %q\n%s", failed, tt.failed, diff)
			}
		})
	}
}

// Command lines of Cursor's keep their sign-in in another place on each system.
func TestCursorCommandLine(t *testing.T) {
	t.Parallel()
	for system, file := range map[string]string{"darwin": "~/.cursor/auth.json", "windows": `%APPDATA%\Cursor\auth.json`} {
		h := newDisk(t, system)
		h.write(t, file, `{"accessToken":"`+cursorJWT(`{"sub":"user_1"}`)+`"}`)
		s := h.source(t, cursor)
		if c, failure := s.read(t.Context()); failure != nil || string(c.user) != `"user_1"` || s.File != file {
			t.Errorf("%s: %s, %v", system, s.File, failure)
		}
	}
}

// A question that is cancelled says so, also while a database is read.
func TestReadCancelled(t *testing.T) {
	t.Parallel()
	h := newDisk(t, "linux")
	h.signIn(t, cursorState, rows("cursorAuth/accessToken", cursorJWT(`{}`)))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, failure := h.source(t, cursor).read(ctx); !errors.Is(failure, context.Canceled) {
		t.Errorf("failure: %v", failure)
	}
}
