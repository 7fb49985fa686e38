package probe

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"windsock/probe/jsoncheck"
	"windsock/probe/redact"
	"windsock/probe/secret"
)

// authKey is the row of state.vscdb that holds the sign-in (PROTOCOL.md 5.1).
const authKey = "windsurfAuthStatus"

// Where sign-ins lie: below an app's data directory, and below the home
// directory (PROTOCOL.md 5.1, 5.2).
const (
	stateFile  = "User/globalStorage/state.vscdb"
	legacyFile = ".codeium/config.json"
)

// places are the directories that hold what the editor writes, and those for a
// copy of it.
type places struct {
	config string   // the user's configuration; data directories lie below
	home   string   // .codeium lies below
	data   string   // $XDG_DATA_HOME, where it is set: .codeium may lie below
	copies []string // in the first that lets it a copy of a state.vscdb is made
	// none is why neither config nor home is known; nil where one of them is.
	none error
}

// noSignIn says, as a clause, that there is none.
func (w places) noSignIn() string {
	if w.none != nil {
		return w.none.Error()
	}
	return "no sign-in was found in this user's files"
}

// keyPlace is one place of an API key that is there, and what it holds.
type keyPlace struct {
	dir  string // the data directory of its state.vscdb; "" for a legacy file
	data bool   // of the legacy file: the one below $XDG_DATA_HOME
	key  secret.Secret
	err  error // why there is no key
}

// place is where the sign-in lies, below a directory that is not named.
func (p keyPlace) place() string {
	if p.dir == "" {
		return legacyFile
	}
	return path.Join(p.dir, stateFile)
}

// findKeyPlaces returns every sign-in that the variant may use, the likeliest
// first: that of the data directory of the app that runs the server, then those
// of the variant's other data directories by age, the newest first, then the
// one of the legacy file.
func findKeyPlaces(ctx context.Context, where places, v Variant, serverPath string) []keyPlace {
	var found []keyPlace
	take := func(p keyPlace, text string, err error) {
		if !errors.Is(err, fs.ErrNotExist) {
			p.key, p.err = secret.New(text), err
			found = append(found, p)
		}
	}
	removeStaleCopies(time.Now(), where.copies)
	for _, dir := range dataDirs(where.config, v, serverPath) {
		value, err := newStateReader(statePath(where.config, dir), where.copies).value(ctx, authKey)
		text := ""
		switch {
		case errors.Is(err, errNoValue):
			err = errors.New("nobody is signed in there")
		case err == nil:
			text, err = parseKey(value)
		}
		take(keyPlace{dir: dir}, text, err)
	}
	for _, file := range legacyFiles(where) {
		value, err := readLegacy(file)
		text := ""
		if err == nil {
			text, err = parseKey(value)
		}
		take(keyPlace{data: file == legacyIn(where.data)}, text, err)
	}
	return found
}

// keysOf returns the keys of sign-ins, each once. Without any key the error
// says what is amiss with each place that is there.
func (w places) keysOf(found []keyPlace) ([]secret.Secret, error) {
	var keys []secret.Secret
	var amiss []error
	for _, p := range found {
		switch {
		case p.err != nil:
			amiss = append(amiss, fmt.Errorf("%s: %w", p.place(), p.err))
		case !slices.ContainsFunc(keys, p.key.Equal):
			keys = append(keys, p.key)
		}
	}
	if len(keys) == 0 {
		return nil, cmp.Or(errors.Join(amiss...), errors.New(w.noSignIn()))
	}
	return keys, nil
}

// dataDirs returns the variant's data directories in the order of findKeyPlaces. One
// that has two names, where upper and lower case are the same, is there once.
func dataDirs(config string, v Variant, serverPath string) []string {
	if config == "" {
		return nil // a relative path would lead to wherever Windsock was started
	}
	own, _ := v.appAt(serverPath)
	var dirs []string
	var seen []os.FileInfo
	for _, a := range v.apps {
		for _, dir := range a.dataDirs {
			if info, err := os.Stat(filepath.Join(config, dir)); err == nil {
				if slices.ContainsFunc(seen, func(other os.FileInfo) bool { return os.SameFile(info, other) }) {
					continue
				}
				seen = append(seen, info)
			}
			dirs = append(dirs, dir)
		}
	}
	modified := make(map[string]time.Time, len(dirs))
	for _, dir := range dirs {
		modified[dir] = stateModified(statePath(config, dir))
	}
	slices.SortStableFunc(dirs, func(a, b string) int {
		if aOwn, bOwn := slices.Contains(own.dataDirs, a), slices.Contains(own.dataDirs, b); aOwn != bOwn {
			if aOwn {
				return -1
			}
			return 1
		}
		return modified[b].Compare(modified[a])
	})
	return dirs
}

func statePath(config, dir string) string {
	return filepath.Join(config, dir, filepath.FromSlash(stateFile))
}

// legacyFiles are the places of the older sign-in (PROTOCOL.md 5.2).
func legacyFiles(where places) []string {
	var files []string
	for _, dir := range []string{where.home, where.data} {
		if filepath.IsAbs(dir) { // a relative one would depend on where Windsock was started
			files = append(files, legacyIn(dir))
		}
	}
	return files
}

func legacyIn(dir string) string { return filepath.Join(dir, filepath.FromSlash(legacyFile)) }

// maxLegacy is far beyond a file that holds one key.
const maxLegacy = 1 << 20

func readLegacy(name string) ([]byte, error) {
	file, err := openRegular(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	value, err := io.ReadAll(io.LimitReader(file, maxLegacy))
	return value, redact.Path(err)
}

// parseKey reads the apiKey out of a stored sign-in. Any text that is not empty
// is taken as a key: of the four forms that are known none is validated
// (PROTOCOL.md 2.2). The value itself is never part of the error.
func parseKey(value []byte) (string, error) {
	text, err := parseSignIn(value)
	if err != nil {
		return "", err
	}
	key := gjson.GetBytes(text, "apiKey")
	if key.Type != gjson.String || strings.TrimSpace(key.Str) == "" || !utf8.ValidString(key.Str) {
		return "", errors.New("the stored sign-in has no API key")
	}
	return strings.TrimSpace(key.Str), nil
}

// parseSignIn returns a stored sign-in as JSON.
func parseSignIn(value []byte) ([]byte, error) {
	text := decodeText(value)
	if len(strings.TrimSpace(string(text))) == 0 {
		return nil, errors.New("the stored sign-in is empty")
	}
	if !jsoncheck.Valid(text) {
		return nil, errors.New("the stored sign-in is damaged")
	}
	return text, nil
}

// parseCachedStatus reads the user status, in protobuf, that the editor keeps
// beside the key (PROTOCOL.md 5.1), and nothing else. It is nil where none is
// kept; the value itself is never part of the error.
func parseCachedStatus(value []byte) ([]byte, error) {
	text, err := parseSignIn(value)
	if err != nil {
		return nil, err
	}
	status := gjson.GetBytes(text, "userStatusProtoBinaryBase64")
	if status.Type == gjson.Null || status.Type == gjson.String && status.Str == "" {
		return nil, nil
	}
	binary, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(status.Str, "="))
	if err != nil || len(binary) == 0 {
		return nil, errors.New("it is not base64")
	}
	return binary, nil
}
