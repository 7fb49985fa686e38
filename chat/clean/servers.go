package clean

import (
	"context"
	"errors"
	"sync/atomic"

	"windsock/chat/cascade"
)

// cleanServers marks the servers that cannot archive, so that they are not asked
// again.
type cleanServers struct {
	all    []Trajectories
	unable []atomic.Bool
}

func newCleanServers(all []Trajectories) *cleanServers {
	return &cleanServers{all: all, unable: make([]atomic.Bool, len(all))}
}

func (s *cleanServers) tell(ctx context.Context, i int, id string, archived bool) error {
	if s.unable[i].Load() {
		return cascade.ErrUnsupported
	}
	err := s.all[i].Archive(ctx, id, archived)
	if errors.Is(err, cascade.ErrUnsupported) {
		s.unable[i].Store(true)
	}
	return err
}

// archive asks servers in turn until one has the call.
func (s *cleanServers) archive(ctx context.Context, servers []int, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ArchiveLimit)
	defer cancel()
	for _, i := range servers {
		if err := s.tell(ctx, i, id, true); !errors.Is(err, cascade.ErrUnsupported) {
			return err
		}
	}
	return cascade.ErrUnsupported
}
