// Windsock shows how much of a Windsurf plan is left, from the language server
// that the editor already runs.
package main

import (
	"os"

	"windsock/probe/simulator"
	"windsock/tray/app"
)

func main() {
	// The demo starts this program under a language server's name, so that it is
	// found the way a real one is, and has it be the editor's agent. Tests do, and start
	// it as agy, too.
	if simulator.IsServer(os.Args[0]) {
		simulator.Main()
		return
	}
	os.Exit(app.Main(app.Options{}))
}
