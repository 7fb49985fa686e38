package desktop

import (
	"context"
	"os"
)

type activationKey struct{}

// WithActivation lets a program that is started with the context come to the front.
// token and startupID are the desktop's values for what asks for the program, as in
// $XDG_ACTIVATION_TOKEN and $DESKTOP_STARTUP_ID. Either may be empty.
func WithActivation(ctx context.Context, token, startupID string) context.Context {
	var tokens []string
	if token != "" {
		tokens = append(tokens, "XDG_ACTIVATION_TOKEN="+token)
	}
	if startupID != "" {
		tokens = append(tokens, "DESKTOP_STARTUP_ID="+startupID)
	}
	if tokens == nil {
		return ctx
	}
	return context.WithValue(ctx, activationKey{}, tokens)
}

// Environ is the environment of a program that is started with the context; nil is this
// process's own.
func Environ(ctx context.Context) []string {
	tokens, ok := ctx.Value(activationKey{}).([]string)
	if !ok {
		return nil
	}
	return append(os.Environ(), tokens...)
}
