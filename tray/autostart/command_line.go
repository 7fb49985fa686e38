package autostart

import (
	"strings"
	"unicode/utf16"
)

// maxRun is the longest command line, in UTF-16 units, that Windows promises to
// start from a Run key (Microsoft, Run and RunOnce Registry Keys).
const maxRun = 260

// joinCommandLine writes a command line of Windows. The path of the program is
// always quoted: without that, Windows tries C:\Program first for one in
// C:\Program Files.
func joinCommandLine(words []string) (string, error) {
	control := func(r rune) bool { return r < ' ' }
	if !isText(words) || strings.ContainsFunc(strings.Join(words, ""), control) || strings.Contains(words[0], `"`) {
		return "", unwritable("it is not plain text")
	}
	quoted := []string{`"` + words[0] + `"`}
	for _, word := range words[1:] {
		quoted = append(quoted, quoteWindows(word))
	}
	line := strings.Join(quoted, " ")
	if len(utf16.Encode([]rune(line))) > maxRun {
		return "", unwritable("it is longer than Windows takes there")
	}
	return line, nil
}

// quoteWindows quotes an argument for CommandLineToArgvW: a quote takes a backslash,
// and backslashes are doubled where a quote follows them.
func quoteWindows(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\"") {
		return word
	}
	var b strings.Builder
	b.WriteByte('"')
	slashes := 0
	for i := range len(word) {
		switch word[i] {
		case '\\':
			slashes++
		case '"':
			b.WriteString(strings.Repeat(`\`, slashes+1))
			slashes = 0
		default:
			slashes = 0
		}
		b.WriteByte(word[i])
	}
	b.WriteString(strings.Repeat(`\`, slashes) + `"`)
	return b.String()
}

// splitCommandLine reads a command line as CommandLineToArgvW does. In the first
// word, the program, a backslash is nothing special.
func splitCommandLine(line string) []string {
	line = strings.TrimLeft(line, " \t")
	if line == "" {
		return nil
	}
	var first string
	if rest, quoted := strings.CutPrefix(line, `"`); quoted {
		first, line, _ = strings.Cut(rest, `"`)
	} else {
		end := strings.IndexAny(line, " \t")
		if end < 0 {
			end = len(line)
		}
		first, line = line[:end], line[end:]
	}
	words := []string{first}
	for {
		line = strings.TrimLeft(line, " \t")
		if line == "" {
			return words
		}
		var word string
		word, line = nextWindowsArgument(line)
		words = append(words, word)
	}
}

func nextWindowsArgument(line string) (word, rest string) {
	var b strings.Builder
	slashes, quoted := 0, false
	for i := 0; i < len(line); i++ {
		c := line[i]
		if c == '\\' {
			slashes++
			continue
		}
		if c != '"' {
			b.WriteString(strings.Repeat(`\`, slashes))
			slashes = 0
			if !quoted && (c == ' ' || c == '\t') {
				return b.String(), line[i:]
			}
			b.WriteByte(c)
			continue
		}
		b.WriteString(strings.Repeat(`\`, slashes/2))
		escaped := slashes%2 == 1
		slashes = 0
		switch {
		case escaped:
			b.WriteByte('"')
		case quoted && i+1 < len(line) && line[i+1] == '"': // two quotes inside are one
			b.WriteByte('"')
			i++
		default:
			quoted = !quoted
		}
	}
	b.WriteString(strings.Repeat(`\`, slashes))
	return b.String(), ""
}

// switchedOff reads what Task Manager and Settings note about an entry: an odd
// first byte is off (3, followed by the time), an even one or nothing at all is on.
func switchedOff(approval []byte) bool {
	return len(approval) > 0 && approval[0]&1 == 1
}
