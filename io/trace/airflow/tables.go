package airflow

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"mrsched/io/textpos"
	"mrsched/model"
)

// pool limits how many slots tasks take at once.
type pool struct {
	name  string
	slots int64
	at    model.Position
}

// dag is a job.
type dag struct {
	due      string // a clock time
	schedule string // cron
	at       model.Position
	duePos   model.Position
	before   string // the run of the night before this one; empty: this is the first
	began    int64  // the first task, be it a sensor, in the recorded night; 0: none did
	stages   []int32
}

type stageKey struct{ dag, task string }

// stage is a task of a DAG with all its mapped instances.
type stage struct {
	stageKey
	sensor   bool
	external bool // the sensor waits for another DAG
	units    []int32
	next     []int32         // stages that wait for it
	at       model.Position  // of what lets it wait
	ends     map[int64]int64 // by night: the last good end
}

// unit is a task, or an instance of a mapped one.
type unit struct {
	id    string
	stage int32
	tries []int32 // by run, then in the order in which they began
}

// try is a row of task_instance, of its history or of task_fail.
type try struct {
	unit       int32
	night      int64
	run        string
	number     int64 // in the order in which the tries of the run began
	start, end int64 // 0: unknown
	state      string
	host, pool string
	queue      string
	slots      int64
	weight     int64
	poor       int // 1: of task_fail
	at         model.Position
}

// wait lets a DAG wait for another one.
type wait struct {
	trigger     bool
	source, dag string
	task        string // the sensor, or the task that triggers
}

// terms are what tables say of a wait.
type terms struct {
	theirs []string // the tasks or groups that a sensor waits for; none: the whole DAG
	delta  int64    // seconds by which the run that it waits for is dated earlier
	at     model.Position
}

// nameDag notes a DAG.
func (im *importer) nameDag(name string) *dag {
	d := im.dags[name]
	if d == nil {
		d = &dag{}
		im.dags[name] = d
		im.dagNames = append(im.dagNames, name)
	}
	return d
}

func (im *importer) stageOf(k stageKey) int32 {
	s, ok := im.stageAt[k]
	if !ok {
		s = int32(len(im.stages))
		im.stageAt[k] = s
		im.stages = append(im.stages, stage{stageKey: k, ends: map[int64]int64{}})
		d := im.nameDag(k.dag)
		d.stages = append(d.stages, s)
	}
	return s
}

// unitOf is the unit of a row.
func (im *importer) unitOf(r record) int32 {
	k := stageKey{im.id(r, "dag_id"), im.id(r, "task_id")}
	s, id := im.stageOf(k), k.dag+"."+k.task
	if n := im.number(r, "map_index", -1); n >= 0 {
		id += "[" + strconv.FormatInt(n, 10) + "]"
	}
	return im.unitAs(s, id)
}

// unitAs is the unit with an id.
func (im *importer) unitAs(s int32, id string) int32 {
	u, ok := im.unitAt[id]
	if !ok {
		u = int32(len(im.units))
		im.unitAt[id] = u
		im.units = append(im.units, unit{id: id, stage: s})
		im.stages[s].units = append(im.stages[s].units, u)
	}
	return u
}

// addTry takes a row of task_instance or of its history.
func (im *importer) addTry(r record) {
	text := func(column string) string { return strings.Clone(r.cell(column)) }
	t := try{unit: im.unitOf(r), run: im.id(r, "run_id", "dag_run_id", "logical_date", "execution_date"),
		state: text("state"), host: text("hostname"), pool: text("pool"), queue: text("queue"),
		slots: im.number(r, "pool_slots", 1), weight: im.number(r, "priority_weight", 1), at: r.at("task_id")}
	im.times(&t, r)
	operator, _ := r.first("operator", "operator_name")
	im.operator(im.units[t.unit].stage, operator)
	im.dateRun(im.runOf(&t), r)
	im.tries = append(im.tries, t)
	im.current = im.current || !strings.HasPrefix(textpos.Stem(t.at.File), "task_instance_history")
}

// operator notes which tasks are sensors.
func (im *importer) operator(s int32, name string) {
	if strings.Contains(name, "Sensor") {
		im.stages[s].sensor = true
		im.stages[s].external = strings.Contains(name, "ExternalTask")
	}
}

// dateRun notes a run by its id and by its date, which its row or else its id says.
func (im *importer) dateRun(x run, r record) {
	if im.runIDs[x] != "" {
		return
	}
	kind, date, _ := strings.Cut(x.id, "__")
	text, _ := r.first("logical_date", "execution_date")
	at, _, dated := parseTime(cmp.Or(text, date))
	if im.runIDs[x] = x.id; dated {
		im.runIDs[run{x.dag, clock(at)}] = x.id
	}
	if kind == "scheduled" {
		im.planned[x.dag] = max(im.planned[x.dag], at)
	}
}

