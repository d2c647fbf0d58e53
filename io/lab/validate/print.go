package validate

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mrsched/io/show"
	"mrsched/io/textpos"
	"mrsched/model"
)

// Print prints the report: all of it as JSON, or its rows. People see two tables and the violations.
func (r *Report) Print(out show.Output) error {
	switch {
	case out.Format == show.FormatJSON:
		return r.Write(out)
	case out.ForRecords():
		t := r.table()
		add(t, "algorithm", r.Algorithms)
		add(t, "bound", r.Bounds)
		return out.Print(t)
	}
	algorithms, bounds := r.table(), r.table()
	add(algorithms, "", r.Algorithms)
	add(bounds, "", r.Bounds)
	for i, title := range []string{"MEAN GAP", "WORST GAP"} {
		algorithms.Columns[5+i].Unit, algorithms.Columns[5+i].Title = model.UnitRatio, title
	}
	bounds.Columns[1].Title, bounds.Columns[4].Title = "BOUND", "TIGHT"
	for _, t := range []*show.Table{algorithms, bounds.Without("guarantee_used")} {
		if err := out.Print(t.Without("kind").Filled()); err != nil {
			return err
		}
	}
	for _, v := range r.Violations {
		if _, err := fmt.Fprintf(out, "instance %d, %s: %s\n", v.Instance, v.Algorithm, textpos.Visible(v.What)); err != nil {
			return err
		}
	}
	return nil
}

// table has no rows yet. Mean and worst are ratios of costs to the optimum, or the bounds' shares of it.
func (r *Report) table() *show.Table {
	count := func(name string, rank int) show.Column { return show.Column{Name: name, Whole: true, Rank: rank} }
	share := func(name string, rank int) show.Column {
		return show.Column{Name: name, Unit: model.UnitShare, Mode: model.RoundUp, Rank: rank}
	}
	return &show.Table{Columns: []show.Column{{Name: "kind"}, {Name: "name", Title: "ALGORITHM"},
		{Name: "parameters", Rank: 3}, count("instances", 2), count("optimal", 0), share("mean", 0), share("worst", 0),
		count("worst_instance", 4), share("guarantee_used", 1), count("violations", 0)}}
}

// add adds rows.
func add(t *show.Table, kind string, rows []row) {
	for _, x := range rows {
		var parameters []string
		for _, name := range slices.Sorted(maps.Keys(x.Parameters)) {
			parameters = append(parameters, name+"="+x.Parameters[name])
		}
		t.Add(kind, x.Name, strings.Join(parameters, " "), strconv.Itoa(x.Instances), strconv.Itoa(x.Optimal),
			string(x.Mean), string(x.Worst), strconv.Itoa(x.WorstAt), string(x.GuaranteeUsed), strconv.Itoa(x.Violations))
	}
}
