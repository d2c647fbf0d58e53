package campaign

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"slices"
	"strconv"
	"strings"

	"mrsched/io/result"
	"mrsched/io/workload"
	"mrsched/model"
	realtimemodel "mrsched/model/realtime"
	"mrsched/solver"
)

// This file and naive_<problem>_test.go judge schedules by docs/formats.md, in the plainest way and from the workload's
// JSON alone. They are a second opinion on model/<problem> and share only its codes.

// entry is one row of a schedule.
type entry struct {
	task, job, kind, machine string
	from, until              int64 // microseconds
	own                      []string
}

// naiveTask is a task that a schedule has a row of.
type naiveTask struct{ id, job, kind string }

// naiveProblem is one workload as docs/formats.md defines a problem.
type naiveProblem interface {
	// tasks are those that a schedule must place, in the order of schedule.csv.
	tasks() []naiveTask
	machine(name string) bool
	// columns are the problem's own cells of a row.
	columns(e *entry) []string
	// takes is how long the task of a row runs on its machine, or what the row says where that depends on other rows;
	// negative: it cannot run there.
	takes(e *entry) int64
	// check adds the rules that the rows break.
	check(v *verdict)
	// objective is the cost of rows that break no rule.
	objective(rows []entry) *big.Rat
	// optimum is the least cost, by trying everything; nil if there is too much to try.
	optimum() *big.Rat
}

// verdict is the result of a naive evaluation.
type verdict struct {
	rows   []entry // of known tasks on known machines
	broken map[model.Code][]string
	cost   *big.Rat // nil where a rule is broken
}

func (v *verdict) breaks(code model.Code, format string, args ...any) {
	v.broken[code] = append(v.broken[code], fmt.Sprintf(format, args...))
}

func (v *verdict) err() error {
	if len(v.broken) == 0 {
		return nil
	}
	return fmt.Errorf("it breaks rules: %v", v.broken)
}

// judge evaluates the rows of schedule.csv below its header.
func judge(p naiveProblem, rows [][]string) *verdict {
	v := &verdict{broken: map[model.Code][]string{}}
	tasks := p.tasks()
	place := map[string]int{}
	for k, t := range tasks {
		place[t.id] = k
	}
	last := -1
	for _, r := range rows {
		from, err1 := model.ParseSignedTime(r[startColumn])
		until, err2 := model.ParseSignedTime(r[endColumn])
		if err := errors.Join(err1, err2); err != nil {
			v.breaks(model.CodeResultMalformed, "%v", err)
			continue
		}
		e := entry{r[taskColumn], r[jobColumn], r[kindColumn], r[machineColumn],
			int64(from), int64(until), r[ownColumns:]}
		k, known := place[e.task]
		if !known {
			v.breaks(model.CodeTaskUnknown, "no task %s", e.task)
			continue
		}
		if t := tasks[k]; e.job != t.job || e.kind != t.kind {
			v.breaks(model.CodeRowContradicts, "%s is a %s of %s", e.task, t.kind, t.job)
		}
		if !p.machine(e.machine) {
			v.breaks(model.CodeMachineUnknown, "%s on %s", e.task, e.machine)
			continue
		}
		if want := p.columns(&e); !slices.Equal(e.own, want) {
			v.breaks(model.CodeRowContradicts, "%s has columns %q, not %q", e.task, e.own, want)
		}
		if k < last {
			v.breaks(model.CodeRowContradicts, "%s stands behind a later task", e.task)
		}
		last = max(last, k)
		v.rows = append(v.rows, e)
	}
	p.check(v)
	if len(v.broken) == 0 {
		v.cost = p.objective(v.rows)
	}
	return v
}

// once demands that each of the tasks has exactly one row.
func (v *verdict) once(tasks []naiveTask) {
	count := map[string]int{}
	for _, e := range v.rows {
		count[e.task]++
	}
	for _, t := range tasks {
		if n := count[t.id]; n == 0 {
			v.breaks(model.CodeTaskMissing, "%s has no row", t.id)
		} else if n > 1 {
			v.breaks(model.CodeTaskTwice, "%s has %d rows", t.id, n)
		}
	}
}

// apart demands that a machine runs one task at a time. A task of length 0 may stand at the border of another, but not
// inside.
func (v *verdict) apart() {
	for i, a := range v.rows {
		for _, b := range v.rows[:i] {
			if a.machine == b.machine && a.from < b.until && b.from < a.until {
				v.breaks(model.CodeOverlap, "%s and %s on %s", a.task, b.task, a.machine)
			}
		}
	}
}

// makespan is when the last row ends.
func makespan(rows []entry) *big.Rat {
	most := int64(0)
	for _, e := range rows {
		most = max(most, e.until)
	}
	return perMillion(big.NewInt(most), 1)
}

// naive is a result with its instance, as the naive evaluation sees them.
type naive struct {
	problem string
	files   files
	doc     document
	view    model.View
	params  solver.Params
	claims  *node
	rows    [][]string // of schedule.csv
}

