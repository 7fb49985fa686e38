package pace

import (
	"math"
	"time"
)

// halfLife is the time in which a past window loses half of its weight. At tooOld a
// thousandth of it is left.
const (
	halfLife = 45 * day
	tooOld   = 10 * halfLife
)

// habit is what a person used in past windows.
type habit struct {
	// at is the moment of the weights.
	at time.Time
	// used and length are weighted sums over the past windows: the share used of each
	// total, and the share of its time that this took.
	used, length float64
	// hours are weighted sums of the shares used in each local hour of the day.
	hours [24]float64
	// windows is how many took part.
	windows int
}

// habitOf sums up the past windows of the present one's length. Between two of them
// that were seen, one that was not seen had no use. But a day off does not count, nor
// does the time without a window, where windows begin with their first use.
func (w *window) habitOf(past []Window, o Options) habit {
	h := habit{at: w.at}
	length := w.end.Sub(w.start)
	follow := w.kind.fast == "" && !w.begins
	next, nextCounts := w.start, true
	for i := len(past) - 1; i >= 0 && w.at.Sub(next) < tooOld; i-- {
		p := past[i]
		counts := Alike(p.End.Sub(p.Start), length) && p.Total.Positive()
		if counts && nextCounts && follow {
			unseen := int(float64(next.Sub(p.End))/float64(length) + 0.1)
			for ; unseen > 0; unseen-- {
				h.add(p.End.Add(time.Duration(unseen)*length), 0, 1)
			}
		}
		if counts {
			h.addWindow(p, next, o)
		}
		next, nextCounts = p.Start, counts
	}
	return h
}

// Alike reports whether windows of two lengths are of one kind: they differ by a tenth
// at most, as months do.
func Alike(a, b time.Duration) bool { return 10*float64((a-b).Abs()) <= float64(max(a, b)) }

// addWindow adds a window. Its rest is unknown after it was used up, and after next,
// when another window began, which after a change of the plan is before its end.
func (h *habit) addWindow(p Window, next time.Time, o Options) {
	until := p.End
	if next.Before(until) {
		until = next
	}
	counted := newCalendar(p.Window, o)
	known := until
	if !p.UsedUp.IsZero() && p.UsedUp.Before(until) {
		known = p.UsedUp
	}
	x := float64(counted.worked(known)) / float64(counted.total)
	if !(x > 0) { // nor where no time counts
		return
	}
	total := float64(p.Total.Millionths())
	used := min(1, float64(p.Used.Millionths())/total)
	weight := h.add(until, used, x)
	for hour, used := range p.Hours {
		h.hours[hour] += weight * float64(used) / total
	}
}

// add adds a window by its end, and returns its weight.
func (h *habit) add(end time.Time, used, length float64) float64 {
	age := h.at.Sub(end)
	if age >= tooOld {
		return 0
	}
	weight := fade(age)
	h.used, h.length, h.windows = h.used+weight*used, h.length+weight*length, h.windows+1
	return weight
}

// fade is the weight of what is that old.
func fade(age time.Duration) float64 { return math.Exp2(-float64(age) / float64(halfLife)) }

// rest is the share of the total that is expected to be used after a moment, at which a
// share is used and a share of the window's usual use is over.
func (h *habit) rest(k *kind, at time.Time, used, over float64) float64 {
	now := fade(at.Sub(h.at))
	length := now * h.length
	usual := (now*h.used + 0.5*k.prior) / (length + 0.5)
	weight := min(k.most, 0.3+length)
	return (weight*usual + used) / (weight + over) * (1 - over)
}
