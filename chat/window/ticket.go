package window

import (
	"crypto/rand"
	"crypto/subtle"
	"time"
)

const (
	// maxTries is how many wrong tickets may come until all are void.
	maxTries = 10
	// maxTickets is how many are remembered, spent ones among them.
	maxTickets = 32
)

// tickets let browsers in. The caller locks.
type tickets struct {
	lasts time.Duration
	all   []ticket
	tries int
}

type ticket struct {
	text  string
	until time.Time
	spent bool
}

// redemption is what became of a ticket that came.
type redemption int

const (
	wrongTicket redemption = iota
	oldTicket
	spentTicket
	goodTicket
)

// issue makes a ticket of 130 random bits. It forgives wrong tries.
func (t *tickets) issue(now time.Time) string {
	made := ticket{text: rand.Text(), until: now.Add(t.lasts)}
	t.all = append(t.all, made)
	t.all = t.all[max(0, len(t.all)-maxTickets):]
	t.tries = 0
	return made.text
}

// last is until when a ticket is good, of those that are; else zero.
func (t *tickets) last(now time.Time) time.Time {
	var last time.Time
	for _, known := range t.all {
		if !known.spent && known.until.After(now) && known.until.After(last) {
			last = known.until
		}
	}
	return last
}

// redeem spends a ticket. How long it takes says nothing of any ticket.
func (t *tickets) redeem(text string, now time.Time) redemption {
	found := -1
	for i, known := range t.all {
		if subtle.ConstantTimeCompare([]byte(known.text), []byte(text)) == 1 {
			found = i
		}
	}
	switch {
	case found < 0:
		if t.tries++; t.tries >= maxTries {
			for i := range t.all {
				t.all[i].until = time.Time{}
			}
		}
		return wrongTicket
	case t.all[found].spent:
		return spentTicket
	case !now.Before(t.all[found].until):
		return oldTicket
	}
	t.all[found].spent = true
	return goodTicket
}
