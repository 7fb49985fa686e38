package signin

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// keyForms are the four forms of a key (PROTOCOL.md 2.2). All are made up.
var keyForms = map[string]string{
	"legacy_uuid":   "01234567-89ab-4cde-8f01-23456789abcd",
	"self_serve":    "sk-ws-01-" + strings.Repeat("Xy9", 31),
	"session_token": "devin-session-token$eyJhbGciOiJIUzI1NiJ9.eyJzZXNzaW9uX2lkIjoieCJ9.c2ln",
	"team_token":    "cog_0123456789abcdef",
}

func TestFindKeysForms(t *testing.T) {
	t.Parallel()
	stored := map[string]func(json string) any{
		"text_utf8":  func(json string) any { return json },
		"blob_utf8":  func(json string) any { return []byte(json) },
		"blob_utf16": func(json string) any { return utf16LE(json) },
		"text_utf16": func(json string) any { return string(utf16LE(json)) },
	}
	for form, key := range keyForms {
		for storage, encode := range stored {
			t.Run(form+"_"+storage, func(t *testing.T) {
				t.Parallel()
				home := t.TempDir()
				conn := openState(t, statePath(home, "Windsurf"))
				execState(t, conn, setKey, encode(`{"name":"Jo","apiKey":"`+key+`","allowed":[]}`))
				checkKeys(t, Dirs{Config: home}, nil, key)
			})
		}
	}
}

// windsurfDirs are data directories of a variant that has two apps.
var windsurfDirs = []string{"Windsurf", "Devin", "devin"}

