package window

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"time"

	"windsock/chat"
	pb "windsock/probe/languageserver"
	"windsock/probe/say"
	"windsock/tray/settings"
	"windsock/usage"
	"windsock/usage/alert"
	"windsock/usage/history"
	"windsock/usage/pace"
	"windsock/usage/poll"
	"windsock/usage/windsurf"
)

var noon = time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)

const credits = `{"planStatus":{"planInfo":{"planName":"Teams"},"planStart":"2026-01-18T09:07:17Z",
	"planEnd":"2026-02-18T09:07:17Z","availablePromptCredits":50000,"usedPromptCredits":4700}}`

func snapshot(t *testing.T) usage.Snapshot {
	t.Helper()
	s, err := windsurf.Decode([]byte(credits), usage.Source{Kind: usage.KindLanguageServer, App: "Windsurf", FetchedAt: noon})
	if err != nil {
		t.Fatal(err)
	}
	return pace.Judge(s, nil, pace.Options{}).At(noon)
}

// fake has all parts of a Window.
type fake struct {
	plan     poll.State
	others   []poll.State // other plans
	leave    bool         // the other plans are gone after the next look
	samples  []history.Sample
	drawn    []usage.MeterID // whose samples alone were asked for
	drawnOf  usage.Plan
	days     []history.Day
	habits   pace.Options
	broken   error // of the history
	ask      func(ctx context.Context, text, model string, tell func(chat.Event)) (chat.Answer, error)
	further  func(ctx context.Context, p chat.Prompt, tell func(chat.Event)) (chat.Answer, error) // in place of ask
	end      func(ctx context.Context, ref string) chat.Leftover
	models   Models
	started  bool // an agent was, for its models
	offer    *AgentOffer
	engine   string // that was chosen
	gone     error  // of the models and the cleaning
	cascades *cascades
	saved    map[string]json.RawMessage
	comments bool
	refused  map[string]string
	on       bool
	fails    error // of the desktop
	muted    []alert.Mute
	byNumber bool // the browser takes no names
	spend    *spendFake
}

func (f *fake) Subscribe() (<-chan poll.Plans, func()) {
	ch := make(chan poll.Plans, 1)
	lead := f.plan
	lead.Name, lead.Lead = "windsurf", len(f.others) == 0 || !f.others[0].Lead
	lead.Snapshot.Plan.Product = usage.Windsurf
	ch <- append(poll.Plans{lead}, f.others...)
	if f.leave {
		f.others = nil
	}
	return ch, func() {}
}

func (f *fake) Samples(context.Context, time.Time, ...usage.Plan) ([]history.Sample, error) {
	return f.samples, f.broken
}

func (f *fake) SamplesOf(_ context.Context, of usage.Plan, meter usage.MeterID, _ time.Time) ([]history.Sample, error) {
	f.drawn, f.drawnOf = append(f.drawn, meter), of
	others := func(x history.Sample) bool { return x.Meter != meter }
	return slices.DeleteFunc(slices.Clone(f.samples), others), f.broken
}

func (f *fake) Days(context.Context, time.Time, ...usage.Plan) ([]history.Day, error) {
	return f.days, f.broken
}

func (f *fake) Models(_ context.Context, start bool) (Models, error) {
	f.started = f.started || start
	return f.models, f.gone
}

func (f *fake) Offer(context.Context) *AgentOffer { return f.offer }

func (f *fake) SetEngine(id string) error {
	f.engine = id
	return f.fails
}

func (f *fake) Ask(ctx context.Context, p chat.Prompt, tell func(chat.Event)) (chat.Answer, error) {
	if f.further != nil {
		return f.further(ctx, p, tell)
	}
	return f.ask(ctx, p.Text, p.Model, tell)
}

func (f *fake) End(ctx context.Context, ref string) chat.Leftover { return f.end(ctx, ref) }

func (f *fake) Form() settings.Form { return settings.Form{Path: "/p", Comments: f.comments} }

func (f *fake) Check(map[string]json.RawMessage) map[string]string { return f.refused }

func (f *fake) Fill(values map[string]json.RawMessage, lose bool) error {
	switch {
	case len(f.refused) > 0:
		return &settings.RefusedError{Sentences: f.refused}
	case f.comments && !lose:
		return settings.ErrComments
	case f.fails != nil:
		return f.fails
	}
	f.saved = values
	return nil
}

func (f *fake) Enabled() (bool, error) { return f.on, f.fails }

func (f *fake) Enable() error {
	f.on = true
	return f.fails
}

func (f *fake) Disable() error {
	f.on = false
	return f.fails
}

func (f *fake) Muted() []alert.Mute { return f.muted }

func (f *fake) Mute(plan usage.Plan, meter usage.MeterID, on bool) {
	for i := range f.muted {
		if f.muted[i].Plan == plan && f.muted[i].Meter == meter {
			f.muted[i].On = on
		}
	}
}

// cascades are an editor's.
type cascades struct {
	mu   sync.Mutex
	list map[string]*pb.CascadeTrajectorySummary
}

func (c *cascades) List(context.Context) (map[string]*pb.CascadeTrajectorySummary, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.list, nil
}

func (c *cascades) Archive(_ context.Context, id string, archived bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := map[string]*pb.CascadeTrajectorySummary{}
	for key, s := range c.list {
		copied := &pb.CascadeTrajectorySummary{
			Summary: s.GetSummary(), Status: s.GetStatus(), LastModifiedTime: s.GetLastModifiedTime(), IsArchived: s.GetIsArchived(),
		}
		if key == id {
			copied.IsArchived = archived
		}
		next[key] = copied
	}
	c.list = next
	return nil
}

// spoken is an error in words.
type spoken struct{ code, text string }

func (e spoken) Error() string   { return "log only: " + e.code }
func (e spoken) Tell() say.Error { return say.Error{Code: e.code, What: e.text, Exit: 3} }
