package probe

import (
	"strings"
	"testing"

	"windsock/probe/system"
)

// Command lines of the editors' servers, and the variants that own them.
func TestVariantOwns(t *testing.T) {
	t.Parallel()
	const (
		windsurf = "/usr/share/windsurf/resources/app/extensions/windsurf/bin/language_server_linux_x64"
		next     = "/Applications/Windsurf - Next.app/Contents/Resources/app/extensions/windsurf/bin/language_server_macos_arm"
	)
	tests := []struct{ name, path, args, owner, app string }{
		{"windsurf", windsurf, "--run_child --ide_name windsurf --csrf_token a", "windsurf", "Windsurf"},
		{"flag_with_equals", windsurf, "--ide_name=windsurf", "windsurf", "Windsurf"},
		{"next_by_flag", windsurf, "--ide_name windsurf-next", "windsurf-next", "Windsurf Next"},
		{"next_by_path", next, "", "windsurf-next", "Windsurf Next"},
		{"insiders", windsurf, "--ide_name windsurf-insiders", "windsurf-insiders", "Windsurf Insiders"},
		{"windsurf_by_path", windsurf, "--run_child", "windsurf", "Windsurf"},
		{"devin_keeps_the_name", "/opt/devin-desktop/resources/app/extensions/windsurf/bin/language_server_linux_x64", "--ide_name windsurf", "windsurf", "Devin Desktop"},
		{"devin_on_windows", `C:\Users\Jo\AppData\Local\Programs\Devin\resources\app\extensions\windsurf\bin\language_server_windows_x64.exe`, "--ide_name windsurf", "windsurf", "Devin Desktop"},
		{"mixed_slashes_and_case", `c:\Program Files/WINDSURF\Resources\app/extensions/windsurf\bin\Language_Server_Windows_x64.EXE`, "", "windsurf", "Windsurf"},
		{"next_on_windows_by_path", `C:\Users\Zoë Q\AppData\Local\Programs\Windsurf - Next\resources\app\extensions\windsurf\bin\language_server_windows_x64.exe`, "", "windsurf-next", "Windsurf Next"},
		{"devin_next_bundle", "/Applications/Devin - Next.app/Contents/Resources/app/extensions/windsurf/bin/language_server_macos_arm", "", "windsurf-next", "Devin Next"},
		{"bundle_in_home", "/Users/jo/Contents/Apps/Windsurf.app/Contents/Resources/app/extensions/windsurf/bin/language_server_macos_x64", "", "windsurf", "Windsurf"},
		{"translocated_bundle", "/private/var/folders/x/T/AppTranslocation/0F/d/Windsurf.app/Contents/Resources/app/extensions/windsurf/bin/language_server_macos_arm", "--ide_name windsurf", "windsurf", "Windsurf"},
		{"layout_inside_another", "/srv/resources/app/opt/windsurf/resources/app/extensions/windsurf/bin/language_server_linux_x64", "", "windsurf", "Windsurf"},
		{"devin_next_by_path", "/usr/share/devin-desktop-next/resources/app/bin/language_server_linux_x64", "", "windsurf-next", "Devin Next"},
		{"unknown_place_known_flag", "/nix/store/x/bin/language_server_linux_x64", "--ide_name windsurf", "windsurf", "Windsurf (Devin Desktop)"},
		{"unknown_place_no_flag", "/nix/store/x/bin/language_server_linux_x64", "", "", ""},
		{"no_prefix_match", windsurf, "--ide_name windsurf-nextgen", "", ""},
		{"eu", "/x/language_server", "--ide_name windsurf-eu", "windsurf-eu", "Windsurf EU"},
		{"fed", windsurf, "--ide_name=windsurf-fed", "windsurf-fed", "Windsurf Fed"},
		{"secure_by_path", "/usr/share/windsurf-secure/resources/app/extensions/windsurf/bin/language_server_linux_x64", "", "windsurf-secure", "Windsurf Secure"},
		{"dev", windsurf, "--ide_name windsurf-dev", "windsurf-dev", "Windsurf Dev"},
		{"no_such_region", windsurf, "--ide_name windsurf-us", "", ""},
		{"flag_beats_path", "/tmp/windsurf/language_server", "--ide_name antigravity", "antigravity", "Antigravity"},
		{"flag_beats_path_other_way", "/tmp/antigravity/language_server", "--ide_name windsurf", "windsurf", "Windsurf (Devin Desktop)"},
		{"antigravity_by_path", "/opt/antigravity/resources/app/extensions/windsurf/bin/language_server_linux_x64", "", "antigravity", "Antigravity"},
		{"antigravity_extension_by_path", "/opt/windsurf/resources/app/extensions/antigravity/bin/language_server_linux_x64", "", "antigravity", "Antigravity IDE"},
		{"antigravity_in_the_home", "/home/jo/.gemini/antigravity-ide/bin/language_server_linux_x64", "", "antigravity", "Antigravity IDE"},
		{"antigravity_override", "/x/language_server", "--standalone --override_ide_name antigravity --app_data_dir antigravity", "antigravity", "Antigravity"},
		{"antigravity_override_beats_name", windsurf, "--ide_name windsurf --override_ide_name antigravity", "antigravity", "Antigravity"},
		{"antigravity_data_dir", windsurf, "--ide_name windsurf --app_data_dir antigravity-ide", "antigravity", "Antigravity IDE"},
		{"antigravity_data_dir_by_path", windsurf, "--ide_name windsurf --app_data_dir /home/jo/.gemini/antigravity", "", ""},
		{"antigravity_user", "/home/antigravity/windsurf/resources/app/extensions/windsurf/bin/language_server_linux_x64", "", "windsurf", "Windsurf"},
		{"gemini_is_no_bundle", "/opt/gemini/bin/language_server", "", "", ""},
		{"extension_path_is_no_app", "/opt/other/resources/app/extensions/windsurf/bin/language_server_linux_x64", "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := system.NewProcess(1, 1, tt.path, strings.Fields(tt.args), nil, nil)
			owner, app := "", ""
			for _, v := range Variants() {
				if v.owns(p) {
					owner += v.ID
					app = v.appName(p)
				}
			}
			if owner != tt.owner || app != tt.app {
				t.Errorf("owner %q, app %q; want %q, %q", owner, app, tt.owner, tt.app)
			}
		})
	}
}

