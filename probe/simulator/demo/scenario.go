package demo

import (
	"fmt"
	"strings"

	"windsock/probe/say"
	"windsock/probe/simulator"
	"windsock/probe/simulator/account"
)

// A scenario is what a demo simulates: editors that run at once, or sign-ins without an
// editor, whose figures come from the makers' own services.
type scenario struct {
	name, about string
	editors     []editor
	signIns     []serviceSignIn
}

// An editor is a running editor, or Antigravity, with a signed-in user.
type editor struct {
	// ideName and dataDir are the editor's flag and its directory below .config; both
	// are empty for Antigravity, whose server holds the sign-in itself.
	ideName, dataDir string
	config           simulator.Config
	// app is as in simulator.Options; agent says that the app brings one.
	app   string
	agent bool
}

// scenarios are those of one account of Windsurf, then those of more.
func scenarios() []scenario {
	several := []scenario{
		{
			name: "two_accounts", about: "Windsurf with a Teams plan, Windsurf Next with another account's Pro",
			editors: []editor{windsurf("teams_credits"), next("pro_low")},
		},
		{
			name: "antigravity", about: "Antigravity alone, Google AI Pro",
			editors: []editor{antigravity("pro")},
		},
		{
			name: "family", about: "Windsurf, Windsurf Next with another account, and Antigravity",
			editors: []editor{windsurf("quota_plan_on_top"), next("quota_tight"), antigravity("pro")},
		},
		{
			name: "cloud", about: "Devin's command line without an editor, by a simulated service",
			signIns: []serviceSignIn{devinCLI("quota_tight")},
		},
		{
			name: "cursor", about: "Cursor, by a simulated service",
			signIns: []serviceSignIn{cursor("individual")},
		},
		{
			name: "agent", about: "Devin Desktop without Cascade, but with an agent for prompts",
			editors: []editor{desktop("quota_plan_on_top")},
		},
	}
	accounts := account.Scenarios()
	all := make([]scenario, 0, len(accounts)+len(several))
	for _, a := range accounts {
		all = append(all, scenario{name: a.Name, about: a.About, editors: []editor{windsurf(a.Name)}})
	}
	return append(all, several...)
}

func windsurf(name string) editor {
	return editor{ideName: "windsurf", dataDir: "Windsurf", config: simulator.Config{Scenario: name, Cascade: demoCascades}}
}

// desktop is a new Devin Desktop, whose server has no Cascade any more.
func desktop(name string) editor {
	return editor{
		ideName: "windsurf", dataDir: "Devin", app: simulator.DesktopApp(), agent: true,
		config: simulator.Config{Scenario: name, Cascade: simulator.Cascade{Retired: simulator.RetiredUnimplemented}},
	}
}

// next is Windsurf Next with another account, and no old cascades.
func next(name string) editor {
	return editor{ideName: "windsurf-next", dataDir: "Windsurf - Next", config: simulator.Config{
		Scenario: name, Account: "sam", Cascade: simulator.Cascade{PanelReady: true},
	}}
}

func antigravity(name string) editor {
	return editor{config: simulator.Config{Antigravity: simulator.AntigravityApp, Scenario: name}}
}

// lookUp returns the scenario of that name.
func lookUp(name string) (scenario, error) {
	all := scenarios()
	names := make([]string, 0, len(all))
	for _, s := range all {
		if s.name == name {
			return s, nil
		}
		names = append(names, s.name)
	}
	return scenario{}, say.Usage("unknown scenario %q, want one of %s", name, strings.Join(names, ", "))
}

// speed makes a time-lapse show a window of the first editor's plan in a minute. It is 0
// for a scenario without an editor: a service is not asked often enough for one.
func (s scenario) speed() (float64, error) {
	if len(s.editors) == 0 {
		return 0, nil
	}
	config := s.editors[0].config
	if config.Antigravity != "" {
		a, err := account.AntigravityNamed(config.Scenario)
		return a.Speed(), err
	}
	a, err := account.Named(config.Scenario)
	return a.Speed(), err
}

func scenarioTable() string {
	var table strings.Builder
	for _, s := range scenarios() {
		fmt.Fprintf(&table, "  %-24s %s\n", s.name, s.about)
	}
	return table.String()
}
