package cli

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mrsched/io/grammar"
)

// flagUse is a flag as one command, or one problem, has it.
type flagUse struct {
	where string
	grammar.Flag
}

// TestCommandsDocument generates docs/commands.md: the commands, and their flags, each once in its table.
func TestCommandsDocument(t *testing.T) {
	program := described((&session{}).app())
	var list strings.Builder
	list.WriteString("| command | |\n|---|---|\n")
	tables := map[string][]flagUse{}
	program.Walk(func(path []string, c *grammar.Command) {
		name := strings.Join(path, " ")
		if c.Usage == "" {
			t.Errorf("%s has no description", name)
		}
		if len(path) == 1 || path[0] == "sweep" {
			arguments := strings.ReplaceAll(" "+c.Arguments, "|", `\|`)
			fmt.Fprintf(&list, "| `%s` | %s |\n", strings.TrimSpace(name+arguments), c.Usage)
		}
		for _, f := range c.Flags {
			if f.Usage == "" {
				t.Errorf("%s: flag --%s has no description", name, f.Names[0])
			}
			table, where := "flags", name
			switch {
			case len(path) == 2 && path[0] != "sweep":
				where = path[0]
				if !slices.ContainsFunc(tables["flags"], func(u flagUse) bool { return u.Usage == f.Usage }) {
					table, where = "made", path[1]
				}
			case len(f.Topics) > 0:
				table, where = "problems", strings.Join(f.Topics, ", ")
			}
			tables[table] = append(tables[table], flagUse{where, f})
		}
	})
	regions := map[string]string{"commands": list.String()}
	for table, uses := range tables {
		regions[table] = flagTable(uses)
	}
	document(t, "docs/commands.md", regions)
}

// flagTable has a row for each flag, with what it does and its default. Where commands differ, they are named.
func flagTable(uses []flagUse) string {
	var b strings.Builder
	b.WriteString("| flag | of | default | |\n|---|---|---|---|\n")
	for len(uses) > 0 {
		f := uses[0].Flag
		var own, others []flagUse
		for _, u := range uses {
			if u.Names[0] == f.Names[0] {
				own = append(own, u)
			} else {
				others = append(others, u)
			}
		}
		var names, where []string
		for _, n := range f.Names {
			names = append(names, "`"+grammar.Dashed(n)+"`")
		}
		for _, u := range own {
			if !slices.Contains(where, u.where) {
				where = append(where, u.where)
			}
		}
		escaped := strings.NewReplacer("|", `\|`, "`", "")
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", strings.Join(names, ", "), strings.Join(where, ", "),
			escaped.Replace(differing(own, func(f grammar.Flag) string {
				if f.Volatile {
					return "all"
				}
				return f.Default
			})), escaped.Replace(differing(own, func(f grammar.Flag) string { return f.Usage })))
		uses = others
	}
	return b.String()
}

// differing is a text of all uses of a flag or, if they differ, one for each that has one.
func differing(uses []flagUse, text func(grammar.Flag) string) string {
	var texts []string
	where := map[string][]string{}
	for _, u := range uses {
		x := text(u.Flag)
		if !slices.Contains(texts, x) {
			texts = append(texts, x)
		}
		if !slices.Contains(where[x], u.where) {
			where[x] = append(where[x], u.where)
		}
	}
	if len(texts) == 1 {
		return texts[0]
	}
	var parts []string
	for _, x := range texts {
		if x != "" {
			parts = append(parts, strings.Join(where[x], ", ")+": "+x)
		}
	}
	return strings.Join(parts, "; ")
}
