package airflow

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"mrsched/io/trace"
	"mrsched/model"
	"mrsched/model/shop"
)

// Options say what the tables do not say.
type Options struct {
	Run      string // of the night that is recorded; empty: the last complete one
	Night    string // a clock time with a date: time 0; empty: when the recorded night begins
	Duration string // one of model.DurationRules
	Nodes    model.Optional[int64]
	CPU      model.Optional[float64]
	Memory   model.Optional[model.Bytes]
}

// importer is an import under way. Times are microseconds since 1970.
type importer struct {
	b   *model.Builder
	opt Options

	pools     []pool
	dags      map[string]*dag
	dagNames  []string // in the order of their appearance
	joined    bool     // there are edges
	waits     []wait   // in the order of their appearance
	terms     map[wait]*terms
	listed    []func() // lists of tasks of the REST API, which may not say of which DAG
	stages    []stage
	stageAt   map[stageKey]int32
	units     []unit
	unitAt    map[string]int32
	tries     []try
	untabled  []string          // files that hold none of the tables
	stored    map[string]stored // rows of serialized_dag by DAG
	runIDs    map[run]string    // those with task instances, by their ids and by their dates
	planned   map[string]int64  // by DAG: the last date of a run that its schedule began
	bare      []string          // files with columns that they lack
	current   bool              // there is a table task_instance
	origin    model.Origin
	base      int64 // when the night 0 begins
	chosen    int64 // the night that is recorded
	complete  bool
	kept      []int32   // units that are tasks
	keptOf    [][]int32 // by stage
	last      []int32   // by unit: its last try in the chosen night; None
	hosts     []string
	cores     map[string]int64 // by host on which tasks ran: the most at once
	jobs      int
	rows      int // of delays and eligible
	count     [doubts]int
	names     [doubts][]string // of what is counted
	scheduled bool             // there is a table dag
}

// mark counts something by its name.
func (im *importer) mark(doubt int, name string) {
	im.count[doubt]++
	im.names[doubt] = append(im.names[doubt], name)
}

// What an import counts.
const (
	sensors = iota
	idle
	skipped
	naive
	repeated
	unpooled
	foreign
	released
	due
	unlimited
	timeless
	observed
	unscheduled
	unnamed
	repeats
	unplanned
	queued
	unqueued
	unread
	unassigned
	past
	nameless
	untimely
	doubts
)

var doubtList = []trace.Doubt{
	sensors: {Noun: "sensor", Text: "{is no work: others wait through it|are no work: others wait through them}"},
	idle:    {Noun: "task", Text: "that Airflow ends without running {it|them} {is|are} left out"},
	skipped: {Noun: "task", Text: "skipped, removed or upstream_failed in the recorded night {is|are} left out; --run " +
		"names a night in which {it|they} ran"},
	naive: {Noun: "time", Text: "without an offset {counts|count} as UTC" + model.HintOfLack + "export times with " +
		"theirs, such as 22:00:07+00", Lack: true},
	repeated: {Noun: "try", Text: "{is there again and counts|are there again and count} once"},
	unpooled: {Noun: "task", Text: "{names a pool|name pools} that slot_pool lacks, and nothing limits {it|them} there" +
		model.HintOfLack + "add these pools to slot_pool", Lack: true},
	foreign: {Noun: "dependency", Text: "of a DAG without tasks {is|are} left out"},
	released: {Noun: "DAG", Text: "{is|are} released when the schedule says, at the time of day of {its|their} runs " +
		"called scheduled__, or else in UTC"},
	due:       {Noun: "DAG", Text: "{is|are} due at sla_by, a clock time in the zone of time 0"},
	unlimited: {Noun: "pool", Text: "with -1 slots {limits|limit} nothing"},
	timeless: {Noun: "task", Text: "never ran to a good end, and {takes|take} the longest of {its|their} tries, or 0" +
		model.HintOfLack + "export nights in which {it|they} did", Lack: true},
	observed: {Noun: "DAG", Text: "{is|are} released when {it|they} began in the recorded night, since the schedule " +
		"has no single time of day for that"},
	unscheduled: {Noun: "DAG", Text: "without a schedule {is|are} released at time 0"},
	unnamed: {Noun: "sensor", Text: "of other DAGs {waits|wait} for nothing, since dag_dependencies does not say for " +
		"which DAG" + model.HintOfLack + "export serialized_dag.csv, or write dag_dependencies.csv: " +
		"dependency_type,source_dag_id,target_dag_id,sensor_task_id",
		Lack: true},
	repeats: {Noun: "further run", Text: "of a DAG in the night {is a job of its own|are jobs of their own}"},
	unplanned: {Noun: "task", Text: "that {has|have} begun {is|are} left out, since the workload of an earlier night " +
		"lacks {it|them}" + model.HintOfLack + "import the workload with --run of a night in which {it|they} ran, and " +
		"the state, too", Lack: true},
	queued: {Noun: "queue", Text: "{limits|limit} tasks to the hosts on which tries from there ran"},
	unqueued: {Noun: "queue", Text: "{is|are} not read, since --nodes makes up the hosts" + model.HintOfLack +
		"rows of eligible say where tasks may run", Lack: true},
	unassigned: {Noun: "row", Text: "of task_fail {belongs to a run that has|belong to runs that have} no task " +
		"instances, and {is|are} left out"},
	past: {Noun: "sensor", Text: "{waits for an earlier run, which is over|wait for earlier runs, which are over}"},
	nameless: {Noun: "wait", Text: "for a task that the other DAG lacks {is a wait|are waits} for all of it" +
		model.HintOfLack + "correct external_task_id", Lack: true},
	untimely: {Noun: "sensor", Text: "never waited for the end, in the same night, of what {it names|they name}, and " +
		"{waits|wait} for nothing there" + model.HintOfLack + "say which run it waits for with execution_delta, in " +
		"seconds, in dag_dependencies.csv", Lack: true},
	unread: {Noun: "DAG", Text: "whose data in serialized_dag {is|are} no JSON {is|are} left out there" +
		model.HintOfLack + "if data_compressed is set, write edges.csv and dag_dependencies.csv", Lack: true},
}

