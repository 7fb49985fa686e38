package signin

import (
	"context"
	"errors"
	"path"
	"strings"

	"github.com/tidwall/gjson"

	"windsock/probe/jsoncheck"
)

// The rows beside the sign-in (PROTOCOL.md 5.1, 9.3).
const (
	serverKey       = "codeium.windsurf" // says which server the sign-in is for
	encryptedPrefix = "secret://"
	encryptedGlob   = encryptedPrefix + "*windsurf_auth.sessions*"
)

// Editor is the sign-in of an editor of Windsurf's with these data directories, for its
// maker's service (PROTOCOL.md 9.3). The directory with the last write counts first:
// Devin Desktop leaves that of the app before it as it was. The sign-in comes with the URL
// beside it, never with that of another directory.
func (d Dirs) Editor(dirs []string) (s Stored) {
	in := d.configRoot()
	for _, dir := range d.byAge(dirs, nil) {
		s = s.place(in, path.Join(dir, stateFile), dir, d.readEditor)
	}
	return s
}

func (d Dirs) readEditor(ctx context.Context, path string) (Credential, error) {
	removeStaleCopies(d.copies)
	rows, err := database{path, d.copies}.rows(ctx, "key IN (?, ?) OR key GLOB ?", authKey, serverKey, encryptedGlob)
	if err != nil {
		return Credential{}, err
	}
	byKey, encrypted := map[string][]byte{}, false
	for _, row := range rows {
		encrypted = encrypted || strings.HasPrefix(row.key, encryptedPrefix)
		if _, older := byKey[row.key]; !older {
			byKey[row.key] = row.value
		}
	}
	value, ok := byKey[authKey]
	switch {
	case !ok && encrypted:
		return Credential{}, ErrEncrypted
	case !ok:
		return Credential{}, errNothing
	}
	c, err := editorCredential(value)
	if err != nil {
		return Credential{}, err
	}
	c.URL, err = serverURL(byKey[serverKey])
	return c, err
}

// editorCredential reads a stored sign-in. A user that cannot be read is not told: the
// token counts.
func editorCredential(value []byte) (Credential, error) {
	text, err := parseSignIn(value)
	if err != nil {
		return Credential{}, err
	}
	if gjson.ParseBytes(text).Type == gjson.Null {
		return Credential{}, ErrSignedOut
	}
	key, err := parseKey(text)
	if err != nil {
		return Credential{}, err
	}
	c, err := windsurfToken(key)
	if err != nil {
		return Credential{}, err
	}
	if status, err := userStatus(text); err == nil {
		c.User = User{ID: status.GetUserId(), Team: status.GetTeamId(), Email: status.GetEmail()}
	}
	return c, nil
}

// serverURL is the URL in the row of the editor's extension, as it stands there; "" if it
// has none. What is no text is not "": such a sign-in is used nowhere.
func serverURL(value []byte) (string, error) {
	text := decodeText(value)
	if strings.TrimSpace(string(text)) == "" {
		return "", nil
	}
	if !jsoncheck.Valid(text) {
		return "", errors.New("what it says of its server is damaged")
	}
	switch url := gjson.GetBytes(text, "apiServerUrl"); url.Type {
	case gjson.Null:
		return "", nil
	case gjson.String:
		return url.Str, nil
	default:
		return url.Raw, nil
	}
}
