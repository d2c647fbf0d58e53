package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"mrsched/io/result"
	"mrsched/model"
	"mrsched/model/hta"
	"mrsched/model/multitenant"
	"mrsched/model/realtime"
	"mrsched/model/reduceplace"
	"mrsched/model/shop"
)

// drawnJob is a job of a random instance: its weight, in millionths, and its tasks.
type drawnJob struct {
	id     string
	weight int64
	tasks  []string
}

func drawJobs(t *rapid.T) (jobs []drawnJob) {
	for j := range rapid.IntRange(1, 4).Draw(t, "jobs") {
		job := drawnJob{id: fmt.Sprintf("j%d", j), weight: rapid.Int64Range(0, 3_000_000).Draw(t, "weight")}
		for u := range rapid.IntRange(1, 5).Draw(t, "tasks") {
			job.tasks = append(job.tasks, fmt.Sprintf("%s.%d", job.id, u))
		}
		jobs = append(jobs, job)
	}
	return jobs
}

// drawRows makes a schedule: some tasks have no row, some have several.
func drawRows(t *rapid.T, problem string, jobs []drawnJob) []result.Row {
	rows := []result.Row{}
	for _, job := range jobs {
		for _, id := range job.tasks {
			for range rapid.SampledFrom([]int{0, 1, 1, 1, 1, 1, 2, 3}).Draw(t, "rows") {
				start := model.Time(rapid.Int64Range(0, 3).Draw(t, "start"))
				r := result.Row{Task: id, Job: job.id, Kind: "map",
					Machine: rapid.SampledFrom([]string{"m1", "m2"}).Draw(t, "machine"), Start: start, End: start + model.Time(rapid.Int64Range(0, 2).Draw(t, "length"))}
				switch problem {
				case problemHTA:
					r.Columns = cells("block", "b", columnLocality, rapid.SampledFrom([]string{"node", "rack", "remote"}).Draw(t,
						"locality"))
				case problemReducePlace:
					r.Columns = cells("node", "n", "arrival", "0", "slot_cost", "1", columnCost,
						rapid.SampledFrom([]string{"0", "1.5", "0.000001", "9000000000000.5"}).Draw(t, "cost"))
				}
				rows = append(rows, r)
			}
		}
	}
	return rows
}

// inParts gives rows in parts of a size, in memory that is used again.
func inParts(all []result.Row, size int) result.Rows {
	return func(yield func([]result.Row) bool) {
		for some := range slices.Chunk(all, size) {
			some = slices.Clone(some)
			if !yield(some) {
				return
			}
			clear(some)
		}
	}
}

// drawSide makes a result of a schedule. Its objective is the sum of the jobs' shares.
func drawSide(t *rapid.T, name, problem string, jobs []drawnJob) *result.Side {
	rows := drawRows(t, problem, jobs)
	sum, makespan := new(big.Rat), model.Time(0)
	ends := map[string]model.Time{}
	cost := new(big.Rat)
	for _, r := range rows {
		ends[r.Job] = max(ends[r.Job], r.End)
		makespan = max(makespan, r.End)
		if c := decimal(r.Columns.Text(columnCost)); c != nil {
			cost.Add(cost, c)
		}
	}
	var lines [][]string
	for _, j := range jobs {
		share := new(big.Rat).Mul(big.NewRat(j.weight, 1_000_000), big.NewRat(int64(ends[j.id]), int64(model.Second)))
		sum.Add(sum, share)
		lines = append(lines, []string{j.id, ends[j.id].String(), string(model.ExactNumber(share))})
	}
	r := &model.Result{Format: model.ResultFormat, Problem: problem, Algorithm: rapid.SampledFrom([]string{"a",
		"b"}).Draw(t, "algorithm"), Status: model.StatusFeasible,
		Instance: model.InstanceSummary{SHA256: "0", Jobs: len(jobs), Tasks: 9, Machines: 2}, Parameters: map[string]any{},
		Seed:    rapid.Uint64Range(0, 2).Draw(t, "seed"),
		Metrics: map[string]any{"x": json.Number(strconv.Itoa(rapid.IntRange(-2, 2).Draw(t, "x")))}}
	b := &result.Bundle{Result: r, Rows: inParts(rows, rapid.IntRange(1, 4).Draw(t, "part"))}
	s := &result.Side{Known: known, Name: name, Problem: problem, Bundle: b, Schedule: fmt.Sprint(rows),
		Digests: map[string]string{}}
	switch problem {
	case problemMSJO:
		r.Objective = &model.Objective{Name: objectiveTWJCT, Value: exactText(sum)}
		s.Digests["jobs.csv"] = fmt.Sprint(lines)
	case problemReducePlace:
		r.Objective = &model.Objective{Name: objectiveFetching, Value: exactText(cost)}
	default:
		r.Objective = &model.Objective{Name: objectiveMakespan, Value: model.Number(makespan.String())}
	}
	return s
}

