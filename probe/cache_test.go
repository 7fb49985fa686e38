package probe

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
	"windsock/probe/simulator"
)

// seenCache is a cache as a test compares it.
type seenCache struct {
	Server Server
	Name   string
	Raw    string
	Err    string
}

func seeCaches(t *testing.T, home string, list []Variant) (seen []seenCache) {
	t.Helper()
	for c, err := range NewFinder(WithHome(home)).Caches(t.Context(), list) {
		s := seenCache{Server: c.Server, Name: c.Name, Raw: compact(t, c.Raw)}
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
	return `{"apiKey":"` + testKey + `","userStatusProtoBinaryBase64":"` + status + `"}`
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
	windsurf := Server{Variant: "windsurf", App: "Windsurf"}
	const data, info = `{"planName":"Data"}`, `{"planName":"Info"}`
	row := func(value string) []simulator.Row { return []simulator.Row{{Key: authKey, Value: value}} }
	status := func(raw, err string) seenCache { return seenCache{windsurf, cacheStatus, raw, err} }
	planData, planInfo := seenCache{windsurf, cachePlanData, data, ""}, seenCache{windsurf, cachePlanInfo, info, ""}
	tests := []struct {
		name string
		auth simulator.Auth
		want []seenCache
	}{
		{"all_three", simulator.Auth{Rows: row(storedStatus(good)), PlanData: data, PlanInfo: info}, []seenCache{status(quotaAnswer, ""), planData, planInfo}},
		{"unpadded", simulator.Auth{Rows: row(storedStatus(strings.TrimRight(good, "=")))}, []seenCache{status(quotaAnswer, "")}},
		{"newer_fields", simulator.Auth{Rows: row(storedStatus(newer))}, []seenCache{status(quotaAnswer, "")}},
		{"without_a_status", simulator.Auth{Key: testKey, PlanInfo: info}, []seenCache{planInfo}},
		{"empty_status", simulator.Auth{Rows: row(storedStatus("")), PlanData: data}, []seenCache{planData}},
		{"null_status", simulator.Auth{Rows: row(`{"userStatusProtoBinaryBase64":null}`)}, nil},
		{"signed_out", simulator.Auth{PlanData: data}, []seenCache{planData}},
		{"emptied", simulator.Auth{PlanData: "{}", PlanInfo: "null"}, nil},
		{"no_base64", simulator.Auth{Rows: row(storedStatus("%%%")), PlanInfo: info}, []seenCache{status("", "it is not base64"), planInfo}},
		{"a_number", simulator.Auth{Rows: row(`{"userStatusProtoBinaryBase64":7}`)}, []seenCache{status("", "it is not base64")}},
		{"no_protobuf", simulator.Auth{Rows: row(storedStatus("/////w=="))}, []seenCache{status("", "it is no protobuf of a user status")}},
		{"cut_off", simulator.Auth{Rows: row(storedStatus(good[:40]))}, []seenCache{status("", "it is no protobuf of a user status")}},
		{"no_plan", simulator.Auth{Rows: row(storedStatus(encodeStatus(t, &languageserver.UserStatus{Name: "Jo"})))}, []seenCache{status("", "it says nothing about the plan")}},
		{"no_date", simulator.Auth{Rows: row(storedStatus(encodeStatus(t, &languageserver.UserStatus{
			PlanStatus: &languageserver.PlanStatus{PlanEnd: &timestamppb.Timestamp{Seconds: 1 << 60}},
		})))}, []seenCache{status("", "it holds a date that is none")}},
		{"damaged", simulator.Auth{Rows: row(`{"apiKey":"` + testKey), PlanData: `{"planName":`, PlanInfo: `["` + testKey + `"]`}, []seenCache{
			status("", "the stored sign-in is damaged"),
			{windsurf, cachePlanData, "", "it is damaged"},
			{windsurf, cachePlanInfo, "", "it is no JSON object"},
		}},
		{"deep", simulator.Auth{Rows: row(deep(500_000)), PlanData: deep(500_000), PlanInfo: info}, []seenCache{
			status("", "the stored sign-in is damaged"),
			{windsurf, cachePlanData, "", "it is damaged"},
			planInfo,
		}},
		{"two_users", simulator.Auth{Rows: []simulator.Row{
			{Key: planDataPrefix + "user-b", Value: `{"planName":"First"}`},
			{Key: planDataPrefix + "user-c", Value: `{"planName":"Second"}`},
			{Key: planDataPrefix + "user-a", Value: `{"planName":"Third"}`},
			{Key: planDataPrefix + "user-b", Value: `{"planName":"Last"}`},
		}}, []seenCache{
			{windsurf, cachePlanData, `{"planName":"Last"}`, ""},
			{windsurf, cachePlanData, `{"planName":"Third"}`, ""},
			{windsurf, cachePlanData, `{"planName":"Second"}`, ""},
		}},
	}
	for _, tt := range tests {
		for storage, form := range map[string]simulator.Auth{
			"text": {}, "blob": {Blob: true}, "wide_text": {Wide: true}, "wide_blob": {Wide: true, Blob: true}, "wal": {WAL: true},
		} {
			t.Run(tt.name+"_"+storage, func(t *testing.T) {
				t.Parallel()
				home := t.TempDir()
				auth := tt.auth
				auth.Blob, auth.Wide, auth.WAL = form.Blob, form.Wide, form.WAL
				signIn(t, home, "Windsurf", auth)
				got := seeCaches(t, home, Variants())
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Error(diff)
				}
				if strings.Contains(fmt.Sprint(got), testKey) {
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

func signIn(t *testing.T, home, dataDir string, auth simulator.Auth) {
	t.Helper()
	if err := simulator.SignIn(filepath.Join(home, ".config", dataDir), auth); err != nil {
		t.Fatal(err)
	}
}

// The variants come in the order of the list, and of a variant's directories the
// one that was written to last; one that cannot be read does not end the list.
func TestCachesOrder(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	now := time.Now()
	for i, dir := range []string{"Windsurf", "Devin", "Windsurf - Next", "Windsurf Insiders"} {
		signIn(t, home, dir, simulator.Auth{PlanInfo: `{"planName":"` + dir + `"}`})
		at := now.Add(time.Duration(i-9) * time.Hour)
		if err := os.Chtimes(statePath(filepath.Join(home, ".config"), dir), at, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(statePath(filepath.Join(home, ".config"), "Windsurf - Next"), []byte("no database, and long enough"), 0o600); err != nil {
		t.Fatal(err)
	}
	windsurf := seenCache{Server{Variant: "windsurf", App: "Windsurf"}, cachePlanInfo, `{"planName":"Windsurf"}`, ""}
	devin := seenCache{Server{Variant: "windsurf", App: "Devin Desktop"}, cachePlanInfo, `{"planName":"Devin"}`, ""}
	next := seenCache{Server{Variant: "windsurf-next", App: "Windsurf Next"}, cacheFile, "", "the file is no database"}
	insiders := seenCache{Server{Variant: "windsurf-insiders", App: "Windsurf Insiders"}, cachePlanInfo, `{"planName":"Windsurf Insiders"}`, ""}
	if diff := cmp.Diff([]seenCache{devin, windsurf, next, insiders}, seeCaches(t, home, Variants())); diff != "" {
		t.Error(diff)
	}
	only, _ := LookupVariant("insiders")
	if diff := cmp.Diff([]seenCache{insiders}, seeCaches(t, home, []Variant{only})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]seenCache(nil), seeCaches(t, t.TempDir(), Variants())); diff != "" {
		t.Error(diff)
	}
}

// Whoever has found a cache reads no further database, and after the end of the
// context there is nothing but that.
func TestCachesEnd(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	signIn(t, home, "Windsurf", simulator.Auth{PlanInfo: `{"planName":"Pro"}`, PlanData: `{"planName":"Pro"}`})
	signIn(t, home, "Windsurf - Next", simulator.Auth{PlanInfo: `{"planName":"Pro"}`})
	ctx, cancel := context.WithCancel(t.Context())
	count := 0
	for range NewFinder(WithHome(home)).Caches(ctx, Variants()) {
		count++
		break
	}
	if count != 1 {
		t.Errorf("%d caches after the first", count-1)
	}
	cancel()
	for c, err := range NewFinder(WithHome(home)).Caches(ctx, Variants()) {
		if count++; !errors.Is(err, context.Canceled) || c.Raw != nil || count > 2 {
			t.Errorf("after the end: %+v, %v", c, err)
		}
	}
	if count != 2 {
		t.Error("the end is not told")
	}
}

// The caches that others have recorded come out as they went in.
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
	signIn(t, home, "Windsurf", simulator.Auth{PlanData: data, PlanInfo: info, Wide: true})
	windsurf := Server{Variant: "windsurf", App: "Windsurf"}
	want := []seenCache{
		{windsurf, cachePlanData, compact(t, []byte(data)), ""},
		{windsurf, cachePlanInfo, compact(t, []byte(info)), ""},
	}
	if diff := cmp.Diff(want, seeCaches(t, home, Variants())); diff != "" {
		t.Error(diff)
	}
}

// FuzzCachedStatus: whatever stands beside the key, no panic, JSON or a plain
// error, and nothing of the key in either.
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
		if bytes.Contains(raw, []byte(testKey)) || err != nil && strings.Contains(err.Error(), testKey) {
			t.Errorf("cachedStatus(%q) has the key: %q, %v", value, raw, err)
		}
	})
}
