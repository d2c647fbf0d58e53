package export

import (
	"bufio"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"mrsched/io/disk"
	"mrsched/io/textpos"
	"mrsched/model"
	"mrsched/model/shop"
)

// Plan is what is exported.
type Plan struct {
	In       *shop.Instance
	Schedule *model.Schedule
	// Queues makes the nodes of tasks that not every node may run their queues in Airflow.
	Queues bool
	w      *model.Workload
	order  []int32 // the tasks as they start
}

// New is the plan of a result that passed check. Errors are *model.InputError.
func New(view model.View, s *model.Schedule) (*Plan, error) {
	in, ok := view.(*shop.Instance)
	if !ok || in.Identical {
		return nil, model.NewInputError(model.Finding{Code: model.CodeParameter,
			What: "the result is of a problem without nodes, pools and demands", Expected: "a result of problem " + shop.Cluster,
			Hint: "mrsched solve INSTANCE -p " + shop.Cluster})
	}
	return &Plan{In: in, Schedule: s, w: in.Workload(), order: in.InOrder(s)}, nil
}

// Targets are what a plan can be exported to.
func Targets() []string { return []string{"airflow", "slurm", "csv"} }

// Write writes a plan for a target: a directory for airflow, else a file, or standard output for "-".
func (p *Plan) Write(to, path string, force bool, stdout io.Writer) error {
	if to == "airflow" {
		if _, _, err := p.merged(); err != nil {
			return err
		}
		return disk.WriteDir(path, force, func(d disk.Dir) error {
			if err := d.File(airflowFiles[0], func(w io.Writer) error {
				_, err := io.WriteString(w, policy)
				return err
			}); err != nil {
				return err
			}
			return d.File(airflowFiles[1], p.writeAirflow)
		})
	}
	write := p.writeCSV
	if to == "slurm" {
		if err := p.shellSafe(); err != nil {
			return err
		}
		write = p.writeSlurm
	}
	if path == "-" {
		return write(stdout)
	}
	return disk.WriteFile(path, force, write)
}

// Replaceable refuses a file, and a directory that holds other files than an export for Airflow.
func Replaceable(path string) error {
	if at, err := os.Stat(path); err == nil && !at.IsDir() {
		return fmt.Errorf("%s: it is no directory, and is not replaced", path)
	}
	entries, _ := os.ReadDir(path) // none: it is no directory
	for _, e := range entries {
		if !slices.Contains(airflowFiles, e.Name()) {
			return fmt.Errorf("%s: it holds %q, which is no file of an export, and is not replaced", path, e.Name())
		}
	}
	return nil
}

var airflowFiles = []string{"mrsched_policy.py", "mrsched_plan.json"}

//go:embed mrsched_policy.py
var policy string

// Airflow is what Airflow is told about a task.
type Airflow struct {
	DAG, Task string `json:"-"`
	MapIndex  int    `json:"-"` // −1: the task is not mapped
	Run       string `json:"-"` // of the DAG in the night, such as #2; empty: the first
	// Weight is above that of all tasks that start later. Tasks that start together, and those of one mapped task or of
	// several runs, have the same.
	Weight int    `json:"priority_weight"`
	Pool   string `json:"pool,omitempty"`
	Slots  int64  `json:"pool_slots,omitempty"`
	Queue  string `json:"queue,omitempty"` // the node, if not every node may run the task and queues are wanted
	mixed  bool
}