func drawPair(t *rapid.T) (a, b *result.Side) {
	problem := rapid.SampledFrom([]string{problemMSJO, problemHTA, problemReducePlace, problemMultitenant}).Draw(t,
		"problem")
	jobs := drawJobs(t)
	other := rapid.Permutation(jobs).Draw(t, "order")
	return drawSide(t, "a", problem, jobs), drawSide(t, "b", problem, other)
}

func diffed(t rapid.TB, a, b *result.Side, keep int) *Difference {
	t.Helper()
	d, err := Results(a, b, keep, 0)
	try(t, err)
	return d
}

// read is the document of a difference.
func read(t rapid.TB, d *Difference) map[string]any {
	t.Helper()
	var text bytes.Buffer
	try(t, d.WriteJSON(&text))
	decoder := json.NewDecoder(&text)
	decoder.UseNumber()
	var doc map[string]any
	try(t, decoder.Decode(&doc))
	return doc
}

// TestDiff compares random results of one instance.
func TestDiff(t *testing.T) {
	schema := schemaOf(t)
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawPair(t)
		d := diffed(t, a, b, 0)
		document := read(t, d)
		judgeSame(t, a)
		judgeMoved(t, a, b, d)
		judgeKept(t, document, read(t, diffed(t, a, b, 2)))
		if diff := cmp.Diff(mirrored(document), mirrored(mirrored(read(t, diffed(t, b, a, 0))))); diff != "" {
			t.Errorf("with the sides swapped, not just old and new and the signs of changes are swapped: %s", diff)
		}
		if rapid.Bool().Draw(t, "other input") {
			b.Bundle.Result.Instance.SHA256 = "other"
		}
		switch rapid.IntRange(0, 3).Draw(t, "form") {
		case 1: // rows alone
			a = &result.Side{Known: known, Name: "rows", Problem: a.Problem, Bundle: &result.Bundle{Rows: a.Bundle.Rows},
				Schedule: a.Schedule}
		case 2: // nothing
			b = &result.Side{Known: known, Name: "nothing", Bundle: &result.Bundle{Rows: result.RowsOf([]result.Row{})},
				Nothing: true}
		case 3: // result.json alone
			a.Partial, a.Bundle.Rows = true, nil
		}
		if err := schema.Validate(read(t, diffed(t, a, b, 0))); err != nil {
			t.Error(err)
		}
	})
}

// judgeSame: nothing differs from itself.
func judgeSame(t *rapid.T, a *result.Side) {
	d := diffed(t, a, a, 0)
	if !d.Same || d.Verdict != VerdictEqual {
		t.Errorf("%+v", d)
	}
	for _, s := range d.Sections {
		if len(s.Rows) > 0 || slices.ContainsFunc(s.Values, func(v Value) bool { return v.differs() }) {
			t.Errorf("%+v", s)
		}
	}
}

// mirrored is a document with its sides swapped and its changes negated.
func mirrored(v any) any {
	other := map[string]string{"old": "new", "earlier": "later", "less_load": "more_load", "added": "removed",
		"better": "worse"}
	for a, b := range maps.Clone(other) {
		other[b] = a
	}
	switch v := v.(type) {
	case map[string]any:
		m := map[string]any{}
		for key, x := range v {
			x = mirrored(x)
			if n, ok := x.(json.Number); ok && key == "change" && n != "0" {
				x = json.Number(strings.TrimPrefix("-"+string(n), "--"))
			}
			if text, ok := x.(string); ok && (key == "change" || key == "verdict") && other[text] != "" {
				x = other[text]
			}
			if to, ok := other[key]; ok {
				key = to
			}
			m[key] = x
		}
		return m
	case []any:
		var list []any
		for _, x := range v {
			list = append(list, mirrored(x))
		}
		// Jobs that change alike stand in the order of the old side.
		slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		return list
	}
	return v
}

