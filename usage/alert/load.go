package alert

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"windsock/usage"
)

// load reads the state, once it can be read, and reports whether to go on. When it cannot
// be read, one answer is left out: its delay is better than showing every alert again.
// From the next one on alerts are shown nevertheless, and each answer tries again.
func (w *Watch) load(ctx context.Context) bool {
	if w.loaded || w.Store == nil {
		return true
	}
	text, err := w.read(ctx)
	if err != nil {
		if w.tries++; w.tries <= retries {
			w.log().WarnContext(ctx, "told alerts cannot be loaded", slog.Any("err", err))
		}
		return w.ready()
	}
	w.loaded = true
	if len(text) == 0 {
		w.plans = merge(w.plans, nil, w.Salt)
		return true
	}
	stored, err := read(text)
	switch {
	case errors.Is(err, errNewer):
		w.readOnly = true
		w.log().WarnContext(ctx, "told alerts are of a newer version and left alone", slog.Any("err", err))
	case err != nil:
		w.log().WarnContext(ctx, "told alerts cannot be read and begin anew", slog.Any("err", err))
	default:
		w.saved = text
	}
	w.plans = merge(w.plans, stored, w.Salt)
	return true
}

// retries is how often a state that cannot be read is told to the log: as often as it
// matters to the person.
const retries = 2

// ready reports whether alerts may be shown: the state was read, or cannot be.
func (w *Watch) ready() bool { return w.loaded || w.Store == nil || w.tries >= retries }

// read reads the salt, if it is not known, and the stored state.
func (w *Watch) read(ctx context.Context) ([]byte, error) {
	if w.Salt == nil && w.ReadSalt != nil {
		salt, err := w.ReadSalt(ctx)
		if err != nil {
			return nil, err
		}
		w.Salt = salt
	}
	return w.Store.Load(ctx, documentName)
}

// merge adds the stored plans to those of this run, which began before they could be read,
// and perhaps without the salt.
func merge(plans, stored []*plan, salt []byte) []*plan {
	for _, p := range plans {
		p.Key = p.Of.Key(salt)
	}
	for _, s := range stored {
		i := slices.IndexFunc(plans, func(p *plan) bool { return p.Key == s.Key })
		if i < 0 {
			plans = append(plans, s)
			continue
		}
		plans[i].join(s)
	}
	return plans[:min(len(plans), maxPlans)]
}

// join adds what was stored of a plan to what this run knows: what was told stays told, and
// what was muted stays muted.
func (p *plan) join(stored *plan) {
	for id, s := range stored.Records {
		if r := p.Records[id]; r != nil {
			r.join(*s)
			continue
		}
		if p.Records == nil {
			p.Records = map[usage.MeterID]*record{}
		}
		p.Records[id] = s
	}
	if p.Extra == (extra{}) || p.Extra.Until.Equal(stored.Extra.Until) && stored.Extra.Told > p.Extra.Told {
		p.Extra = stored.Extra
	}
	if p.Debt == (debt{}) {
		p.Debt = stored.Debt
	}
	if stored.TopUp.Seen && !p.TopUp.ShownNow { // this run's is its first look
		p.TopUp = stored.TopUp
	}
	if p.MutedUntil.Before(stored.MutedUntil) {
		p.MutedUntil = stored.MutedUntil
	}
}

// join is that of a meter. Of an earlier window only what is owed counts.
func (r *record) join(stored record) {
	r.Owed = r.Owed || stored.Owed && !r.Refilled // or this run has paid it
	if r.WindowEnd.Sub(stored.WindowEnd).Abs() > sameReset {
		return
	}
	r.Told = max(r.Told, stored.Told)
	r.Refilled = r.Refilled || stored.Refilled
	r.RunOutTold = r.RunOutTold || stored.RunOutTold
	if stored.Muted {
		r.Muted, r.MutedLeft = true, stored.MutedLeft
	}
}

// sameReset is how far apart the resets of one window may be told.
const sameReset = time.Hour
