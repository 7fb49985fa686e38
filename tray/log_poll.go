package tray

import (
	"cmp"
	"context"
	"log/slog"

	"windsock/probe/say"
	"windsock/usage/poll"
)

// pollLog logs the outcome of polling: a line when it changes.
type pollLog struct {
	log *slog.Logger
	// last is the code of the last failure, "ok" for figures, "" at the start.
	last string
	// problem is the last problem of the settings.
	problem string
}

// logProblem logs a problem of the settings, "" for none.
func (l *pollLog) logProblem(ctx context.Context, problem string) {
	if problem != l.problem && problem != "" {
		l.log.WarnContext(ctx, "settings not usable", slog.String("problem", problem))
	}
	l.problem = problem
}

// logState logs a state.
func (l *pollLog) logState(ctx context.Context, s poll.State) {
	if s.Fetching || (s.Err == nil && !s.HasFigures()) {
		return
	}
	if s.Err == nil {
		if l.last != "ok" {
			l.last = "ok"
			l.log.InfoContext(ctx, "figures had", slog.String("variant", s.Snapshot.Source.Variant),
				slog.Int("pid", s.Snapshot.Source.PID), slog.String("billing", string(s.Snapshot.Billing)))
		}
		return
	}
	code := cmp.Or(say.Code(s.Err), "other")
	if l.last != code {
		l.last = code
		l.log.InfoContext(ctx, "no figures", slog.String("code", code), slog.Any("err", s.Err))
	}
}
