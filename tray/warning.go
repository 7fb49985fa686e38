package tray

import (
	"context"
	"log/slog"
	"slices"

	"windsock/probe/say"
	"windsock/tray/desktop"
	"windsock/usage/alert"
)

// about is what an alert is about. A newer notification about the same takes the place of
// the older.
func about(a alert.Alert) matter { return matter{a.Plan(), a.Meter} }

// notification is how a warning is shown, with the icon of its plan's own state.
func (w *Warner) notification(a alert.Alert) desktop.Notification {
	n := desktop.Notification{
		Title: a.Title(w.words), Text: a.Body(w.words), Icon: gaugeOf(w.of(a.Plan()), w.words),
		Urgency: urgency(a.Kind), Subject: about(a),
	}
	if label := w.muteLabel(a); label != "" {
		n.Actions = append(n.Actions, desktop.Action{
			Label: label, Choose: func(context.Context) { w.Mute(a.Plan(), a.Meter, true) },
		})
	}
	if w.Links.Usage != nil {
		name := w.of(a.Plan()).Name
		n.Click = w.opening(func(ctx context.Context) error { return w.Links.Usage(ctx, name) }, windowFailure)
		n.Actions = append(n.Actions, desktop.Action{Label: "Show usage", Choose: n.Click})
	}
	if page := w.of(a.Plan()).Snapshot.PlanPage(); w.Links.Page != nil && page != "" {
		n.Actions = append(n.Actions, desktop.Action{
			Label: "Manage plan", Choose: w.opening(func(ctx context.Context) error { return w.Links.Page(ctx, page) }, pageFailure(page)),
		})
	}
	return n
}

// muteLabel is the label of a button that mutes an alert's meter; "" if there is nothing
// to mute. A meter that is back has no warnings ahead.
func (w *Warner) muteLabel(a alert.Alert) string {
	mutes := w.watch.Mutes()
	i := slices.IndexFunc(mutes, func(m alert.Mute) bool { return m.Plan == a.Plan() && m.Meter == a.Meter && !m.On })
	switch {
	case i < 0, a.Kind == alert.KindRefilled:
		return ""
	case mutes[i].Until.IsZero():
		return "Mute"
	default:
		return "Mute until the reset"
	}
}

// opening opens something, and shows a notification if it fails.
func (w *Warner) opening(open func(context.Context) error, failure string) desktop.Choose {
	return func(ctx context.Context) {
		go func() { // ends when it is open, or could not be opened and that was shown
			err := open(ctx)
			if err == nil {
				return
			}
			w.log.WarnContext(ctx, "action failed", slog.Any("err", err))
			err = w.notifier.Notify(desktop.Notification{
				Title: "That did not work", Text: say.Sentence(err, failure), Icon: desktop.AppIcon, Urgency: desktop.UrgencyNormal,
			})
			if err != nil {
				w.log.WarnContext(ctx, "notification not shown", slog.Any("err", err))
			}
		}()
	}
}

// urgency is critical for what stops work or costs money.
func urgency(kind alert.Kind) desktop.Urgency {
	switch kind {
	case alert.KindExhausted, alert.KindInDebt, alert.KindOnExtraUsage, alert.KindExtraUsageSpent:
		return desktop.UrgencyCritical
	case alert.KindRefilled:
		return desktop.UrgencyLow
	case alert.KindLow, alert.KindWillRunOut, alert.KindTopUp:
	}
	return desktop.UrgencyNormal
}
