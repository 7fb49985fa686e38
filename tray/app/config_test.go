package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/chat"
	"windsock/chat/openai"
	"windsock/probe"
	"windsock/probe/cloud"
	"windsock/tray"
	"windsock/tray/settings"
	"windsock/tray/shortcut"
	"windsock/usage/alert"
	"windsock/usage/status"
)

// keysOf are all keys, in a file that is not there.
func keysOf(t *testing.T) []settings.Key {
	t.Helper()
	var keys []settings.Key
	for _, s := range configAt(filepath.Join(t.TempDir(), settings.Name)).Form().Sections {
		keys = append(keys, s.Keys...)
	}
	return keys
}

// TestConfigIsWellFormed checks all packages' sections against the file's rules.
func TestConfigIsWellFormed(t *testing.T) {
	t.Parallel()
	for _, k := range keysOf(t) {
		if section, key, _ := strings.Cut(k.Name, "."); section == "" || key == "" || k.Comment == "" || strings.HasPrefix(k.Help, "It takes .") {
			t.Errorf("%s lacks a tag: %+v", k.Name, k)
		}
		if !strings.HasSuffix(k.Comment, ".") || strings.HasSuffix(k.Help, "..") {
			t.Errorf("%s: a comment is a sentence, and takes is the end of one: %+v", k.Name, k)
		}
	}
	if bad := defaultConfig().invalid(); len(bad) > 0 {
		t.Errorf("defaults that are not allowed: %v", bad)
	}
}

// TestConfigInitIsTheDefaults takes the file of --init as it is, and with every key
// in it.
func TestConfigInitIsTheDefaults(t *testing.T) {
	t.Parallel()
	file := configAt(filepath.Join(t.TempDir(), settings.Name))
	if err := file.Init(); err != nil {
		t.Fatal(err)
	}
	commented, err := os.ReadFile(file.Path)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for line := range strings.Lines(string(commented)) {
		if !strings.HasPrefix(line, "# ") {
			text.WriteString(strings.TrimPrefix(line, "#"))
		}
	}
	for name, text := range map[string]string{"commented_out": string(commented), "every_key": text.String()} {
		if err := os.WriteFile(file.Path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := file.Load()
		if diff := cmp.Diff(defaultConfig(), got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

// TestConfigInvalid makes every checked key invalid: each is reported, by its name in
// the file.
func TestConfigInvalid(t *testing.T) {
	t.Parallel()
	days, left := []string{"someday"}, []int{100}
	c := config{
		Usage: status.Config{Interval: time.Second, Variant: "vim", Clock: "never", WorkDays: days},
		Alerts: alert.Config{
			Thresholds: left, PromptCredits: left, FlexCredits: left, DailyQuota: left, WeeklyQuota: left, ACU: left,
			Gemini5h: left, GeminiWeekly: left, ThirdParty5h: left, ThirdPartyWeekly: left,
			CursorModels: left, OtherModels: left, Included: left, Requests: left, Ignore: days,
		},
		Tray:   tray.Config{Plan: "windsurf:3FA91C"},
		Chat:   chat.Config{Engine: "clippy", Agent: []string{""}, Model: "\n"},
		Prompt: shortcut.Config{Key: "W"},
		API:    openai.Config{Port: 1, Concurrency: 17},
		Log:    logConfig{Level: "loud"},
		Cloud:  cloud.Config{Allow: days},
	}
	want := []string{"cloud.allow"} // which no form has: consent comes with its wording
	for _, k := range keysOf(t) {
		if k.Kind != "bool" {
			want = append(want, k.Name)
		}
	}
	got := c.invalid()
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestConfigTakesEveryVariant holds usage, which may not know what probe knows,
// to it.
func TestConfigTakesEveryVariant(t *testing.T) {
	t.Parallel()
	keys := keysOf(t)
	choices := keys[slices.IndexFunc(keys, func(k settings.Key) bool { return k.Name == "usage.variant" })].Choices
	for _, v := range probe.Variants() {
		if !slices.Contains(choices, v.ID) {
			t.Errorf("%s is not named: %q", v.ID, choices)
		}
		c := defaultConfig()
		c.Usage.Variant = v.ID
		if bad := c.invalid(); len(bad) > 0 {
			t.Errorf("%s: %v", v.ID, bad)
		}
	}
}
