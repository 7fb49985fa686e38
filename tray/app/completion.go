package app

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"windsock/probe"
)

// completionTime is the time limit after a person has pressed Tab.
const completionTime = 2 * time.Second

// complete tells shells the candidates for cmd. File names are offered only for a flag
// that takes one.
func (p parts) complete(cmd *cobra.Command) {
	cmd.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		takes, _ := pflag.UnquoteUsage(f)
		var offer cobra.CompletionFunc
		switch {
		case takes == "FILE":
			offer = func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
				return nil, cobra.ShellCompDirectiveDefault
			}
		case f.Name == "variant":
			offer = completeVariant
		case f.Name == "model":
			offer = p.completeModel
		default:
			return
		}
		_ = cmd.RegisterFlagCompletionFunc(f.Name, offer) // fails for a missing flag
	})
	for _, sub := range cmd.Commands() {
		p.complete(sub)
	}
}

// completeVariant offers the variants that the command can ask.
func completeVariant(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	variants, _ := askable("")
	if slices.Contains([]string{"status", "doctor"}, cmd.Name()) {
		variants = probe.Variants()
	}
	names := make([]cobra.Completion, 0, len(variants))
	for _, v := range variants {
		names = append(names, cobra.CompletionWithDesc(v.ID, v.Name))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeModel offers the plan's models, from a server that answers quickly.
func (p parts) completeModel(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	const noFiles = cobra.ShellCompDirectiveNoFileComp
	ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
	defer cancel()
	variant, _ := cmd.Flags().GetString("variant")
	all, err := p.asking("", variant, nil, quiet).Models(ctx)
	if err != nil {
		return nil, noFiles
	}
	var names []cobra.Completion
	for _, m := range all.Models {
		if !m.Disabled {
			names = append(names, cobra.CompletionWithDesc(m.UID, m.Label))
		}
	}
	return names, noFiles
}
