package cloud

import (
	"context"
	"slices"

	"windsock/probe/secret"
)

// Distinct leaves out each sign-in that has the token of an earlier one: a program may have
// taken over another one's sign-in, and one request tells what both know. It opens the
// sign-ins, if there is more than one. One that cannot be used stays.
func Distinct(ctx context.Context, sources []Source) []Source {
	if len(sources) < 2 {
		return sources
	}
	var tokens []secret.Secret
	var distinct []Source
	for _, s := range sources {
		with, failure := s.read(ctx)
		switch {
		case failure != nil:
		case slices.ContainsFunc(tokens, with.token.Equal):
			continue
		default:
			tokens = append(tokens, with.token)
		}
		distinct = append(distinct, s)
	}
	return distinct
}
