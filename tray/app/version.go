package app

import (
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return writeVersion(cmd) },
	}
}

// writeVersion is `windsock version` and `windsock --version`.
func writeVersion(cmd *cobra.Command) error {
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "windsock %s %s/%s %s\n", version(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	return err
}

// version is the build's stamp, else the module's version.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return devel
}

// devel is the version of a build that is not a release.
const devel = "(devel)"

// pseudo matches Go's version of a commit without a tag, such as
// v0.0.0-20261121124131-9deba2c04a65. Source: go.dev/ref/mod#pseudo-versions.
var pseudo = regexp.MustCompile(`[-.]\d{14}-[0-9a-f]{12}(\+|$)`)

// shortVersion is the version for the menu: a release's, else devel.
func shortVersion(version string) string {
	if pseudo.MatchString(version) {
		return devel
	}
	return version
}
