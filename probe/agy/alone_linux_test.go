package agy

import (
	"os"
	"strings"
	"testing"
	"time"
)

// checkGone waits until the process whose number a file has is gone.
func checkGone(t *testing.T, file string) {
	t.Helper()
	pid, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		stat, err := os.ReadFile("/proc/" + string(pid) + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") { // its parent has not looked yet
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the process of agy still runs")
		}
	}
}
