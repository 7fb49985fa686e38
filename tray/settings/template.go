package settings

import "strings"

// template is a file with every key commented out.
func (f File[T]) template() (string, error) {
	var text strings.Builder
	text.WriteString(`# Windsock's settings. Every key is here with its default, behind a #.
# Remove the # to change a value. "windsock config --check" checks the file.
`)
	section := ""
	defaults := f.Defaults()
	for _, s := range settingsOf(&defaults) {
		if s.section != section {
			section = s.section
			text.WriteString("\n[" + section + "]\n")
		}
		value, err := s.inTOML()
		if err != nil {
			return "", err
		}
		text.WriteString("# " + s.tag.Get("comment") + "\n# It takes " + s.takesInFile() + ".\n#" + s.key + " = " + value + "\n")
	}
	return text.String(), nil
}

// hasComments reports whether the text has a comment that the template lacks.
func (f File[T]) hasComments(text []byte) bool {
	ours, err := f.template()
	if err != nil {
		return true
	}
	known := map[string]bool{}
	for line := range strings.Lines(ours) {
		known[strings.TrimSpace(line)] = true
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.Contains(line, "#") && !known[line] {
			return true
		}
	}
	return false
}
