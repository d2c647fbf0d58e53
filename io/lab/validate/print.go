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
		t := r.table(func(string) bool { return true })
		return out.Print(t)
	}
	algorithms := r.table(func(kind string) bool { return kind == kindAlgorithm })
	algorithms.Columns[5].Unit, algorithms.Columns[5].Title = model.UnitRatio, "MEAN GAP"
	algorithms.Columns[6].Unit, algorithms.Columns[6].Title = model.UnitRatio, "WORST GAP"
	bounds := r.table(func(kind string) bool { return kind == kindBound }).Without("guarantee_used")
	bounds.Columns[1].Title, bounds.Columns[4].Title = "BOUND", "TIGHT"
	for _, t := range []*show.Table{algorithms, bounds} {
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

// What a row of the report's table is about.
const (
	kindAlgorithm = "algorithm"
	kindBound     = "bound"
)

// table has the rows of some kinds. Mean and worst are ratios of costs to the optimum, or the bounds' shares of it.
func (r *Report) table(wanted func(kind string) bool) *show.Table {
	count := func(name string, rank int) show.Column { return show.Column{Name: name, Whole: true, Rank: rank} }
	share := func(name string, mode model.Rounding, rank int) show.Column {
		return show.Column{Name: name, Unit: model.UnitShare, Mode: mode, Rank: rank}
	}
	t := &show.Table{Columns: []show.Column{{Name: "kind"}, {Name: "name", Title: "ALGORITHM"},
		{Name: "parameters", Rank: 3}, count("instances", 2), count("optimal", 0), share("mean", model.RoundUp, 0),
		share("worst", model.RoundUp, 0), count("worst_instance", 4), share("guarantee_used", model.RoundUp, 1),
		count("violations", 0)}}
	if wanted(kindAlgorithm) {
		for _, x := range r.Rows {
			t.Add(kindAlgorithm, x.Name, stated(x.Parameters), strconv.Itoa(x.Instances), strconv.Itoa(x.Optimal),
				string(x.Mean), string(x.Worst), strconv.Itoa(x.WorstAt), string(x.GuaranteeUsed), strconv.Itoa(x.Violations))
		}
	}
	if wanted(kindBound) {
		for _, x := range r.Bounds {
			t.Add(kindBound, x.Method, stated(x.Parameters), strconv.Itoa(x.Bounds), strconv.Itoa(x.Tight),
				string(x.Mean), string(x.Worst), strconv.Itoa(x.WorstAt), "", strconv.Itoa(x.Violations))
		}
	}
	return t
}

// stated lists parameters by name.
func stated(parameters map[string]string) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		list = append(list, name+"="+parameters[name])
	}
	return strings.Join(list, " ")
}
