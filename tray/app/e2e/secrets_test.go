package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// A secret is something that no output may have in it, in any form.
type secret struct {
	name, text string
	// tail is the part that must not appear even in pieces; "" if the secret is no key.
	tail string
}

// The parts of the secrets that secrets are made of.
const (
	secretEmail = "grace.hopper@navy-example.org"
	secretName  = "Grace Brewster Hopper"
	secretTeam  = "team-6b1f0c52e7"
	secretUser  = "user-5a7d1e93c0b84f62a1d9"
)

// secrets are planted wherever something can come from. The four keys, the third of which
// without its prefix is one of Cursor's, have the forms of PROTOCOL.md 2.2.
var secrets = []secret{
	{"key, legacy", "3f9b8c1e-7a42-4d06-b5e3-91c2d7f0a864", "3f9b8c1e-7a42-4d06-b5e3-91c2d7f0a864"},
	{"key, self-serve", "sk-ws-01-" + secretTail, secretTail},
	{"key, session", "devin-session-token$" + secretJWT, secretJWT[strings.IndexByte(secretJWT, '.')+1:]},
	{"key, team", "cog_q7w2e9r4t1y6u3i8o5p0", "q7w2e9r4t1y6u3i8o5p0"},
	{"refresh token", "rt_K8vN2xQ5bW7eJ1mZ4cT6", "K8vN2xQ5bW7eJ1mZ4cT6"},
	{"csrf token", "c0ffee11-2b3d-4f5a-8c7e-6d9b0a1f2e3c", "c0ffee11-2b3d-4f5a-8c7e-6d9b0a1f2e3c"},
	{name: "e-mail", text: secretEmail},
	{name: "person", text: secretName},
	{name: "first name in the way of a login", text: "gracehopper7f"}, // also the home directory's
	{name: "team", text: "Flow-Matic Compilers GmbH"},
	{name: "team's ID", text: secretTeam},
	{name: "user's ID", text: secretUser},
	{name: "workspace", text: "Project Nanosecond"},
	{name: "path", text: "/srv/navy/harvard-mark-ii"},
}

const secretTail = "Zk3Vb8Qw1Lr6Xt0Nm5Hd9Js2Py7Gc4Fa-Ue8Ti3Ro1"

var secretJWT = func() string {
	part := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			return err.Error()
		}
		return base64.RawURLEncoding.EncodeToString(text)
	}
	return part(map[string]string{"alg": "HS256", "typ": "JWT"}) + "." +
		part(map[string]string{"sub": "auth0|" + secretUser, "email": secretEmail, "name": secretName, "team_id": secretTeam}) + ".c2lnbmVkLWJ5LW5vYm9keQ"
}()

// forms are the ways in which a text is written down: as it is, in hex, for a URL,
// in JSON, in UTF-16, and in base64 of both alphabets, wherever in the encoded text
// it begins.
func forms(text string) map[string]string {
	all := map[string]string{
		"plain":       text,
		"hex":         hex.EncodeToString([]byte(text)),
		"upper hex":   strings.ToUpper(hex.EncodeToString([]byte(text))),
		"query":       url.QueryEscape(text),
		"path":        url.PathEscape(text),
		"all escaped": percent(text),
		"utf-16":      strings.Join(strings.Split(text, ""), "\x00"),
	}
	for before := range 3 {
		shift := strings.Repeat("\x00", before)
		for name, encoding := range map[string]*base64.Encoding{"base64": base64.RawStdEncoding, "base64url": base64.RawURLEncoding} {
			encoded := encoding.EncodeToString([]byte(shift + text))
			// The first digits contain some of the text before it, the last some of the text
			// behind.
			from, to := (8*before+5)/6, 8*(before+len(text))/6
			all[fmt.Sprintf("%s after %d", name, before)] = encoded[from:to]
		}
	}
	return all
}

func percent(text string) string {
	var all strings.Builder
	for i := range len(text) {
		fmt.Fprintf(&all, "%%%02X", text[i])
	}
	return all.String()
}

// pieceLength is how much of a key tells something of it.
const pieceLength = 8

// scanner finds secrets.
type scanner struct {
	needles map[string]string // what to search for, and what it is
}

func newScanner(all []secret) scanner {
	s := scanner{needles: map[string]string{}}
	for _, one := range all {
		for i := 0; i+pieceLength <= len(one.tail); i++ {
			s.needles[one.tail[i:i+pieceLength]] = one.name + ", a piece"
		}
		for form, text := range forms(one.text) {
			s.needles[text] = one.name + ", " + form
		}
	}
	return s
}

// scan names the secrets in a text. Line ends may stand anywhere in one, for
// people's lines are wrapped.
func (s scanner) scan(text []byte) []string {
	unwrapped := bytes.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
	var found []string
	for needle, what := range s.needles {
		if bytes.Contains(text, []byte(needle)) || bytes.Contains(unwrapped, []byte(strings.Join(strings.Fields(needle), ""))) {
			found = append(found, what)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// plantedText has every secret in it, in every form, on one line.
var plantedText = func() string {
	var all []string
	for _, one := range secrets {
		all = append(all, one.text)
		for name, text := range forms(one.text) {
			if name != "utf-16" {
				all = append(all, text)
			}
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), " ")
}()

// A check that cannot fail is useless: each form of each secret is found, wherever it
// stands, and so is a piece of a key.
func TestScannerFinds(t *testing.T) {
	t.Parallel()
	s := newScanner(secrets)
	for _, one := range secrets {
		planted := map[string]string{
			"plain":        one.text,
			"wrapped":      one.text[:5] + "\n    " + one.text[5:],
			"hex":          fmt.Sprintf("%x", one.text),
			"upper hex":    fmt.Sprintf("%X", one.text),
			"query":        url.QueryEscape(one.text),
			"path":         url.PathEscape(one.text),
			"every byte":   "%" + strings.TrimSuffix(strings.ReplaceAll(fmt.Sprintf("% X", one.text), " ", "%"), "%"),
			"JSON":         fmt.Sprintf("%q", one.text),
			"UTF-16":       utf16le(one.text),
			"in base64":    base64.StdEncoding.EncodeToString([]byte(one.text)),
			"in base64, 1": base64.StdEncoding.EncodeToString([]byte("{" + one.text + "}")),
			"in base64, 2": base64.URLEncoding.EncodeToString([]byte("ab" + one.text + "cd")),
			"in base64, 7": base64.URLEncoding.EncodeToString([]byte("abcdefg" + one.text + "hi")),
		}
		if n := len(one.tail); n > 0 {
			planted["head"] = one.tail[:pieceLength] + "…"
			planted["end"] = "…" + one.tail[n-pieceLength:]
		}
		for form, text := range planted {
			if len(s.scan([]byte("time=12:00 msg="+text+" done\n"))) == 0 {
				t.Errorf("%s is not found: %s, %q", one.name, form, text)
			}
		}
		if !slices.ContainsFunc(s.scan([]byte(plantedText)), func(what string) bool { return strings.HasPrefix(what, one.name+", ") }) {
			t.Errorf("%s is not planted", one.name)
		}
	}
	if found := s.scan([]byte("windsock: Windsurf is not signed in. user-0 key sk-ws-01 (52 characters), devin-session-token, cog_ 24 characters")); found != nil {
		t.Errorf("found %q in what is none", found)
	}
}

func utf16le(text string) string {
	var wide strings.Builder
	for _, r := range text {
		wide.WriteRune(r)
		wide.WriteByte(0)
	}
	return wide.String()
}
