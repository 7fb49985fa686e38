package app

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"windsock/chat"
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
		case f.Name == "engine":
			offer = completeEngine
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

// completeEngine offers all engines.
func completeEngine(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return chat.Engines(), cobra.ShellCompDirectiveNoFileComp
}

// completedEngine is the engine that the command asks.
func (p parts) completedEngine(cmd *cobra.Command) (string, error) {
	if cmd.Name() == "serve" {
		return chat.Cascade, nil
	}
	if named, err := cmd.Flags().GetString("engine"); err == nil && named != "" {
		return named, nil
	}
	s, err := p.chatSettings()
	return s.Engine, err
}

// completeModel offers the plan's models, from a server that answers quickly.
func (p parts) completeModel(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	const noFiles = cobra.ShellCompDirectiveNoFileComp
	ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
	defer cancel()
	variant, _ := cmd.Flags().GetString("variant")
	engine, err := p.completedEngine(cmd)
	if err != nil || chat.IsAgent(engine) {
		return nil, noFiles // an agent is not started for the Tab key
	}
	all, err := p.asking(override{variant: variant, engine: chat.Cascade}, nil, nil, quiet).Models(ctx)
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
