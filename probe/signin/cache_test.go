package signin

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"windsock/probe/languageserver"
	"windsock/probe/simulator/simtest"
)

const storedKey = "sk-ws-01-test-key"

// nested is JSON with that nesting.
func nested(times int) string {
	return `{"a":` + strings.Repeat("[", times) + strings.Repeat("]", times) + `}`
}

// seenCache is a cache in comparable form.
type seenCache struct {
	Dir  string
	Name string
	Raw  string
	Err  string
}

func seeCaches(t *testing.T, home string, dirs ...string) (seen []seenCache) {
	t.Helper()
	for c, err := range Below(home).Caches(t.Context(), dirs) {
		s := seenCache{Dir: c.Dir, Name: c.Name, Raw: compact(t, c.Raw)}
		if err != nil {
			s.Err = err.Error()
		}
		seen = append(seen, s)
	}
	return seen
}

func compact(t *testing.T, raw []byte) string {
	t.Helper()
	if raw == nil {
		return ""
	}
	var out bytes.Buffer
	if err := json.Compact(&out, raw); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return out.String()
}

// storedStatus is a sign-in with that status, in base64, beside the key.
func storedStatus(status string) string {
	return `{"apiKey":"` + storedKey + `","userStatusProtoBinaryBase64":"` + status + `"}`
}

func encodeStatus(t *testing.T, status *languageserver.UserStatus) string {
	t.Helper()
	binary, err := proto.Marshal(status)
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(binary)
}

func quotaStatus() *languageserver.UserStatus {
	return &languageserver.UserStatus{
		CascadeModelConfigData: &languageserver.CascadeModelConfigData{},
		PlanStatus: &languageserver.PlanStatus{
			PlanInfo:                    &languageserver.PlanInfo{PlanName: "Max", BillingStrategy: 2},
			DailyQuotaResetAtUnix:       1774080000, // and no percentage: none is left
			WeeklyQuotaRemainingPercent: 40,
			WeeklyQuotaResetAtUnix:      1774166400,
		},
	}
}

const quotaAnswer = `{"userStatus":{"planStatus":{"planInfo":{"planName":"Max","billingStrategy":"BILLING_STRATEGY_QUOTA"},` +
	`"weeklyQuotaRemainingPercent":40,"dailyQuotaResetAtUnix":"1774080000","weeklyQuotaResetAtUnix":"1774166400"}}}`

