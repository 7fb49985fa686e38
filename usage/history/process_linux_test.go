package history

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"windsock/probe/probetest"
	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/pace"
)

// child starts a process that does a job of children.
func child(t *testing.T, job string, args ...string) (*exec.Cmd, io.Writer, *bufio.Scanner) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, args...)
	cmd.Env = append(os.Environ(), childJob+"="+job)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd, stdin, bufio.NewScanner(stdout)
}

func init() { //nolint:gochecknoinits // TestMain has to know them before a test runs
	children["poll"] = pollOnCommand
	children["rush"] = rush
	children["lock"] = lock
	children["salt"] = makeOnCommand
}

// makeOnCommand makes the file named by each line of stdin, and answers with its salt.
func makeOnCommand([]string) error {
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		s := New(Config{Path: in.Text()})
		salt, err := s.Salt(context.Background())
		for say.Code(err) == "locked" { // by those who are quicker
			salt, err = s.Salt(context.Background())
		}
		if err := errors.Join(err, s.Close()); err != nil {
			return err
		}
		if _, err := fmt.Printf("%x %s\n", salt, s.Notice()); err != nil {
			return err
		}
	}
	return nil
}

// pollOnCommand records the figure and the minute of each line of stdin, and answers
// with the number of returned samples.
func pollOnCommand(args []string) error {
	s := New(Config{Path: args[0]})
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var used, minute int64
		if _, err := fmt.Sscan(in.Text(), &used, &minute); err != nil {
			return err
		}
		at := noon.Add(time.Duration(minute) * time.Minute)
		h := s.Record(context.Background(), snapshot(someone(), at, credits(used*credit)))
		for len(s.waiting) > 0 { // behind the other process' lock
			h = s.Record(context.Background(), snapshot(someone(), at, credits(used*credit)))
		}
		if _, err := fmt.Fprintln(os.Stdout, len(h[usage.PromptCredits].Samples)); err != nil {
			return err
		}
	}
	return s.Close()
}

