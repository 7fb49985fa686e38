// Package usage says what a Windsurf plan has left.
//
// It is a domain: plain values and pure functions. [Decode] turns an answer
// about the plan into a [Snapshot], [Snapshot.At] judges it at a moment,
// [NewAnswer] makes the JSON for other programs of it and [Text] the lines for
// people; a [Poller] keeps a Snapshot current. The package knows nothing of
// processes, sockets and menus: what it reads comes in as bytes.
//
// It never invents a figure. A figure that may be unknown is an [Amount], and
// unknown, exhausted, unlimited and rolled over are different states of a
// [Meter]. All values may be shared between goroutines; nothing here changes
// one after it was made, and a Poller guards itself.
//
// # Pace
//
// The question is not how much is left, but whether it lasts: a [Pace] answers
// it. [Snapshot.WithPace] works it out at the time of the figures, from them, the
// samples of a [History] and the days that are worked.
//
// Two rates say what comes: the average since the window began, and the recent
// one, of the last seven days of a billing cycle, of the last day of a week and of
// the last three hours of a day. The calm rate lies between them and decides
// whether a meter runs out; the hot rate is the higher one and decides whether it
// is tight. Before that, the figure alone says used_up, unused or too_early: the
// latter in the first 2 % of a window and its first 15 minutes, and while less
// than 5 % is used and yet more than 90 % is to be expected. Then:
//
//	runs_out    calm reaches the total before the reset
//	tight       calm reaches 90 % of it, or hot all of it
//	on_course   otherwise
//
// Prompt credits that would run out are tight as long as the flex credits behind
// them are enough. Where half a step of the figure more or less is another
// verdict, the calmer one stands, and confidence is early. While it is that, and
// in the first tenth of a window, nothing runs out: it is tight, after a fast
// start. A day's window is tight at most: a working day that begins after the
// reset looks like ruin at every hour.
//
// How good that is, and against which rules it was chosen, says
// `go run ./packaging/paceproof`: over cycles of eight kinds, the projections at a
// quarter, half and three quarters are off by 24.1 points of the plan in the mean,
// 10.6 % of them raise a false alarm, and of the run-outs 97.6 % are warned of a
// day ahead. Use by time gives 26.2, 12.9 % and 95.1 %; the lower one of the
// average and the last three days gives 26.0, 7.4 % and 92.5 %.
package usage
