package app

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"windsock/probe/nearest"
	"windsock/probe/say"
)

// explainUsage turns cobra's errors about a command line into one that names the
// probable intention and where to look.
func explainUsage(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return say.Usage("%w", explainFlag(cmd, err)) })
	for _, cmd := range root.Commands() {
		switch cmd.Name() { // cobra's own; they show a general help for an unknown argument
		case "completion":
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
			cmd.DisableFlagsInUseLine = true
		case "help":
			cmd.Run, cmd.RunE = nil, help
		}
	}
	explainArguments(root)
}

// explainArguments is for commands without arguments; no other check is in use.
func explainArguments(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if check(cmd, args) != nil {
				return unexpected(cmd, args[0])
			}
			return nil
		}
	}
	for _, sub := range cmd.Commands() {
		explainArguments(sub)
	}
}

// help is `windsock help`.
func help(cmd *cobra.Command, args []string) error {
	about, rest, err := cmd.Root().Find(args)
	if err != nil {
		return say.Usage("%w", err)
	}
	if len(rest) > 0 {
		return unexpected(about, rest[0])
	}
	about.InitDefaultHelpFlag()
	return about.Help()
}

// unexpected is the error for an argument that a command does not take.
func unexpected(cmd *cobra.Command, arg string) error {
	if cmd.HasAvailableSubCommands() {
		return say.Usage("%s no command %q%s", lacks(cmd), arg, insteadOf(cmd, commandsLike(cmd, arg)))
	}
	return say.Usage("%s takes no argument %q%s", called(cmd), arg, insteadOf(cmd, flagsLike(cmd, arg)))
}

// called is a command's name in windsock's own texts; "" for windsock itself.
func called(cmd *cobra.Command) string {
	return strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()), " ")
}

func lacks(cmd *cobra.Command) string {
	if !cmd.HasParent() {
		return "there is"
	}
	return called(cmd) + " has"
}

// insteadOf names the probable intention, and where to look.
func insteadOf(cmd *cobra.Command, near []string) string {
	meant := ";"
	if len(near) > 0 {
		meant = "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return meant + " `" + cmd.CommandPath() + " --help` lists what there is"
}

// explainFlag says what is wrong with a flag, and which values it takes.
func explainFlag(cmd *cobra.Command, err error) error {
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return fmt.Errorf("--%s takes %s, not %q", invalid.GetFlag().Name, valuesOf(invalid.GetFlag()), invalid.GetValue())
	}
	if bare, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		name, usage := pflag.UnquoteUsage(bare.GetFlag())
		return fmt.Errorf("--%s needs a value, as in --%[1]s %s: %s", bare.GetFlag().Name, name, usage)
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		given := "--" + unknown.GetSpecifiedName()
		near := flagsLike(cmd, unknown.GetSpecifiedName())
		if letters := unknown.GetSpecifiedShortnames(); letters != "" {
			given, near = "-"+unknown.GetSpecifiedName(), flagsLike(cmd, letters) // -json is four letters to pflag
		}
		return fmt.Errorf("%s no flag %s%s", lacks(cmd), given, insteadOf(cmd, near))
	}
	return err
}

// valuesOf words a flag's values; a flag of text takes any.
func valuesOf(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int":
		example := f.DefValue
		if example == "0" {
			example = "10"
		}
		return "a whole number, such as " + example
	case "duration":
		return "a time with its unit, such as 30s or 5m"
	default: // bool
		return "true or false, as in --" + f.Name + "=false"
	}
}

// commandsLike are the commands of cmd that a word most probably means.
func commandsLike(cmd *cobra.Command, word string) []string {
	cmd.SuggestionsMinimumDistance = min(2, len(word)/2) // more typos make another word
	return cmd.SuggestionsFor(word)
}

// flagsLike are the flags of cmd that a word most probably means. After a flag that
// takes its value only within its own word, the word is that value.
func flagsLike(cmd *cobra.Command, word string) []string {
	word = strings.TrimLeft(word, "-")
	var valued []string
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Hidden:
		case f.Changed && f.NoOptDefVal != "" && f.Value.Type() != "bool" && f.Value.String() == f.NoOptDefVal:
			valued = append(valued, "--"+f.Name+"="+word)
		default:
			names = append(names, f.Name)
		}
	})
	if len(valued) > 0 {
		return valued
	}
	var flags []string
	for _, name := range nearest.Of(word, names) {
		if name == word {
			return []string{"--" + name}
		}
		flags = append(flags, "--"+name)
	}
	return flags
}
