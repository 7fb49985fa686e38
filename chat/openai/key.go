package openai

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"windsock/probe/files"
	"windsock/probe/redact"
	"windsock/probe/say"
	"windsock/probe/secret"
)

const (
	keyName = "api-key"
	// keyPrefix tells people and secret scanners that the key is Windsock's.
	keyPrefix = "windsock-"
	minKey    = 20
	maxKey    = 200
)

var (
	errOpenKey = &say.Error{What: "The file with the local API's key, api-key in the state directory, can be read by others.", Cure: "Delete it, so that a new key is made, and give that one to your tools."}
	errBadKey  = &say.Error{What: "The file with the local API's key, api-key in the state directory, holds none.", Cure: "Delete it, so that a new key is made."}
)

// readKey reads the key; without one, the error has fs.ErrNotExist in its chain.
func readKey(dir string) (secret.Secret, error) {
	path := filepath.Join(dir, keyName)
	info, err := os.Stat(path)
	if err != nil {
		return secret.Secret{}, fmt.Errorf("read key: %w", redact.Path(err))
	}
	text, err := files.Read(path, maxFile)
	if err != nil {
		return secret.Secret{}, fmt.Errorf("read key: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 { // there, the directory keeps others out
		return secret.Secret{}, errOpenKey
	}
	key := strings.TrimSpace(string(text))
	if len(key) < minKey || len(key) > maxKey || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("'\"`$\\", r) }) {
		return secret.Secret{}, errBadKey
	}
	return secret.New(key), nil
}

// key reads the key, or makes a missing one.
func (p *place) key() (secret.Secret, error) {
	key, err := readKey(p.dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	fresh := keyPrefix + rand.Text()
	if err := p.write(keyName, fresh); err != nil {
		return secret.Secret{}, unkept(fmt.Errorf("write key: %w", err))
	}
	return secret.New(fresh), nil
}

// anyKey is place.key for a process that does not serve.
func anyKey(ctx context.Context, dir string) (secret.Secret, error) {
	key, err := readKey(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	at, err := take(ctx, dir)
	if errors.Is(err, errServes) { // that process has made one meanwhile
		return readKey(dir)
	}
	if err != nil {
		return secret.Secret{}, err
	}
	key, err = at.key()
	return key, errors.Join(err, at.leave())
}
