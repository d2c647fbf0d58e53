package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"mrsched/io/artifact"
	"mrsched/io/diff"
	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/model"
)

// gitAttributes is the head of what --git-attributes prints; patterns and drivers follow.
const gitAttributes = `# How git shows results of mrsched. Run these commands once in every clone:
#
# git config diff.mrsched.textconv 'mrsched diff --textconv --'
# git config diff.mrsched.xfuncname '^job .*'
# git config difftool.mrsched.cmd 'mrsched diff -- "$LOCAL" "$REMOTE"'
#
# From then on git diff, git log -p and git show have a line for each task, below its job, and each fact of a result.
# git difftool -t mrsched -y prints what changed in short, as mrsched diff does.

`

// gitAttributesText is a ready .gitattributes.
func gitAttributesText() string {
	var b strings.Builder
	line := func(pattern, what string) { fmt.Fprintf(&b, "%-20s %s\n", pattern, what) }
	b.WriteString(gitAttributes)
	b.WriteString("# mrsched check compares files byte by byte: git must not change line ends.\n")
	line("*.csv", "-text")
	line("*.json", "-text")
	b.WriteString("\n")
	line(result.ScheduleFile, "diff=mrsched")
	line(model.ResultFile, "diff=mrsched")
	line("*.json.gz", "diff=mrsched")
	b.WriteString("\n# Proofs, and tables in which most lines change with a schedule: git only says that they differ.\n")
	line(result.CertificateFile, "-diff")
	var bulky []string
	for _, d := range engine.Descriptions() {
		bulky = append(bulky, d.Bulky...)
	}
	slices.Sort(bulky)
	for _, name := range slices.Compact(bulky) {
		line(name+".csv", "-diff")
	}
	return b.String()
}

// forGit does what the flags for git ask for; done is false if there are none.
func (s *session) forGit(c *cli.Context) (done bool, err error) {
	switch {
	case c.Bool("git-attributes"):
		if _, err := arguments(c); err != nil {
			return true, err
		}
		_, err := fmt.Fprint(s.stdout, gitAttributesText())
		return true, err
	case c.Bool("textconv"):
		args, err := arguments(c, "FILE")
		if err != nil {
			return true, err
		}
		if engine.IsDir(args[0]) {
			return true, engine.Usagef("%s is a directory: name a file in it", artifact.Titled(args[0]))
		}
		if info, err := os.Stat(args[0]); err == nil && args[0] != os.DevNull && !info.Mode().IsRegular() {
			return true, model.NewInputError(model.Finding{Code: model.CodeUnreadable, Pos: model.Position{File: args[0]},
				What: "cannot be read: not a regular file", Expected: "a file of a result"})
		}
		return true, diff.WriteStable(s.stdout, args[0], engine.Descriptions())
	}
	return false, nil
}
