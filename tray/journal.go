package tray

import (
	"cmp"
	"context"
	"log/slog"

	"windsock/probe/say"
	"windsock/usage/poll"
)

// journal logs how the polling goes: a line when it changes, and none while it
// stays as it is.
type journal struct {
	log *slog.Logger
	// last is the code of the last failure, "ok" for figures, "" before both.
	last string
	// problem is the last one of the settings.
	problem string
}

// noteProblem takes in what is wrong with the settings, "" for nothing.
func (j *journal) noteProblem(ctx context.Context, problem string) {
	if problem != j.problem && problem != "" {
		j.log.WarnContext(ctx, "settings not usable", slog.String("problem", problem))
	}
	j.problem = problem
}

// note takes in a state.
func (j *journal) note(ctx context.Context, s poll.State) {
	if s.Fetching || (s.Err == nil && !s.HasFigures()) {
		return
	}
	if s.Err == nil {
		if j.last != "ok" {
			j.last = "ok"
			j.log.InfoContext(ctx, "figures had", slog.String("variant", s.Snapshot.Source.Variant),
				slog.Int("pid", s.Snapshot.Source.PID), slog.String("billing", string(s.Snapshot.Billing)))
		}
		return
	}
	code := cmp.Or(say.Code(s.Err), "other")
	if j.last != code {
		j.last = code
		j.log.InfoContext(ctx, "no figures", slog.String("code", code), slog.Any("err", s.Err))
	}
}
