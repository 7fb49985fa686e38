package history

import (
	"context"
	"database/sql"
	"encoding/binary"
	"math"
	"slices"
	"time"

	"windsock/usage"
	"windsock/usage/pace"
)

// The table past has the windows that are over, so that no one has to read years of
// samples. A window gets its row with the first sample of the next one.

// maxPast is the number of past windows that are read: more days than matter.
const maxPast = 500

// sameStart is the part of a window by which the starts of two are at least apart. The
// start of one differs a little between answers.
const sameStart = 10

// endWindow makes the row of the window of a meter's last sample.
func (s *Store) endWindow(ctx context.Context, tx *sql.Tx, one series, last Sample) error {
	samples, _, err := s.between(ctx, tx, one, last.Window.Start.UnixMilli(), math.MaxInt64)
	if err != nil {
		return err
	}
	windows := windowsOf(samples, s.location)
	if len(windows) == 0 {
		return nil
	}
	return insertPast(ctx, tx, one, windows[len(windows)-1])
}

// insertPast puts a window in the place of an earlier row of the same one. One without a
// total has no pace, and no row.
func insertPast(ctx context.Context, tx *sql.Tx, one series, w pace.Window) error {
	if !w.Total.Positive() {
		return nil
	}
	near := int64(w.End.Sub(w.Start)/time.Second) / sameStart
	if _, err := tx.ExecContext(ctx, "DELETE FROM past WHERE account = ? AND meter = ? AND starts > ? AND starts < ?",
		one.account, one.meter, w.Start.Unix()-near, w.Start.Unix()+near); err != nil {
		return err
	}
	usedUp := sql.Null[int64]{V: w.UsedUp.Unix(), Valid: !w.UsedUp.IsZero()}
	_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO past (account, meter, starts, ends, used, total, used_up, hours) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		one.account, one.meter, w.Start.Unix(), w.End.Unix(), w.Used.Millionths(), w.Total.Millionths(), usedUp, hoursOf(w.Hours))
	return err
}

// pastOf are the last windows of a meter that started before a moment, oldest first, so
// many at most.
func pastOf(ctx context.Context, q querier, one series, before time.Time, most int64) ([]pace.Window, error) {
	past, err := collect(ctx, q, func(rows *sql.Rows) (w pace.Window, err error) {
		var starts, ends, used, total int64
		var usedUp sql.Null[int64]
		var hours sql.RawBytes
		if err := rows.Scan(&starts, &ends, &used, &total, &usedUp, &hours); err != nil {
			return w, err
		}
		w.Window = usage.Window{Start: whole(time.Unix(starts, 0)), End: whole(time.Unix(ends, 0))}
		w.Used, w.Total = sane(usage.Micros(max(0, used))), sane(usage.Micros(total))
		if usedUp.Valid {
			w.UsedUp = whole(time.Unix(usedUp.V, 0))
		}
		w.Hours = readHours(hours)
		return w, nil
	}, "SELECT starts, ends, used, total, used_up, hours FROM past WHERE account = ? AND meter = ? AND starts < ? ORDER BY starts DESC LIMIT ?",
		one.account, one.meter, before.Unix(), most)
	slices.Reverse(past)
	return past, err
}

// hoursOf writes the use of each hour of the day in few bytes; without any it is NULL.
func hoursOf(hours [24]int64) (raw []byte) {
	if hours == [24]int64{} {
		return nil
	}
	for _, used := range hours {
		raw = binary.AppendUvarint(raw, uint64(max(0, used)))
	}
	return raw
}

// readHours reads what hoursOf wrote.
func readHours(raw []byte) (hours [24]int64) {
	for hour := range hours {
		used, n := binary.Uvarint(raw)
		if n <= 0 || used > 1<<50 {
			return [24]int64{}
		}
		hours[hour], raw = int64(used), raw[n:]
	}
	return hours
}
