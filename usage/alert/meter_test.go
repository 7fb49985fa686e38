package alert

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"windsock/usage"
	"windsock/usage/poll"
)

// TestMeters goes through all meters. Each raises one alert, across restarts, can be
// muted, and can be left out. The balance has its own tests, those of money.
func TestMeters(t *testing.T) {
	t.Parallel()
	for _, id := range usage.MeterIDs() {
		if !id.Info().Warned {
			continue
		}
		t.Run(string(id), func(t *testing.T) {
			t.Parallel()
			low, end := meterAt(id, 4), meterAt(id, 0)
			t.Run("told_once", func(t *testing.T) {
				t.Parallel()
				l := &restarts{store: &fakeStore{}, config: DefaultConfig()}
				l.fetches(t, low, true)
				l.fetches(t, low, false)
				l.fetches(t, end, true)
				l.fetches(t, end, false)
			})
			t.Run("muted", func(t *testing.T) {
				t.Parallel()
				l := &restarts{store: &fakeStore{}, config: DefaultConfig()}
				l.fetches(t, meterAt(id, 50), false)
				l.watch.SetMute(t.Context(), usage.Plan{}, id, true)
				l.fetches(t, end, false)
			})
			t.Run("ignored", func(t *testing.T) {
				t.Parallel()
				l := &restarts{store: &fakeStore{}, config: DefaultConfig()}
				l.config.Ignore = []string{string(id)}
				if bad := l.config.Invalid(); len(bad) > 0 {
					t.Fatalf("not taken: %q", bad)
				}
				l.fetches(t, end, false)
			})
			field, _ := reflect.TypeFor[Config]().FieldByName("Ignore")
			words := strings.FieldsFunc(field.Tag.Get("takes"), func(r rune) bool { return r == ' ' || r == ',' })
			if !slices.Contains(words, string(id)) {
				t.Errorf("the settings say that ignore takes %q", field.Tag.Get("takes"))
			}
		})
	}
}

// meterAt is a meter with percent left.
func meterAt(id usage.MeterID, percent int64) usage.Meter {
	m := usage.Meter{
		ID: id, Unit: usage.UnitCredits, State: usage.StateOK, Window: usage.Window{Start: monday, End: monday.Add(30 * 24 * time.Hour)},
		Used: usage.Micros((100 - percent) * 1e6), Total: usage.Micros(100e6), Remaining: usage.Micros(percent * 1e6),
	}
	if percent == 0 {
		m.State = usage.StateExhausted
	}
	return m
}

// restarts is an app that starts anew for each answer.
type restarts struct {
	store   *fakeStore
	config  Config
	watch   *Watch
	answers int
}

// fetches gives the app an answer; told says whether an alert is expected.
func (l *restarts) fetches(t *testing.T, m usage.Meter, told bool) {
	t.Helper()
	l.answers++
	at := monday.Add(time.Duration(l.answers) * time.Hour)
	l.watch = &Watch{Store: l.store, Config: l.config}
	s := usage.Snapshot{Source: usage.Source{Kind: usage.KindLanguageServer, FetchedAt: at}, Judged: at, Meters: []usage.Meter{m}}
	a := l.watch.See(t.Context(), poll.Plans{{At: at, Snapshot: s}})
	if (a != nil) != told {
		t.Errorf("answer %d: told %v, want %v", l.answers, a != nil, told)
	}
	if a != nil {
		l.watch.Told(t.Context(), *a)
	}
}
