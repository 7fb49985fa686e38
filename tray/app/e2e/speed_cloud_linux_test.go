package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"windsock/probe/probetest"
	"windsock/probe/simulator/cloud"
)

// BenchmarkStatusCloud requests the plan without an editor, by turns: by a cold `windsock
// status` that has nothing in store, and by a bare curl with the known token. Both go
// through the same proxy and trust the same root; the service takes 10 ms, and 300 other
// processes are running.
func BenchmarkStatusCloud(b *testing.B) {
	probetest.NeedTools(b, "curl")
	program := shipped(b)
	a := newAloneAt(b, cloud.Config{Delay: 10 * time.Millisecond})
	a.devin(devinToken, "https://"+devinHost)
	a.opens(cloud.Account{Token: devinToken, Windsurf: "quota_tight"})
	a.allows("devin-cli@" + devinHost)
	probetest.Bystanders(b, 300)
	run := func(shows, program string, args ...string) float64 {
		begin := time.Now()
		r := a.exec(program, args...)
		took := time.Since(begin)
		if r.code != 0 || !strings.Contains(r.stdout, shows) {
			b.Fatalf("%s: %+v", program, r)
		}
		return float64(took) / 1e6
	}
	turn := func() (windsock, curl float64) {
		kept, err := filepath.Glob(filepath.Join(a.home, ".local/state/windsock/cloud-*.json"))
		a.check(err)
		for _, file := range kept {
			a.check(os.Remove(file))
		}
		windsock = run(`"kind": "cloud"`, program, "status", "--json")
		curl = run(`"planInfo"`, "curl", "-sS", "--http1.1", "--cacert", a.path("root.pem"), "-H", "Content-Type: application/json",
			"-H", "Connect-Protocol-Version: 1", "-H", "X-Auth-Token: "+devinToken, "-d", "{}",
			"https://"+devinHost+"/exa.seat_management_pb.SeatManagementService/GetPlanStatus")
		return windsock, curl
	}
	turn()
	before := len(a.services.Requests())
	var took, curls, beside []float64
	for b.Loop() {
		w, c := turn()
		took, curls, beside = append(took, w), append(curls, c), append(beside, w/c)
	}
	if n := len(a.services.Requests()) - before; n != 2*len(took) {
		b.Fatalf("%d requests of %d turns", n, len(took))
	}
	b.ReportMetric(medianOf(took), "ms")
	b.ReportMetric(medianOf(curls), "ms-curl")
	b.ReportMetric(medianOf(beside), "×curl")
}
