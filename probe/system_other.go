//go:build !linux

package probe

import (
	"context"
	"errors"
	"net/netip"
	"runtime"
)

// unsupported stands where discovery is not to be had yet. It finds nothing and
// says so.
type unsupported struct{}

func newSystem() system { return unsupported{} }

var errUnsupported = errors.New("discovery on " + runtime.GOOS + " is not part of this version")

func (unsupported) processes(context.Context) ([]process, error) { return nil, errUnsupported }

func (unsupported) listeners(process) ([]netip.AddrPort, error) { return nil, errUnsupported }

func (unsupported) verify(process, netip.AddrPort) error { return errUnsupported }
