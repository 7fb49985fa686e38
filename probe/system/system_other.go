//go:build !linux && !darwin && !windows

package system

import (
	"context"
	"net/netip"
)

// unsupported is the System of platforms without the editor. It returns errors only.
type unsupported struct{}

// New is the system that this program was built for.
func New() System { return unsupported{} }

// Processes implements System.
func (unsupported) Processes(context.Context) ([]Process, error) { return nil, ErrUnsupported }

// Listeners implements System.
func (unsupported) Listeners(context.Context, Process) ([]netip.AddrPort, error) {
	return nil, ErrUnsupported
}

// Verify implements System.
func (unsupported) Verify(context.Context, Process, netip.AddrPort) error { return ErrUnsupported }
