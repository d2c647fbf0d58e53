package solve

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"mrsched/io/engine"
	"mrsched/io/result"
	"mrsched/io/show"
	"mrsched/model"
	"mrsched/model/tier"
	"mrsched/solver"
)

// small opens the k-th small random instance of a problem under one of its variants.
func small(t *testing.T, p engine.Problem, k int, variant map[string]string) *Job {
	t.Helper()
	w, err := p.Small.Generate(rand.New(rand.NewPCG(1, uint64(k))), k)
	must(t, err)
	o := options(t, "")
	o.ProblemName = p.Name
	o.ReadWorkload = func(string) (*model.Workload, error) { return w, nil }
	o.ReadParams = func(list []solver.Param) (solver.Params, error) {
		stated := map[string]any{}
		for name, value := range variant {
			stated[name] = value
		}
		return engine.StatedParams(list, stated)
	}
	j, err := Open(o, "small.json")
	if err != nil {
		t.Skip(err)
	}
	return j
}

// names are the criteria, metrics and columns of a result.
func names(b *result.Bundle, into map[string]bool) {
	into[b.Result.Objective.Name] = true
	for name := range b.Result.Metrics {
		into[name] = true
	}
	for _, t := range b.Tables() {
		for _, c := range t.Columns {
			into[c] = true
		}
	}
	for r := range b.Rows.Each() {
		for _, c := range r.Columns {
			into[c.Name] = true
		}
	}
}

// TestJobTable solves small instances of all problems. Each job is in the table once, ends after its start, and its
// lateness agrees with its deadline. Names in descriptions occur in results.
func TestJobTable(t *testing.T) {
	tier.Slow(t)
	for _, p := range engine.Problems() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			occur := map[string]bool{}
			for k := range 6 {
				for _, variant := range append(p.Small.Variants, nil) {
					j := small(t, p, k, variant)
					b := produced(t, j)
					names(b, occur)
					checkJobs(t, j, b)
				}
			}
			for _, q := range p.Results.Quantities {
				if common := q.Name == "start" || q.Name == "end"; !common && !occur[q.Name] {
					t.Errorf("no result has %q, which the description of %s names", q.Name, p.Name)
				}
			}
		})
	}
}

func checkJobs(t *testing.T, j *Job, b *result.Bundle) {
	t.Helper()
	lines := j.jobLines(b)
	if len(lines) != len(j.W.Jobs) {
		t.Fatalf("%d lines of %d jobs", len(lines), len(j.W.Jobs))
	}
	sum := 0
	for _, l := range lines {
		if l.start != "" && (l.first > l.last || l.end == "") {
			t.Errorf("%+v", l)
		}
		if l.late.Value > 0 {
			sum++
		}
		if earliest, err := model.ParseTime(l.earliest); err == nil && l.end != "" && l.last < earliest {
			t.Errorf("job %s ends before its lower bound: %+v", l.id, l)
		}
	}
	if missed, ok := b.Result.Metrics["miss_rate"]; ok && (missed == model.Number("0")) != (sum == 0) {
		t.Errorf("%d jobs are late, miss rate %s", sum, missed)
	}
}

// TestImportantJobs: of many jobs the latest are listed, then the most costly.
func TestImportantJobs(t *testing.T) {
	var text bytes.Buffer
	o := options(t, "")
	o.Quiet, o.Stdout = true, show.Output{Writer: &text}
	j := open(t, o, "deadlines")
	b := produced(t, j)
	must(t, j.Display(b))
	if s := text.String(); !strings.Contains(s, "on time") || strings.Contains(s, "more job") {
		t.Errorf("%s", s)
	}
	late := func(id string, by model.Time, cost string) *jobLine {
		l := &jobLine{id: id, late: model.Some(by)}
		l.addCost(cost)
		return l
	}
	a, c, d := late("a", 0, "5"), late("c", model.Second, "1"), late("d", 0, "7")
	if moreImportant(c, a) >= 0 || moreImportant(d, a) >= 0 || moreImportant(c, d) >= 0 {
		t.Error("the latest goes first, then the most costly")
	}
}

// TestBest: the lower objective wins, then the first one; never one without a schedule.
func TestBest(t *testing.T) {
	made := func(value model.Number, rows bool) *result.Bundle {
		b := &result.Bundle{Result: &model.Result{Objective: &model.Objective{Value: value}}}
		if rows {
			b.Rows = func(func([]result.Row) bool) {}
		}
		return b
	}
	nine, ten, also, none := made("9", true), made("10", true), made("10", true), made("1", false)
	if Best(Best(nil, ten), nine) != nine || Best(ten, also) != ten || Best(nine, none) != nine || Best(nil, none) != nil {
		t.Error("another one is best")
	}
}

// TestDescriptions: units of times are stated, and abbreviations are explained.
func TestDescriptions(t *testing.T) {
	for _, p := range engine.Problems() {
		about := p.Results
		seen := map[string]bool{}
		for _, q := range about.Quantities {
			if seen[q.Name] {
				t.Errorf("%s describes %s twice", p.Name, q.Name)
			}
			seen[q.Name] = true
		}
		for _, name := range []string{about.When.Release, about.When.Due, about.When.Earliest, "start", "end"} {
			// Without releases, schedules do not use real time.
			if moment := about.Unit(name) == model.UnitMoment; name != "" && moment != (about.When.Release != "") {
				t.Errorf("%s: column %s is a point in time: %v", p.Name, name, moment)
			}
		}
		for _, c := range about.Criteria {
			if strings.HasPrefix(c.Name, "tw") && about.Quantity(c.Name).About == "" {
				t.Errorf("%s: %s is not explained", p.Name, c.Name)
			}
		}
	}
}
