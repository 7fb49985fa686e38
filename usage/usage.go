// Package usage describes what a plan has left, as plain values.
//
// A [Snapshot] is the state of a plan at one moment. It has a [Meter] for each thing
// that the plan counts; [Snapshot.At] judges it at a given time. The subpackages decode
// answers into snapshots (windsurf, antigravity and cursor, by the table in product), compute
// whether a plan lasts (pace), keep snapshots current (poll), write them for people
// (words) and for a terminal and programs (status), warn (alert) and store samples
// (history). This package imports none of them, and knows nothing of processes, sockets
// and menus.
//
// It never invents a figure. A figure that may be unknown is an [Amount]; unknown,
// exhausted, unlimited, not started and rolled over are different states of a [Meter].
// All values may be shared between goroutines; nothing here changes one after it was
// made.
package usage
