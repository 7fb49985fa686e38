package signin

import (
	"encoding/base64"
	"errors"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"windsock/probe/jsoncheck"
	"windsock/probe/secret"
)

// Form is the kind of a token, for people.
type Form string

// The forms of tokens that a service is asked with (PROTOCOL.md 9.3, 10.1).
const (
	FormSession   Form = "session token"
	FormSelfServe Form = "sk-ws key"
	FormJWT       Form = "JWT"
)

// maxToken is far more than any token has, in bytes.
const maxToken = 8 << 10

// What is amiss with a token.
var (
	errNoToken    = errors.New("it holds no token")
	errCharacters = errors.New("its token has characters that no token has")
	errLongToken  = errors.New("its token is far too long")
	errServiceKey = errors.New("it holds a key of Devin's API, which has no plan")
	errOneTime    = errors.New("it holds a code for signing in, and no token")
	errUnknown    = errors.New("its token is of a kind that Windsock does not know")
)

// windsurfForms are the beginnings of Windsurf's tokens, and what is amiss with those that
// are not for this.
var windsurfForms = []struct {
	prefix string
	form   Form
	amiss  error
}{
	{"devin-session-token$", FormSession, nil},
	{"sk-ws-", FormSelfServe, nil},
	{"cog_", "", errServiceKey},
	{"wspkce$", "", errOneTime},
	{"ott$", "", errOneTime},
	{"eyJ", "", errOneTime}, // a JWT by itself is good for signing in only
}

// windsurfToken makes a Credential of a token of Windsurf's. The token is never part of
// the error.
func windsurfToken(text string) (Credential, error) {
	text, err := plainToken(text)
	if err != nil {
		return Credential{}, err
	}
	for _, known := range windsurfForms {
		rest, ok := strings.CutPrefix(text, known.prefix)
		switch {
		case !ok:
		case rest == "":
			return Credential{}, errNoToken
		case known.amiss != nil:
			return Credential{}, known.amiss
		default:
			return Credential{Token: secret.New(text), Form: known.form}, nil
		}
	}
	return Credential{}, errUnknown
}

// cursorToken makes a Credential of a token of Cursor's, with what it says of itself: a
// JWT, which is not verified. The token is never part of the error.
func cursorToken(text string) (Credential, error) {
	text, err := plainToken(text)
	if err != nil {
		return Credential{}, err
	}
	parts := strings.Split(text, ".")
	if len(parts) != 3 || parts[0] == "" || parts[2] == "" {
		return Credential{}, errUnknown
	}
	payload, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err != nil || !jsoncheck.Valid(payload) || !gjson.ParseBytes(payload).IsObject() {
		return Credential{}, errUnknown
	}
	c := Credential{Token: secret.New(text), Form: FormJWT}
	if sub := gjson.GetBytes(payload, "sub"); sub.Type == gjson.String {
		c.User.ID = sub.Str[strings.LastIndexByte(sub.Str, '|')+1:]
	}
	// A time that cannot be one says nothing: the service decides.
	if exp := gjson.GetBytes(payload, "exp"); exp.Type == gjson.Number && exp.Num >= 1 && exp.Num < 1<<37 {
		c.Expires = time.Unix(int64(exp.Num), 0).UTC()
	}
	return c, nil
}

// plainToken is a token that can stand in a header.
func plainToken(text string) (string, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return "", errNoToken
	case len(text) > maxToken:
		return "", errLongToken
	case strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"'`\\", r) }):
		return "", errCharacters
	}
	return text, nil
}
