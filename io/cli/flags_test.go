package cli

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"mrsched/io/grammar"
)

// invocations lists the words of every call of mrsched in the scripts and in the documents' console blocks.
func invocations(t *testing.T) [][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(scripts, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	var calls [][]string
	var lines []string
	for _, path := range files {
		lines = append(lines, strings.Split(readText(t, path), "\n")...)
	}
	for _, name := range readmeAndDocs(t) {
		all := strings.Split(readText(t, filepath.Join(root, name)), "\n")
		for _, b := range blocks(all) {
			if b.kind == "console" {
				lines = append(lines, all[b.first:b.last]...)
			}
		}
	}
	for _, line := range lines {
		for part := range strings.SplitSeq(line, "|") {
			words := strings.Fields(strings.ReplaceAll(strings.Trim(part, "'\n"), "bin/mrsched", "mrsched"))
			if i := slices.Index(words, "mrsched"); i >= 0 {
				calls = append(calls, words[i+1:])
			} else if i := slices.Index(words, "'mrsched"); i >= 0 { // sh -c 'mrsched …
				calls = append(calls, words[i+1:])
			}
		}
	}
	return calls
}

// TestEveryFlagIsRun requires that every flag of every command, under every name, is in some call.
func TestEveryFlagIsRun(t *testing.T) {
	calls := invocations(t)
	walkCommands((&session{}).app().Commands, nil, func(here []string, c *cli.Command) {
		for _, f := range c.Flags {
			for _, name := range f.Names() {
				if !called(calls, here, grammar.Dashed(name)) && name != "help" && name != "h" {
					t.Errorf("no script runs mrsched %s %s", strings.Join(here, " "), grammar.Dashed(name))
				}
			}
		}
		if len(c.Subcommands) == 0 && !called(calls, here, "") {
			t.Errorf("no script runs mrsched %s", strings.Join(here, " "))
		}
	})
	for _, name := range grammar.GlobalFlags {
		if !called(calls, nil, name) {
			t.Errorf("no script runs mrsched %s", name)
		}
	}
}

// called looks for a call of a command with a flag.
func called(calls [][]string, path []string, flag string) bool {
	return slices.ContainsFunc(calls, func(words []string) bool {
		if len(words) < len(path) || !slices.Equal(words[:len(path)], path) {
			return false
		}
		return flag == "" || slices.ContainsFunc(words[len(path):], func(w string) bool {
			return w == flag || strings.HasPrefix(w, flag+"=")
		})
	})
}
