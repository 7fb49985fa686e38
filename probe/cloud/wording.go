package cloud

import "fmt"

// Wording is what a person has to know before they allow a source, as paragraphs of plain
// text. It is said in full before the first byte, by the command and by the window. host may
// be "" where it stands in the sign-in alone and that was not read yet.
func (s Source) Wording(host string) []string {
	if s.Product == cursor {
		return s.wordingCursor()
	}
	return s.wordingWindsurf(host)
}

func (s Source) wordingWindsurf(host string) []string {
	to := host
	if host == "" {
		to = "the host that stands there, which you are shown first"
	}
	return []string{
		fmt.Sprintf("As delivered, Windsock talks to this computer alone. If you allow this, it reads the token of your sign-in from %s (%s) and sends it over https to %s, and to no one else: "+
			"every 10 minutes while no editor answers, at a command if the last answer is older than 5 minutes, and at once when you ask for newer figures.", s.File, s.App, to),
		"What comes back is your plan and what is left of it. Windsock keeps the plan's name, the figures, the resets and a salted hash of the account. " +
			"Where the service tells more (your name, e-mail address, team, list of models), Windsock throws that away at once.",
		wordingMemory,
		"The interface is not documented by Devin and may change, or be refused, on any day. Devin's terms apply to you as they do without Windsock, which is not made or endorsed by Devin. " +
			"On a company's account, ask the company first.",
		s.wordingOff(),
	}
}

func (s Source) wordingCursor() []string {
	return []string{
		fmt.Sprintf("As delivered, Windsock talks to this computer alone. If you allow this, it reads the token of your sign-in from %s (%s) and sends it over https to %s, and to no one else: "+
			"every 15 minutes, at a command if the last answer is older than 5 minutes, and at once when you ask for newer figures. Nothing else of this computer is sent.", s.File, s.App, hostCursor),
		"Cursor sees these requests: your IP address, the time, and the name Windsock.",
		wordingMemory,
		"The interface is not documented by Cursor and may change, or be refused, on any day. Cursor's terms forbid reverse engineering. Windsock is not made or endorsed by Cursor. " +
			"Accounts have been limited for other unofficial use; for reading what is left no such report is known.",
		"On a company's account, ask the company first: the figures may include what the team spends.",
		"Windsock keeps percentages, amounts, dates, the plan's name and a salted hash of the account: no e-mail address, no prompts, no code.",
		s.wordingOff(),
	}
}

const wordingMemory = "Windsock never writes, renews or stores the token. It holds it in memory for one question, and never logs it. Whoever has that token can use your account."

func (s Source) wordingOff() string {
	return "This is off until you allow it. Turn it off in the settings, or with the command windsock cloud deny " + s.Name + ": from then on nothing is read or sent."
}
