package autostart

import (
	"encoding/xml"
	"strings"
)

// agentFormat is a launch agent of macOS (launchd.plist(5)).
var agentFormat = fileFormat{
	name: agentLabel + ".plist", dir: "~/Library/LaunchAgents",
	write: writeAgent, command: agentCommand,
}

// agentLabel is what launchd calls the agent; its file is named after it.
const agentLabel = "windsock.autostart"

// Interactive keeps launchd from slowing down a program that draws in the menu bar.
// Aqua keeps it from starting the program in a network login, which has no menu bar.
const (
	agentHead = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>` + agentLabel + `</string>
	<key>ProgramArguments</key>
	<array>
		<string>`
	agentFoot = `</string>
	</array>
	<key>RunAtLoad</key>
	<true/>
	<key>ProcessType</key>
	<string>Interactive</string>
	<key>LimitLoadToSessionType</key>
	<string>Aqua</string>
</dict>
</plist>
`
)

func writeAgent(executable string) (string, error) {
	var escaped strings.Builder
	if err := xml.EscapeText(&escaped, []byte(executable)); err != nil {
		return "", err
	}
	return agentHead + escaped.String() + agentFoot, nil
}

// agentCommand returns the program that an agent starts. It is "" if the agent is
// disabled or no XML: another program may have converted it to the binary form.
func agentCommand(content []byte) string {
	var list struct {
		Dict struct {
			Elements []struct {
				XMLName xml.Name `xml:""`
				Text    string   `xml:",chardata"`
				Strings []string `xml:"string"`
			} `xml:",any"`
		} `xml:"dict"`
	}
	if xml.Unmarshal(content, &list) != nil {
		return ""
	}
	command, key := "", ""
	for _, element := range list.Dict.Elements {
		switch {
		case element.XMLName.Local == "key":
			key = element.Text
		case key == "Disabled" && element.XMLName.Local == "true":
			return ""
		case key == "ProgramArguments" && len(element.Strings) > 0:
			command = element.Strings[0]
		}
	}
	return command
}
