package signin

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Rows as other people's readers met them, in a real database, and what is read of them.
func TestCursor(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(filepath.Join("testdata", "cursor.json"))
	var cases []struct {
		ID      string
		Column  string    // the type of the value
		Value   *string   `json:"value_hex"` // nil: no row
		Text    string    // of the row
		User    string    //
		Expires time.Time // zero: the token does not say
		Why     string    // there is no credential
	}
	if err := errors.Join(err, json.Unmarshal(content, &cases)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range cases {
		t.Run(tt.ID, func(t *testing.T) {
			t.Parallel()
			where := Below(t.TempDir())
			conn := openState(t, statePath(where.Config, "Cursor"))
			if tt.Value != nil {
				value, err := hex.DecodeString(*tt.Value)
				if err != nil {
					t.Fatal(err)
				}
				execState(t, conn, "INSERT INTO ItemTable VALUES (?, CAST(? AS "+tt.Column+"))", cursorKey, value)
				if got := storedText(value); tt.Text != "" && got != tt.Text {
					t.Errorf("the text is %q", got)
				}
			}
			closeState(t, conn)
			c, err := where.Cursor().Read(t.Context())
			if tt.Why != "" {
				if err == nil || err.Error() != tt.Why {
					t.Errorf("error = %v, want %s", err, tt.Why)
				}
				return
			}
			if err != nil || tt.Text != "" && c.Token.Reveal() != tt.Text {
				t.Errorf("token %q, %v", c.Token.Reveal(), err)
			}
			if diff := cmp.Diff([]any{tt.User, tt.Expires, FormJWT}, []any{c.User.ID, c.Expires, c.Form}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// clauses are all that is said about the content of a sign-in.
var clauses = []error{
	errNothing, ErrSignedOut, errNoToken, errCharacters, errLongToken, errServiceKey, errOneTime, errUnknown, errNoTOML,
	errors.New("it cannot be read as JSON"), errors.New("what it says of its server is damaged"),
	errors.New("the stored sign-in is empty"), errors.New("the stored sign-in is damaged"), errors.New("the stored sign-in has no API key"),
}

// checkCredential: a token can stand in a header, or there is none, and the error holds
// nothing of the content.
func checkCredential(t *testing.T, content []byte, c Credential, err error) {
	t.Helper()
	token := c.Token.Reveal()
	if err == nil {
		if token == "" || len(token) > maxToken || c.Form == "" || strings.ContainsFunc(token, func(r rune) bool { return r < '!' || r > '~' }) {
			t.Errorf("%q: token %q, form %q", content, token, c.Form)
		}
		if !c.Expires.IsZero() && (c.Expires.Unix() <= 0 || c.Expires.Year() > 9999) {
			t.Errorf("%q: it expires %v", content, c.Expires)
		}
		return
	}
	known := false
	for _, clause := range clauses {
		known = known || clause.Error() == err.Error()
	}
	if !known {
		t.Errorf("%q: %v", content, err)
	}
}

func FuzzCursorRow(f *testing.F) {
	const payload = "eyJzdWIiOiJhdXRoMHx1c2VyXzEiLCJleHAiOjE4MDAwMDAwMDB9"
	f.Add([]byte("e30." + payload + ".sig"))
	f.Add([]byte(`"e30.` + payload + `.sig"`))
	f.Add(utf16LE("e30." + payload + ".sig"))
	f.Add([]byte("e30.W10.sig"))
	f.Add([]byte("null"))
	f.Fuzz(func(t *testing.T, value []byte) {
		c, err := cursorCredential(value)
		checkCredential(t, value, c, err)
	})
}

func FuzzCursorFile(f *testing.F) {
	f.Add([]byte(`{"accessToken":"e30.e30.sig","refreshToken":"r","apiKey":"crsr_0"}`))
	f.Add([]byte(`{"accessToken":7}`))
	f.Add([]byte(`[{"accessToken":null}]`))
	f.Fuzz(func(t *testing.T, content []byte) {
		c, err := cursorCLICredential(content)
		checkCredential(t, content, c, err)
	})
}

func FuzzDevinFile(f *testing.F) {
	f.Add([]byte("windsurf_api_key = 'sk-ws-01-x'\r\napi_server_url = \"https://eu.windsurf.com/_route/api_server\"\r\n[other]\r\n"))
	f.Add([]byte("windsurf_api_key = [1, {a = 2}]"))
	f.Add([]byte("windsurf_api_key = 2026-11-23"))
	f.Add([]byte("a = " + strings.Repeat("[", 1000)))
	f.Fuzz(func(t *testing.T, content []byte) {
		if len(content) > maxTextFile {
			return
		}
		c, err := devinCredential(content)
		checkCredential(t, content, c, err)
	})
}

// FuzzEditorRows: beside a token and clauses, a URL that is read stands in the row.
func FuzzEditorRows(f *testing.F) {
	f.Add([]byte(`{"apiKey":"sk-ws-01-x","userStatusProtoBinaryBase64":"CgA="}`), []byte(`{"apiServerUrl":"https://eu.windsurf.com/_route/api_server"}`))
	f.Add(utf16LE(`{"apiKey":"cog_x"}`), utf16LE(`{"apiServerUrl":{}}`))
	f.Add([]byte("null"), []byte(""))
	f.Fuzz(func(t *testing.T, auth, server []byte) {
		c, err := editorCredential(auth)
		checkCredential(t, auth, c, err)
		url, err := serverURL(server)
		if text := string(decodeText(server)); !strings.Contains(text, url) && !strings.Contains(text, `\`) {
			t.Errorf("%q is not in %q", url, text)
		}
		if err != nil {
			checkCredential(t, server, Credential{}, err)
		}
	})
}

// Nesting as deep as the file may be ends in a clause, and not in the end of the process.
func TestDevinFileNested(t *testing.T) {
	t.Parallel()
	half := maxTextFile/2 - 20
	for text, want := range map[string]error{
		strings.Repeat("[", 2*half):                                       errNoTOML,
		strings.Repeat("{a=", half/2):                                     errNoTOML,
		strings.Repeat("[", half) + strings.Repeat("]", half):             errNoTOML,
		strings.Repeat("{a=", half/2) + "1" + strings.Repeat("}", half/2): errNoTOML,
		"1\n" + strings.Repeat("a.", half) + "a = 1":                      errNoToken,
		"1\n[" + strings.Repeat("a.", half) + "a]":                        errNoToken,
	} {
		if _, err := devinCredential([]byte("windsurf_api_key = " + text)); !errors.Is(err, want) {
			t.Errorf("%.10s: %v, want %v", text, err, want)
		}
	}
}
