package cli

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"mrsched/io/grammar"
)

// TestCommandsDocument generates docs/commands.md: every command and every flag, as in --help.
func TestCommandsDocument(t *testing.T) {
	var b strings.Builder
	app := (&session{stdout: io.Discard, stderr: io.Discard}).app()
	walkCommands(app.Commands, nil, func(path []string, c *cli.Command) {
		name := strings.Join(path, " ")
		if c.Usage == "" {
			t.Errorf("%s has no description", name)
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n", name, upper(strings.TrimSuffix(c.Usage, ".")))
		if len(c.Subcommands) > 0 {
			var names []string
			for _, sub := range c.Subcommands {
				names = append(names, sub.Name)
			}
			fmt.Fprintf(&b, "\nOf: %s.\n", strings.Join(names, ", "))
		}
		if c.ArgsUsage != "" {
			fmt.Fprintf(&b, "\n    mrsched %s %s\n", name, c.ArgsUsage)
		}
		describeFlags(t, &b, name, c.Flags)
	})
	b.WriteString("\n")
	document(t, "docs/commands.md", map[string]string{"commands": b.String()})
}

// describeFlags writes the table of a command's flags.
func describeFlags(t *testing.T, b *strings.Builder, command string, flags []cli.Flag) {
	t.Helper()
	head := "\n| flag | default | |\n|---|---|---|\n"
	for _, f := range flags {
		d, ok := f.(cli.DocGenerationFlag)
		if !ok {
			t.Fatalf("%s: a flag of kind %T", command, f)
		}
		if v, ok := f.(cli.VisibleFlag); ok && !v.IsVisible() {
			continue
		}
		if d.GetUsage() == "" {
			t.Errorf("%s: flag --%s has no description", command, f.Names()[0])
		}
		var names []string
		for _, n := range f.Names() {
			names = append(names, "`"+grammar.Dashed(n)+"`")
		}
		value := documentedDefault(f, d)
		usage := strings.NewReplacer("|", `\|`, "`", "").Replace(d.GetUsage())
		if c, ok := f.(cli.CategorizableFlag); ok && c.GetCategory() != "" {
			usage += " (" + c.GetCategory() + ")"
		}
		fmt.Fprintf(b, "%s| %s | %s | %s |\n", head, strings.Join(names, ", "), value, usage)
		head = ""
	}
}

// documentedDefault is a flag's default where it is the same on every machine.
func documentedDefault(f cli.Flag, d cli.DocGenerationFlag) string {
	if f.Names()[0] == flagThreads.Name {
		return "all"
	}
	switch f.(type) {
	case *cli.BoolFlag:
		return ""
	case *cli.IntFlag, *cli.Int64Flag, *cli.Uint64Flag, *cli.Float64Flag:
		if text := d.GetDefaultText(); text != "" {
			return strings.Trim(text, `"`)
		}
		return strings.Trim(d.GetValue(), `"`)
	}
	return strings.ReplaceAll(strings.Trim(d.GetDefaultText(), `"`), "|", `\|`)
}
