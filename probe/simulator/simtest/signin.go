package simtest

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"
	"unicode/utf16"

	"google.golang.org/protobuf/proto"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"windsock/probe/simulator/account"
)

// Auth is the data that the editor keeps of an account (PROTOCOL.md 5.1).
type Auth struct {
	Key  string    // the API key; empty leaves windsurfAuthStatus out
	Blob bool      // values are of type BLOB instead of TEXT
	Wide bool      // values are UTF-16LE, without a byte order mark, instead of UTF-8
	WAL  bool      // the rows are in the -wal file only, as while the editor runs
	Rows []Row     // more rows, which replace those with the same key
	At   time.Time // when the cached status was written; zero is now

	// Scenario stores the response of that scenario beside the key, as the editor
	// does with its last one; empty stores none.
	Scenario string
	// Account is the owner of that response, and of the newer plan cache.
	Account account.Person
	// PlanInfo and PlanData are the values of the older and the newer plan cache
	// (PROTOCOL.md 5.3); empty leaves them out.
	PlanInfo, PlanData string
}

// A Row is a key of state.vscdb and its value.
type Row struct {
	Key, Value string
}

const schema = `CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)`

// SignIn writes the editor's database below its data directory dir, at
// User/globalStorage/state.vscdb, in place of one that is there already.
//
//nolint:contextcheck,nolintlint // local rows are not worth cancelling; nolintlint does not see that the linter heeds this
func SignIn(dir string, auth Auth) error {
	var rows []Row
	if auth.Key != "" {
		value, err := auth.status()
		if err != nil {
			return fmt.Errorf("sign in: %w", err)
		}
		rows = append(rows, Row{Key: "windsurfAuthStatus", Value: value})
	}
	if auth.PlanInfo != "" {
		rows = append(rows, Row{Key: "windsurf.settings.cachedPlanInfo", Value: auth.PlanInfo})
	}
	if auth.PlanData != "" {
		rows = append(rows, Row{Key: "windsurf.reactSettings.cachedPlanInfoData:" + auth.Account.ID(), Value: auth.PlanData})
	}
	rows = append(rows, auth.Rows...)
	if err := auth.write(filepath.Join(dir, "User", "globalStorage"), rows); err != nil {
		return fmt.Errorf("sign in: %w", err)
	}
	return nil
}

func (a Auth) status() (string, error) {
	status := map[string]any{"apiKey": a.Key, "allowedCommandModelConfigsProtoBinaryBase64": []string{}}
	if a.Scenario != "" {
		scenario, err := account.Named(a.Scenario)
		if err != nil {
			return "", err
		}
		at := a.At
		if at.IsZero() {
			at = time.Now()
		}
		binary, err := proto.Marshal(scenario.Answer(account.Clock{Start: at, Now: at}, a.Account).GetUserStatus())
		if err != nil {
			return "", err
		}
		status["userStatusProtoBinaryBase64"] = base64.StdEncoding.EncodeToString(binary)
	}
	text, err := json.Marshal(status)
	return string(text), err
}

// write makes the database in its own directory and copies its files while it is still
// open: closing it would empty the -wal file.
func (a Auth) write(dir string, rows []Row) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	work, err := os.MkdirTemp(dir, "making-*")
	if err != nil {
		return err
	}
	name := filepath.Join(work, "state.vscdb")
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(name)}).String())
	if err != nil {
		return errors.Join(err, os.RemoveAll(work))
	}
	db.SetMaxOpenConns(1)
	err = a.fill(db, rows)
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err == nil {
			err = replace(name+suffix, filepath.Join(dir, "state.vscdb"+suffix), suffix == "-shm")
		}
	}
	return errors.Join(err, db.Close(), os.RemoveAll(work))
}

func (a Auth) fill(db *sql.DB, rows []Row) error {
	ctx := context.Background()
	var statements []string
	if a.WAL {
		statements = append(statements, `PRAGMA journal_mode = WAL`)
	}
	statements = append(statements, schema)
	if a.WAL {
		statements = append(statements, `PRAGMA wal_checkpoint(TRUNCATE)`, `PRAGMA wal_autocheckpoint = 0`)
	}
	for _, statement := range statements {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	insert := `INSERT INTO ItemTable VALUES (?, CAST(? AS TEXT))`
	if a.Blob {
		insert = `INSERT INTO ItemTable VALUES (?, ?)`
	}
	for _, row := range rows {
		value := []byte(row.Value)
		if a.Wide {
			value = utf16le(row.Value)
		}
		if _, err := db.ExecContext(ctx, insert, row.Key, value); err != nil {
			return err
		}
	}
	return nil
}

func utf16le(s string) []byte {
	units := utf16.Encode([]rune(s))
	b := make([]byte, 0, 2*len(units))
	for _, unit := range units {
		b = append(b, byte(unit), byte(unit>>8)) //nolint:gosec // its two bytes
	}
	return b
}

// replace copies a file, or removes the target if the file does not exist. It never
// copies the -shm file, which belongs to the open database and is rebuilt.
func replace(from, to string, never bool) error {
	text, err := os.ReadFile(from)
	if never || errors.Is(err, os.ErrNotExist) {
		if err := os.Remove(to); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o600) //nolint:gosec // below the directory that the caller names
}