// Import reads the tables, each file plain or gzip.
//
// Errors: *model.InputError with every finding.
//
// Complexity: O(bytes + rows of delays). Memory: the tries, never a file.
func Import(files []trace.File, opt Options) (*model.Workload, error) {
	im := newImporter(opt)
	w, err := trace.Build(im.b, im.check, func() { im.read(files) }, im.link, im.choose, im.keep, im.emit, func() {
		im.b.Scalars("airflow", shop.Cluster, model.Optional[int64]{}, im.notes())
	})
	if input, ok := errors.AsType[*model.InputError](err); ok {
		for k := range input.Findings {
			if f := &input.Findings[k]; f.Code == model.CodeCycle {
				f.Hint = "if one waits for a run of an earlier night, say so with execution_delta, in seconds, in " +
					"dag_dependencies.csv; else " + f.Hint
			}
		}
	}
	return w, err
}

func newImporter(opt Options) *importer {
	return &importer{b: model.NewBuilder(), opt: opt, dags: map[string]*dag{}, stageAt: map[stageKey]int32{},
		unitAt: map[string]int32{}, stored: map[string]stored{}, runIDs: map[run]string{}, terms: map[wait]*terms{},
		planned: map[string]int64{}}
}

// check reports options that make no sense.
func (im *importer) check() {
	check := trace.Options{Found: &im.b.Findings}
	check.Count(im.opt.Nodes.Or(1), maxNodes, "nodes", fmt.Sprintf("from 1 to %d", maxNodes))
	if c := im.opt.CPU; c.Known && !(c.Value > 0 && c.Value < maxNodes) {
		check.Bad(fmt.Sprintf("%v cores", c.Value), "a number above 0")
	}
	if im.opt.Night == "" {
		return
	}
	origin, err := model.ParseOrigin(im.opt.Night)
	at, offset, ok := int64(0), false, err == nil
	if ok {
		at, offset, ok = parseTime(origin.Stamp(0))
	}
	if !ok || !offset {
		check.Bad(fmt.Sprintf("a night that begins at %q", im.opt.Night), "a date, a time of day, and an offset or a "+
			"zone, such as 2026-11-27T22:00Z or 2026-11-27T22:00[Europe/Berlin]")
	}
	im.base, im.origin = at, origin
}

const maxNodes = 1_000_000

// notes says what was imported and assumed; counts of 0 are left out.
func (im *importer) notes() (notes trace.Notes) {
	notes.Add("imported from Airflow: %s in %s; time 0 is %s", model.Counted(len(im.kept), "task"),
		model.Counted(im.jobs, "DAG"), im.origin)
	if len(im.untabled) > 0 {
		notes.Add("left out, with columns of no table of Airflow: %s", strings.Join(im.untabled, ", "))
	}
	for _, columns := range im.bare {
		notes.Lack("%s: what that would say is unknown%s", columns, model.HintOfLack+"export the whole table")
	}
	if im.complete {
		notes.Add("the tasks are those of the night that began at %s, and so are recorded times", clock(im.zero(im.chosen)))
	} else {
		notes.Lack("no night is complete: the tasks are those of the last one, which began at %s%s",
			clock(im.zero(im.chosen)), model.HintOfLack+"--run names another night")
	}
	notes.Add("a task takes the %s of its successful tries (--duration)", im.opt.Duration)
	if !im.opt.CPU.Known {
		notes.Add("a node has as many cores as tasks ran on it at once; a task takes 1")
	}
	if len(im.pools) == 0 {
		notes.Lack("there are no pools: the table slot_pool is missing" + model.HintOfLack + "export slot_pool.csv")
	}
	if !im.joined {
		notes.Lack("no task waits for another: the table edges, or the tasks of each DAG, are missing" + model.HintOfLack +
			"export serialized_dag.csv, or write edges.csv: dag_id,upstream_task_id,downstream_task_id")
	}
	if !im.scheduled {
		notes.Lack("no schedule is known, and so no release: the table dag is missing" + model.HintOfLack +
			"export dag.csv, or dags of the REST API, and add sla_by")
	}
	return append(notes, im.doubts()...)
}

// doubts are the notes about what was counted, with names.
func (im *importer) doubts() (notes trace.Notes) {
	list := slices.Clone(doubtList)
	for k, names := range im.names {
		if text, hint, _ := strings.Cut(list[k].Text, model.HintOfLack); len(names) > 0 {
			if list[k].Text = text + ": " + some(names); hint != "" {
				list[k].Text += model.HintOfLack + hint
			}
		}
	}
	notes.Doubts(list, im.count[:])
	return notes
}
