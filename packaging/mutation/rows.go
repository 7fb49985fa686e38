package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// row is a row of SECURITY.md's tables: an attack, and the tests of its defence.
type row struct {
	attack string
	tests  []string
}

var testNames = regexp.MustCompile(`\b(?:Test|Fuzz)[A-Z]\w*`)

// rowsOf reads the rows with three cells from SECURITY.md's text.
func rowsOf(security string) []row {
	var rows []row
	for line := range strings.Lines(security) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 5 || strings.HasPrefix(cells[1], "---") || strings.TrimSpace(cells[1]) == "attack" {
			continue
		}
		rows = append(rows, row{attack: strings.TrimSpace(cells[1]), tests: testNames.FindAllString(cells[3], -1)})
	}
	return rows
}

// covered checks that the rows and the attacks are the same, with the same tests.
func covered(rows []row, attacks []attack) error {
	tests := map[string][]string{} // by attack
	for _, a := range attacks {
		for _, m := range a.mutations {
			for _, test := range m.tests {
				tests[a.name] = append(tests[a.name], testName(test))
			}
		}
	}
	var missing []error
	for _, r := range rows {
		if len(r.tests) == 0 {
			missing = append(missing, fmt.Errorf("SECURITY.md names no test for %q", r.attack))
		}
		for _, test := range r.tests {
			if !slices.Contains(tests[r.attack], test) {
				missing = append(missing, fmt.Errorf("no mutation shows that %s sees %q", test, r.attack))
			}
		}
		for _, test := range tests[r.attack] {
			if !slices.Contains(r.tests, test) {
				missing = append(missing, fmt.Errorf("SECURITY.md does not name %s for %q", test, r.attack))
			}
		}
		delete(tests, r.attack)
	}
	for name := range tests {
		missing = append(missing, fmt.Errorf("SECURITY.md has no row %q", name))
	}
	return errors.Join(missing...)
}
