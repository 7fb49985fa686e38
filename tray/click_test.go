package tray

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/usage"
	"windsock/usage/alert"
)

func TestActorRefresh(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := play(t, nil)
		s.send(polled(t, creditsAnswer, 0))
		s.click(RowRefresh)
		if s.poller.asked != 1 || s.label(RowRefresh) != "Refresh now" {
			t.Errorf("asked %d times, row %q", s.poller.asked, s.label(RowRefresh))
		}
		s.poller.wait = 3 * time.Second
		s.click(RowRefresh)
		s.click(RowRefresh)
		if got := s.label(RowRefresh); got != "Refresh now (possible in 3 s)" {
			t.Errorf("too early: %q", got)
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if got := s.label(RowRefresh); got != "Refresh now" {
			t.Errorf("later: %q", got)
		}
	})
}

func TestActorOpens(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opened := make(chan string, 3)
		s := play(t, func(a *App) {
			a.Open = func(_ context.Context, address string) error { opened <- address; return nil }
			a.Settings = func(context.Context) error { opened <- "settings"; return errors.New("no editor") }
		})
		s.click(RowManage)
		s.click(RowManage) // impatiently, which opens nothing
		s.send(polled(t, acuAnswer, 0))
		time.Sleep(openPause + time.Second)
		s.click(RowManage)
		s.click(RowSettings)
		got := []string{<-opened, <-opened, <-opened}
		want := []string{"https://windsurf.com/subscription/manage-plan", "https://app.devin.ai/settings/usage", "settings"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		synctest.Wait()
		if got := s.label(rowNote); !strings.HasPrefix(got, "The settings could not be opened.") {
			t.Errorf("failure: %q", got)
		}
		time.Sleep(failureStays)
		synctest.Wait()
		if got := s.label(rowNote); got != "" {
			t.Errorf("failure, much later: %q", got)
		}
		if n := len(opened); n != 0 {
			t.Errorf("%d more opened", n)
		}
	})
}

// TestActorSavesDiagnostics: the click blocks nothing, and a failure is shown.
func TestActorSavesDiagnostics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		examined := make(chan error)
		s := play(t, func(a *App) {
			a.Diagnose = func(context.Context) error { return <-examined }
		})
		if got := s.label(RowDiagnostics); got != "Save diagnostics…" {
			t.Errorf("the row: %q", got)
		}
		s.click(RowDiagnostics)
		s.send(polled(t, creditsAnswer, 0))
		if got := s.label(RowHeading); got != "Windsurf · Teams · updated just now" {
			t.Errorf("meanwhile: %q", got)
		}
		examined <- errors.New("disk full")
		synctest.Wait()
		if got := s.label(rowNote); !strings.HasPrefix(got, "The diagnostics could not be saved.") {
			t.Errorf("failure: %q", got)
		}
		time.Sleep(openPause + time.Second)
		s.click(RowDiagnostics)
		examined <- nil
		synctest.Wait()
		if got := s.label(rowNote); got != "" {
			t.Errorf("failure, where there is none: %q", got)
		}
	})
}

func TestActorMutes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		warner := NewWarner(WarnerSettings{})
		s := play(t, func(a *App) { a.Warner = warner })
		s.send(polled(t, debtAnswer, 0))
		if got := s.label(RowMute); got != "" {
			t.Errorf("before there is anything to mute: %q", got)
		}
		warner.muted <- []alert.Mute{{Plan: ofWindsurf, Meter: usage.PromptCredits}, {Plan: ofWindsurf, Meter: usage.WeeklyQuota, Until: noon.Add(116 * time.Hour)}}
		synctest.Wait()
		want := Row{Label: "Mute warnings: Weekly quota (until Sun 08:00)"}
		if diff := cmp.Diff(want, s.seen().Rows[RowMute]); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		s.click(RowMute)
		if diff := cmp.Diff(muteChange{ofWindsurf, usage.WeeklyQuota, true}, <-warner.mutes, cmp.AllowUnexported(muteChange{})); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		warner.muted <- []alert.Mute{}
		synctest.Wait()
		s.click(RowMute) // hidden, and clicked in the moment that it was
		if len(warner.mutes) > 0 {
			t.Error("muted, though there is nothing to mute")
		}
	})
}

// TestActorDoesNotWaitForABrowser: a page that is slow to open holds up neither
// the figures nor the end.
func TestActorDoesNotWaitForABrowser(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		closed := make(chan struct{})
		s := play(t, func(a *App) {
			a.Open = func(context.Context, string) error { <-closed; return errors.New("crashed") }
		})
		s.click(RowManage)
		s.send(polled(t, creditsAnswer, 0))
		if got := s.label(RowHeading); got != "Windsurf · Teams · updated just now" {
			t.Errorf("meanwhile: %q", got)
		}
		s.end()
		close(closed)
	})
}

// The row for figures without an editor is there while none runs and there is a sign-in
// to allow, which is looked for at no other time; it opens the part of the settings.
func TestActorOffersConsent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var unasked atomic.Bool
		var looked atomic.Int32
		opened := make(chan string, 1)
		changes := make(chan Options)
		s := play(t, func(a *App) {
			a.Window = func(_ context.Context, view string) error { opened <- view; return nil }
			a.Unasked = func() bool { looked.Add(1); return unasked.Load() }
			a.Changes = changes
		})
		row := func(what, want string) {
			t.Helper()
			synctest.Wait()
			if got := s.label(RowConsent); got != want {
				t.Errorf("%s: %q, want %q", what, got, want)
			}
		}
		s.send(polled(t, creditsAnswer, 0))
		row("an editor runs", "")
		if looked.Load() > 0 {
			t.Error("looked for sign-ins while an editor runs")
		}
		s.send(failed(errNotRunning))
		row("without a sign-in", "")
		unasked.Store(true)
		s.send(failed(errNotRunning))
		row("with a sign-in", "Figures without the editor…")
		s.click(RowConsent)
		if got := <-opened; got != WindowConsent {
			t.Errorf("opened %q", got)
		}
		unasked.Store(false)
		changes <- Options{Config: DefaultConfig()}
		row("once that is allowed", "")
	})
}
