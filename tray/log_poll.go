package tray

import (
	"cmp"
	"context"
	"log/slog"

	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/poll"
)

// pollLog logs the outcome of polling: a line when it changes.
type pollLog struct {
	log *slog.Logger
	// last is, for each plan, the code of its last failure, or "ok" for figures.
	last map[usage.Plan]string
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

// logPlans logs the states of all plans. A plan that comes back is logged anew.
func (l *pollLog) logPlans(ctx context.Context, plans poll.Plans) {
	last := l.last
	l.last = map[usage.Plan]string{}
	for _, p := range plans {
		id := p.Snapshot.Plan
		l.last[id] = last[id]
		if p.Fetching || (p.Err == nil && !p.HasFigures()) {
			continue
		}
		outcome := "ok"
		if p.Err != nil {
			outcome = cmp.Or(say.Code(p.Err), "other")
		}
		if outcome == last[id] {
			continue
		}
		l.last[id] = outcome
		var which []slog.Attr
		if len(plans) > 1 {
			which = []slog.Attr{slog.String("plan", p.Name)}
		}
		if p.Err != nil {
			l.log.LogAttrs(ctx, slog.LevelInfo, "no figures", append(which, slog.String("code", outcome), slog.Any("err", p.Err))...)
			continue
		}
		source := p.Snapshot.Source
		l.log.LogAttrs(ctx, slog.LevelInfo, "figures had", append(which, slog.String("variant", source.Variant),
			slog.Int("pid", source.PID), slog.String("billing", string(p.Snapshot.Billing)))...)
	}
}