// laterRun is the name of a job that is a further run of a DAG in the night.
var laterRun = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)^(.*)(#[1-9]\d{0,8})$`) })

// mappedTask is an id of an instance of a mapped task.
var mappedTask = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)^(.*)\[(0|[1-9]\d{0,8})\]$`) })

// Airflow lists, by task, what Airflow is told.
func (p *Plan) Airflow() []Airflow {
	list := make([]Airflow, p.In.Tasks)
	weight := 0
	most := map[[2]string]int{}
	for k, u := range slices.Backward(p.order) {
		t := &p.w.Tasks[u]
		a := Airflow{DAG: p.w.Jobs[t.Job].ID, Task: t.ID, MapIndex: -1}
		a.Task = strings.TrimPrefix(t.ID, a.DAG+".")
		if m := laterRun().FindStringSubmatch(a.DAG); m != nil {
			a.DAG, a.Run = m[1], m[2]
		}
		if m := mappedTask().FindStringSubmatch(a.Task); m != nil {
			a.Task = m[1]
			a.MapIndex, _ = strconv.Atoi(m[2]) // digits
		}
		if p.In.Begun(u) {
			continue
		}
		if k == len(p.order)-1 || p.start(u) < p.start(p.order[k+1]) {
			weight++
		}
		most[[2]string{a.DAG, a.Task}] = weight // the last is the largest
		if p.Queues && !p.In.Anywhere(u) {
			a.Queue = p.node(u)
		}
		list[u] = a
	}
	for _, d := range p.w.Demands {
		if a := &list[d.Task]; a.Pool == "" && d.Amount > 0 && p.pool(d.Resource) {
			a.Pool, a.Slots = d.Resource, int64((d.Amount+model.UnitAmount-1)/model.UnitAmount)
		}
	}
	for u := range list {
		list[u].Weight = most[[2]string{list[u].DAG, list[u].Task}]
	}
	return list
}

func (p *Plan) start(u int32) model.Time { return p.Schedule.Entries[u].Start }
func (p *Plan) node(u int32) string      { return p.In.MachineName(p.Schedule.Entries[u].Machine) }

// pool says whether the root states a resource.
func (p *Plan) pool(resource string) bool {
	return slices.ContainsFunc(p.w.Capacities, func(c model.Capacity) bool {
		return c.Resource == resource && p.w.Topology[c.Node].Parent == model.None
	})
}

// merged are the tasks of each DAG, instances of a mapped task as one. Where these differ, it takes the most slots of
// the first one's pool, and no queue; mixed counts such tasks. An error says which tasks would be one in Airflow.
func (p *Plan) merged() (dags map[string]map[string]*Airflow, mixed int, err error) {
	var found model.Findings
	first := map[Airflow]int{} // by what names a task
	dags = map[string]map[string]*Airflow{}
	for u, a := range p.Airflow() {
		if p.In.Begun(int32(u)) {
			continue
		}
		if dags[a.DAG] == nil {
			dags[a.DAG] = map[string]*Airflow{}
		}
		name, known := Airflow{DAG: a.DAG, Task: a.Task, MapIndex: a.MapIndex, Run: a.Run}, dags[a.DAG][a.Task]
		if known != nil && min(known.MapIndex, a.MapIndex) < 0 {
			name.MapIndex = known.MapIndex
		}
		if v, twice := first[name]; twice {
			found.Add(model.Finding{Code: model.CodeOddID, Pos: p.w.Where(model.TableTasks, u), Like: "id",
				What: fmt.Sprintf("%q and %q are both the task %q of the DAG %q", p.w.Tasks[v].ID, p.w.Tasks[u].ID, a.Task,
					a.DAG), Expected: "tasks with names of their own in Airflow", Hint: "rename one of them"})
			continue
		}
		first[name] = u
		if known == nil {
			dags[a.DAG][a.Task] = &a
			continue
		}
		if !known.mixed && (known.Queue != a.Queue || known.Pool != a.Pool || known.Slots != a.Slots) {
			known.mixed, mixed = true, mixed+1
		}
		if known.Queue != a.Queue {
			known.Queue = ""
		}
		if known.Pool == a.Pool {
			known.Slots = max(known.Slots, a.Slots)
		}
	}
	return dags, mixed, found.Err()
}

// writeAirflow writes what the policy reads.
func (p *Plan) writeAirflow(out io.Writer) error {
	dags, _, _ := p.merged() // an error was said before
	e := json.NewEncoder(out)
	e.SetIndent("", " ")
	return e.Encode(map[string]any{"format": "mrsched-airflow/1", "dags": dags})
}

// Untold says what of a plan a target cannot be told.
func (p *Plan) Untold(to string) (notes []string) {
	delays := len(slices.DeleteFunc(slices.Clone(p.In.SuccDelay), func(d model.Time) bool { return d == 0 }))
	if delays > 0 && to != "csv" {
		notes = append(notes, fmt.Sprintf("%s is not told of the delays of %s: there, tasks start as soon as what they "+
			"wait for has ended", to, model.Counted(delays, "wait")))
	}
	pools := map[model.TaskIndex]int{}
	several := 0
	for _, d := range p.w.Demands {
		if p.pool(d.Resource) && d.Amount > 0 {
			if pools[d.Task]++; pools[d.Task] == 2 {
				several++
			}
		}
	}
	if r := p.In.Replan(); to == "slurm" && r != nil && r.Until > 0 && !p.w.Now.Known {
		notes = append(notes, "tasks that --freeze-until kept are submitted, too: to plan in mid-night, solve --state, "+
			"which says what has begun")
	}
	if to == "slurm" && (p.In.Nodes > 1 || len(p.w.Demands) > 0) {
		notes = append(notes, "slurm is told the order alone: nodes, resources and places' capacities are for the batch "+
			"scripts and Slurm's configuration to state")
	}
	if to != "airflow" {
		return notes
	}
	if several > 0 {
		notes = append(notes, fmt.Sprintf("a task of Airflow has one pool: of %s only the first row of demands is one",
			model.Counted(several, "task")))
	}
	if _, mixed, _ := p.merged(); mixed > 0 {
		notes = append(notes, fmt.Sprintf("instances of %s differ in pool, pool_slots or queue, and Airflow has one for "+
			"all: the pool of the first, the most slots, and no queue", model.Counted(mixed, "task")))
	}
	again, bound := 0, 0
	for u, a := range p.Airflow() {
		if !p.In.Begun(int32(u)) && a.Run != "" {
			again++
		}
		if !p.In.Begun(int32(u)) && !p.In.Anywhere(int32(u)) {
			bound++
		}
	}
	if again > 0 {
		notes = append(notes, fmt.Sprintf("%s of later runs of a DAG: Airflow has one priority for all runs, here that of "+
			"the first to start", model.Counted(again, "task")))
	}
	switch {
	case bound > 0 && p.Queues:
		notes = append(notes, fmt.Sprintf("the queue of %s is a node: each of these nodes needs a worker that listens to "+
			"a queue of its name", model.Counted(bound, "task")))
	case bound > 0:
		notes = append(notes, fmt.Sprintf("Airflow chooses the nodes of %s that not every node may run, by their own "+
			"queues; with --queue node, the plan chooses", model.Counted(bound, "task")))
	}
	return notes
}

// shellSafe refuses ids that no shell script can hold.
func (p *Plan) shellSafe() error {
	var found model.Findings
	for u := range p.w.Tasks {
		if id := p.w.Tasks[u].ID; strings.ContainsRune(id, 0) {
			found.Add(model.Finding{Code: model.CodeOddID, Pos: p.w.Where(model.TableTasks, u), Like: "id",
				What: fmt.Sprintf("the id %q holds a NUL character", id), Expected: "an id that a shell script can hold"})
		}
	}
	return found.Err()
}

// niceStep is by how much a task has a higher nice value than the one before it: as much as sbatch --nice alone means.
// The largest value that Slurm takes is maxNice.
const niceStep, maxNice = 100, 2_147_483_645

// writeSlurm writes a shell script that submits the tasks in their order, each after those that it waits for. Running
// tasks are left out; who submits the others says which jobs of Slurm they are.
func (p *Plan) writeSlurm(w io.Writer) error {
	out, now := bufio.NewWriter(w), p.w.Now.Or(0)
	fmt.Fprintf(out, "#!/bin/sh\n# Submits a plan of mrsched at its time %s s, in its order: sh FILE [DIR]. DIR has a "+
		"batch script ID.sh for each task.\n# In their names, %% is written %%25 and / is written %%2F.\nset -eu\n"+
		"DIR=${1:-.}\ncase $DIR in -*) DIR=./$DIR ;; esac\n", now)
	awaited, step := p.In.Awaited(), min(niceStep, maxNice/max(1, len(p.order)))
	waited := map[int32]bool{}
	for _, u := range p.order {
		for _, v := range awaited[u] {
			waited[v] = true
		}
	}
	for v := range int32(p.In.Tasks) {
		if p.running(v) && waited[v] {
			fmt.Fprintf(out, "test -n \"${j%d-}\" || { echo j%[1]d=ID is missing before sh: the id of the job that runs %s "+
				">&2; exit 2; }\n", v+1, quoted(p.w.Tasks[v].ID))
		}
	}
	for k, u := range p.order {
		if p.start(u) < 0 || p.In.Begun(u) {
			continue
		}
		begin := p.In.Earliest[u] - now
		fmt.Fprintf(out, "j%d=$(sbatch --parsable --nice=%d", u+1, k*step)
		if begin > 0 {
			fmt.Fprintf(out, " --begin=now+%d", (begin+model.Second-1)/model.Second)
		}
		after := " --dependency=afterok"
		for _, v := range awaited[u] {
			if p.start(v) >= 0 && !p.In.Begun(v) || p.running(v) {
				fmt.Fprintf(out, `%s:"${j%d%%%%;*}"`, after, v+1)
				after = ""
			}
		}
		fmt.Fprintf(out, " \"$DIR\"/%s.sh)\n", quoted(p.w.Tasks[u].ID))
	}
	return out.Flush()
}

// running says whether a task runs now, by the plan's state.
func (p *Plan) running(u int32) bool {
	return p.In.Begun(u) && p.Schedule.Entries[u].End > p.w.Now.Or(0)
}

// quoted is an id as one word of a shell, and as the name of a file.
func quoted(id string) string {
	return "'" + strings.NewReplacer("%", "%25", "/", "%2F", "'", `'\''`).Replace(id) + "'"
}

// writeCSV writes a row for each task that has not begun, as they start.
func (p *Plan) writeCSV(w io.Writer) error {
	rows := [][]string{{"task", "job", "start", "start_time", "node", "after_on_node", "waits_for", "end", "end_time"}}
	last, awaited := map[int32]string{}, p.In.Awaited()
	busy := map[int32][]int32{} // by node: tasks, some of which have ended
	for _, u := range p.order {
		var waits []string
		for _, v := range awaited[u] {
			waits = append(waits, strings.NewReplacer(`\`, `\\`, "|", `\|`).Replace(p.w.Tasks[v].ID))
		}
		t, e, at, until := &p.w.Tasks[u], p.Schedule.Entries[u], "", ""
		slices.SortStableFunc(busy[e.Machine], func(a, b int32) int {
			return cmp.Compare(p.Schedule.Entries[a].End, p.Schedule.Entries[b].End)
		})
		for _, v := range busy[e.Machine] {
			if p.Schedule.Entries[v].End <= e.Start {
				last[e.Machine], busy[e.Machine] = p.w.Tasks[v].ID, busy[e.Machine][1:]
			}
		}
		if busy[e.Machine] = append(busy[e.Machine], u); p.In.Begun(u) {
			continue
		}
		if p.w.Origin.Known() {
			at, until = p.w.Origin.Stamp(e.Start), p.w.Origin.Stamp(e.End)
		}
		rows = append(rows, []string{t.ID, p.w.Jobs[t.Job].ID, e.Start.String(), at, p.node(u), last[e.Machine],
			strings.Join(waits, "|"), e.End.String(), until})
	}
	return textpos.NewCSVWriter(w).WriteAll(rows)
}
