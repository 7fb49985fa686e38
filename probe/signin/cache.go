package signin

import (
	"context"
	"encoding/base64"
	"errors"
	"io/fs"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"windsock/probe/jsoncheck"
	"windsock/probe/languageserver"
)

// Cache is what an editor keeps of the plan, to be used while no server runs. It has no
// timestamp: half an hour old or days old is normal (PROTOCOL.md 5.3).
type Cache struct {
	// Dir is the editor's data directory.
	Dir string
	// Name is the editor's name for it: userStatusProtoBinaryBase64, cachedPlanInfoData
	// or cachedPlanInfo, or state.vscdb for the whole file.
	Name string
	// Raw is JSON in UTF-8. It is either a GetUserStatus response without zero values
	// (PROTOCOL.md 3.1) and without its list of models, or the cache's value unchanged
	// (PROTOCOL.md 5.3). It is nil beside an error.
	Raw []byte
}

// The names of the caches, and of their file.
const (
	cacheStatus   = "userStatusProtoBinaryBase64"
	cachePlanData = "cachedPlanInfoData"
	cachePlanInfo = "cachedPlanInfo"
	cacheFile     = "state.vscdb"
)

// The rows of the caches (PROTOCOL.md 5.1). The newer cache has a row for each user who
// was signed in.
const (
	planDataPrefix = "windsurf.reactSettings.cachedPlanInfoData:"
	planInfoKey    = "windsurf.settings.cachedPlanInfo"
)

// Caches returns the caches of an editor with these data directories, the likeliest to
// be current first. The data directory with the last write comes first. Within one, the
// server's last response comes before the newer and the older of the editor's own two
// caches. If several users have a cache, the last one written comes first.
//
// Caches skips what does not exist. An unreadable cache comes with an error: a clause
// that repeats neither content nor path. After ctx has ended the last error is the
// context's. Each database is read in its turn only, so a caller may stop early.
func (d Dirs) Caches(ctx context.Context, dirs []string) iter.Seq2[Cache, error] {
	return func(yield func(Cache, error) bool) {
		removeStaleCopies(d.copies)
		for _, dir := range d.byAge(dirs, nil) {
			if !readCaches(ctx, dir, d.database(dir), yield) {
				return
			}
		}
	}
}

// readCaches yields the caches of one database. It returns false to end the iteration.
func readCaches(ctx context.Context, dir string, from database, yield func(Cache, error) bool) bool {
	rows, err := from.rows(ctx, "key IN (?, ?) OR key GLOB ?", authKey, planInfoKey, planDataPrefix+"*")
	switch {
	case ctx.Err() != nil:
		yield(Cache{}, ctx.Err())
		return false
	case errors.Is(err, fs.ErrNotExist):
		return true
	case err != nil:
		return yield(Cache{Dir: dir, Name: cacheFile}, err)
	}
	for _, kind := range []struct {
		name, prefix string // prefix is that of the keys
		read         func(value []byte) ([]byte, error)
	}{
		{cacheStatus, authKey, cachedStatus},
		{cachePlanData, planDataPrefix, cachedPlan},
		{cachePlanInfo, planInfoKey, cachedPlan},
	} {
		for _, row := range rows {
			if !strings.HasPrefix(row.key, kind.prefix) {
				continue
			}
			raw, err := kind.read(row.value)
			if (raw != nil || err != nil) && !yield(Cache{Dir: dir, Name: kind.name, Raw: raw}, err) {
				return false
			}
		}
	}
	return true
}

// cachedStatus turns the user status stored beside the key, in protobuf (PROTOCOL.md
// 5.1), into a response; nil without a status. The value is never part of the error.
func cachedStatus(value []byte) ([]byte, error) {
	text, err := parseSignIn(value)
	if err != nil {
		return nil, err
	}
	status, err := userStatus(text)
	if errors.Is(err, errNoStatus) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if status.GetPlanStatus() == nil {
		return nil, errors.New("it says nothing about the plan")
	}
	status.CascadeModelConfigData = nil // most of the bytes, but not part of the plan
	// Marshal without the options that write zeros: the server leaves them out too, and
	// the meaning of a missing field depends on that.
	raw, err := protojson.Marshal(&languageserver.GetUserStatusResponse{UserStatus: status})
	if err != nil {
		return nil, errors.New("it holds a date that is none")
	}
	return raw, nil
}

// errNoStatus is of a sign-in without a user status.
var errNoStatus = errors.New("it holds no user status")

// userStatus is the user status in a stored sign-in, which is JSON.
func userStatus(text []byte) (*languageserver.UserStatus, error) {
	stored := gjson.GetBytes(text, cacheStatus)
	if stored.Type == gjson.Null || stored.Type == gjson.String && stored.Str == "" {
		return nil, errNoStatus
	}
	binary, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(stored.Str, "="))
	if err != nil || len(binary) == 0 {
		return nil, errors.New("it is not base64")
	}
	status := &languageserver.UserStatus{}
	if err := (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(binary, status); err != nil {
		return nil, errors.New("it is no protobuf of a user status")
	}
	return status, nil
}

// cachedPlan is a cache that is JSON already; nil for an empty one.
func cachedPlan(value []byte) ([]byte, error) {
	text := decodeText(value)
	trimmed := strings.TrimSpace(string(text))
	switch {
	case trimmed == "" || trimmed == "null" || trimmed == "{}":
		return nil, nil
	case !utf8.Valid(text) || !jsoncheck.Valid(text):
		return nil, errors.New("it is damaged")
	case !strings.HasPrefix(trimmed, "{"):
		return nil, errors.New("it is no JSON object")
	}
	return text, nil
}
