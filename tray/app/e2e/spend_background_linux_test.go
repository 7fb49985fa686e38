package e2e

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"windsock/probe/simulator"
)

// The app reads what cascades have cost by itself only while its settings say so, and then
// once a day.
func TestSpendInTheBackground(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	config := filepath.Join(d.dir, "home", ".config", "windsock", "config.toml")
	if err := os.MkdirAll(filepath.Dir(config), 0o700); err != nil {
		t.Fatal(err)
	}
	server := d.serve(simulator.Config{Cascade: simulator.Cascade{Old: 1, Until: time.Now().Add(-time.Hour), PanelReady: true}})
	cmd, out := d.command("--headless")
	cmd.Env = append(cmd.Env, testInterval+"=1s")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // which has ended, mostly
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(out)
		}
	})
	polls := func() int { return server.Count()["GetUserStatus"] }
	steps := func() int { return server.Count()["GetCascadeTrajectorySteps"] }
	waitFor(t, "three polls", func() bool { return polls() >= 3 })
	if n := steps(); n > 0 {
		t.Fatalf("%d requests for steps, though nobody has asked", n)
	}
	replaceFile(t, config, "[spend]\nbackground = true\n")
	waitFor(t, "a reading", func() bool { return steps() > 0 })
	polled := polls()
	waitFor(t, "three more polls", func() bool { return polls() >= polled+3 })
	if n := steps(); n != 1 {
		t.Errorf("%d requests for the steps of one cascade", n)
	}
}
