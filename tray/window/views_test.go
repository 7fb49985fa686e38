package window

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/timestamppb"

	"windsock/chat/touched"
	"windsock/chat/touched/touchedtest"
	pb "windsock/probe/languageserver"
	"windsock/usage"
	"windsock/usage/alert"
	"windsock/usage/history"
	"windsock/usage/poll"
)

func TestHello(t *testing.T) {
	t.Parallel()
	p := enter(t, &fake{}, nil)
	const credit = `{"meter":"prompt_credits","text":"Prompt credits: 453 of 500 left (91 %)",` +
		`"under":"✓ On course · 34–85 % left at the reset · resets in 14d 22h (18 Feb)","left":90.6,"level":"plain"}`
	want := `{"version":"1.0","demo":false,"view":"prompt","plans":[{"name":"windsurf","heading":"","short":` + credit + `,"lines":[` + credit + `],"lead":true}],"twelve_hour":false}`
	if diff := cmp.Diff(want, p.do("GET", "/api/hello", "", nil).body); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	p = enter(t, &fake{plan: poll.State{At: noon, Err: spoken{"not_running", "Windsurf is not running. Start it."}}}, nil)
	const why = `{"text":"Windsurf is not running. Start it.","under":"","left":null,"level":"note"}`
	want = `{"version":"1.0","demo":false,"view":"prompt","plans":[{"name":"windsurf","heading":"","short":` + why + `,"lines":[` + why + `],"lead":true}],"twelve_hour":false}`
	if diff := cmp.Diff(want, p.do("GET", "/api/hello", "", nil).body); diff != "" {
		t.Errorf("without an editor (-want +got):\n%s", diff)
	}
}

// Figures are live that the editor has given when it was last asked.
func TestUsageIsLive(t *testing.T) {
	t.Parallel()
	cached := snapshot(t)
	cached.Source.FetchedAt = time.Time{}
	tests := []struct {
		name  string
		state poll.State
		want  string
	}{
		{"figures", poll.State{At: noon, Snapshot: snapshot(t)}, `"live":true`},
		{"figures_of_before", poll.State{At: noon, Snapshot: snapshot(t), Err: spoken{"not_running", "Start it."}}, `"live":false`},
		{"a_cache", poll.State{At: noon, Snapshot: cached}, `"live":false`},
		{"none_yet", poll.State{At: noon}, `"live":false`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			lines, _ := enter(t, &fake{plan: tt.state}, nil).events("")
			next(t, lines, tt.want)
		})
	}
}

func sample(at time.Time, used int64, end time.Time) history.Sample {
	return history.Sample{
		At: at, Meter: usage.PromptCredits, Unit: usage.UnitCredits,
		Used: usage.Micros(used * 1e6), Total: usage.Micros(500e6), Window: usage.Window{End: end},
	}
}

