package words

import "windsock/usage"

// Headings names several plans, each as [Heading] does. Those that would be called the
// same are told apart by their marks, as in "Windsurf · Pro (3fa91c)".
func Headings(plans []usage.Snapshot, marks []string) []string {
	headings := make([]string, len(plans))
	count := map[string]int{}
	for i, s := range plans {
		headings[i] = Heading(s)
		count[headings[i]]++
	}
	for i, heading := range headings {
		if count[heading] > 1 && marks[i] != "" {
			headings[i] += " (" + marks[i] + ")"
		}
	}
	return headings
}
