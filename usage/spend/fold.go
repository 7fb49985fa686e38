package spend

import (
	"context"
	"database/sql"
	"time"
)

// foldAfter is the age in days at which steps are folded. Of a plan the last so many days
// with steps stay as well: a clock that is years ahead makes nothing old.
const foldAfter = 90

// fold replaces the steps of the days that are older than foldAfter by one row a plan,
// local day, cascade and model. No sum by these changes. What stays of a step is its
// mark: a later reading does not count it again, nor change its figures. A complete
// reading ends with it, so that there is something to fold once a day, or after the
// first reading of old cascades.
func (b *Book) fold(ctx context.Context, now time.Time) error {
	old, err := b.old(ctx, now)
	if err != nil || len(old) == 0 {
		return err
	}
	return b.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		for plan, before := range old {
			for _, s := range spans(time.Time{}, before, b.config.Location) {
				if _, err := tx.ExecContext(ctx, foldSpan, s.since, s.until, s.offset, plan); err != nil {
					return err
				}
			}
			for _, statement := range []string{
				"INSERT INTO spent_mark (mark) SELECT mark FROM spent_step WHERE plan = ? AND at < ?",
				"DELETE FROM spent_step WHERE plan = ? AND at < ?",
			} {
				if _, err := tx.ExecContext(ctx, statement, plan, before.Unix()); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// old are the plans with steps to fold, and the midnights before which these are.
func (b *Book) old(ctx context.Context, now time.Time) (old map[int64]time.Time, err error) {
	midnight := func(t time.Time, days int) time.Time {
		y, m, d := t.In(b.config.Location).Date()
		return time.Date(y, m, d+days, 0, 0, 0, 0, b.config.Location)
	}
	err = b.read(ctx, func(ctx context.Context, db *sql.DB) error {
		old = map[int64]time.Time{}
		return scan(ctx, db, func(rows *sql.Rows) error {
			var plan, first, recent int64
			if err := rows.Scan(&plan, &first, &recent); err != nil {
				return err
			}
			before := midnight(now, -foldAfter)
			if kept := midnight(time.Unix(recent, 0), 0); kept.Before(before) {
				before = kept
			}
			if first < before.Unix() {
				old[plan] = before
			}
			return nil
		}, firstAndRecent, foldAfter)
	})
	return old, err
}

// firstAndRecent has the plans with steps of more days than it is given, with the time of
// the first step, and the beginning of the last so many days with steps (in UTC). It makes
// one look-up a day.
const firstAndRecent = `WITH RECURSIVE recent(plan, day, n) AS (
		SELECT id, (SELECT max(at) FROM spent_step WHERE plan = id) / 86400, 1 FROM spent_plan
		UNION ALL
		SELECT plan, (SELECT max(at) FROM spent_step WHERE plan = recent.plan AND at < day * 86400) / 86400, n + 1
		FROM recent WHERE n < ?1 AND day IS NOT NULL)
	SELECT plan, (SELECT min(at) FROM spent_step WHERE plan = recent.plan), day * 86400 FROM recent WHERE n = ?1 AND day IS NOT NULL`

// sums are the figures of rows of spent_step. A sum is unknown if no step tells its
// figure.
const sums = `sum(prompt), sum(answer), sum(answer AND credits IS NULL AND acu IS NULL AND quota IS NULL AND overage IS NULL),
	sum(credits), sum(acu), sum(quota), sum(overage), sum(input), sum(output), sum(cached)`

// foldSpan adds up the steps of a span.
const foldSpan = `INSERT INTO spent_day (plan, day, cascade, model, prompts, answers, unknown, credits, acu, quota, overage, input, output, cached)
	SELECT plan, (at + ?3) / 86400 AS day, cascade, model, ` + sums + ` FROM spent_step
	WHERE plan = ?4 AND at >= ?1 AND at < ?2
	GROUP BY plan, day, cascade, model
	ON CONFLICT (plan, day, cascade, model) DO UPDATE SET
		prompts = prompts + excluded.prompts,
		answers = answers + excluded.answers,
		unknown = unknown + excluded.unknown,
		credits = COALESCE(credits + excluded.credits, credits, excluded.credits),
		acu     = COALESCE(acu + excluded.acu, acu, excluded.acu),
		quota   = COALESCE(quota + excluded.quota, quota, excluded.quota),
		overage = COALESCE(overage + excluded.overage, overage, excluded.overage),
		input   = COALESCE(input + excluded.input, input, excluded.input),
		output  = COALESCE(output + excluded.output, output, excluded.output),
		cached  = COALESCE(cached + excluded.cached, cached, excluded.cached)`