func checkKeys(t *testing.T, where Dirs, own []string, want ...string) {
	t.Helper()
	keys, err := where.Keys(where.SignIns(t.Context(), windsurfDirs, own))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, key := range keys {
		got = append(got, key.Reveal())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFindKeysOrder(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	where := Dirs{Config: filepath.Join(home, ".config"), Home: home, Data: filepath.Join(home, "data")}
	for i, dir := range []string{"Windsurf", "Devin"} {
		path := statePath(where.Config, dir)
		conn := openState(t, path)
		execState(t, conn, setKey, `{"apiKey":"key-of-`+dir+`"}`)
		_ = conn.Close()
		age := time.Now().Add(time.Duration(i-10) * time.Hour) // Devin is newer
		if err := os.Chtimes(path, age, age); err != nil {
			t.Fatal(err)
		}
	}
	for dir, key := range map[string]string{where.Home: "key-of-config", where.Data: "key-of-Devin"} {
		if err := os.MkdirAll(filepath.Join(dir, ".codeium"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, ".codeium", "config.json"), []byte(`{"apiKey":"`+key+`"}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	windsurf := []string{"Windsurf"}
	checkKeys(t, where, windsurf, "key-of-Windsurf", "key-of-Devin", "key-of-config")
	checkKeys(t, where, []string{"Devin", "devin"}, "key-of-Devin", "key-of-Windsurf", "key-of-config")
	checkKeys(t, where, nil, "key-of-Devin", "key-of-Windsurf", "key-of-config")
	checkKeys(t, Dirs{Config: filepath.Join(home, "nothing"), Home: where.Home}, windsurf, "key-of-config")
	checkKeys(t, Dirs{Home: where.Home, Data: "testdata"}, windsurf, "key-of-config")
	// The time of the -wal counts: it holds the newest rows.
	if err := os.WriteFile(statePath(where.Config, "Windsurf")+"-journal", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	checkKeys(t, where, nil, "key-of-Windsurf", "key-of-Devin", "key-of-config")
}

// On a case-insensitive file system, Devin and devin are one directory.
func TestDataDirsOfTwoNames(t *testing.T) {
	t.Parallel()
	config := t.TempDir()
	if err := os.Mkdir(filepath.Join(config, "Devin"), 0o700); err != nil {
		t.Fatal(err)
	}
	lower := filepath.Join(config, "devin")
	if _, err := os.Stat(lower); err != nil { // on Linux they are two
		if err := os.Symlink("Devin", lower); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"Windsurf", "Devin"}, Dirs{Config: config}.byAge(windsurfDirs, nil)); diff != "" {
		t.Error(diff)
	}
}

func TestFindKeysNone(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, value, want string }{
		{"no_database", "", "no sign-in was found in this user's files"},
		{"empty_value", " ", "Windsurf/User/globalStorage/state.vscdb: the stored sign-in is empty"},
		{"cut_off", `{"apiKey":"sk-ws-01-secret`, "Windsurf/User/globalStorage/state.vscdb: the stored sign-in is damaged"},
		{"deep", nested(1_000_000), "Windsurf/User/globalStorage/state.vscdb: the stored sign-in is damaged"},
		{"no_key", `{"name":"Jo"}`, "Windsurf/User/globalStorage/state.vscdb: the stored sign-in has no API key"},
		{"empty_key", `{"apiKey":" "}`, "Windsurf/User/globalStorage/state.vscdb: the stored sign-in has no API key"},
		{"key_is_a_number", `{"apiKey":7}`, "Windsurf/User/globalStorage/state.vscdb: the stored sign-in has no API key"},
		{"not_an_object", `["sk-ws-01-secret"]`, "Windsurf/User/globalStorage/state.vscdb: the stored sign-in has no API key"},
		{"null", `null`, "Windsurf/User/globalStorage/state.vscdb: the stored sign-in has no API key"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			if tt.value != "" {
				execState(t, openState(t, statePath(home, "Windsurf")), setKey, tt.value)
			}
			where := Dirs{Config: home}
			_, err := where.Keys(where.SignIns(t.Context(), windsurfDirs, nil))
			if err == nil || err.Error() != tt.want {
				t.Errorf("error = %v, want %s", err, tt.want)
			}
		})
	}
}

// FuzzKey: for any row there is no panic, the key is a part of the row, and the error
// holds nothing of the value.
func FuzzKey(f *testing.F) {
	for _, key := range keyForms {
		value := `{"apiKey":"` + key + `"}`
		f.Add([]byte(value))
		f.Add(utf16LE(value))
	}
	f.Add([]byte(`{"apiKey":{"apiKey":"a"}}`))
	f.Add([]byte{0xff, 0xfe, '{'})
	f.Fuzz(func(t *testing.T, value []byte) {
		key, err := parseKey(value)
		if (err == nil) != (key != "") || !utf8.ValidString(key) {
			t.Errorf("parseKey(%q) = %q, %v", value, key, err)
		}
		if text := string(decodeText(value)); !strings.Contains(text, key) && !strings.Contains(text, `\`) {
			t.Errorf("parseKey(%q) = %q, which does not stand there", value, key)
		}
		if err != nil && !slices.Contains([]string{
			"the stored sign-in is empty", "the stored sign-in is damaged", "the stored sign-in has no API key",
		}, err.Error()) {
			t.Errorf("parseKey(%q): %v", value, err)
		}
	})
}

func utf16LE(text string) []byte {
	var out []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		out = append(out, byte(unit), byte(unit>>8))
	}
	return out
}

func TestDecodeText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		value []byte
		want  string
	}{
		{"utf8", []byte(`{"a":"ä"}`), `{"a":"ä"}`},
		{"utf8_with_mark", []byte("\xef\xbb\xbf{}"), "{}"},
		{"utf16", utf16LE(`{"a":"ä€𝄞"}`), `{"a":"ä€𝄞"}`},
		{"utf16_with_mark", append([]byte{0xff, 0xfe}, utf16LE("{}")...), "{}"},
		{"utf16_odd_end", append(utf16LE("{}"), '{'), "{}"},
		{"empty", nil, ""},
		{"one_byte", []byte("{"), "{"},
		{"zeros", []byte{0, 0}, "\x00\x00"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := string(decodeText(tt.value)); got != tt.want {
				t.Errorf("decodeText = %q, want %q", got, tt.want)
			}
		})
	}
}
