package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
)

// A command and its options are what graft/program writes of them.
type command struct {
	Use, Short, Long, Example string

	Runnable bool
	Flags    []option
	Commands []command
}

type option struct {
	Name, Shorthand, Usage, Type, Default, NoOpt string

	Hidden, Persistent bool
}

// readGrafted reads the directory that the grafted program has written.
func readGrafted(dir fs.FS, s source) (companions, error) {
	c := companions{icons: make(map[int][]byte), completions: make(map[string][]byte), manual: make(map[string][]byte)}
	entries, err := fs.ReadDir(dir, ".")
	if err != nil {
		return c, fmt.Errorf("read what the program wrote: %w", err)
	}
	for _, e := range entries {
		data, err := fs.ReadFile(dir, e.Name())
		if err != nil {
			return c, fmt.Errorf("read what the program wrote: %w", err)
		}
		base, kind, _ := strings.Cut(e.Name(), ".")
		switch kind {
		case "png":
			size, err := strconv.Atoi(base)
			if err != nil {
				return c, fmt.Errorf("read size of icon: %w", err)
			}
			c.icons[size] = data
		case "json":
			if err := c.writeManual(data, s); err != nil {
				return c, err
			}
		default:
			c.completions[kind] = data
		}
	}
	return c, nil
}

// writeManual makes a page of each command.
func (c companions) writeManual(data []byte, s source) error {
	var root command
	if err := json.Unmarshal(data, &root); err != nil {
		return fmt.Errorf("read commands: %w", err)
	}
	return c.writePages(root.cobra(), s)
}

func (c companions) writePages(cmd *cobra.Command, s source) error {
	var page bytes.Buffer
	cmd.DisableAutoGenTag = true // it would be the day of the build
	header := &doc.GenManHeader{Section: "1", Date: &s.time, Source: title, Manual: title + " Manual"}
	if err := doc.GenMan(cmd, header, &page); err != nil {
		return fmt.Errorf("make manual page: %w", err)
	}
	c.manual[strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".1"] = plainOptions(page.Bytes(), cmd)
	for _, sub := range cmd.Commands() {
		if sub.Hidden {
			continue
		}
		if err := c.writePages(sub, s); err != nil {
			return err
		}
	}
	return nil
}

// optionHeading is an option as cobra's generator heads it, such as --at="" and
// --cached[=false], which nobody writes.
var optionHeading = regexp.MustCompile(`(?m)^((?:\\fB-\w\\fP, )?\\fB--([\w-]+)\\fP)[=\[].*$`)

// plainOptions heads the options of a page as one writes them, --at TIME and --cached,
// and says their defaults as --help does.
func plainOptions(page []byte, cmd *cobra.Command) []byte {
	return optionHeading.ReplaceAllFunc(page, func(heading []byte) []byte {
		part := optionHeading.FindSubmatch(heading)
		flag := cmd.Flag(string(part[2]))
		if flag == nil {
			return heading
		}
		plain := slices.Clone(part[1])
		name, _ := pflag.UnquoteUsage(flag)
		switch {
		case name == "":
		case flag.NoOptDefVal != "":
			plain = fmt.Appendf(plain, `[=\fI%s\fP]`, name)
		default:
			plain = fmt.Appendf(plain, ` \fI%s\fP`, name)
		}
		if !slices.Contains([]string{"", "false", "0", "0s"}, flag.DefValue) {
			plain = fmt.Appendf(plain, " (default %s)", flag.DefValue)
		}
		return plain
	})
}

// cobra is the command as cobra's generator takes it.
func (c command) cobra() *cobra.Command {
	cmd := &cobra.Command{Use: c.Use, Short: c.Short, Long: c.Long, Example: c.Example}
	if c.Runnable {
		cmd.Run = func(*cobra.Command, []string) {}
	}
	for _, f := range c.Flags {
		set := cmd.Flags()
		if f.Persistent {
			set = cmd.PersistentFlags()
		}
		set.AddFlag(&pflag.Flag{
			Name: f.Name, Shorthand: f.Shorthand, Usage: f.Usage, DefValue: f.Default, NoOptDefVal: f.NoOpt, Hidden: f.Hidden,
			Value: value{f},
		})
	}
	cmd.SetHelpCommand(&cobra.Command{Use: "help", Hidden: true}) // the generator would add one with a page
	for _, sub := range c.Commands {
		cmd.AddCommand(sub.cobra())
	}
	return cmd
}

// A value is a flag's, which nobody will set.
type value struct{ option option }

func (v value) String() string { return v.option.Default }

// Set is there for pflag.
func (value) Set(string) error { return nil }

// Type is the flag's own.
func (v value) Type() string { return v.option.Type }
