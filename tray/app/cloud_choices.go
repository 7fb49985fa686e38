package app

import (
	"github.com/spf13/cobra"

	"windsock/probe/cloud"
	"windsock/probe/kept"
	"windsock/usage/words"
)

// newCloudCommand is `windsock cloud`.
func (p parts) newCloudCommand() *cobra.Command {
	return cloud.NewCommand(cloud.Parts{
		Choices: p.choices(),
		Settings: func() error {
			_, err := p.config()
			return err
		},
		Ago: words.Ago, Now: p.serverNow,
	})
}

// choices are the person's answers to what may be asked over the internet.
func (p parts) choices() cloud.Choices {
	return cloud.Choices{
		Dirs:   p.signIns(),
		Config: p.allowedCloud,
		Save: func(apply func(cloud.Config) cloud.Config, yourself string) error {
			return p.set(func(c *config) { c.Cloud = apply(c.Cloud) }, yourself)
		},
		Kept: p.keptOf,
	}
}

// allowedCloud is what the person allows at present: nothing while the settings cannot be
// read.
func (p parts) allowedCloud() cloud.Config {
	c, _ := p.config()
	return c.Cloud
}

// keptOf is the place of the last answer that a source gave over the internet, at a host.
func (p parts) keptOf(source, host string) kept.Place {
	return kept.Place{Dir: p.stateDir, Name: "cloud-" + source, Of: host, Now: p.serverNow}
}
