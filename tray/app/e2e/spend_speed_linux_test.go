package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	pb "windsock/probe/languageserver"
	"windsock/probe/simulator"
)

// BenchmarkSpend reads 200 cascades of 100 KB each for the first time, and then one more
// turn.
func BenchmarkSpend(b *testing.B) {
	d := newPlace(b, simulator.Config{Cascade: simulator.Cascade{
		PanelReady: true, Old: 200, Weight: 100_000, FileSize: 4096, Idle: time.Millisecond, Tick: time.Millisecond,
	}})
	var first, next, memory, cpu []float64
	for b.Loop() {
		d.forget(b)
		took, used := d.spend(b)
		first, memory, cpu = append(first, float64(took)/1e9), append(memory, rss(used)), append(cpu, used.seconds)
		d.turn(b)
		took, used = d.spend(b)
		next, memory = append(next, float64(took)/1e6), append(memory, rss(used))
	}
	if d.server.Count()["GetCascadeTrajectorySteps"] < 150*len(first) {
		b.Fatal("another server was asked")
	}
	b.ReportMetric(medianOf(first), "s-first")
	b.ReportMetric(medianOf(cpu), "s-cpu")
	b.ReportMetric(medianOf(next), "ms-next")
	b.ReportMetric(slices.Max(memory), "MB")
}

// BenchmarkSpendLong reads one cascade of 30 MB.
func BenchmarkSpendLong(b *testing.B) {
	d := newPlace(b, simulator.Config{Cascade: simulator.Cascade{Old: 1, Weight: 30_000_000, FileSize: 4096}})
	var took, memory []float64
	for b.Loop() {
		d.forget(b)
		t, used := d.spend(b)
		took, memory = append(took, float64(t)/1e9), append(memory, rss(used))
	}
	b.ReportMetric(medianOf(took), "s")
	b.ReportMetric(slices.Max(memory), "MB")
}

// used is what a process has used.
type used struct {
	kilobytes int64
	seconds   float64
}

func rss(u used) float64 { return float64(u.kilobytes) / 1000 }

// spend runs the command, which has to have read something.
func (d *place) spend(b *testing.B) (time.Duration, used) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), shipped(b), "spend", "--since", "all", "--json")
	cmd.Env = []string{"HOME=" + d.home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + d.home, "LANG=C.UTF-8"}
	begin := time.Now()
	out, err := cmd.Output()
	took := time.Since(begin)
	var s sheet
	if err != nil || json.Unmarshal(out, &s) != nil || s.Total.Prompts == 0 {
		b.Fatalf("%v: %s", err, out)
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		b.Fatalf("%T", cmd.ProcessState.SysUsage())
	}
	return took, used{usage.Maxrss, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()}
}

// forget removes what is kept.
func (d *place) forget(b *testing.B) {
	b.Helper()
	if err := os.RemoveAll(filepath.Join(d.home, ".local", "state", "windsock")); err != nil {
		b.Fatal(err)
	}
}

// turn has a prompt answered, as in the editor.
func (d *place) turn(b *testing.B) {
	b.Helper()
	call := func(method, body string) (answer struct{ CascadeID, Status string }) {
		request, err := http.NewRequestWithContext(b.Context(), http.MethodPost,
			d.server.URL()+"/"+pb.LanguageServerServiceName+"/"+method, strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set(tokenHeader, speedToken)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			b.Fatal(err)
		}
		defer response.Body.Close()
		if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || response.StatusCode != http.StatusOK {
			b.Fatalf("%s: %s, %v", method, response.Status, err)
		}
		return answer
	}
	metadata := fmt.Sprintf(`{"apiKey":%q,"requestId":"%d"}`, speedKey, time.Now().UnixNano())
	id := call("StartCascade", `{"metadata":`+metadata+`}`).CascadeID
	metadata = fmt.Sprintf(`{"apiKey":%q,"requestId":"%d"}`, speedKey, time.Now().UnixNano())
	call("SendUserCascadeMessage", fmt.Sprintf(
		`{"cascadeId":%q,"items":[{"text":"hello"}],"metadata":%s,"blocking":true,"cascadeConfig":{"plannerConfig":{"conversational":{},"requestedModelUid":"swe-1-6"}}}`,
		id, metadata))
}
