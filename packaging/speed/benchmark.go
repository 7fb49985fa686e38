package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var result = regexp.MustCompile(`(?m)^Benchmark\S+\s+\d+\s+([\d.]+) ns/op`)

// benchmark runs a package's benchmark, or the one below it that a name with
// slashes means, a few times and returns what one operation took each time.
func benchmark(ctx context.Context, pkg, name string) ([]time.Duration, error) {
	pattern := "^" + strings.ReplaceAll(name, "/", "$/^") + "$"
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", pattern, "-benchtime", "300ms", "-count", "5", "-timeout", "120s", pkg)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("run %s: %w\n%s", name, err, out)
	}
	var times []time.Duration
	for _, found := range result.FindAllSubmatch(out, -1) {
		ns, err := strconv.ParseFloat(string(found[1]), 64)
		if err != nil {
			return nil, fmt.Errorf("read result of %s: %w", name, err)
		}
		times = append(times, time.Duration(ns))
	}
	if len(times) == 0 {
		return nil, fmt.Errorf("run %s: %w", name, errors.New("no result"))
	}
	return times, nil
}