func TestChart(t *testing.T) {
	t.Parallel()
	before, end := time.Date(2026, 1, 18, 9, 7, 17, 0, time.UTC), time.Date(2026, 2, 18, 9, 7, 17, 0, time.UTC)
	f := &fake{
		samples: []history.Sample{
			sample(before.Add(-time.Hour), 400, before), sample(before.Add(time.Hour), 3, end),
			{At: noon, Meter: usage.FlexCredits},
			sample(noon, 47, end),
		},
		days: []history.Day{
			{Date: "2026-02-03", Meter: usage.PromptCredits, Unit: usage.UnitCredits, Used: usage.Micros(12.5e6)},
			{Date: "2026-02-03", Meter: usage.FlexCredits},
		},
	}
	p := enter(t, f, nil)
	want := `{"plans":[{"name":"windsurf","heading":"","meters":[{"id":"prompt_credits","label":"Prompt credits","unit":"credits"}]}],"plan":"windsurf","meter":"prompt_credits","unit":"credits","total":500,` +
		`"total_words":"500 credits","resets_on":"18 Feb 2026, 09:07 UTC","now":"2026-02-03T12:00:00Z",` +
		`"points":[[1768723637,400],[1768727237,null],[1768730837,3],[1770120000,47]],"even":[[1768727237,0],[1771405637,500]],` +
		`"forecast":{"low":[[1770120000,47],[1771405637,74.3294]],"mid":[[1770120000,47],[1771405637,155.7348]],"high":[[1770120000,47],[1771405637,330.2993]],` +
		`"cases":[{"case":"Low: 1 in 10 is lower","ends":"74 credits used at the reset"},{"case":"Middle","ends":"156 credits used at the reset"},` +
		`{"case":"High: 1 in 10 is higher","ends":"330 credits used at the reset"}],` +
		`"words":"Forecast: in the middle case 156 credits used at the reset, in a low one 74 credits used at the reset, in a high one 330 credits used at the reset.",` +
		`"odds":"The odds come from this window and what most people use: no past window has been seen yet."},"past":[],` +
		`"resets":[1768727237],"last":[{"at":"3 Feb 2026, 12:00 UTC","used":"47 credits"},{"at":"18 Jan 2026, 10:07 UTC","used":"3 credits"}],` +
		`"days":[{"day":"3 Feb","used":12.5,"words":"12.5 credits"}],"days_words":"12.5 credits used on the one day with figures",` +
		`"words":"✓ On course · 34–85 % left at the reset · resets in 14d 22h (18 Feb)"}`
	if diff := cmp.Diff(want, p.do("GET", "/api/usage/chart?range=90d", "", nil).body); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]usage.MeterID{usage.PromptCredits}, f.drawn); diff != "" {
		t.Errorf("asked for the samples of (-want +got):\n%s", diff)
	}
	csv := p.do("GET", "/api/usage/history.csv?range=7d", "", nil)
	if !strings.HasPrefix(csv.body, "at,meter,unit,") || strings.Count(csv.body, "\n") != 4 || csv.header.Get("Content-Type") != "text/csv; charset=utf-8" {
		t.Errorf("CSV: %+v", csv)
	}
	for _, path := range []string{"/api/usage/chart?range=2d", "/api/usage/history.csv?range=x"} {
		if got := p.do("GET", path, "", nil); got.status != 422 || got.code != "range" {
			t.Errorf("%s: %+v", path, got)
		}
	}
	f.broken = errors.New("disk")
	for _, path := range []string{"/api/usage/chart", "/api/usage/history.csv"} {
		if got := p.do("GET", path, "", nil); got.status != 503 || strings.Contains(got.body, "disk") {
			t.Errorf("%s: %+v", path, got)
		}
	}
}

// A long history is thinned, and still shows both sides of each reset.
func TestTraceOfMany(t *testing.T) {
	t.Parallel()
	var samples []history.Sample
	for i := range 40_000 {
		at := noon.Add(time.Duration(i) * time.Minute)
		samples = append(samples, sample(at, int64(i%1440), at.Truncate(24*time.Hour).Add(24*time.Hour)))
	}
	var c chart
	c.trace(samples, noon.AddDate(1, 0, 0))
	if n := len(c.Points); n > maxPoints+3*len(c.Resets)+2 || len(c.Resets) != 29 {
		t.Errorf("%d points and %d resets", n, len(c.Resets))
	}
	for i, p := range c.Points {
		if p[1] == nil && i+1 < len(c.Points) && (c.Points[i-1][1] != 719.0 || c.Points[i+1][1] != 720.0) {
			t.Errorf("around a reset: %v", c.Points[i-1:i+2])
		}
	}
}