func TestLookupVariant(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"windsurf": "Windsurf (Devin Desktop)", "windsurf-next": "Windsurf Next", "next": "Windsurf Next", "insiders": "Windsurf Insiders",
		"eu": "Windsurf EU", "antigravity": "Antigravity", "": "", "Windsurf": "", "windsurf-antigravity": "",
	} {
		v, ok := LookupVariant(id)
		if v.Name != want || ok != (want != "") {
			t.Errorf("LookupVariant(%q) = %q, %v", id, v.Name, ok)
		}
	}
}

// FuzzProcess feeds argv and environ as the kernel returns them. For any content there
// is no panic, and a token or an ide_name is a part of it.
func FuzzProcess(f *testing.F) {
	f.Add([]byte("language_server\x00--ide_name\x00windsurf\x00--csrf_token=a\x00"), []byte("WINDSURF_CSRF_TOKEN=b\x00"))
	f.Add([]byte("--ide_name=\x00--ide_name"), []byte("=\x00WINDSURF_CSRF_TOKEN"))
	f.Add([]byte{0, 0, 0xff}, []byte{0})
	f.Fuzz(func(t *testing.T, argv, environ []byte) {
		p := system.NewProcess(1, 1, "/x", strings.Split(string(argv), "\x00"), strings.Split(string(environ), "\x00"), nil)
		if token := p.Token.Reveal(); token != "" &&
			!strings.Contains(string(environ), "WINDSURF_CSRF_TOKEN="+token) && !strings.Contains(string(argv), token) {
			t.Errorf("token %q stands in neither %q nor %q", token, argv, environ)
		}
		owners := 0
		for _, v := range variants {
			if v.owns(p) {
				owners++
				if !strings.Contains(string(argv), v.ideName) {
					t.Errorf("%s owns %q", v.ID, argv)
				}
			}
		}
		if owners > 1 {
			t.Errorf("%d variants own %q", owners, argv)
		}
	})
}
