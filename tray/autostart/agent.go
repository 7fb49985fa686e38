package autostart

import (
	"path/filepath"
	"slices"
)

// agentLabel is what launchd calls the agent; its file is named after it.
const agentLabel = "windsock.autostart"

// The keys of a launch agent (launchd.plist(5)) that decide over a start at login.
const (
	keyLabel     = "Label"
	keyProgram   = "Program"
	keyArguments = "ProgramArguments"
	keyRunAtLoad = "RunAtLoad"
	keySession   = "LimitLoadToSessionType"
	keyDisabled  = "Disabled"
)

const rawTrue = "<true/>"

// fixedItems are the keys of an agent that do not depend on the program.
// Interactive keeps launchd from slowing down what draws in the menu bar, and Aqua
// from starting it in a login over the network, where there is none.
var fixedItems = []plistItem{
	{keyLabel, rawString(agentLabel)},
	{keyRunAtLoad, rawTrue},
	{"ProcessType", rawString("Interactive")},
	{keySession, rawString("Aqua")},
}

// newAgent is an agent that starts the program.
func newAgent(p program) (*propertyList, error) {
	a := &propertyList{}
	a.set(keyLabel, rawString(agentLabel))
	if err := setAgentProgram(a, p); err != nil {
		return a, err
	}
	for _, item := range fixedItems {
		a.set(item.key, item.raw)
	}
	return a, nil
}

func setAgentProgram(a *propertyList, p program) error {
	if !isXML(p.words()) {
		return unwritable("it is not plain text")
	}
	a.remove(keyProgram)
	a.set(keyArguments, rawArray(p.words()))
	return nil
}

// agentCommand returns what the agent starts at login, or nil.
func agentCommand(a *propertyList) []string {
	if a.text(keyLabel) == "" || a.isTrue(keyDisabled) || !a.isTrue(keyRunAtLoad) || !inAqua(a) {
		return nil
	}
	words := a.texts(keyArguments)
	if path := a.text(keyProgram); path != "" { // wins over the name in the arguments
		return append([]string{path}, words[min(1, len(words)):]...)
	}
	return words
}

// inAqua tells whether launchd loads the agent in a login with windows, which it
// does where nothing is said.
func inAqua(a *propertyList) bool {
	return a.raw(keySession) == "" || slices.Contains(a.texts(keySession), "Aqua")
}

// switchAgentOn changes as little as makes the agent start the program.
func switchAgentOn(a *propertyList, p program) error {
	a.remove(keyDisabled)
	a.set(keyRunAtLoad, rawTrue)
	if a.text(keyLabel) == "" {
		a.set(keyLabel, rawString(agentLabel))
	}
	if !inAqua(a) {
		a.set(keySession, rawString("Aqua"))
	}
	if p.runBy(agentCommand(a)) {
		return nil
	}
	return setAgentProgram(a, p)
}

// plainAgent tells whether there is nothing in the agent but what this package
// writes, for whatever executable.
func plainAgent(a *propertyList, p program) bool {
	return !slices.ContainsFunc(a.items, func(i plistItem) bool {
		switch i.key {
		case keyDisabled:
			return false
		case keyArguments:
			words := a.texts(keyArguments)
			return len(words) == 0 || !slices.Equal(words[1:], p.args)
		default:
			return !slices.Contains(fixedItems, i)
		}
	})
}

// agentPlace is the directory of a user's launch agents on macOS.
type agentPlace struct{ dir string } // "" where none is known

func newAgentPlace(getenv func(string) string) agentPlace {
	home := getenv("HOME")
	if !filepath.IsAbs(home) {
		return agentPlace{}
	}
	return agentPlace{filepath.Join(home, "Library", "LaunchAgents")}
}

func (agentPlace) where() string { return "the directory ~/Library/LaunchAgents" }

func (l agentPlace) read() (entryFile, *propertyList, error) {
	if l.dir == "" {
		return entryFile{}, &propertyList{}, errNoHome
	}
	e, err := readEntry(filepath.Join(l.dir, agentLabel+".plist"))
	if err != nil || !e.found {
		return e, &propertyList{}, err
	}
	a, err := parsePropertyList(e.content)
	return e, a, err
}
