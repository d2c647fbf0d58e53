package realtime

import (
	"slices"
	"strings"
	"testing"

	"mrsched/model"
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
		{Partitions, labPhases, []string{"x,,,,0,3,,,", "y,,,,3,13,,,", "z,,,,,,,,"}},
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

// TestPhasesKnowNoReleases: under goal partitions a job that arrives at 500 s is done when its last row ends, at 6 s,
// and its deadline shows nowhere. Under goal deadlines both count.
func TestPhasesKnowNoReleases(t *testing.T) {
	for _, c := range []struct {
		goal Goal
		done model.Time
		due  string
		row  string
	}{
		{Partitions, 6 * model.Second, "", "x,,,,0,6,,,"},
		{Deadlines, 500 * model.Second, "520", "x,,500,520,0,500,20,0,0"},
	} {
		in := opened(t, Options{Goal: c.goal}, func(b *input) {
			b.node("A", 1, 1, 1)
			b.job(model.Job{ID: "x", Release: 500 * model.Second, Deadline: model.Some(20 * model.Second)})
			b.task("x", model.Task{ID: "r", Kind: model.Reduce, Processing: model.Some(6 * model.Second)})
		})
		s := in.scheduled(t, []row{{"r", "A/r1", 0, 6}}) // too early under goal deadlines, which Ends does not mind
		if e := in.Ends(s); e.Job[0] != c.done || e.Last != 6*model.Second {
			t.Errorf("%s: %+v", c.goal, e)
		}
		if cells := in.Cells(s.Entries[0]); cells[1] != c.due {
			t.Errorf("%s: due %q", c.goal, cells[1])
		}
		for r := range in.Tables(s)[0].Rows {
			if got := strings.Join(r, ","); got != c.row {
				t.Errorf("%s: %s, want %s", c.goal, got, c.row)
			}
		}
	}
}
