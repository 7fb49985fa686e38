package tray

import "testing"

func TestLatestWins(t *testing.T) {
	t.Parallel()
	ch := make(chan int, 1)
	for i := range 3 {
		Latest(ch, i)
	}
	if got := <-ch; got != 2 {
		t.Errorf("got %d", got)
	}
}
