// Language_server_linux_x64 is a simulated language server under the name of a
// real one, to be started by simulator.Start.
package main

import "windsock/probe/simulator"

func main() { simulator.Main() }
