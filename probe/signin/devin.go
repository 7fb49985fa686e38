package signin

import (
	"context"
	"errors"
	"fmt"

	"github.com/pelletier/go-toml/v2"

	"windsock/probe/files"
)

// maxTextFile is far more than the sign-in of a command line needs, in bytes.
const maxTextFile = 64 << 10

// errNoTOML is of a credentials.toml that is none, or that is being written at the moment:
// the next question reads it again.
var errNoTOML = errors.New("it cannot be read as TOML")

// DevinCLI is the sign-in of Devin's command line (PROTOCOL.md 9.3).
func (d Dirs) DevinCLI() (s Stored) {
	const file = "credentials.toml"
	if d.OS == "windows" {
		return s.place(d.configRoot(), "devin/"+file, "", readDevin)
	}
	s = s.place(d.dataRoot(), "devin/"+file, "", readDevin)
	return s.place(d.homeRoot(".local/share"), "cognition/"+file, "", readDevin)
}

func readDevin(_ context.Context, path string) (Credential, error) {
	content, err := files.Read(path, maxTextFile)
	if err != nil {
		return Credential{}, err
	}
	return devinCredential(content)
}

// devinCredential reads a credentials.toml. Its content is never part of the error.
func devinCredential(content []byte) (Credential, error) {
	var stored map[string]any // a struct would take names in another case, too
	if err := toml.Unmarshal(decodeText(content), &stored); err != nil {
		return Credential{}, errNoTOML
	}
	key, ok := stored["windsurf_api_key"].(string)
	switch {
	case stored["windsurf_api_key"] == nil || ok && key == "":
		return Credential{}, errNothing
	case !ok:
		return Credential{}, errNoToken
	}
	c, err := windsurfToken(key)
	if url, ok := stored["api_server_url"]; ok && err == nil {
		c.URL = fmt.Sprint(url) // what is no text is no URL: such a sign-in is used nowhere
	}
	return c, err
}