func TestCaches(t *testing.T) {
	t.Parallel()
	unknown := protowire.AppendTag(nil, 9999, protowire.BytesType)
	unknown = protowire.AppendString(unknown, "of a newer editor")
	good := encodeStatus(t, quotaStatus())
	newer := base64.StdEncoding.EncodeToString(append(mustDecode(t, good), unknown...))
	const data, info = `{"planName":"Data"}`, `{"planName":"Info"}`
	row := func(value string) []simtest.Row { return []simtest.Row{{Key: authKey, Value: value}} }
	status := func(raw, err string) seenCache { return seenCache{"Windsurf", cacheStatus, raw, err} }
	planData, planInfo := seenCache{"Windsurf", cachePlanData, data, ""}, seenCache{"Windsurf", cachePlanInfo, info, ""}
	tests := []struct {
		name string
		auth simtest.Auth
		want []seenCache
	}{
		{"all_three", simtest.Auth{Rows: row(storedStatus(good)), PlanData: data, PlanInfo: info}, []seenCache{status(quotaAnswer, ""), planData, planInfo}},
		{"unpadded", simtest.Auth{Rows: row(storedStatus(strings.TrimRight(good, "=")))}, []seenCache{status(quotaAnswer, "")}},
		{"newer_fields", simtest.Auth{Rows: row(storedStatus(newer))}, []seenCache{status(quotaAnswer, "")}},
		{"without_a_status", simtest.Auth{Key: storedKey, PlanInfo: info}, []seenCache{planInfo}},
		{"empty_status", simtest.Auth{Rows: row(storedStatus("")), PlanData: data}, []seenCache{planData}},
		{"null_status", simtest.Auth{Rows: row(`{"userStatusProtoBinaryBase64":null}`)}, nil},
		{"signed_out", simtest.Auth{PlanData: data}, []seenCache{planData}},
		{"emptied", simtest.Auth{PlanData: "{}", PlanInfo: "null"}, nil},
		{"no_base64", simtest.Auth{Rows: row(storedStatus("%%%")), PlanInfo: info}, []seenCache{status("", "it is not base64"), planInfo}},
		{"a_number", simtest.Auth{Rows: row(`{"userStatusProtoBinaryBase64":7}`)}, []seenCache{status("", "it is not base64")}},
		{"no_protobuf", simtest.Auth{Rows: row(storedStatus("/////w=="))}, []seenCache{status("", "it is no protobuf of a user status")}},
		{"cut_off", simtest.Auth{Rows: row(storedStatus(good[:40]))}, []seenCache{status("", "it is no protobuf of a user status")}},
		{"no_plan", simtest.Auth{Rows: row(storedStatus(encodeStatus(t, &languageserver.UserStatus{Name: "Jo"})))}, []seenCache{status("", "it says nothing about the plan")}},
		{"no_date", simtest.Auth{Rows: row(storedStatus(encodeStatus(t, &languageserver.UserStatus{
			PlanStatus: &languageserver.PlanStatus{PlanEnd: &timestamppb.Timestamp{Seconds: 1 << 60}},
		})))}, []seenCache{status("", "it holds a date that is none")}},
		{"damaged", simtest.Auth{Rows: row(`{"apiKey":"` + storedKey), PlanData: `{"planName":`, PlanInfo: `["` + storedKey + `"]`}, []seenCache{
			status("", "the stored sign-in is damaged"),
			{"Windsurf", cachePlanData, "", "it is damaged"},
			{"Windsurf", cachePlanInfo, "", "it is no JSON object"},
		}},
		{"deep", simtest.Auth{Rows: row(nested(500_000)), PlanData: nested(500_000), PlanInfo: info}, []seenCache{
			status("", "the stored sign-in is damaged"),
			{"Windsurf", cachePlanData, "", "it is damaged"},
			planInfo,
		}},
		{"two_users", simtest.Auth{Rows: []simtest.Row{
			{Key: planDataPrefix + "user-b", Value: `{"planName":"First"}`},
			{Key: planDataPrefix + "user-c", Value: `{"planName":"Second"}`},
			{Key: planDataPrefix + "user-a", Value: `{"planName":"Third"}`},
			{Key: planDataPrefix + "user-b", Value: `{"planName":"Last"}`},
		}}, []seenCache{
			{"Windsurf", cachePlanData, `{"planName":"Last"}`, ""},
			{"Windsurf", cachePlanData, `{"planName":"Third"}`, ""},
			{"Windsurf", cachePlanData, `{"planName":"Second"}`, ""},
		}},
	}
	for _, tt := range tests {
		for storage, form := range map[string]simtest.Auth{
			"text": {}, "blob": {Blob: true}, "wide_text": {Wide: true}, "wide_blob": {Wide: true, Blob: true}, "wal": {WAL: true},
		} {
			t.Run(tt.name+"_"+storage, func(t *testing.T) {
				t.Parallel()
				home := t.TempDir()
				auth := tt.auth
				auth.Blob, auth.Wide, auth.WAL = form.Blob, form.Wide, form.WAL
				writeSignIn(t, home, "Windsurf", auth)
				got := seeCaches(t, home, "Windsurf")
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Error(diff)
				}
				if strings.Contains(fmt.Sprint(got), storedKey) {
					t.Error("the key is among them")
				}
			})
		}
	}
}

