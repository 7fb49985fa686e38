package tray

import "os"

// sigpipe does not exist; an empty list would be all signals.
var sigpipe = []os.Signal{noSignal{}}

type noSignal struct{}

func (noSignal) String() string { return "no signal" }
func (noSignal) Signal()        {}