// Two processes share one file: equal figures at the same time give one sample,
// different figures give two.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	path := tempPath(t)
	_, in1, out1 := child(t, "poll", path)
	_, in2, out2 := child(t, "poll", path)
	const polls = 50
	for i := range polls {
		line := fmt.Sprintf("%d %d\n", i, 2*i)
		if _, err := io.WriteString(in1, line); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(in2, line); err != nil {
			t.Fatal(err)
		}
		for _, out := range []*bufio.Scanner{out1, out2} {
			if !out.Scan() {
				t.Fatal("a process has ended")
			}
			if want := strconv.Itoa(i + 1); out.Text() != want {
				t.Fatalf("%s samples, want %s", out.Text(), want)
			}
		}
	}
	var want []int64
	for i := range polls {
		want = append(want, int64(i))
	}
	equal(t, figures(allSamples(t, path)), want)

	// Each has its own figures, and they take turns in any order.
	for i := range polls {
		for n, in := range []io.Writer{in1, in2} {
			if _, err := fmt.Fprintf(in, "%d %d\n", polls+2*i+n, 1000+4*i+2*n); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range polls {
		if !out1.Scan() || !out2.Scan() {
			t.Fatal("a process has ended")
		}
	}
	got := figures(allSamples(t, path))
	slices.Sort(got)
	for i := range 2 * polls {
		want = append(want, int64(polls+i))
	}
	equal(t, got, want)
}

// Processes that make the file at the same time make one file.
func TestTwoProcessesBegin(t *testing.T) {
	t.Parallel()
	var paths []string // which outlive the processes
	for range 20 {
		paths = append(paths, tempPath(t))
	}
	var ins []io.Writer
	var outs []*bufio.Scanner
	for range 3 {
		_, in, out := child(t, "salt")
		ins, outs = append(ins, in), append(outs, out)
	}
	for _, path := range paths {
		for _, in := range ins {
			if _, err := io.WriteString(in, path+"\n"); err != nil {
				t.Fatal(err)
			}
		}
		said := map[string]bool{}
		for _, out := range outs {
			if !out.Scan() {
				t.Fatal("a process said nothing")
			}
			said[out.Text()] = true
		}
		if len(said) != 1 {
			t.Fatalf("several salts: %v", said)
		}
		equal(t, asideOf(t, path), nil)
	}
}

// rush records as fast as it can, and reports each figure that is in the file.
func rush(args []string) error {
	s := New(Config{Path: args[0]})
	first, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	for i := first; ; i++ {
		s.Record(context.Background(), snapshot(someone(), noon.Add(time.Duration(i)*time.Minute), flex(int64(i)*credit)))
		if len(s.waiting) > 0 {
			continue
		}
		if _, err := fmt.Println(i); err != nil {
			return err
		}
	}
}

// A process is repeatedly killed while it writes. All that it had written is there, and
// the next process opens the file.
func TestKilledWhileWriting(t *testing.T) {
	t.Parallel()
	path := tempPath(t)
	var acknowledged []int64
	next := 0
	for range 15 {
		cmd, _, out := child(t, "rush", path, strconv.Itoa(next))
		for writes := false; out.Scan(); writes = true {
			if !writes {
				time.AfterFunc(rand.N(50*time.Millisecond), func() { _ = cmd.Process.Kill() })
			}
			n, err := strconv.Atoi(out.Text())
			if err != nil {
				continue // cut off
			}
			acknowledged = append(acknowledged, int64(n))
			next = n + 2 // the one after it may be there untold
		}
		_ = cmd.Wait()
		got := figures(allSamples(t, path))
		for i, n := range acknowledged {
			if i > 0 && n == acknowledged[i-1] {
				t.Fatalf("%d twice", n)
			}
			if _, found := slices.BinarySearch(got, n); !found {
				t.Fatalf("lost %d", n)
			}
		}
		if len(got) > len(acknowledged)+16 || len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Fatalf("%d samples, %d told", len(got), len(acknowledged))
		}
	}
	if len(acknowledged) < 15 {
		t.Errorf("%d written", len(acknowledged))
	}
	equal(t, asideOf(t, path), nil)
}

// lock holds a lock until its stdin ends.
func lock(args []string) error {
	db, err := openRaw(args[0])
	if err != nil {
		return err
	}
	for _, statement := range args[1:] {
		if _, err := db.Exec(statement); err != nil {
			return err
		}
	}
	if _, err := fmt.Println("locked"); err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	return db.Close()
}

// While another process has the file locked, a call ends and returns the known samples;
// after the release, everything is in the file.
func TestLockedByAnother(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		statement []string
		// read says that the file can still be read.
		read bool
	}{
		{"writer", []string{"BEGIN IMMEDIATE"}, true},
		{"writer_with_changes", []string{"BEGIN IMMEDIATE", "INSERT INTO document VALUES ('a', x'')"}, true},
		{"exclusive", []string{"PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, opened := range []bool{true, false} {
				path := tempPath(t)
				var log probetest.Log
				s := openIn(t, path, time.UTC, &log)
				s.Record(t.Context(), snapshot(account(t, "u"), noon, credits(0)))
				if !opened || !tt.read {
					if err := s.Close(); err != nil {
						t.Fatal(err)
					}
					s = openIn(t, path, time.UTC, &log)
				}
				cmd, stdin, out := child(t, "lock", append([]string{path}, tt.statement...)...)
				if !out.Scan() {
					t.Fatal("no lock")
				}
				for i := 1; i <= 3; i++ {
					h := s.Record(t.Context(), snapshot(account(t, "u"), noon.Add(time.Duration(i)*time.Hour), credits(int64(i)*credit)))
					want := i
					if tt.read {
						want++
					}
					equal(t, len(h[usage.PromptCredits].Samples), want)
				}
				equal(t, strings.Count(log.String(), "level=WARN"), 1)
				if err := stdin.(io.Closer).Close(); err != nil {
					t.Fatal(err)
				}
				if err := cmd.Wait(); err != nil {
					t.Fatal(err)
				}
				h := s.Record(t.Context(), snapshot(account(t, "u"), noon.Add(3*time.Hour), credits(3*credit)))
				equal(t, len(h[usage.PromptCredits].Samples), 4)
				equal(t, figures(allSamples(t, path)), []int64{0, 1, 2, 3})
				equal(t, strings.Count(log.String(), "history is kept again"), 1)
			}
		})
	}
}

