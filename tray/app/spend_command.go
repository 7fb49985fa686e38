package app

import (
	"os"

	"github.com/spf13/cobra"

	"windsock/usage/spend"
	"windsock/usage/words"
)

// newSpendCommand is `windsock spend`.
func (p parts) newSpendCommand() *cobra.Command {
	store := p.history(quiet)
	spending := p.newSpending(store, p.table(store))
	return closing(store, spend.NewCommand(spend.CommandParts{
		Look: spending.LookAt, Report: spending.Report, Plans: spending.Plans,
		Words: func() words.Words {
			c, _ := p.usageConfig() // the defaults in case of an error
			return c.Words(local(), os.LookupEnv)
		},
		Now:   p.serverNow,
		Close: func() { _ = store.Close() }, // what could not be written is lost either way
	}))
}
