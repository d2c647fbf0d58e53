package cli

import (
	"testing"

	"mrsched/io/grammar"
)

// TestVariables: flags have different variables, and no command redefines a flag that is allowed anywhere.
func TestVariables(t *testing.T) {
	program := described((&session{}).app())
	byVariable := map[string]string{}
	program.Walk(func(path []string, c *grammar.Command) {
		for _, f := range c.Flags {
			v, name := grammar.Variable(path, f.Names[0]), c.Name+" "+f.Names[0]
			if other, taken := byVariable[v]; taken {
				t.Errorf("%s is %s and %s", v, name, other)
			}
			if byVariable[v] = name; !program.Variables()[v] {
				t.Errorf("%s is unknown", v)
			}
		}
	})
	if byVariable["MRSCHED_GENERATE_MSJO_MAP_TIME"] == "" {
		t.Error("no variable of a sub-command")
	}
}