// A full disk costs only history, and waiting samples are written when there is room
// again.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	for _, empty := range []bool{false, true} {
		disk := smallDisk(t, "256k")
		path := filepath.Join(disk, "windsock", "history.db")
		var log probetest.Log
		s := openIn(t, path, time.UTC, &log)
		want := []int64{0}
		if !empty {
			s.Record(t.Context(), snapshot(account(t, "u"), noon, flex(0)))
		}
		ballast := filepath.Join(disk, "ballast")
		if err := os.WriteFile(ballast, make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("fill the disk: %v", err)
		}
		if empty {
			s.Record(t.Context(), snapshot(account(t, "u"), noon, flex(0)))
		}
		var h pace.History
		for i := range int64(30) {
			h = s.Record(t.Context(), snapshot(account(t, "u"), noon.Add(time.Duration(i+1)*time.Minute), flex(i+1), credits((i+1)*10_000)))
			want = append(want, 0)
		}
		equal(t, len(h[usage.PromptCredits].Samples), 30)
		if !strings.Contains(log.String(), "level=WARN") || strings.Count(log.String(), "level=WARN") > 2 {
			t.Errorf("log:\n%s", log.String())
		}
		if got := s.Notice(); got != errFull.Sentence() && got != errBroken.Sentence() {
			t.Errorf("notice %q", got)
		}
		if _, err := s.Days(t.Context(), time.Time{}); say.Code(err) == "unreadable" {
			t.Error(err)
		}
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
		h = s.Record(t.Context(), snapshot(account(t, "u"), noon.Add(31*time.Minute), flex(31), credits(31*10_000)))
		equal(t, len(h[usage.PromptCredits].Samples), 31)
		if !strings.Contains(log.String(), "history is kept again") || s.Notice() != "" {
			t.Errorf("notice %q, log:\n%s", s.Notice(), log.String())
		}
		samples := slices.DeleteFunc(allSamples(t, path), func(s Sample) bool { return s.Meter != usage.FlexCredits })
		equal(t, len(samples), len(want)+1)
		for i, s := range samples {
			if !s.At.Equal(noon.Add(time.Duration(i) * time.Minute)) {
				t.Fatalf("sample %d is of %v", i, s.At)
			}
		}
		equal(t, asideOf(t, path), nil)
	}
}

// No disk size leads to damage when the disk fills up during writes.
func TestDiskFillsUp(t *testing.T) {
	t.Parallel()
	for _, size := range []string{"4k", "32k", "60k", "96k"} {
		disk := smallDisk(t, size)
		path := filepath.Join(disk, "history.db")
		s := openIn(t, path, time.UTC, nil)
		for i := range int64(25) {
			s.Record(t.Context(), snapshot(account(t, "u"), noon.Add(time.Duration(i)*time.Minute), flex(i*credit)))
			_ = s.Save(t.Context(), "ballast", make([]byte, 4000+i))
		}
		_ = s.Close()
		if aside := asideOf(t, path); aside != nil || strings.Contains(s.Notice(), "could not be read") {
			t.Errorf("%s: %v, %s", size, aside, s.Notice())
		}
		if entries, err := os.ReadDir(disk); err != nil || len(entries) > 3 {
			t.Errorf("%s: %v, %v", size, entries, err)
		}
	}
}

// smallDisk is an empty file system of that size.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	probetest.NeedRoot(t)
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		probetest.Lacks(t, "mounting a tmpfs: "+err.Error())
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}