// judgeMoved compares the counts with those of a map of all rows of a task.
func judgeMoved(t *rapid.T, a, b *result.Side, d *Difference) {
	rowsBy := func(side *result.Side) map[string][]result.Row {
		by := map[string][]result.Row{}
		for some := range side.Bundle.Rows.All() {
			for _, r := range some {
				by[r.Task] = append(by[r.Task], r)
			}
		}
		return by
	}
	// summary has the machines of a task, its first start, and all of its places.
	summary := func(rows []result.Row) (machines map[string]bool, first model.Time, places string) {
		machines, first = map[string]bool{}, rows[0].Start
		for _, r := range rows {
			machines[r.Machine] = true
			first = min(first, r.Start)
			places += fmt.Sprintln(r.Machine, r.Start, r.End)
		}
		return machines, first, places
	}
	old, new := rowsBy(a), rowsBy(b)
	want := map[string]int{}
	count := func(name string, is bool) {
		if is {
			want[name]++
		}
	}
	listed := 0
	for id, was := range old {
		is := new[id]
		want[countAll]++
		if is == nil {
			want[countRemoved]++
			want[countMoved]++
			continue
		}
		machines, first, places := summary(was)
		otherMachines, otherFirst, otherPlaces := summary(is)
		count(countMachine, !cmp.Equal(machines, otherMachines))
		count(countEarlier, otherFirst < first)
		count(countLater, otherFirst > first)
		count(countMoved, places != otherPlaces)
		count(countChanged, fmt.Sprint(was[0].Columns) != fmt.Sprint(is[0].Columns) ||
			places == otherPlaces && fmt.Sprint(was) != fmt.Sprint(is))
		if fmt.Sprint(was) != fmt.Sprint(is) {
			listed++
		}
	}
	for id := range new {
		if old[id] == nil {
			want[countAll]++
			want[countAdded]++
			want[countMoved]++
		}
	}
	listed += want[countAdded] + want[countRemoved]
	s := d.section(SectionTasks)
	if s == nil {
		s = &Section{}
		want = nil
	}
	if diff := cmp.Diff(want, s.Counts); diff != "" || s.Counts == nil && listed > 0 || len(s.Rows) != listed {
		t.Errorf("%d of %d listed; %s", len(s.Rows), listed, diff)
	}
}

// judgeKept: a short list is the head of the long one, and counts do not depend on it.
func judgeKept(t *rapid.T, all, some map[string]any) {
	for k, x := range all["sections"].([]any) {
		long, short := x.(map[string]any), some["sections"].([]any)[k].(map[string]any)
		list, _ := long["rows"].([]any)
		head, _ := short["rows"].([]any)
		if diff := cmp.Diff(append([]any{}, list[:min(len(list), 2)]...), append([]any{}, head...)); diff != "" {
			t.Error(long["name"], diff)
		}
		if diff := cmp.Diff(long["counts"], short["counts"]); diff != "" {
			t.Error(diff)
		}
	}
}

// known describes all problems.
var known = []*model.Description{shop.DescribeMSJO(), hta.Describe(), reduceplace.Describe(), realtime.Describe(),
	multitenant.Describe()}

var (
	problemMSJO        = shop.DescribeMSJO().Problem
	problemHTA         = hta.Describe().Problem
	problemReducePlace = reduceplace.Describe().Problem
	problemMultitenant = multitenant.Describe().Problem
)

const (
	columnLocality = "locality"
	columnCost     = "cost"
)

// Names of the problems' objectives.
const (
	objectiveTWJCT    = "twjct"
	objectiveFetching = "fetching_cost"
	objectiveMakespan = "makespan"
)

// cells are columns from names and values in turn.
func cells(texts ...string) (list result.Cells) {
	for k := 0; k < len(texts); k += 2 {
		list = append(list, result.Cell{Name: texts[k], Text: texts[k+1]})
	}
	return list
}

// try fails a test at an error.
func try(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// schemaOf is the compiled schema of differences.
func schemaOf(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	try(t, err)
	c := jsonschema.NewCompiler()
	try(t, c.AddResource("schema.json", doc))
	return c.MustCompile("schema.json")
}
