package app

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// project is where the papers lie.
const project = "../.."

// documents are those that a reader comes to first, and the pages of the help.
var documents = append([]string{"README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "UNTRIED.md"}, helpPages()...)

func helpPages() []string {
	names := make([]string, len(topics))
	for i, topic := range topics {
		names[i] = "tray/app/help/" + topic.name + ".md"
	}
	return names
}

func document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(project, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	noSlug  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors are what a link can name in a text, as GitHub has it.
func anchors(text string) map[string]bool {
	all := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(text, -1) {
		all[strings.ReplaceAll(strings.ToLower(noSlug.ReplaceAllString(h[1], "")), " ", "-")] = true
	}
	return all
}

// TestDocumentLinks: each link that stays in the tree leads to something.
func TestDocumentLinks(t *testing.T) {
	t.Parallel()
	for _, name := range documents {
		for _, l := range link.FindAllStringSubmatch(document(t, name), -1) {
			if strings.Contains(l[1], "://") {
				continue
			}
			file, anchor, anchored := strings.Cut(l[1], "#")
			if file == "" {
				file = filepath.Base(name)
			}
			file = filepath.Join(filepath.Dir(name), file)
			if _, err := os.Stat(filepath.Join(project, file)); err != nil {
				t.Errorf("%s links to %s: %v", name, l[1], err)
			} else if anchored && !anchors(document(t, file))[anchor] {
				t.Errorf("%s links to %s, and there is no such heading", name, l[1])
			}
		}
	}
}

var (
	testName = regexp.MustCompile(`\b(?:Test|Fuzz)[A-Z]\w*`)
	testFunc = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
)

// TestDocumentTests: each test that a document names is there.
func TestDocumentTests(t *testing.T) {
	t.Parallel()
	there := map[string]bool{}
	err := filepath.WalkDir(project, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, f := range testFunc.FindAllSubmatch(text, -1) {
			there[string(f[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range documents {
		for _, test := range testName.FindAllString(document(t, name), -1) {
			if !there[test] {
				t.Errorf("%s names %s, which is not there", name, test)
			}
		}
	}
}

var required = regexp.MustCompile(`(?m)^\t(\S+) v\S+$`)

// TestDocumentDependencies: each module that the code imports has its row.
func TestDocumentDependencies(t *testing.T) {
	t.Parallel()
	contributing := document(t, "CONTRIBUTING.md")
	modules := required.FindAllStringSubmatch(document(t, "go.mod"), -1) // without those that are indirect
	if len(modules) < 20 {
		t.Fatalf("found %d modules only", len(modules))
	}
	for _, m := range modules {
		name := m[1]
		if host, rest, _ := strings.Cut(name, "/"); host == "golang.org" {
			name = rest // they share a row
		}
		if !strings.Contains(contributing, name) {
			t.Errorf("CONTRIBUTING.md has no row for %s", m[1])
		}
	}
}

var (
	uses   = regexp.MustCompile(`(?m)^\s*(?:- )?uses: *(.*)$`)
	pinned = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
)

// TestWorkflowsArePinned: what else runs in CI is named by its commit, with the
// version behind it. A tag can be moved.
func TestWorkflowsArePinned(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(project, ".github/workflows/*"))
	if err != nil || len(files) < 2 {
		t.Fatalf("workflows: %q, %v", files, err)
	}
	for _, file := range files {
		file, _ = filepath.Rel(project, file)
		found := uses.FindAllStringSubmatch(document(t, file), -1)
		if len(found) == 0 {
			t.Errorf("%s uses nothing", file)
		}
		for _, f := range found {
			if !pinned.MatchString(f[1]) {
				t.Errorf("%s uses %s, which is not a commit with its version", file, f[1])
			}
		}
	}
}

var (
	fenced = regexp.MustCompile("(?ms)^```\n(.*?)^```$")
	named  = regexp.MustCompile("(?m)(?:`|^)([\\w/]+\\.(?:go|js|sh|mjs))(?:`| )")
	// variantOf is the end of a file's name that has the part of a system, or of a build.
	variantOf = regexp.MustCompile(`_(?:linux|darwin|windows|unix|none)\.go$`)
)

// TestHouse: CONTRIBUTING's map has each directory of Go files but those for tests, in a
// line of its own or its parent's, and none that is not there. Its list has each file of
// this package, and all files that it names are there.
func TestHouse(t *testing.T) {
	t.Parallel()
	contributing := document(t, "CONTRIBUTING.md")
	blocks := fenced.FindAllStringSubmatch(contributing, 2)
	if len(blocks) != 2 {
		t.Fatalf("found %d lists only", len(blocks))
	}
	told := map[string]string{} // what is told of a directory
	var above []string
	for line := range strings.Lines(blocks[0][1]) {
		name, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !strings.HasSuffix(name, "/") { // goes on, or a file
			told[strings.Join(above, "/")] += line
			continue
		}
		above = append(above[:(len(line)-len(strings.TrimLeft(line, " ")))/2], strings.TrimSuffix(name, "/"))
		dir := strings.Join(above, "/")
		told[dir] = text
		if info, err := os.Stat(filepath.Join(project, dir)); err != nil || !info.IsDir() {
			t.Errorf("the house has no %s", dir)
		}
	}
	var files []string
	err := filepath.WalkDir(project, func(file string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(project, file)
		switch name = filepath.ToSlash(name); {
		case err != nil || d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || d.Name() == ".git"):
			return cmp.Or(err, fs.SkipDir)
		case d.IsDir():
			return nil
		}
		files = append(files, name)
		dir := path.Dir(name)
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasSuffix(dir, "test") {
			return nil
		}
		if _, listed := told[dir]; dir != "." && !listed && !strings.Contains(told[path.Dir(dir)], path.Base(dir)+"/") {
			told[dir] = "" // once
			t.Errorf("the house lacks %s", dir)
		}
		if dir == "tray/app" && !strings.Contains(blocks[1][1], variantOf.ReplaceAllString(d.Name(), ".go")) {
			t.Errorf("the files of tray/app lack %s", d.Name())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range named.FindAllStringSubmatch(contributing, -1) {
		if !slices.ContainsFunc(files, func(file string) bool { return strings.HasSuffix("/"+file, "/"+n[1]) }) {
			t.Errorf("there is no %s", n[1])
		}
	}
}