func mustDecode(t *testing.T, text string) []byte {
	t.Helper()
	binary, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

func writeSignIn(t *testing.T, home, dataDir string, auth simtest.Auth) {
	t.Helper()
	if err := simtest.SignIn(filepath.Join(home, ".config", dataDir), auth); err != nil {
		t.Fatal(err)
	}
}

// The directory with the last write comes first. An unreadable one does not end the
// list.
func TestCachesOrder(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	dirs := []string{"Windsurf", "Devin", "Other"}
	for i, dir := range dirs {
		writeSignIn(t, home, dir, simtest.Auth{PlanInfo: `{"planName":"` + dir + `"}`})
		path := statePath(Below(home).Config, dir)
		if dir == "Devin" {
			if err := os.WriteFile(path, []byte("no database, and long enough"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		at := time.Now().Add(time.Duration(i-9) * time.Hour)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	want := []seenCache{
		{"Other", cachePlanInfo, `{"planName":"Other"}`, ""},
		{"Devin", cacheFile, "", "the file is no database"},
		{"Windsurf", cachePlanInfo, `{"planName":"Windsurf"}`, ""},
	}
	if diff := cmp.Diff(want, seeCaches(t, home, dirs...)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]seenCache(nil), seeCaches(t, t.TempDir(), dirs...)); diff != "" {
		t.Error(diff)
	}
}

// A caller that has found a cache reads no further database. After the end of the
// context there is only its error.
func TestCachesEnd(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	writeSignIn(t, home, "Windsurf", simtest.Auth{PlanInfo: `{"planName":"Pro"}`, PlanData: `{"planName":"Pro"}`})
	writeSignIn(t, home, "Windsurf - Next", simtest.Auth{PlanInfo: `{"planName":"Pro"}`})
	ctx, cancel := context.WithCancel(t.Context())
	count := 0
	for range Below(home).Caches(ctx, []string{"Windsurf", "Windsurf - Next"}) {
		count++
		break
	}
	if count != 1 {
		t.Errorf("%d caches after the first", count-1)
	}
	cancel()
	for c, err := range Below(home).Caches(ctx, []string{"Windsurf", "Windsurf - Next"}) {
		if count++; !errors.Is(err, context.Canceled) || c.Raw != nil || count > 2 {
			t.Errorf("after the end: %+v, %v", c, err)
		}
	}
	if count != 2 {
		t.Error("the end is not told")
	}
}

// The caches recorded by other projects are returned unchanged.
func TestCachesSamples(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("testdata", "plan_cache", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	data, info := read("cachedPlanInfoData-paid.json"), read("cachedPlanInfo-trial.json")
	home := t.TempDir()
	writeSignIn(t, home, "Windsurf", simtest.Auth{PlanData: data, PlanInfo: info, Wide: true})
	want := []seenCache{
		{"Windsurf", cachePlanData, compact(t, []byte(data)), ""},
		{"Windsurf", cachePlanInfo, compact(t, []byte(info)), ""},
	}
	if diff := cmp.Diff(want, seeCaches(t, home, "Windsurf")); diff != "" {
		t.Error(diff)
	}
}

// FuzzCachedStatus: for any value beside the key there is no panic, the result is JSON
// or a plain error, and neither holds a part of the key.
func FuzzCachedStatus(f *testing.F) {
	f.Add([]byte(storedStatus("CgA=")))
	f.Add([]byte(storedStatus("ag4IARIDTWF4")))
	f.Add([]byte(`{"userStatusProtoBinaryBase64":{}}`))
	f.Add(utf16LE(storedStatus("agA=")))
	f.Fuzz(func(t *testing.T, value []byte) {
		raw, err := cachedStatus(value)
		if raw != nil && (err != nil || !json.Valid(raw) || !bytes.HasPrefix(raw, []byte(`{"userStatus":`))) {
			t.Errorf("cachedStatus(%q) = %q, %v", value, raw, err)
		}
		if bytes.Contains(raw, []byte(storedKey)) || err != nil && strings.Contains(err.Error(), storedKey) {
			t.Errorf("cachedStatus(%q) has the key: %q, %v", value, raw, err)
		}
	})
}
