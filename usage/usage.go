// Package usage says what a plan has left, as plain values.
//
// A [Snapshot] is what was known of a plan at one moment; it has a [Meter] for each
// thing that the plan counts, and [Snapshot.At] judges it by a clock. The rooms in it
// make snapshots of answers (windsurf), say whether it lasts (pace), keep one current
// (poll), write it for people (words) and for a terminal and programs (status), warn
// (alert) and remember (history). This package knows none of them, and nothing of
// processes, sockets and menus.
//
// It never invents a figure. A figure that may be unknown is an [Amount], and unknown,
// exhausted, unlimited and rolled over are different states of a [Meter]. All values
// may be shared between goroutines; nothing here changes one after it was made.
package usage
