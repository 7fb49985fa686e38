package tray

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windsock/tray/desktop"
)

// asFarAs ignores the text of a notification, and what it is about and for.
var asFarAs = cmpopts.IgnoreFields(desktop.Notification{}, "Text", "Subject", "Click", "Actions")

// links are Links that note where they lead.
func links(went *[]string, err error) Links {
	note := func(what string) func(context.Context, string) error {
		return func(_ context.Context, where string) error {
			*went = append(*went, what+" "+where)
			return err
		}
	}
	return Links{Usage: note("usage"), Page: note("page")}
}

// last is the last notification.
func (l *lookout) last() desktop.Notification {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.full[len(l.full)-1]
}

func labels(n desktop.Notification) (all []string) {
	for _, a := range n.Actions {
		all = append(all, a.Label)
	}
	return all
}

// choose chooses an action.
func choose(t *testing.T, n desktop.Notification, label string) {
	t.Helper()
	i := slices.IndexFunc(n.Actions, func(a desktop.Action) bool { return a.Label == label })
	if i < 0 {
		t.Fatalf("no action %s in %+v", label, n)
	}
	n.Actions[i].Choose(t.Context())
	synctest.Wait()
}

// TestWarningLeads: a warning leads to the usage view and the page of its own plan, and
// mutes its own meter.
func TestWarningLeads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := watchOut(t, nil)
		var went []string
		l.warner.Links = links(&went, nil)
		l.left(t, "1000", "40500")
		n := l.last()
		if diff := cmp.Diff([]string{"Mute until the reset", "Show usage", "Manage plan"}, labels(n)); diff != "" {
			t.Errorf("actions (-want +got):\n%s", diff)
		}
		choose(t, n, "Show usage")
		n.Click(t.Context())
		synctest.Wait()
		choose(t, n, "Manage plan")
		want := []string{"usage windsurf:2", "usage windsurf:2", "page https://windsurf.com/subscription/manage-plan"}
		if diff := cmp.Diff(want, went); diff != "" {
			t.Errorf("went to (-want +got):\n%s", diff)
		}
		choose(t, n, "Mute until the reset")
		var muted []bool
		for _, mute := range l.warner.Muted() {
			muted = append(muted, mute.On)
		}
		if diff := cmp.Diff([]bool{false, true}, muted); diff != "" {
			t.Errorf("muted (-want +got):\n%s", diff)
		}
		l.titles()
		l.left(t, "1000", "50000")
		l.tells(t, "muted")
	})
}

// TestWarningOffers: what leads nowhere is not offered.
func TestWarningOffers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := watchOut(t, nil)
		l.left(t, "40500")
		if diff := cmp.Diff([]string{"Mute until the reset"}, labels(l.last())); diff != "" || l.last().Click != nil {
			t.Errorf("without links (-want +got):\n%s", diff)
		}
		var went []string
		l.warner.Links = links(&went, nil)
		l.left(t, "50000")
		l.left(t, "1000")
		l.left(t, "1000")
		if diff := cmp.Diff([]string{"Show usage", "Manage plan"}, labels(l.last())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", l.last().Title, diff)
		}
		l.poller.states <- nil
	})
}

// TestWarningSaysWhatFailed: a person who has chosen something learns that it failed.
func TestWarningSaysWhatFailed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := watchOut(t, nil)
		var went []string
		l.warner.Links = links(&went, errors.New("no browser"))
		l.left(t, "40500")
		n := l.last()
		choose(t, n, "Show usage")
		if got := l.last(); got.Text != windowFailure || got.Subject != nil {
			t.Errorf("shown: %+v", got)
		}
		choose(t, n, "Manage plan")
		if got := l.last().Text; !strings.Contains(got, "https://windsurf.com/subscription/manage-plan") {
			t.Errorf("shown: %s", got)
		}
	})
}

// TestWarningGoes: a warning is about its plan's meter, and goes when that is back.
func TestWarningGoes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := watchOut(t, nil)
		l.left(t, "1000", "40500")
		l.left(t, "40500", "48000")
		first, second, third := l.full[0].Subject, l.full[1].Subject, l.full[2].Subject
		if first == nil || first != second || first == third {
			t.Errorf("about %v, %v and %v", first, second, third)
		}
		l.titles()
		l.left(t, "1000", "48000")
		l.tells(t, "some more for a moment")
		l.left(t, "1000", "48000")
		l.tells(t, "some more", "withdrawn: prompt_credits")
		l.left(t, "1000", "1000")
		l.left(t, "1000", "1000")
		l.tells(t, "refilled, in its place", "Prompt credits: refilled · Windsurf (2)")
		l.left(t, "1000", "1000")
		l.tells(t, "and then no more")
	})
}

// TestWarningGoesInTurn: what is over while a notification is being shown goes after it.
func TestWarningGoesInTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := watchOut(t, nil)
		l.left(t, "40500", "1000")
		l.takes = time.Minute
		l.left(t, "1000", "40500")
		l.left(t, "1000", "40500")
		l.tells(t, "at first", "Prompt credits: 19 % left · Windsurf (1)")
		time.Sleep(time.Minute)
		synctest.Wait()
		l.tells(t, "in turn", "Prompt credits: 19 % left · Windsurf (2)", "withdrawn: prompt_credits")
		l.left(t, "1000", "40500")
		l.tells(t, "and then no more")
	})
}