// descriptor is the problem of a name.
func descriptor(name string) *solver.Problem {
	list := entries()
	return list[slices.IndexFunc(list, func(p *solver.Problem) bool { return p.Name == name })]
}

func newNaive(problem string, b *base, x files) (*naive, error) {
	text, err := os.ReadFile(b.instance)
	if err != nil {
		return nil, err
	}
	n := &naive{problem: problem, files: x, claims: x.document(), rows: table(x[result.ScheduleFile])}
	if err := unmarshal(text, &n.doc); err != nil {
		return nil, err
	}
	w, err := workload.Read(b.instance, nil, workload.Options{})
	if err != nil {
		return nil, err
	}
	var stated map[string]any
	if v := n.claims.get("parameters"); v != nil {
		if err := unmarshal(v.compact(), &stated); err != nil {
			return nil, err
		}
	}
	n.params = parameters(problem, stated)
	n.view, err = descriptor(problem).View(w, n.params)
	return n, err
}

// parameters are those of a result, else the defaults.
func parameters(problem string, stated map[string]any) solver.Params {
	p := solver.Params{}
	for _, q := range descriptor(problem).Params {
		text := q.Default
		if v, ok := stated[q.Name]; ok {
			text = fmt.Sprint(v)
		}
		switch q.Kind {
		case solver.IntParam:
			p[q.Name], _ = strconv.ParseInt(text, 10, 64)
		case solver.FloatParam:
			p[q.Name], _ = strconv.ParseFloat(text, 64)
		case solver.BoolParam:
			p[q.Name] = text == "true"
		default:
			p[q.Name] = text
		}
	}
	return p
}

// sketched are the sizes of the partitions in a row of a job's sketch; nil if there is no such row.
func (n *naive) sketched(job, row int) []int64 {
	in, ok := n.view.(*realtimemodel.Instance)
	if !ok || row >= len(in.SetsOf(int32(job))) {
		return nil
	}
	set := in.SetsOf(int32(job))[row]
	sizes := make([]int64, set.Count)
	for k := range sizes {
		sizes[k] = int64(in.Bytes[int(set.First)+k])
	}
	return sizes
}

// stated is a number of result.json.
func (n *naive) stated(path ...string) *big.Rat {
	x := n.claims.get(path...)
	if x == nil {
		return nil
	}
	v, _ := new(big.Rat).SetString(x.text)
	return v
}

// problemOf is the workload as a problem, under the parameters of the result.
func (n *naive) problemOf() naiveProblem {
	switch n.problem {
	case "msjo":
		return newNaiveMSJO(&n.doc, n.params)
	case "hta":
		return newNaiveHTA(&n.doc)
	case "reduceplace":
		return newNaivePlacement(&n.doc, n.params)
	case "realtime":
		return newNaiveRealtime(&n.doc, n.params, n.sketched)
	case "cluster":
		c := newNaiveCluster(&n.doc, n.params)
		if until := n.claims.get("parameters", model.ReplanUntil); until != nil {
			c.keep(micros(number(strings.Trim(until.text, `"`))), table(n.files[model.ReplanTable+".csv"])[1:])
		}
		return c
	}
	return newNaiveTenants(&n.doc)
}

// printed is a cost as results print it.
func printed(v *big.Rat) *big.Rat {
	r, _ := model.ExactNumber(v).Rat()
	return r
}

// text is a cell of a workload; empty if it is absent.
func text(v any) string {
	s, _ := v.(string)
	return s
}

// decimal is a number of a workload; nil if it is absent.
func decimal(v any) *big.Rat {
	var s string
	switch v := v.(type) {
	case json.Number:
		s = v.String()
	case *json.Number:
		if v == nil {
			return nil
		}
		s = v.String()
	default:
		return nil
	}
	r, _ := new(big.Rat).SetString(s)
	return r
}

// floor rounds down, ceil up, and nearest to the nearest whole number, halves up.
func floor(r *big.Rat) int64 { return new(big.Int).Div(r.Num(), r.Denom()).Int64() }

func ceil(r *big.Rat) int64 { return roundUp(r).Num().Int64() }

func nearest(r *big.Rat) int64 { return floor(new(big.Rat).Add(r, big.NewRat(1, 2))) }

// roundUp is ceil for numbers of any size.
func roundUp(r *big.Rat) *big.Rat {
	less := new(big.Rat).Neg(r)
	return new(big.Rat).SetInt(new(big.Int).Neg(new(big.Int).Div(less.Num(), less.Denom())))
}

func rat(v int64) *big.Rat { return big.NewRat(v, 1) }

// over is a/b; b nil: a.
func over(a, b *big.Rat) *big.Rat {
	if b == nil {
		return a
	}
	return new(big.Rat).Quo(a, b)
}

// inSeconds prints a time as results do.
func inSeconds(t int64) string { return model.Time(t).String() }
