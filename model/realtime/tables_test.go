package realtime

import (
	"slices"
	"strings"
	"testing"
)

// TestTables follows TestDeadlineMisses and TestReduceMakespan: x is due at 10 and ends at 7, y is due at 5 and ends at
// 12, z has no deadline; of phases alone, which z has none of, x ends at 3 and y at 13.
func TestTables(t *testing.T) {
	for _, c := range []struct {
		goal Goal
		rows []row
		want []string
	}{
		{Deadlines, labRows, []string{"x,,0,10,0,7,3,0,0", "y,,2,5,2,12,-7,7,1", "z,,3,,3,4,,,"}},
		{Partitions, labPhases, []string{"x,,0,,0,3,,,", "y,,2,,3,13,,,", "z,,3,,,,,,"}},
	} {
		in := lab(t, Options{Goal: c.goal})
		tables := in.Tables(in.scheduled(t, c.rows))
		if len(tables) != 1 || tables[0].Name != "jobs" || strings.Join(tables[0].Columns,
			",") != "job,class,arrival,deadline,first_start,completion,laxity,tardiness,late" {
			t.Fatalf("%+v", tables)
		}
		var rows []string
		for r := range tables[0].Rows {
			rows = append(rows, strings.Join(r, ","))
		}
		if !slices.Equal(rows, c.want) {
			t.Errorf("%s: %q, want %q", c.goal, rows, c.want)
		}
	}
}
