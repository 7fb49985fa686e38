package windsurf

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"windsock/usage"
)

func TestAccountTellsPeopleApart(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, raw, same string }{
		{"user_id", `{"userStatus":{"userId":"u1","email":"a@example.com"}}`, `{"userStatus":{"userId":"u1","email":"b@example.com"}}`},
		{"team_and_email", `{"userStatus":{"teamId":"t","email":"a@example.com"}}`, `{"userStatus":{"email":"a@example.com","teamId":"t","name":"A"}}`},
	}
	salt := []byte("salt")
	seen := map[string]string{}
	for _, tt := range tests {
		hash := readAccount([]byte(tt.raw)).Hash(salt)
		if len(hash) != 32 || hash != readAccount([]byte(tt.same)).Hash(salt) {
			t.Errorf("%s: %q", tt.name, hash)
		}
		if other := readAccount([]byte(tt.raw)).Hash([]byte("pepper")); other == hash {
			t.Errorf("%s: the salt does not matter", tt.name)
		}
		if seen[hash] != "" {
			t.Errorf("%s and %s are the same", tt.name, seen[hash])
		}
		seen[hash] = tt.name
	}
	for _, raw := range []string{`{}`, `{"userStatus":{}}`, `{"userStatus":{"userId":7}}`, `{"planStatus":{}}`} {
		if a := readAccount([]byte(raw)); a.Known() || a.Hash(salt) != "" {
			t.Errorf("%s: %q", raw, a.Hash(salt))
		}
	}
}

func TestAccountIsNeverTold(t *testing.T) {
	t.Parallel()
	a := readAccount([]byte(`{"userStatus":{"userId":"planted-id"}}`))
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", slog.Any("account", a))
	for _, text := range []string{a.String(), fmt.Sprintf("%v %+v %#v %s", a, a, a, a), fmt.Sprintf("%+v", usage.Snapshot{Plan: usage.Plan{Account: a}}), log.String()} {
		if strings.Contains(text, "planted") || !strings.Contains(text, "redacted") {
			t.Errorf("tells %q", text)
		}
	}
}

// A Windsurf plan still has the storage key of the time before there were other
// products.
func TestPlanKey(t *testing.T) {
	t.Parallel()
	salt, account := []byte("salt"), readAccount([]byte(`{"userStatus":{"userId":"u"}}`))
	if got, want := (usage.Plan{Product: usage.Windsurf, Account: account}).Key(salt), account.Hash(salt); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := (usage.Plan{Product: "cursor", Account: account}).Key(salt), "cursor:"+account.Hash(salt); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
