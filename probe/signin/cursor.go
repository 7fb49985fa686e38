package signin

import (
	"context"
	"errors"
	"strings"

	"github.com/tidwall/gjson"

	"windsock/probe/files"
	"windsock/probe/jsoncheck"
)

// cursorKey is the row of Cursor's state.vscdb that holds its token (PROTOCOL.md 10.1).
const cursorKey = "cursorAuth/accessToken"

// Cursor is the sign-in of Cursor, and that of its command line, which counts only if the
// editor has no token (PROTOCOL.md 10.1).
func (d Dirs) Cursor() (s Stored) {
	config := d.configRoot()
	s = s.place(config, "Cursor/"+stateFile, "Cursor", d.readCursor)
	switch d.OS {
	case "windows":
		return s.place(config, "Cursor/auth.json", "", readCursorCLI)
	case "darwin":
		return s.place(d.homeRoot(".cursor"), "auth.json", "", readCursorCLI)
	default:
		return s.place(config, "cursor/auth.json", "", readCursorCLI)
	}
}

func (d Dirs) readCursor(ctx context.Context, path string) (Credential, error) {
	removeStaleCopies(d.copies)
	value, err := database{path, d.copies}.value(ctx, cursorKey)
	if errors.Is(err, errNoValue) {
		return Credential{}, errNothing
	}
	if err != nil {
		return Credential{}, err
	}
	return cursorCredential(value)
}

// cursorCredential reads the row with the token.
func cursorCredential(value []byte) (Credential, error) {
	text := storedText(value)
	if text == "" {
		return Credential{}, errNothing
	}
	return cursorToken(text)
}

func readCursorCLI(_ context.Context, path string) (Credential, error) {
	content, err := files.Read(path, maxTextFile)
	if err != nil {
		return Credential{}, err
	}
	return cursorCLICredential(content)
}

// cursorCLICredential reads an auth.json. An apiKey in it is for another interface.
func cursorCLICredential(content []byte) (Credential, error) {
	content = decodeText(content)
	if !jsoncheck.Valid(content) {
		return Credential{}, errors.New("it cannot be read as JSON")
	}
	token := gjson.GetBytes(content, "accessToken")
	switch {
	case token.Type == gjson.Null || token.Type == gjson.String && strings.TrimSpace(token.Str) == "":
		return Credential{}, errNothing
	case token.Type != gjson.String:
		return Credential{}, errNoToken
	}
	return cursorToken(token.Str)
}

// storedText is a text in a row, with or without the quotes of JSON; "" for null.
func storedText(value []byte) string {
	text := strings.TrimSpace(string(decodeText(value)))
	switch {
	case text == "null":
		return ""
	case strings.HasPrefix(text, `"`) && jsoncheck.Valid([]byte(text)):
		return strings.TrimSpace(gjson.Parse(text).Str)
	}
	return text
}
