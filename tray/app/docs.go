//go:build docs

package app

import (
	"bytes"
	"errors"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"windsock/probe/say"
	"windsock/tray/icon"
)

// docsCommands is `windsock docs DIR`, which writes the files that packages ship with
// the program: man pages, completions and icons. Only builds with the tag docs have
// it: the generator of man pages adds 0.6 MB of Markdown code.
func docsCommands() []*cobra.Command {
	return []*cobra.Command{{
		Use: "docs DIR", Short: "Write man pages, completions and icons for packages", Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return say.Usage("docs takes the directory to write into")
			}
			return errors.Join(writeManual(cmd.Root(), filepath.Join(args[0], "man")),
				writeCompletions(cmd.Root(), filepath.Join(args[0], "completions")),
				writeIcons(filepath.Join(args[0], "icons")))
		},
	}}
}

func writeDoc(dir, name string, write func(*bytes.Buffer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return fmt.Errorf("make %s: %w", name, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // packages are for all to read
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o644) //nolint:gosec // as above
}

func writeCompletions(root *cobra.Command, dir string) error {
	return errors.Join(
		writeDoc(dir, "windsock.bash", func(b *bytes.Buffer) error { return root.GenBashCompletionV2(b, true) }),
		writeDoc(dir, "_windsock", func(b *bytes.Buffer) error { return root.GenZshCompletion(b) }),
		writeDoc(dir, "windsock.fish", func(b *bytes.Buffer) error { return root.GenFishCompletion(b, true) }),
		writeDoc(dir, "windsock.ps1", func(b *bytes.Buffer) error { return root.GenPowerShellCompletionWithDesc(b) }),
	)
}

// writeIcons writes the sizes that launchers, Windows and macOS ask for.
func writeIcons(dir string) error {
	for _, size := range []int{16, 22, 24, 32, 48, 64, 128, 256, 512, 1024} {
		err := writeDoc(dir, strconv.Itoa(size)+".png", func(b *bytes.Buffer) error {
			return png.Encode(b, icon.Icon{Band: icon.OK, Level: icon.Steps}.Image(size))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// writeManual writes a page of each command and of each help topic. Their date is
// SOURCE_DATE_EPOCH's.
func writeManual(cmd *cobra.Command, dir string) error {
	cmd.DisableAutoGenTag = true // it would be the day of the build
	for _, sub := range cmd.Commands() {
		sub.Hidden = sub.Hidden || sub.Name() == "help" // --help is on every page
		if sub.Hidden {
			continue
		}
		if err := writeManual(sub, dir); err != nil {
			return err
		}
	}
	topic := cmd.IsAdditionalHelpTopicCommand()
	section := "1"
	if topic {
		section = "7"
	} else {
		cmd.Long = markdown(cmd.Long)
	}
	return writeDoc(filepath.Join(dir, "man"+section), strings.ReplaceAll(cmd.CommandPath(), " ", "-")+"."+section, func(b *bytes.Buffer) error {
		var page bytes.Buffer
		err := doc.GenMan(cmd, &doc.GenManHeader{Section: section, Source: "Windsock", Manual: "Windsock Manual"}, &page)
		switch {
		case topic:
			b.Write(ofCommand.ReplaceAll(page.Bytes(), nil))
			b.WriteString(".SH SEE ALSO\n\\fBwindsock(1)\\fP\n")
		case !cmd.HasParent():
			b.Write(bytes.TrimSpace(plainOptions(page.Bytes(), cmd)))
			for _, t := range topics { // SEE ALSO is last
				fmt.Fprintf(b, ", \\fBwindsock-%s(7)\\fP", t.name)
			}
			b.WriteByte('\n')
		default:
			b.Write(plainOptions(page.Bytes(), cmd))
		}
		return err
	})
}

// ofCommand matches what the generator writes about a command, and a topic has not.
var ofCommand = regexp.MustCompile(`(?s)\.SH SYNOPSIS\n.*?\.SH DESCRIPTION\n+|\.SH OPTIONS\n.*`)

var (
	setApart = regexp.MustCompile(`(?m)(?:^  .*(?:\n|\z))+`)
	marks    = regexp.MustCompile("[\\\\`*_<>\\[\\]#|~]")
)

// markdown returns the plain text of --help as the Markdown that the generator takes: it
// shows each character, and keeps the lines that two spaces set apart.
func markdown(text string) string {
	var b strings.Builder
	end := 0
	for _, lines := range setApart.FindAllStringIndex(text, -1) {
		b.WriteString(marks.ReplaceAllString(text[end:lines[0]], `\$0`))
		fmt.Fprintf(&b, "\n```\n%s\n```\n", strings.TrimRight(text[lines[0]:lines[1]], "\n"))
		end = lines[1]
	}
	b.WriteString(marks.ReplaceAllString(text[end:], `\$0`))
	return b.String()
}

// optionHeading matches the generator's heading of an option, such as --at="" or
// --cached[=false], up to what the option does. People do not write options that way.
var optionHeading = regexp.MustCompile(`(?m)^(?:\.PP\n)?((?:\\fB-\w\\fP, )?\\fB--([\w-]+)\\fP)[=\[].*\n\t`)

// plainOptions heads a page's options as people write them, --at TIME and --cached,
// gives their defaults as --help does, and indents what they do.
func plainOptions(page []byte, cmd *cobra.Command) []byte {
	return optionHeading.ReplaceAllFunc(page, func(heading []byte) []byte {
		part := optionHeading.FindSubmatch(heading)
		flag := cmd.Flag(string(part[2]))
		if flag == nil {
			return heading
		}
		plain := append([]byte(".TP\n"), part[1]...)
		name, _ := pflag.UnquoteUsage(flag)
		switch {
		case name == "":
		case flag.NoOptDefVal != "":
			plain = fmt.Appendf(plain, `[=\fI%s\fP]`, name)
		default:
			plain = fmt.Appendf(plain, ` \fI%s\fP`, name)
		}
		if !slices.Contains([]string{"", "false", "0", "0s", "[]"}, flag.DefValue) {
			plain = fmt.Appendf(plain, " (default %s)", flag.DefValue)
		}
		return append(plain, '\n')
	})
}
