//go:build !linux

package main

import (
	"context"
	"errors"
	"io"
)

func run(context.Context, io.Writer, options) error {
	return errors.New("this needs Linux, for its signals and its /proc")
}
