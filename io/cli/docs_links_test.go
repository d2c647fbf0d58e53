package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/urfave/cli/v2"
)

// markdown lists the repository's documents, as paths from its root.
func markdown(t *testing.T) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "results" || name == "bin") {
			return fs.SkipDir
		}
		if filepath.Ext(name) == ".md" {
			relative, err := filepath.Rel(root, path)
			list = append(list, relative)
			return err
		}
		return nil
	})
	if err != nil || len(list) < 5 {
		t.Fatal(list, err)
	}
	return list
}

var (
	linkPattern    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	headingPattern = regexp.MustCompile(`(?m)^#{1,6} +(.+)$`)
	fencePattern   = regexp.MustCompile("(?ms)^```.*?^```")
	spanPattern    = regexp.MustCompile("`[^`\n]+`")
	flagPattern    = regexp.MustCompile(`(?:^|[\s\[(` + "`" + `])--([a-z][a-z0-9-]*)`)
	entryPattern   = regexp.MustCompile(`(?m)^(?:\*\*|\| )([A-Z][0-9]{3})\b`) // of docs/errors.md
	codePattern    = regexp.MustCompile(`\b[FVRSTK][1-6][0-9]{2}\b`)
)

// anchors are the names under which a document's headings can be linked to.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	for _, m := range headingPattern.FindAllStringSubmatch(fencePattern.ReplaceAllString(text, ""), -1) {
		slug := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(m[1]))
		found[slug] = true
	}
	return found
}

// TestLinks follows every link inside the documents.
func TestLinks(t *testing.T) {
	followed := 0
	for _, name := range markdown(t) {
		text := fencePattern.ReplaceAllString(readText(t, filepath.Join(root, name)), "")
		for _, m := range linkPattern.FindAllStringSubmatch(text, -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			followed++
			path := filepath.Join(root, name)
			if target != "" {
				path = filepath.Join(filepath.Dir(path), target)
			}
			if inside, err := filepath.Rel(root, path); err != nil || !filepath.IsLocal(inside) {
				t.Errorf("%s links to %s, which is outside the repository", name, m[1])
				continue
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s links to %s, which is not there", name, m[1])
				continue
			}
			if anchor != "" && !anchors(readText(t, path))[anchor] {
				t.Errorf("%s links to %s, which has no such heading", name, m[1])
			}
		}
	}
	if followed == 0 {
		t.Error("no link was followed")
	}
}

// otherFlags are flags of other programs in the documents.
var otherFlags = []string{"array", "check", "dependency", "ext-diff", "ignore-missing", "no-symlinks", "parsable",
	"remove-architecture", "rm", "time"}

// TestNamedFlags: every flag that README and docs/ name is one of mrsched's commands'.
func TestNamedFlags(t *testing.T) {
	known := []string{"help", "version"}
	walkCommands((&session{}).app().Commands, nil, func(_ []string, c *cli.Command) {
		for _, f := range c.Flags {
			known = append(known, f.Names()...)
		}
	})
	for _, name := range markdown(t) {
		if name == "CHANGELOG.md" || strings.HasPrefix(name, "deploy") {
			continue
		}
		text := readText(t, filepath.Join(root, name))
		for _, part := range append(fencePattern.FindAllString(text, -1),
			spanPattern.FindAllString(fencePattern.ReplaceAllString(text, ""), -1)...) {
			for _, m := range flagPattern.FindAllStringSubmatch(part, -1) {
				if !slices.Contains(known, m[1]) && !slices.Contains(otherFlags, m[1]) {
					t.Errorf("%s names --%s, which no command has", name, m[1])
				}
			}
		}
	}
}

// documentedCodes are the codes that docs/errors.md explains.
func documentedCodes(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{}
	for _, m := range entryPattern.FindAllStringSubmatch(readText(t, filepath.Join(root, "docs/errors.md")), -1) {
		known[m[1]] = true
	}
	return known
}

// TestNamedCodes: docs/errors.md explains every code in the documents and in the source.
func TestNamedCodes(t *testing.T) {
	known := documentedCodes(t)
	files := append(markdown(t), "model/codes.go", "model/schedule.go")
	for _, name := range files {
		for _, code := range codePattern.FindAllString(readText(t, filepath.Join(root, name)), -1) {
			if !known[code] {
				t.Errorf("%s names %s, which docs/errors.md does not explain", name, code)
			}
		}
	}
}

// walkCommands visits all commands that are not hidden, with the names that lead to them.
func walkCommands(list []*cli.Command, path []string, visit func(path []string, c *cli.Command)) {
	for _, c := range list {
		if c.Hidden {
			continue
		}
		here := append(slices.Clone(path), c.Name)
		visit(here, c)
		walkCommands(c.Subcommands, here, visit)
	}
}
