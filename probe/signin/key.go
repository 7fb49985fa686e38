// Package signin reads the sign-ins that editors and command lines keep on disk: API keys
// and cached plans, from state.vscdb and its predecessor, and the tokens of command lines.
// It writes nothing there, renews nothing and asks no keychain. It opens what it is asked
// for and nothing else; whether that was allowed is for the caller to know, and so is
// which data directories belong to which editor.
package signin

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"windsock/probe/files"
	"windsock/probe/jsoncheck"
	"windsock/probe/secret"
	"windsock/probe/sorted"
)

// authKey is the row of state.vscdb that holds the sign-in (PROTOCOL.md 5.1).
const authKey = "windsurfAuthStatus"

// The locations of sign-ins: below an app's data directory, and below the home
// directory (PROTOCOL.md 5.1, 5.2).
const (
	stateFile  = "User/globalStorage/state.vscdb"
	legacyFile = ".codeium/config.json"
	// maxLegacy is far more than a file with one key holds, in bytes.
	maxLegacy = 1 << 20
)

// Dirs are the directories that the editor writes to, and those for a copy.
type Dirs struct {
	Config string   // the user's configuration; holds the data directories
	Home   string   // holds .codeium
	Data   string   // $XDG_DATA_HOME, if it is set; may hold .codeium
	OS     string   // the system whose layout counts, as in runtime.GOOS; "" is Linux
	copies []string // for a copy of a state.vscdb, which uses the first writable one
	// NoHome is why neither Config nor Home is known; nil if one of them is.
	NoHome error
}

// UserDirs are the directories of the current user.
func UserDirs() Dirs {
	config, _ := os.UserConfigDir()
	home, err := os.UserHomeDir()
	if config != "" {
		err = nil
	}
	return Dirs{Config: config, Home: home, Data: os.Getenv("XDG_DATA_HOME"), OS: runtime.GOOS, copies: copyRoots(), NoHome: err}
}

// Below are the directories of a user with the home directory dir, in Linux' layout on
// every system.
func Below(dir string) Dirs {
	return Dirs{Config: filepath.Join(dir, ".config"), Home: dir, copies: copyRoots()}
}

// NoSignIn says, as a clause, that no sign-in was found or why none could be looked
// for.
func (d Dirs) NoSignIn() string {
	if d.NoHome != nil {
		return d.NoHome.Error()
	}
	return "no sign-in was found in this user's files"
}

// SignIn is a stored sign-in and its content.
type SignIn struct {
	Dir   string // the data directory of its state.vscdb; "" for a legacy file
	Title string // its location for people, without the directories above
	path  string // its location below the configuration or home directory
	Key   secret.Secret
	Err   error // why there is no key
}

// SignIns returns every sign-in of an editor with these data directories, the likeliest
// first: those of its own directories, then those of the others, the last written
// first, then those of the legacy files.
func (d Dirs) SignIns(ctx context.Context, dirs, own []string) []SignIn {
	var found []SignIn
	take := func(s SignIn, value []byte, err error) {
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		text := ""
		if err == nil {
			text, err = parseKey(value)
		}
		s.Key, s.Err = secret.New(text), err
		found = append(found, s)
	}
	removeStaleCopies(d.copies)
	for _, dir := range d.byAge(dirs, own) {
		value, err := d.database(dir).value(ctx, authKey)
		if errors.Is(err, errNoValue) {
			err = errors.New("nobody is signed in there")
		}
		take(SignIn{Dir: dir, Title: cacheFile + " of " + dir, path: path.Join(dir, stateFile)}, value, err)
	}
	for _, legacy := range []struct{ dir, sign string }{{d.Home, "~/"}, {d.Data, "$XDG_DATA_HOME/"}} {
		if filepath.IsAbs(legacy.dir) { // a relative path would depend on the working directory
			value, err := files.Read(filepath.Join(legacy.dir, filepath.FromSlash(legacyFile)), maxLegacy)
			take(SignIn{Title: legacy.sign + legacyFile, path: legacyFile}, value, err)
		}
	}
	return found
}

// Keys returns the keys of the sign-ins, without duplicates. If there is no key, the
// error lists the fault of each sign-in.
func (d Dirs) Keys(found []SignIn) ([]secret.Secret, error) {
	var keys []secret.Secret
	var amiss []error
	for _, p := range found {
		switch {
		case p.Err != nil:
			amiss = append(amiss, fmt.Errorf("%s: %w", p.path, p.Err))
		case !slices.ContainsFunc(keys, p.Key.Equal):
			keys = append(keys, p.Key)
		}
	}
	if len(keys) == 0 {
		return nil, cmp.Or(errors.Join(amiss...), errors.New(d.NoSignIn()))
	}
	return keys, nil
}

// byAge returns the data directories in the order of SignIns. On a case-insensitive
// file system it lists a directory with two names once.
func (d Dirs) byAge(dirs, own []string) []string {
	if d.Config == "" {
		return nil // a relative path would depend on the working directory
	}
	var found []string
	var seen []os.FileInfo
	for _, dir := range dirs {
		if info, err := os.Stat(filepath.Join(d.Config, dir)); err == nil {
			if slices.ContainsFunc(seen, func(other os.FileInfo) bool { return os.SameFile(info, other) }) {
				continue
			}
			seen = append(seen, info)
		}
		found = append(found, dir)
	}
	modified := make(map[string]time.Time, len(found))
	for _, dir := range found {
		modified[dir] = stateModified(statePath(d.Config, dir))
	}
	sorted.By(found, func(a, b string) int {
		if aOwn, bOwn := slices.Contains(own, a), slices.Contains(own, b); aOwn != bOwn {
			if aOwn {
				return -1
			}
			return 1
		}
		return modified[b].Compare(modified[a])
	})
	return found
}

func statePath(config, dir string) string {
	return filepath.Join(config, dir, filepath.FromSlash(stateFile))
}

// parseKey reads the apiKey of a stored sign-in. It accepts any non-empty text: none of
// the four known forms is validated (PROTOCOL.md 2.2). The value itself is never part
// of the error.
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

// decodeText turns a stored value into UTF-8. The editor writes UTF-8; UTF-16LE without
// a byte order mark has been seen too. It is recognised by the zero byte after the
// first character, which is ASCII in JSON (PROTOCOL.md 5.1).
func decodeText(value []byte) []byte {
	if rest, ok := bytes.CutPrefix(value, []byte{0xef, 0xbb, 0xbf}); ok {
		return rest
	}
	rest, marked := bytes.CutPrefix(value, []byte{0xff, 0xfe})
	if !marked && (len(value) < 2 || value[0] == 0 || value[1] != 0) {
		return value
	}
	units := make([]uint16, len(rest)/2) // half a unit at the end is ignored
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(rest[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}
