package system

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const macServer = "/Applications/Windsurf - Next.app/Contents/Resources/app/extensions/windsurf/bin/language_server_macos_arm"

// appleStrings are what the kernel of macOS 15 writes after the environment.
var appleStrings = []string{
	"ptr_munge=", "main_stack=", "executable_file=0x1a01000010,0x1f2b3c4", "dyld_file=0x1a01000010,0xfffffff000a1b2c",
	"executable_cdhash=00112233445566778899aabbccddeeff00112233", "arm64e_abi=os", "th_port=",
}

// procArgs2 formats a value like sysctl_procargsx: padded after the path and before the
// kernel's strings, to whole words.
func procArgs2(count int, path string, args, environ, kernel []string) []byte {
	strs := path + "\x00"
	pad := func() { strs += strings.Repeat("\x00", -len(strs)&7) }
	pad()
	for _, s := range slices.Concat(args, environ) {
		strs += s + "\x00"
	}
	if kernel != nil {
		pad()
	}
	for _, s := range kernel {
		strs += s + "\x00"
	}
	return append(binary.LittleEndian.AppendUint32(nil, uint32(count)), strs...)
}

func TestParseProcArgs(t *testing.T) {
	t.Parallel()
	args := []string{macServer, "--ide_name", "windsurf-next", "", "--windsurf_version=1.2.3", "a b"}
	environ := []string{"HOME=/Users/jo", "WINDSURF_CSRF_TOKEN=token", "EMPTY="}
	type result struct {
		Path          string
		Args, Environ []string
		Err           error
	}
	tests := []struct {
		name string
		data []byte
		want result
	}{
		{"whole", procArgs2(len(args), macServer, args, environ, appleStrings), result{macServer, args, slices.Concat(environ, appleStrings), nil}},
		{"path_of_whole_words", procArgs2(1, "/1234567/901234", []string{"x"}, environ, nil), result{"/1234567/901234", []string{"x"}, environ, nil}},
		{"hardened", procArgs2(len(args), macServer, args, nil, nil), result{macServer, args, nil, ErrHardened}},
		{"empty_environment", procArgs2(len(args), macServer, args, nil, appleStrings), result{macServer, args, appleStrings, nil}},
		// sysctl_procargs_no_read of XNU: a program may ask at its signing not to be read.
		{"not_to_be_read", []byte("\x01\x00\x00\x00/x/y\x00\x00/x/y\x00"), result{"/x/y", []string{"/x/y"}, nil, ErrHardened}},
		// Here gopsutil took the first variable for an argument (its issue 2082).
		{"empty_last_argument", procArgs2(2, "/x", []string{"x", ""}, environ, nil), result{"/x", []string{"x", ""}, environ, nil}},
		{"text_that_is_no_utf8", procArgs2(2, "/x", []string{"x", "caf\xe9"}, environ, nil), result{"/x", []string{"x", "caf\xe9"}, environ, nil}},
		{"padding_at_the_end", append(procArgs2(1, "/x", []string{"x"}, nil, nil), 0, 0), result{"/x", []string{"x"}, nil, ErrHardened}},
		{"no_arguments", procArgs2(0, "/x", nil, environ, nil), result{"/x", nil, environ, nil}},
		{"empty", nil, result{Err: errProcArgs}},
		{"count_only", []byte{1, 0, 0, 0}, result{Err: errProcArgs}},
		{"no_path", procArgs2(1, "", []string{"x"}, nil, nil), result{Err: errProcArgs}},
		{"too_many_arguments", procArgs2(9, "/x", []string{"x", "y"}, nil, nil), result{Err: errProcArgs}},
		{"negative_count", procArgs2(-1, "/x", []string{"x"}, environ, nil), result{Err: errProcArgs}},
		{"cut_off_in_an_argument", procArgs2(2, "/x", []string{"x", "long"}, nil, nil)[:16], result{Err: errProcArgs}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			found, err := parseProcArgs(tt.data)
			got := result{found.path, found.args, found.environ, err}
			if err == nil {
				got.Err = found.environErr()
			}
			if diff := cmp.Diff(tt.want, got, cmp.Comparer(errors.Is)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// FuzzProcArgs2: for any value there is no panic, the number of arguments is right, and
// no environment is made up.
func FuzzProcArgs2(f *testing.F) {
	f.Add(procArgs2(3, macServer, []string{macServer, "", "--csrf_token=a"}, []string{"WINDSURF_CSRF_TOKEN=b"}, appleStrings))
	f.Add(procArgs2(1, "/x", []string{"x"}, nil, nil))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, '/', 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		found, err := parseProcArgs(data)
		if err != nil {
			return
		}
		if want := binary.LittleEndian.Uint32(data); uint64(len(found.args)) != uint64(want) {
			t.Errorf("%d arguments of %d", len(found.args), want)
		}
		used := 4 + len(found.path) + 1
		for _, s := range slices.Concat(found.args, found.environ) {
			if used += len(s) + 1; !strings.Contains(string(data), s) {
				t.Errorf("%q is not in %q", s, data)
			}
		}
		if used > len(data)+1 { // the last string may lack its NUL
			t.Errorf("%d bytes of %d", used, len(data))
		}
	})
}
