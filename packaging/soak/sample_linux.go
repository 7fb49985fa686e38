package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// patience is how long the app may take for what it does at once.
const patience = 20 * time.Second

// watch samples the app until ctx ends, which is no error.
func (a *app) watch(ctx context.Context, begin time.Time, every time.Duration) ([]sample, error) {
	var samples []sample
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		s, err := a.sample(ctx)
		if ctx.Err() != nil {
			return samples, nil
		}
		if err != nil {
			return samples, fmt.Errorf("sample %s: %w", a.name, err)
		}
		s.at = time.Since(begin)
		samples = append(samples, s)
		select {
		case <-ctx.Done():
			return samples, nil
		case <-a.done:
			return samples, fmt.Errorf("%s has ended: %v", a.name, a.cmd.ProcessState)
		case <-tick.C:
		}
	}
}

func (a *app) sample(ctx context.Context) (sample, error) {
	var s sample
	var err error
	if s.goroutines, s.heap, err = a.askGauges(ctx); err != nil {
		return s, err
	}
	proc := fmt.Sprintf("/proc/%d", a.cmd.Process.Pid)
	status, err := os.ReadFile(proc + "/status")
	if err != nil {
		return s, err
	}
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		to := map[string]*int64{"VmRSS": &s.rss, "VmHWM": &s.rssPeak, "Threads": &s.threads}[name]
		if to == nil {
			continue
		}
		if *to, err = strconv.ParseInt(strings.Fields(value)[0], 10, 64); err != nil {
			return s, err
		}
	}
	s.rss, s.rssPeak = s.rss<<10, s.rssPeak<<10
	descriptors, err := os.ReadDir(proc + "/fd")
	if err != nil {
		return s, err
	}
	s.descriptors = int64(len(descriptors))
	tasks, err := filepath.Glob(proc + "/task/*/children")
	if err != nil {
		return s, err
	}
	for _, task := range tasks {
		children, _ := os.ReadFile(task) // of a thread that may have ended
		s.children += int64(len(strings.Fields(string(children))))
	}
	s.files, err = sizeOf(a.state())
	return s, err
}

// askGauges has the app write its goroutines and its live heap, and reads them.
func (a *app) askGauges(ctx context.Context) (goroutines, heap int64, err error) {
	a.asks++
	if err := a.cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		return 0, 0, err
	}
	for deadline := time.Now().Add(patience); ; {
		text, _ := os.ReadFile(a.gauges()) // not there yet at first
		var nth int
		if _, err := fmt.Sscan(string(text), &nth, &goroutines, &heap); err == nil && nth == a.asks {
			return goroutines, heap, nil
		}
		if time.Now().After(deadline) {
			return 0, 0, errors.New("it does not answer")
		}
		select {
		case <-ctx.Done():
			return 0, 0, ctx.Err()
		case <-a.done:
			return 0, 0, fmt.Errorf("it has ended: %v", a.cmd.ProcessState)
		case <-time.After(time.Millisecond):
		}
	}
}

// sizeOf is the size of all files below a directory.
func sizeOf(dir string) (int64, error) {
	var size int64
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil { // gone since
				size += info.Size()
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	return size, err
}
