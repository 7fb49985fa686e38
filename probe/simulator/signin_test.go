package simulator

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	pb "windsock/probe/languageserver"
)

// read returns a value's SQLite type and its bytes.
func read(t *testing.T, dir, key string) (kind string, value []byte) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "User", "globalStorage", "state.vscdb"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	row := db.QueryRowContext(context.Background(), `SELECT typeof(value), CAST(value AS BLOB) FROM ItemTable WHERE key = ?`, key)
	if err := row.Scan(&kind, &value); err != nil {
		t.Fatal(err)
	}
	return kind, value
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, "User", "globalStorage"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	const key = "devin-session-token$a.b.c ü"
	narrow := []byte(`{"allowedCommandModelConfigsProtoBinaryBase64":[],"apiKey":"` + key + `"}`)
	wide := bytes.ReplaceAll(narrow, []byte("ü"), []byte("\xfc"))
	wide = append(bytes.Join(bytes.Split(wide, nil), []byte{0}), 0)
	tests := []struct {
		name  string
		auth  Auth
		kind  string
		value []byte
		files []string
	}{
		{"text", Auth{}, "text", narrow, []string{"state.vscdb"}},
		{"blob", Auth{Blob: true}, "blob", narrow, []string{"state.vscdb"}},
		{"wide_text", Auth{Wide: true}, "text", wide, []string{"state.vscdb"}},
		{"wide_blob", Auth{Wide: true, Blob: true}, "blob", wide, []string{"state.vscdb"}},
		{"wal", Auth{WAL: true}, "text", narrow, []string{"state.vscdb", "state.vscdb-wal"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "Windsurf - Next")
			// Signing in again leaves nothing of the time before.
			if err := SignIn(dir, Auth{Key: "before", WAL: !tt.auth.WAL}); err != nil {
				t.Fatal(err)
			}
			tt.auth.Key = key
			tt.auth.Rows = []Row{{"other", "1"}, {"other", "2"}}
			if err := SignIn(dir, tt.auth); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.files, files(t, dir)); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if tt.auth.WAL {
				main, err := os.ReadFile(filepath.Join(dir, "User", "globalStorage", "state.vscdb"))
				if err != nil || bytes.Contains(main, []byte("apiKey")) || !bytes.Contains(main, []byte("ItemTable")) {
					t.Errorf("the main file has the key, or not even the table (%v)", err)
				}
			}
			kind, value := read(t, dir, "windsurfAuthStatus")
			if kind != tt.kind {
				t.Errorf("type = %s, want %s", kind, tt.kind)
			}
			if diff := cmp.Diff(string(tt.value), string(value)); diff != "" {
				t.Errorf("value (-want +got):\n%s", diff)
			}
			if _, other := read(t, dir, "other"); other[0] != '2' {
				t.Errorf("second row of a key = %q", other)
			}
		})
	}
}

func TestSignInWithCachedStatus(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := SignIn(dir, Auth{Key: "k", Scenario: "acu", At: testTime}); err != nil {
		t.Fatal(err)
	}
	_, value := read(t, dir, "windsurfAuthStatus")
	var status struct {
		Binary string `json:"userStatusProtoBinaryBase64"` //nolint:tagliatelle // the editor's
	}
	if err := json.Unmarshal(value, &status); err != nil {
		t.Fatal(err)
	}
	binary, err := base64.StdEncoding.DecodeString(status.Binary)
	if err != nil {
		t.Fatal(err)
	}
	var got pb.UserStatus
	if err := proto.Unmarshal(binary, &got); err != nil {
		t.Fatal(err)
	}
	if consumed := got.GetPlanStatus().GetAcuConsumed(); consumed != 1234.5678 {
		t.Errorf("acu consumed = %v", consumed)
	}
	if err := SignIn(dir, Auth{Key: "k", Scenario: "riches"}); err == nil {
		t.Error("took an unknown scenario")
	}
}

func TestSignInWithPlanCaches(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := SignIn(dir, Auth{PlanInfo: "older", PlanData: "newer", Rows: []Row{{"windsurf.settings.cachedPlanInfo", "replaced"}}}); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"windsurf.settings.cachedPlanInfo":                                                "replaced",
		"windsurf.reactSettings.cachedPlanInfoData:user-00112233445566778899aabbccddeeff": "newer",
	} {
		if _, value := read(t, dir, key); string(value) != want {
			t.Errorf("%s = %q, want %q", key, value, want)
		}
	}
}
