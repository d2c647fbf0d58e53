package msjo

import (
	"slices"
	"strings"
	"testing"
)

// TestTables is computed by hand: on an empty cluster job a ends at 1 + max(2 + 1, 3) + 4 = 8 and job b at 5. The
// shares are 2·8 and 0.5·9, or 2·(3 + 4 + 8) and 0.5·9 over the tasks.
func TestTables(t *testing.T) {
	in, s := fixture(t)
	for _, c := range []struct {
		in   *Instance
		want []string
	}{{in, []string{"a,2,1,8,1,8,16", "b,0.5,0,5,4,9,4.5"}}, {in.Under(TaskObjective),
		[]string{"a,2,1,8,1,8,30", "b,0.5,0,5,4,9,4.5"}}} {
		tables := c.in.Tables(s)
		if len(tables) != 1 || tables[0].Name != "jobs" || strings.Join(tables[0].Columns,
			",") != "job,weight,release,earliest,first_start,completion,objective_share" {
			t.Fatalf("%+v", tables)
		}
		var rows []string
		for row := range tables[0].Rows {
			rows = append(rows, strings.Join(row, ","))
		}
		if !slices.Equal(rows, c.want) {
			t.Errorf("%s: %q, want %q", c.in.Objective, rows, c.want)
		}
	}
}
