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

// Cache is what an editor keeps of the plan, for as long as no server runs that
// could be asked. It carries no time: half an hour old or days is normal
// (PROTOCOL.md 5.3).
type Cache struct {
	// Dir is the data directory that it is in.
	Dir string
	// Name is what the editor calls it: userStatusProtoBinaryBase64,
	// cachedPlanInfoData or cachedPlanInfo, or state.vscdb for all that is in it.
	Name string
	// Raw is JSON in UTF-8: a GetUserStatus answer with its zeros left out
	// (PROTOCOL.md 3.1) but without its list of models, or the cache's value as it
	// stands (PROTOCOL.md 5.3). It is nil beside an error.
	Raw []byte
}

// The names of the caches, and of the file that they are in.
const (
	cacheStatus   = "userStatusProtoBinaryBase64"
	cachePlanData = "cachedPlanInfoData"
	cachePlanInfo = "cachedPlanInfo"
	cacheFile     = "state.vscdb"
)

// The rows of the caches (PROTOCOL.md 5.1). The newer one has a row for each
// user who was signed in.
const (
	planDataPrefix = "windsurf.reactSettings.cachedPlanInfoData:"
	planInfoKey    = "windsurf.settings.cachedPlanInfo"
)

// Caches returns what an editor with these data directories keeps of the plan, the
// likeliest to hold good first: by data directory, the one that was written to last
// first, then the server's last answer before the newer and the older of the
// editor's own two caches. Where several users have one, the one that was written
// last comes first.
//
// What is not there is passed over. What is there and cannot be read comes with
// an error, whose text is a clause that repeats nothing of the content and no
// path. After ctx has ended the last error is the context's. Each database is
// read when it is its turn, so that whoever has found what they wanted stops
// there.
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

// readCaches yields the caches of one database, and returns false when that is
// to be the end.
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

// cachedStatus turns the user status that lies beside the key, in protobuf
// (PROTOCOL.md 5.1), into the answer that it was a part of; nil where none is kept.
// The value is never part of the error.
func cachedStatus(value []byte) ([]byte, error) {
	text, err := parseSignIn(value)
	if err != nil {
		return nil, err
	}
	stored := gjson.GetBytes(text, cacheStatus)
	if stored.Type == gjson.Null || stored.Type == gjson.String && stored.Str == "" {
		return nil, nil
	}
	binary, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(stored.Str, "="))
	if err != nil || len(binary) == 0 {
		return nil, errors.New("it is not base64")
	}
	status := &languageserver.UserStatus{}
	if err := (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(binary, status); err != nil {
		return nil, errors.New("it is no protobuf of a user status")
	}
	if status.GetPlanStatus() == nil {
		return nil, errors.New("it says nothing about the plan")
	}
	status.CascadeModelConfigData = nil // most of the bytes, and no part of the plan
	// Without the options that write zeros: on the wire they are left out, and
	// what a field that is missing means depends on that.
	raw, err := protojson.Marshal(&languageserver.GetUserStatusResponse{UserStatus: status})
	if err != nil {
		return nil, errors.New("it holds a date that is none")
	}
	return raw, nil
}

// cachedPlan is a cache that is JSON already; nil for one that was emptied.
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
