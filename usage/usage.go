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
package usage
