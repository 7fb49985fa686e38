package demo

import (
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/uuid"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"windsock/probe/simulator/cloud"
)

// A serviceSignIn is a sign-in that a maker's own service is asked with, and that the
// person has allowed.
type serviceSignIn struct {
	allow   string // as the settings have it
	account cloud.Account
	write   func(ctx context.Context, home string) error
}

// devinCLI is the sign-in of Devin's command line (PROTOCOL.md 9.3).
func devinCLI(scenario string) serviceSignIn {
	token := "devin-session-token$" + jwt(`{"session_id":"windsurf-session-`+uuid.NewString()+`"}`)
	return serviceSignIn{
		"devin-cli@server.codeium.com",
		cloud.Account{Token: token, Windsurf: scenario},
		func(_ context.Context, home string) error {
			dir := filepath.Join(home, ".local", "share", "devin")
			text := fmt.Sprintf("windsurf_api_key = %q\napi_server_url = \"https://server.codeium.com\"\n", token)
			return signedIn(errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "credentials.toml"), []byte(text), 0o600)))
		},
	}
}

// cursor is the sign-in of Cursor (PROTOCOL.md 10.1).
func cursor(scenario string) serviceSignIn {
	token := jwt(`{"sub":"auth0|user_01DEMO","type":"session","session":"` + uuid.NewString() + `"}`)
	return serviceSignIn{
		"cursor@api2.cursor.sh",
		cloud.Account{Token: token, Cursor: scenario},
		func(ctx context.Context, home string) error {
			return signIn(ctx, filepath.Join(home, ".config", "Cursor"), "cursorAuth/accessToken", token)
		},
	}
}

// jwt is a token that nobody has signed.
func jwt(payload string) string {
	part := base64.RawURLEncoding.EncodeToString
	return part([]byte(`{"alg":"none"}`)) + "." + part([]byte(payload)) + ".demo"
}

// signIn writes the part of an editor's database that holds its sign-in, below its data
// directory (PROTOCOL.md 5.1, 10.1).
func signIn(ctx context.Context, dir, key, value string) (err error) {
	dir = filepath.Join(dir, "User", "globalStorage")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return signedIn(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, "state.vscdb"))
	if err != nil {
		return signedIn(err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	_, err = db.ExecContext(ctx, `CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
		INSERT INTO ItemTable VALUES (?, ?)`, key, value)
	return signedIn(err)
}

func signedIn(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("sign the demo in: %w", err)
}
