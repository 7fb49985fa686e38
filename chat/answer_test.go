package chat_test

import (
	"testing"
	"time"

	"windsock/chat"
)

func TestTook(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0.0 s", 3240 * time.Millisecond: "3.2 s", 59949 * time.Millisecond: "59.9 s", 59950 * time.Millisecond: "1m 0s",
		63 * time.Second: "1m 3s", 119900 * time.Millisecond: "2m 0s", 10 * time.Minute: "10m 0s",
	} {
		if got := chat.Took(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
