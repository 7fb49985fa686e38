package status

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/poll"
)

// addSelectFlags adds the flags that choose which plans are shown.
func (c *statusCommand) addSelectFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&c.product, "product", "", "ask only for the plans of `NAME`: "+strings.Join(productNames(), ", "))
	flags.StringVar(&c.plan, "plan", "", "show only the plan `ID`, such as windsurf or windsurf:3fa91c")
	flags.StringVar(&c.variant, "variant", "", "ask only the editor `NAME`, such as windsurf-next")
	// It fails only for a missing flag, and this one was just added.
	_ = cmd.RegisterFlagCompletionFunc("product", cobra.FixedCompletions(productNames(), cobra.ShellCompDirectiveNoFileComp))
}

func productNames() []string {
	products := usage.Products()
	names := make([]string, len(products))
	for i, p := range products {
		names[i] = string(p)
	}
	return names
}

// anyProduct is the names as a choice.
func anyProduct() string {
	names := productNames()
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// checkSelect rejects flags that choose nothing.
func (c *statusCommand) checkSelect(changed func(flag string) bool) error {
	known := func(product string) bool { return slices.Contains(productNames(), product) }
	of, _, _ := strings.Cut(c.plan, ":")
	switch {
	case changed("product") && !known(c.product):
		return say.Usage("--product takes %s.", anyProduct())
	case changed("plan") && !known(of):
		return say.Usage("--plan takes the ID of a plan, such as windsurf or windsurf:3fa91c; it begins with %s.", anyProduct())
	case changed("product") && changed("plan"):
		return say.Usage("--plan names the product already. Leave out --product.")
	case c.from != "" && changed("plan"):
		return say.Usage("--from reads a saved answer. Leave out --plan.")
	case c.from != "" && changed("variant"):
		return say.Usage("--from reads a saved answer. Leave out --variant.")
	case changed("variant") && !c.hasVariant():
		return say.Usage("--variant %s is an editor of another product than %s; give one of them.", c.variant, c.products()[0])
	default:
		return nil
	}
}

// products are the products to ask; nil is all of them.
func (c *statusCommand) products() []usage.Product {
	name := c.product
	if c.plan != "" {
		name, _, _ = strings.Cut(c.plan, ":")
	}
	if name == "" {
		return nil
	}
	return []usage.Product{usage.Product(name)}
}

// hasVariant reports whether the products to ask may have the variant.
func (c *statusCommand) hasVariant() bool {
	if c.variant == "" || c.products() == nil || c.ProductOf == nil {
		return true
	}
	of := c.ProductOf(c.variant)
	return of == "" || slices.Contains(c.products(), of)
}

// settings are what to ask for. A plan that is named leads.
func (c *statusCommand) settings() poll.Settings {
	s := poll.Settings{Interval: c.interval, Variant: c.variant, Lead: c.plan, Pace: c.pace()}
	if c.plan == "" && c.Lead != nil {
		s.Lead = c.Lead()
	}
	return s
}

// shown are the plans that --plan names, all without it.
func (c *statusCommand) shown(all poll.Plans) (poll.Plans, error) {
	if len(all) == 0 {
		return nil, say.Usage("There is nothing to ask: the product has no such editor.")
	}
	if c.plan == "" || !all.HasFigures() {
		return all, nil
	}
	some := slices.Clone(all.Of(c.plan))
	if len(some) > 0 {
		return some, nil
	}
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = s.Name
	}
	if slices.ContainsFunc(all, isFresh) {
		return nil, say.Usage("There is no plan %s, only %s.", c.plan, strings.Join(names, " and "))
	}
	// Old figures need not be of all plans.
	lead := all.Lead()
	lead.Snapshot = usage.Snapshot{Source: usage.Source{Kind: usage.KindLanguageServer}, Plan: usage.Plan{Product: lead.Snapshot.Plan.Product}}.At(lead.At)
	return poll.Plans{lead}, nil
}

// isFresh reports whether the last fetch had the figures of the plan.
func isFresh(s poll.State) bool { return s.HasFigures() && s.Err == nil }

// failure is why the command fails; nil if a plan has fresh figures.
func failure(all poll.Plans) error {
	if err := senselessOf(all); err != nil || slices.ContainsFunc(all, isFresh) {
		return err
	}
	lead := all.Lead()
	var sentences []string
	for _, s := range all {
		if !s.HasFigures() && s.Err != nil {
			sentences = append(sentences, say.Sentence(s.Err, s.Err.Error()))
		}
	}
	if all.HasFigures() || len(sentences) < 2 || errors.Is(lead.Err, context.Canceled) {
		return lead.Err
	}
	return &say.Error{Code: say.Code(lead.Err), What: strings.Join(sentences, "\n"), Exit: say.Exit(lead.Err), Cause: lead.Err}
}

// senselessOf is the error of the command line that the plans have, such as an unknown
// editor, which a second try cannot fix.
func senselessOf(all poll.Plans) error {
	for _, s := range all {
		if say.Exit(s.Err) == say.ExitUsage {
			return s.Err
		}
	}
	return nil
}
