//go:build !docs

package app

import "github.com/spf13/cobra"

func docsCommands() []*cobra.Command { return nil }
