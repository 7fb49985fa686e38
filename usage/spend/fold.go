package spend

import (
	"context"
	"database/sql"
	"time"
)

// foldAfter is the age in days at which steps are folded.
const foldAfter = 90

// fold replaces the steps of the days that are older than foldAfter by one row a plan,
// local day, cascade and model. No sum by these changes. What stays of a step is its
// mark: a later reading does not count it again, nor change its figures. A complete
// reading ends with it, so that there is something to fold once a day, or after the
// first reading of old cascades.
func (b *Book) fold(ctx context.Context, now time.Time) error {
	y, m, d := now.In(b.config.Location).Date()
	before := time.Date(y, m, d-foldAfter, 0, 0, 0, 0, b.config.Location)
	var old bool
	err := b.read(ctx, func(ctx context.Context, db *sql.DB) error {
		return db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM spent_plan WHERE (SELECT min(at) FROM spent_step WHERE plan = id) < ?)", before.Unix()).Scan(&old)
	})
	if err != nil || !old {
		return err
	}
	return b.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		for _, s := range spans(time.Time{}, before, b.config.Location) {
			if _, err := tx.ExecContext(ctx, foldSpan, s.since, s.until, s.offset); err != nil {
				return err
			}
		}
		for _, statement := range []string{
			"INSERT INTO spent_mark (mark) SELECT mark FROM spent_step WHERE plan IN (SELECT id FROM spent_plan) AND at < ?",
			"DELETE FROM spent_step WHERE plan IN (SELECT id FROM spent_plan) AND at < ?",
		} {
			if _, err := tx.ExecContext(ctx, statement, before.Unix()); err != nil {
				return err
			}
		}
		return nil
	})
}

// sums are the figures of rows of spent_step. A sum is unknown if no step tells its
// figure.
const sums = `sum(prompt), sum(answer), sum(answer AND credits IS NULL AND acu IS NULL AND quota IS NULL AND overage IS NULL),
	sum(credits), sum(acu), sum(quota), sum(overage), sum(input), sum(output), sum(cached)`

// foldSpan adds up the steps of a span.
const foldSpan = `INSERT INTO spent_day (plan, day, cascade, model, prompts, answers, unknown, credits, acu, quota, overage, input, output, cached)
	SELECT plan, (at + ?3) / 86400 AS day, cascade, model, ` + sums + ` FROM spent_step
	WHERE plan IN (SELECT id FROM spent_plan) AND at >= ?1 AND at < ?2
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
