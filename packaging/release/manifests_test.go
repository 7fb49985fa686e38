package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestManifests(t *testing.T) {
	t.Parallel()
	const (
		scoop  = "scoop/windsock.json"
		cask   = "homebrew/Casks/windsock.rb"
		winget = "winget/manifests/w/Windsock/Windsock/1.2.3/Windsock.Windsock"
	)
	v, err := parseVersion("v1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	c := companions{version: v, manual: map[string][]byte{"windsock.1": nil, "windsock-ask.1": nil}}
	windows := []string{"windsock-1.2.3-windows-amd64.zip", "windsock-1.2.3-windows-arm64.zip"}
	for _, tt := range []struct {
		name  string
		there []string
		want  []string
	}{
		{"nothing", nil, nil},
		{"half", windows[:1], nil},
		{"windows", windows, []string{scoop, winget + ".yaml", winget + ".installer.yaml", winget + ".locale.en-US.yaml"}},
		{"mac", []string{"windsock-1.2.3-macos.zip"}, []string{cask}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			sums := make(map[string]string)
			for _, file := range tt.there {
				if err := os.WriteFile(filepath.Join(out, file), []byte(file), 0o600); err != nil {
					t.Fatal(err)
				}
				sums[file], _ = checksum(filepath.Join(out, file))
			}
			got, err := writeManifests(out, c)
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("written (-want +got), %v:\n%s", err, diff)
			}
			var all strings.Builder
			for _, file := range got {
				text, err := os.ReadFile(filepath.Join(out, file))
				if err != nil {
					t.Fatal(err)
				}
				all.Write(text)
			}
			if strings.Contains(all.String(), "SHA256(") || strings.Contains(all.String(), "{{") {
				t.Errorf("something was not filled in:\n%s", all.String())
			}
			if len(got) == 0 {
				return
			}
			for file, sum := range sums {
				if !strings.Contains(all.String(), sum) {
					t.Errorf("the checksum of %s is missing:\n%s", file, all.String())
				}
			}
		})
	}
}
