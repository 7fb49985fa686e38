// Soak lets Windsock live through ten minutes of what otherwise takes weeks, and
// looks whether it is the same afterwards:
//
//	go run ./packaging/soak
//
// It runs the app twice, without an icon and, where dbus-daemon is installed, with
// one on a private session bus, against language servers that are processes. The
// accounts are used up in a time-lapse of two days a minute, and the app asks every
// second. Meanwhile, in an order drawn from a seed, editors restart, crash, freeze
// and misbehave in every way that the simulator knows, accounts and plans change,
// state.vscdb is rewritten, locked and taken away, the settings are edited and
// broken, rows of the menu are clicked on, and the panel goes and comes back.
//
// What the app holds is sampled all along: memory, live heap, goroutines, file
// descriptors, threads, children, and the size of its files. After a warm-up in
// which everything has happened once, what it holds at rest in the last third of
// the time is compared with the first third. It ends with 1 when
//
//   - a measure has grown beyond its tolerance, which the table shows,
//   - the app has ended, or logged or printed what it should not,
//   - a secret is in its log,
//   - the figures do not come back right at the end, in the history, in the menu and
//     as `windsock status --json` has them, or
//   - a file is left over when it has ended.
//
// The same seed gives the same plan, which -plan prints. What the app is built with
// beside the shipped binary is tray/app/soak.go. It needs Linux and Go.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"windsock/probe/simulator"
)

func main() {
	if simulator.IsServer(os.Args[0]) {
		simulator.Main()
		return
	}
	o := options{}
	flag.DurationVar(&o.length, "for", 10*time.Minute, "how long it takes, warm-up included")
	flag.DurationVar(&o.warmUp, "warm-up", time.Minute, "how much of that does not count")
	flag.DurationVar(&o.every, "every", 3*time.Second, "the time from one thing that happens to the next, in the mean, in each of the three lanes")
	flag.Uint64Var(&o.seed, "seed", 1, "the seed of all that is drawn")
	only := flag.Bool("plan", false, "print the plan, and do nothing")
	flag.Parse()
	if *only {
		printPlan(os.Stdout, newPlan(o))
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Stdout, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// options are how to soak.
type options struct {
	length, warmUp, every time.Duration
	seed                  uint64
	// slack is how many times the tolerances hold, for a time in which chance is
	// larger than a leak; 0 is once.
	slack int64
}
