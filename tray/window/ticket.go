package window

import (
	"crypto/rand"
	"crypto/subtle"
	"time"
)

const (
	// maxTries is the number of wrong tickets that voids all tickets.
	maxTries = 10
	// maxTickets is how many are remembered, also spent ones.
	maxTickets = 32
)

// tickets admit browsers. The caller locks.
type tickets struct {
	lasts time.Duration
	all   []ticket
	tries int
}

type ticket struct {
	text  string
	until time.Time
	spent chan struct{} // closed when it is spent
}

func (t ticket) isSpent() bool {
	select {
	case <-t.spent:
		return true
	default:
		return false
	}
}

// redemption is the result for a ticket.
type redemption int

const (
	wrongTicket redemption = iota
	oldTicket
	spentTicket
	goodTicket
)

// issue makes a ticket of 130 random bits. It resets the count of wrong tries.
func (t *tickets) issue(now time.Time) string {
	made := ticket{text: rand.Text(), until: now.Add(t.lasts), spent: make(chan struct{})}
	t.all = append(t.all, made)
	t.all = t.all[max(0, len(t.all)-maxTickets):]
	t.tries = 0
	return made.text
}

// spending is closed when the last issued ticket is spent.
func (t *tickets) spending() <-chan struct{} { return t.all[len(t.all)-1].spent }

// last is the latest deadline of the valid tickets, else zero.
func (t *tickets) last(now time.Time) time.Time {
	var last time.Time
	for _, known := range t.all {
		if !known.isSpent() && known.until.After(now) && known.until.After(last) {
			last = known.until
		}
	}
	return last
}

// redeem spends a ticket. Its duration reveals nothing about any ticket.
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
	case t.all[found].isSpent():
		return spentTicket
	case !now.Before(t.all[found].until):
		return oldTicket
	}
	close(t.all[found].spent)
	return goodTicket
}