// A balance is drawn as use.
func TestTraceOfBalance(t *testing.T) {
	t.Parallel()
	c := chart{Meter: usage.ExtraUsage}
	var samples []history.Sample
	for i, left := range []int64{20e6, 15e6, 40e6, 39e6} {
		samples = append(samples, history.Sample{At: time.Unix(int64(i), 0), Meter: usage.ExtraUsage, Unit: usage.UnitUSD, Remaining: usage.Micros(left)})
	}
	c.trace(spent(samples), noon)
	if diff := cmp.Diff([]point{{int64(0), 0.0}, {int64(1), 5.0}, {int64(2), 5.0}, {int64(3), 6.0}}, c.Points); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The sum of all days covers only the known days.
func TestDays(t *testing.T) {
	t.Parallel()
	tests := []struct {
		used []usage.Amount
		want string
	}{
		{[]usage.Amount{usage.Micros(0)}, "No use was seen on the one day with figures"},
		{[]usage.Amount{usage.Micros(1e6)}, "1 credit used on the one day with figures"},
		{[]usage.Amount{usage.Micros(1e6), {}, usage.Micros(2.5e6)}, "3.5 credits used on the 2 days with figures, at most 2.5 credits on one"},
	}
	for _, tt := range tests {
		var days []history.Day
		for _, used := range tt.used {
			days = append(days, history.Day{Date: "2026-02-03", Unit: usage.UnitCredits, Used: used})
		}
		var c chart
		if c.eachDay(days); c.DaysWords != tt.want {
			t.Errorf("got %q, want %q", c.DaysWords, tt.want)
		}
	}
}

const (
	staleID = "11111111-1111-4111-8111-111111111111"
	newID   = "22222222-2222-4222-8222-222222222222"
)

func TestClean(t *testing.T) {
	t.Parallel()
	idle := func(at time.Time) *pb.CascadeTrajectorySummary {
		return &pb.CascadeTrajectorySummary{
			Summary: "A title", Status: pb.CascadeRunStatus_CASCADE_RUN_STATUS_IDLE, LastModifiedTime: timestamppb.New(at),
		}
	}
	f := &fake{cascades: &cascades{list: map[string]*pb.CascadeTrajectorySummary{
		staleID: idle(noon.AddDate(0, 0, -20)), newID: idle(noon),
	}}}
	p := enter(t, f, nil)
	lines, _ := p.events("")
	next(t, lines, "usage")
	plan := `{"items":[{"cascade_id":"` + staleID + `","title":"A title","workspace":"","last_touched":"2026-01-14T12:00:00Z","bytes":null,` +
		`"touched":"14 Jan 2026, 12:00 UTC","age":"20 days","size":"unknown"}],"kept":[{"count":1,"words":"touched lately"}],"files_only":false,"undo":null}`
	const rules = `"older_than":"14d","keep":0`
	if diff := cmp.Diff(plan, p.do("GET", "/api/clean/plan?older_than=14d&keep=0", "", nil).body); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
	for name, body := range map[string]string{
		"not_in_plan": `{"ids":["` + newID + `"],` + rules + `}`, "none": `{"ids":[],` + rules + `}`, "rules": `{"ids":["` + staleID + `"],"keep":-1}`,
	} {
		if got := p.do("POST", "/api/clean/run", body, nil); got.status != 422 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := p.do("POST", "/api/clean/run", `{"ids":["`+staleID+`"],`+rules+`}`, nil); got.status != 202 {
		t.Fatalf("run: %+v", got)
	}
	all := heard(t, lines, "clean", `"result"`, nobody)
	if diff := cmp.Diff([]string{`{"kind":"progress","done":0,"total":1}`, `{"kind":"progress","done":1,"total":1}`}, all[:len(all)-1]); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	if end := all[len(all)-1]; !strings.Contains(end, `"words":"Archived 1 cascade. What that has freed on disk is not known. Undo puts it back into the editor's list.","failed":[]`) {
		t.Errorf("end: %s", end)
	}
	if got := p.do("GET", "/api/clean/plan?keep=0", "", nil).body; !strings.Contains(got, `{"items":[],`) || !strings.Contains(got, `"undo":{"count":1,"words":"1 cascade, Tue 12:00"}`) {
		t.Errorf("plan after the run: %s", got)
	}
	for _, want := range []string{"1 cascade put back into the editor's list.", "Nothing was put back."} {
		if got := p.do("POST", "/api/clean/undo", "{}", nil); got.status != 202 {
			t.Fatalf("undo: %+v", got)
		}
		if got := heard(t, lines, "clean", `"result"`, nobody); !strings.Contains(got[len(got)-1], want) {
			t.Errorf("undo: %q, want %s", got, want)
		}
	}
	p.window.config.Touched = touched.New(&touchedtest.Room{ReadErr: errors.New("the disk is damaged")}, t.TempDir(), time.Now)
	if got := p.do("GET", "/api/clean/plan", "", nil); got.status != 503 || !strings.Contains(got.body, "could not note what clean does") {
		t.Errorf("where nothing can be taken back: %+v", got)
	}
	f.gone = spoken{"not_running", "Windsurf is not running."}
	if got := p.do("GET", "/api/clean/plan", "", nil); got.status != 503 || got.code != "not_running" {
		t.Errorf("without an editor: %+v", got)
	}
}

func TestCleanRules(t *testing.T) {
	t.Parallel()
	tests := []struct {
		age, keep string
		want      time.Duration
		newest    int
		ok        bool
	}{
		{"", "", 14 * 24 * time.Hour, 10, true},
		{"14d", "3", 14 * 24 * time.Hour, 3, true},
		{"36h", "0", 36 * time.Hour, 0, true},
		{"7", "", 7 * 24 * time.Hour, 10, true},
		{"0d", "", 0, 10, true},
		{age: "-1d"},
		{age: "1w"},
		{age: "99999999d"},
		{age: "d"},
		{keep: "-1"},
		{keep: "1.5"},
	}
	for _, tt := range tests {
		got, ok := cleanRules(tt.age, tt.keep)
		if ok != tt.ok || ok && (got.OlderThan != tt.want || got.Keep != tt.newest) {
			t.Errorf("%q, %q: %+v, %t", tt.age, tt.keep, got, ok)
		}
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	of := usage.Plan{Product: usage.Windsurf}
	f := &fake{muted: []alert.Mute{{Plan: of, Meter: usage.PromptCredits, Until: noon, On: true}, {Plan: of, Meter: usage.FlexCredits, On: true}}}
	p := enter(t, f, nil)
	want := `{"path":"/p","sections":null,"problem":"","comments":false,"autostart":{"on":false,"available":true},"shortcut":{"text":"Ctrl+Alt+W opens it.","failed":true},` +
		`"mutes":[{"plan":"windsurf","meter":"prompt_credits","label":"Prompt credits","muted":true,"until":"Tue 12:00"}],"places":[{"what":"Log","path":"/log"}]}`
	if diff := cmp.Diff(want, p.do("GET", "/api/settings", "", nil).body); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	steps := []struct {
		name, path, body string
		before           func()
		want             int
		part             string
	}{
		{"saved", "/api/settings", `{"values":{"a":1}}`, nil, 200, "{}"},
		{"comments", "/api/settings", `{"values":{"a":2}}`, func() { f.comments = true }, 409, `"code":"comments"`},
		{"comments_lost", "/api/settings", `{"values":{"a":2},"lose_comments":true}`, nil, 200, "{}"},
		{"refused", "/api/settings", `{"values":{"a":3}}`, func() { f.refused = map[string]string{"a": "It takes b."} }, 422, `"errors":{"a":"It takes b."}`},
		{"checked", "/api/settings/check", `{"values":{"a":3}}`, nil, 200, `{"errors":{"a":"It takes b."}}`},
		{"autostart", "/api/autostart", `{"on":true}`, nil, 200, `"on":true`},
		{"autostart_off", "/api/autostart", `{"on":false}`, nil, 200, `"on":false`},
		{"test", "/api/notify/test", `{}`, nil, 204, ""},
		{"unmuted", "/api/mutes", `{"plan":"windsurf","meter":"prompt_credits","muted":false}`, nil, 204, ""},
		{"no_such_meter", "/api/mutes", `{"plan":"windsurf","meter":"weekly_quota","muted":true}`, nil, 404, "no_meter"},
		{"desktop_fails", "/api/notify/test", `{}`, func() { f.fails = spoken{"x", "No bus."} }, 503, "not_shown"},
		{"autostart_fails", "/api/autostart", `{"on":true}`, nil, 500, "No bus."},
		{"disk_fails", "/api/settings", `{"values":{},"lose_comments":true}`, func() { f.refused = nil }, 500, "No bus."},
	}
	for _, step := range steps {
		if step.before != nil {
			step.before()
		}
		if got := p.do("POST", step.path, step.body, nil); got.status != step.want || !strings.Contains(got.body, step.part) {
			t.Errorf("%s: %+v", step.name, got)
		}
	}
	if diff := cmp.Diff(map[string]json.RawMessage{"a": json.RawMessage("2")}, f.saved); diff != "" {
		t.Errorf("saved (-want +got):\n%s", diff)
	}
	if f.muted[0].On {
		t.Error("still muted")
	}
	p.window.Reread()
	lines, _ := p.events("0")
	next(t, lines, "event: settings")
}
