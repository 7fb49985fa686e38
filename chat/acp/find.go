package acp

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"windsock/chat"
)

// RootOf is the directory of an editor's code, told from the path of its language
// server; "" if the server lies elsewhere. An agent's program may be below it.
func RootOf(languageServer string) string {
	bin := filepath.Dir(languageServer)
	root, ok := strings.CutSuffix(bin, filepath.Join(string(filepath.Separator), "extensions", "windsurf", "bin"))
	if !ok {
		return ""
	}
	return root
}

// choose returns the first path at which there is a program. It passes over one that
// everybody may replace. The error is a *chat.Failure.
func (p Profile) choose(paths []string) (string, error) {
	unsafe := false
	for _, path := range paths {
		switch {
		case !executable(path):
		case !guarded(path):
			unsafe = true
		default:
			return path, nil
		}
	}
	if unsafe {
		return "", &chat.Failure{
			Code: chat.AgentUnsafe, App: p.name, Says: "Windsock does not start the agent of %[1]s: everybody may write to its directory",
			Cure: "Change the permissions of that directory, then ask again.",
		}
	}
	return "", &chat.Failure{Code: chat.AgentMissing, App: p.name, Cure: p.install}
}

// candidates are the absolute paths at which the agent's program may be, the preferred
// one first: beside an editor of roots, beside an installed editor, on the PATH, in the
// usual directories.
func (p Profile) candidates(roots []string) []string {
	if p.editors != nil {
		roots = append(slices.Clone(roots), p.editors()...)
	}
	paths := p.belowRoots(roots)
	for _, program := range p.programs {
		if found, err := exec.LookPath(program); err == nil {
			paths = append(paths, found)
		}
	}
	// A desktop's PATH is short.
	if home, err := os.UserHomeDir(); err == nil {
		paths = append(paths, p.in(filepath.Join(home, ".local", "bin"))...)
	}
	paths = append(paths, p.in("/opt/homebrew/bin")...)
	paths = append(paths, p.in("/usr/local/bin")...)
	return slices.DeleteFunc(paths, func(path string) bool { return !filepath.IsAbs(path) })
}

// belowRoots are the paths beside editors.
func (p Profile) belowRoots(roots []string) (paths []string) {
	if p.beside == nil {
		return nil
	}
	for _, root := range roots {
		paths = append(paths, p.in(filepath.Join(append([]string{root}, p.beside...)...))...)
	}
	return paths
}

// in returns the program's possible names in a directory.
func (p Profile) in(dir string) (paths []string) {
	for _, program := range p.programs {
		if strings.ContainsAny(program, `/\`) {
			continue // a person's own path
		}
		path := filepath.Join(dir, program)
		if runtime.GOOS != "windows" {
			paths = append(paths, path)
			continue
		}
		for _, ending := range []string{".exe", ".cmd"} {
			paths = append(paths, path+ending)
		}
	}
	return paths
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
}
