package history

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/words"
)

// planMeans reports whether a plan's name for programs is meant: every one by "", those
// of a product by its name.
func planMeans(wanted, name string) bool {
	product, _, _ := strings.Cut(name, ":")
	return wanted == "" || wanted == name || wanted == product
}

// checkPlan fails if the history has plans, and none is meant.
func checkPlan(ctx context.Context, store *Store, wanted string) error {
	plans, err := store.Plans(ctx)
	if err != nil {
		return err
	}
	var names []string
	for _, p := range plans {
		if wanted != "" && planMeans(wanted, p.Name) {
			return nil
		}
		names = append(names, p.Name)
	}
	if len(names) == 0 {
		return nil
	}
	return say.Usage("--plan takes a plan of the history: %s.", strings.Join(names, ", "))
}

// completePlan offers the plans of the history.
func (c *historyCommand) completePlan(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	store, err := c.open()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer func() { _ = store.Close() }()   // nothing was written
	plans, _ := store.Plans(cmd.Context()) // a shell shows no errors
	var names []cobra.Completion
	for _, p := range plans {
		names = append(names, p.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// eachPlan joins the texts of plans with days. Of several plans, each text stands below
// the name of its plan.
func eachPlan(days []Day, width int, text func([]Day) string) string {
	return eachOf(days, func(d Day) string { return d.Plan }, width, text)
}

// eachOf joins the texts of plans as eachPlan does. planOf names the plan of one.
func eachOf[T any](all []T, planOf func(T) string, width int, text func([]T) string) string {
	var names []string
	byName := map[string][]T{}
	for _, one := range all {
		name := planOf(one)
		if byName[name] == nil {
			names = append(names, name)
		}
		byName[name] = append(byName[name], one)
	}
	if len(names) == 1 {
		return text(all)
	}
	slices.SortFunc(names, byPlan)
	var parts []string
	for i, heading := range headings(names) {
		parts = append(parts, wrapped(titleStyle, heading, width)+"\n"+text(byName[names[i]]))
	}
	return strings.Join(parts, "\n")
}

// headings name plans for people.
func headings(names []string) []string {
	plans, marks := make([]usage.Snapshot, len(names)), make([]string, len(names))
	for i, name := range names {
		product, hash, known := strings.Cut(name, ":")
		plans[i].Source.App = usage.Product(product).Name()
		if marks[i] = hash; !known {
			marks[i] = "account unknown"
		}
	}
	return words.Headings(plans, marks)
}