// addFail takes a row of task_fail: a try that failed, without its number.
func (im *importer) addFail(r record) {
	t := try{unit: im.unitOf(r), run: strings.Clone(r.cell("run_id")), state: "failed", poor: 1, at: r.at("task_id")}
	if t.run == "" {
		date, _ := im.time(r, "execution_date")
		t.run = clock(date)
	}
	if im.times(&t, r); t.start > 0 && t.end > 0 {
		im.tries = append(im.tries, t)
	}
}

// times reads start and end. A try that runs has no end.
func (im *importer) times(t *try, r record) {
	t.start, _ = im.time(r, "start_date")
	if t.state == "running" || t.start == 0 {
		return
	}
	if t.end, _ = im.time(r, "end_date"); t.end != 0 && t.end < t.start {
		im.b.Findings.Add(model.Finding{Code: model.CodeInterval, Pos: r.at("end_date"),
			What:     fmt.Sprintf("end_date %s is before start_date %s", r.cell("end_date"), r.cell("start_date")),
			Expected: "a later time"})
	}
}

func (im *importer) addEdge(r record) {
	dag, at := im.id(r, "dag_id"), r.at("downstream_task_id")
	im.join(dag, im.id(r, "upstream_task_id"), im.id(r, "downstream_task_id"), at)
}

// join lets a task wait for another one of its DAG.
func (im *importer) join(dag, from, to string, at model.Position) {
	s, n := im.stageOf(stageKey{dag, from}), im.stageOf(stageKey{dag, to})
	im.stages[n].at, im.joined = at, true
	if next := &im.stages[s].next; !slices.Contains(*next, n) {
		*next = append(*next, n)
	}
}

func (im *importer) addWait(r record) {
	task, _ := r.first("sensor_task_id", "dependency_id")
	w := wait{r.cell("dependency_type") == "trigger", im.id(r, "source_dag_id"), im.id(r, "target_dag_id"),
		strings.Clone(task)}
	im.await(w, im.number(r, "execution_delta", 0), r.at("target_dag_id"), strings.Clone(r.cell("external_task_id")))
}

func (im *importer) addPool(r record) {
	im.pools = append(im.pools, pool{im.id(r, "pool", "name"), im.number(r, "slots", 0), r.at("slots")})
}

func (im *importer) addDag(r record) {
	d := im.nameDag(im.id(r, "dag_id"))
	if r.cell("sla_by") != "" {
		d.duePos = r.at("sla_by")
	}
	im.once(r, &d.due, "sla_by")
	im.once(r, &d.schedule, "schedule_interval", "timetable_summary")
	d.at, im.scheduled = r.at("dag_id"), im.scheduled || d.schedule != ""
}

// once takes what one row says of a thing. Several may say the same, or each something else.
func (im *importer) once(r record, into *string, columns ...string) {
	text, column := r.first(columns...)
	if *into != "" && text != "" && *into != text {
		im.b.Findings.Add(model.Finding{Code: model.CodeDuplicate, Pos: r.at(column), Like: column,
			What:     fmt.Sprintf("%s is %.80q here, and %.80q in an earlier row", column, text, *into),
			Expected: "one value for each DAG", Hint: "two files have the table dag: leave one of them out"})
	}
	if text != "" {
		*into = strings.Clone(text)
	}
}

// link finds the DAGs of lists of tasks and what waits for what.
func (im *importer) link() {
	for _, adopt := range im.listed {
		adopt()
	}
	for _, dag := range slices.Sorted(maps.Keys(im.stored)) {
		im.unpack(dag, im.stored[dag])
	}
}

// adopt makes edges of a list of tasks: its DAG is named in its rows or by its file.
func (im *importer) adopt(file string, tasks []record) {
	var name string
	for _, d := range im.dagNames {
		if strings.HasSuffix(file, d) && len(d) > len(name) {
			name = d
		}
	}
	if name = cmp.Or(tasks[0].cell("dag_id"), name); name == "" {
		im.b.Findings.Add(model.Finding{Code: model.CodeUnknownJob, Pos: tasks[0].at("task_id"),
			What: "it is unknown of which DAG these tasks are", Expected: "a file named after its DAG, such as crm_ingest.json"})
		return
	}
	for _, r := range tasks {
		from := im.id(r, "task_id")
		operator, _ := r.first("operator_name", "class_ref")
		im.operator(im.stageOf(stageKey{name, from}), operator)
		var downs []string
		if v := r.cell("downstream_task_ids"); v != "" && json.Unmarshal([]byte(v), &downs) != nil {
			im.b.Findings.Add(model.Finding{Code: model.CodeTraceObject, Pos: r.at("downstream_task_ids"),
				What: "downstream_task_ids is no array of strings", Expected: "an array of strings"})
		}
		for _, to := range downs {
			im.join(name, from, to, r.at("task_id"))
		}
	}
}
