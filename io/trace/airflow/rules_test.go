package airflow

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mrsched/io/trace"
	"mrsched/io/trace/golden"
	"mrsched/model"
)

// with adds files, each a name and a text, to others.
func with(files []trace.File, named ...string) []trace.File {
	for k := 0; k < len(named); k += 2 {
		files = append(files, trace.File{Name: named[k], Text: strings.NewReader(named[k+1])})
	}
	return files
}

// TestOtherTables: what a dump of the whole database has beside the tables that are read changes no task, run, release
// or deadline, whatever its files are called.
func TestOtherTables(t *testing.T) {
	plain := golden.Must(t)(Import(folder(t, data+"/night"), options))
	w := golden.Must(t)(Import(with(folder(t, data+"/night"), "serialized.csv", "dag_id,data\nload,x\nmart,x\n",
		"x_dag_run.csv", "id,dag_id,queued_at,start_date,end_date,state,run_id\n1,mart,,,,success,r\n",
		"x_reschedule.csv", "task_id,dag_id,run_id,start_date,end_date,reschedule_date\n"+
			"wait_load,mart,r,2026-11-02 22:00+00,2026-11-02 22:01+00,2026-11-02 22:05+00\n",
		"x_runs.json", `{"dag_runs":[{"dag_id":"mart"}]}`), options))
	golden.Holds(t, w,
		"left out, with columns of no table of Airflow: hosts.csv, x_dag_run.csv, x_reschedule.csv, x_runs.json",
		"incomplete: 2 DAGs whose data in serialized_dag are no JSON are left out there: load, mart; hint: if "+
			"data_compressed is set, write edges.csv and dag_dependencies.csv")
	diff := cmp.Diff(plain.Jobs, w.Jobs)
	if diff != "" || len(w.Runs) != len(plain.Runs) || w.Jobs[1].Deadline.Value == 0 {
		t.Error(len(w.Runs), diff)
	}
}

// TestTwoFilesOfOneTable: a file with sla_by alone adds to the table dag; another deadline is a finding.
func TestTwoFilesOfOneTable(t *testing.T) {
	w := golden.Must(t)(Import(with(folder(t, data+"/night"), "sla.csv",
		"dag_id,sla_by\nmail,07:00\nmart,06:00\n"), options))
	if due := w.Jobs[2].Deadline; due != model.Some(9*3600*model.Second) {
		t.Errorf("mail is due at %v", due)
	}
	refused(t, `R301 sla.csv:2:6: sla_by is "07:00" here, and "06:00" in an earlier row; `,
		with(folder(t, data+"/night"), "sla.csv", "dag_id,sla_by\nmart,07:00\n"))
}

// refused wants a finding that begins like a text.
func refused(t *testing.T, want string, files []trace.File) {
	t.Helper()
	if _, err := Import(files, options); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, not %s", err, want)
	}
}

// TestNamedLikeATable: a file that has a table's name, but not its columns, and a folder without task_instance.
func TestNamedLikeATable(t *testing.T) {
	refused(t, "V206 task_instance.csv:1:1: the table task_instance lacks the column start_date; expected the columns ",
		with(nil, "task_instance.csv", strings.Replace(rows(twice...), "start_date", "begun", 1)))
	refused(t, "V206 task_instance.csv:1:1: the table task_instance lacks the column state; ", // as in task_fail
		with(nil, "task_instance.csv", strings.Replace(rows(twice...), "state", "s", 1)))
	refused(t, "V206 task_instance.csv:1:1: the table task_instance lacks the column run_id or dag_run_id or ",
		with(nil, "task_instance.csv", strings.Replace(rows(twice...), "run_id", "r", 1)))
	refused(t, "V206 dag.csv:1:1: the table dag lacks the column schedule_interval or ",
		with(folder(t, data+"/night")[1:], "dag.csv", "dag_id,is_paused\nload,f\n"))
	refused(t, "T503 task_instance_history.csv: there are tries that failed, but no table task_instance; ",
		with(nil, "task_instance_history.csv", rows(twice...)))
	w := golden.Must(t)(Import(with(nil, "x.csv", strings.Replace(rows(twice...), "operator", "o", 1)), options))
	golden.Holds(t, w, "incomplete: x.csv has no column operator, pool: what that would say is unknown; hint: export "+
		"the whole table", "incomplete: no schedule is known, and so no release: the table dag is missing; hint: export "+
		"dag.csv, or dags of the REST API, and add sla_by")
}

// TestSimilarFindings: what is wrong with a whole column is said three times, and then counted.
func TestSimilarFindings(t *testing.T) {
	for _, replace := range [][2]string{{",a,", ",,"}, {"2026-11-02 22", "2.11.2026 22"}} {
		var list []string
		for range 9 {
			list = append(list, twice[0])
		}
		_, err := Import(with(nil, "task_instance.csv", strings.ReplaceAll(rows(list...), replace[0], replace[1])), options)
		if err == nil || strings.Count(err.Error(), "\n") > 6 || !strings.Contains(err.Error(), "more like it)") {
			t.Error(err)
		}
	}
}

var tonight = Options{Duration: "p50", Night: "2026-11-02T22:00Z"}

// header is that of nights below, whose rows are task, DAG, run, start, end, state, host, queue and operator.
const header = "task_id,dag_id,run_id,start_date,end_date,state,hostname,queue,operator\n"

// rows are a table of tasks that ran on 2026-11-02 or after, given as "task dag run start-end host queue operator".
func rows(list ...string) string {
	text := header
	for _, row := range list {
		f := strings.Fields(row)
		start, end, _ := strings.Cut(f[3], "-")
		text += fmt.Sprintf("%s,%s,%s,2026-11-%s+00,2026-11-%s+00,success,%s,%s,%s\n", f[0], f[1], f[2],
			strings.Replace(start, "T", " ", 1), strings.Replace(end, "T", " ", 1), f[4], f[5], f[6])
	}
	return text
}

// twice is a night in which fx runs at 22:30 and at 03:30, mart waits for it, and rates runs each time after it.
var twice = []string{"get fx a 02T22:30:05-02T22:40:00 h1 q B", "put fx a 02T22:40:00-02T22:50:00 h1 q B",
	"get fx b 03T03:30:05-03T03:40:00 h2 q B", "put fx b 03T03:40:00-03T03:50:00 h2 q B",
	"wait mart c 02T22:00:00-02T22:50:00 h1 q ExternalTaskSensor", "build mart c 02T22:50:00-02T23:50:00 h1 q B",
	"use rates d 02T22:50:00-02T22:55:00 h1 q B", "use rates e 03T03:50:00-03T03:55:00 h1 q B"}

const dependencies = "dependency_type,source_dag_id,target_dag_id,sensor_task_id\nsensor,fx,mart,wait\n" +
	"trigger,fx,rates,put\n"

// TestTwoRunsInANight: the second run of a DAG is a job of its own, with its own release, waits and state.
func TestTwoRunsInANight(t *testing.T) {
	files := func() []trace.File {
		return with(nil, "task_instance.csv", rows(twice...), "edges.csv",
			"dag_id,upstream_task_id,downstream_task_id\nfx,get,put\nmart,wait,build\n", "dag_dependencies.csv", dependencies,
			"dag.csv", "dag_id,schedule_interval,sla_by\nfx,\"\"\"30 22,3 * * *\"\"\",06:00\nmart,0 22 * * *,\nrates,None,\n")
	}
	w := golden.Must(t)(Import(files(), tonight))
	golden.Holds(t, w, "fx at 1805 s, ended at 3000 s", "fx#2 at 19805 s, ended at 21000 s", "fx.get > fx.put 0",
		"fx#2.get > fx#2.put 0", "fx.put > mart.build 0", "fx.put > rates.use 0", "fx#2.put > rates#2.use 0",
		"no fx#2.put > mart.build", "2 further runs of a DAG in the night are jobs of their own: fx#2, rates#2",
		"2 DAGs are released when they began in the recorded night, since the schedule has no single time of day "+
			"for that: fx, fx#2",
		"2 DAGs without a schedule are released at time 0: rates, rates#2")
	if due := w.Jobs[0].Deadline.Value; due != 26_995*model.Second { // 06:00
		t.Errorf("fx is due %v after its release", due)
	}
	for at, want := range map[string]string{"22:35": "[[fx.get h1 1805  ]]", "03:35": "[[fx.get h1 1805 2400 ] [fx.put " +
		"h1 2400 3000 ] [mart.build h1 3000 6600 ] [rates.use h1 3000 3300 ] [fx#2.get h2 19805  ]]"} {
		if got, _, err := State(files(), tonight, at); err != nil || fmt.Sprint(got[1:]) != want {
			t.Error(err, got, want)
		}
	}
}

// TestReleases: a schedule of the REST API, one of another zone, one without times, and runs that somebody started.
func TestReleases(t *testing.T) {
	for schedule, want := range map[string][2]model.Time{
		`{"__type":"CronExpression","value":"30 22 * * *"}`: {1800, 19805}, "30 23 * * *": {1805, 5400},
		`{"__type":"TimeDelta","days":1}`: {1805, 19805}, "0 22 * * *": {0, 19805}, "30 * * * *": {1805, 19805}, "@daily": {1805, 7200},
		"60 1 * * *": {1805, 19805}, `"null"`: {0, 0},
		"30 22,3 * * *": {1805, 19805}, "": {0, 0},
	} {
		w := golden.Must(t)(Import(with(nil, "task_instance.csv", rows(twice...), "dag.csv",
			"dag_id,schedule_interval\nfx,\""+strings.ReplaceAll(schedule, `"`, `""`)+"\"\n"), tonight))
		for _, j := range w.Jobs {
			if k := slices.Index([]string{"fx", "fx#2"}, j.ID); k >= 0 && j.Release != want[k]*model.Second {
				t.Errorf("%s: %s at %s, want %s", schedule, j.ID, j.Release, want[k])
			}
		}
	}
}

// TestSensorsOfOtherDAGs: a sensor whose DAG nothing names is said, unless a row names it, or its DAG without a sensor.
func TestSensorsOfOtherDAGs(t *testing.T) {
	const warning = "incomplete: 1 sensor of other DAGs waits for nothing, since dag_dependencies does not say for " +
		"which DAG: mart.wait; hint: export serialized_dag.csv, or write dag_dependencies.csv: " +
		"dependency_type,source_dag_id,target_dag_id,sensor_task_id"
	for text, want := range map[string]string{"": warning, "fx,rates,wait": warning, "fx,mart,build": warning,
		"fx,mart,wait": "no waits for nothing", "fx,mart,": "no waits for nothing"} {
		golden.Holds(t, golden.Must(t)(Import(with(nil, "task_instance.csv", rows(twice...), "dag_dependencies.csv",
			"source_dag_id,target_dag_id,sensor_task_id\n"+text+"\n"), tonight)), want)
	}
}

// TestSerialized: the scheduler's own DAGs say what edges and dag_dependencies say, in the forms of two versions of
// Airflow; of two versions of a DAG the later one counts, and what two tables say counts once.
func TestSerialized(t *testing.T) {
	const table = "dag_id,data,last_updated\n" +
		`fx,"{""dag"":{""tasks"":[{""task_id"":""get"",""downstream_task_ids"":[""put""],""_task_type"":""B""}]}}",2026-11-02` +
		"\n" + `fx,"{""dag"":{""tasks"":[{""task_id"":""put"",""downstream_task_ids"":[""get""]}]}}",2026-11-01` + "\n" +
		`mart,"{""dag"":{""tasks"":[{""__type"":""operator"",""__var"":{""task_id"":""wait"",""_is_sensor"":true,` +
		`""task_type"":""Mine"",""downstream_task_ids"":[""build""]}}],""dag_dependencies"":[{""source"":""fx"",""target"":` +
		`""mart"",""dependency_type"":""sensor"",""dependency_id"":""wait""},{""source"":""mart"",""target"":""asset"",` +
		`""dependency_type"":""asset"",""dependency_id"":""x""}]}}",2026-11-02` + "\n"
	night := strings.ReplaceAll(rows(twice...), "ExternalTaskSensor", "Mine")
	w := golden.Must(t)(Import(with(nil, "task_instance.csv", night, "serialized_dag.csv", table, "dag_dependencies.csv",
		"dependency_type,source_dag_id,target_dag_id,dependency_id\nsensor,fx,mart,wait\n"), tonight))
	golden.Holds(t, w, "fx.get > fx.put 0", "fx.put > mart.build 0", "no fx.put > fx.get", "no mart.wait",
		"1 sensor is no work: others wait through it")
	if len(w.Delays) != 3 { // with that of the second run of fx
		t.Error(w.Delays)
	}
}

// TestQueues: tasks of a queue whose tries ran on some of the hosts may run on these; with hosts made up, a note says
// that queues are not read.
func TestQueues(t *testing.T) {
	night := rows(append(twice, "train ml f 02T22:00:00-02T22:30:00 h9 gpu B", "all ml f 02T23:00:00-02T23:30:00 h1 any B",
		"all ml g 01T23:00:00-01T23:30:00 h2 any B", "all ml h 31T23:00:00-31T23:30:00 h9 any B")...)
	night = strings.ReplaceAll(night, "2026-11-31", "2026-10-31")
	w := golden.Must(t)(Import(with(nil, "task_instance.csv", night), tonight))
	golden.Holds(t, w, "2 queues limit tasks to the hosts on which tries from there ran: gpu (h9), q (h1, h2)")
	places := map[string][]string{}
	for _, e := range w.Eligible {
		places[w.Tasks[e.Task].ID] = append(places[w.Tasks[e.Task].ID], w.Topology[e.Place].ID)
	}
	if fmt.Sprint(places["ml.train"], places["ml.all"], places["fx.get"]) != "[h9] [] [h1 h2]" {
		t.Error(places)
	}
	made := tonight
	made.Nodes = model.Some(int64(2))
	w = golden.Must(t)(Import(with(nil, "task_instance.csv", night), made))
	golden.Holds(t, w, "incomplete: 2 queues are not read, since --nodes makes up the hosts: gpu, q; hint: rows of "+
		"eligible say where tasks may run")
	if len(w.Eligible) > 0 {
		t.Error(w.Eligible)
	}
}

// TestStateOfOtherTasks: what runs tonight and was skipped in the recorded night is left out, and named.
func TestStateOfOtherTasks(t *testing.T) {
	const run = ",load,scheduled__2026-11-02T22:00:00+00:00,-1,"
	got, notes, err := State(folder(t, data+"/night", "publish"+run+`\N,\N,\N,\N`,
		"weekly"+run+`2026-11-03 22:01:20+00,\N,\N,running`), options, "22:02")
	want := []string{"incomplete: 1 task that has begun is left out, since the workload of an earlier night lacks it: " +
		"load.weekly; hint: import the workload with --run of a night in which it ran, and the state, too"}
	if diff := cmp.Diff(want, notes); err != nil || diff != "" || len(got) != 3 {
		t.Error(err, got, diff)
	}
	const before = "2026-11-02 22:01:20+00,2026-11-02 22:02:20+00,60.0,"
	got, notes, err = State(folder(t, data+"/night", before+"success", before+"skipped",
		"2026-11-02 22:06:30+00,30.0,success", "2026-11-02 22:06:30+00,30.0,failed"), options, "22:02")
	if err != nil || len(got) != 3 || len(notes) > 0 { // the night before was not complete, and the one before that counts
		t.Error(err, got, notes)
	}
}

// TestZone: with a zone, sla_by is that of its clocks, also in the night in which they change.
func TestZone(t *testing.T) {
	opt := options
	opt.Night = "2026-10-24T22:00[Europe/Berlin]"
	w := golden.Must(t)(Import(folder(t, data+"/night"), opt))
	if j := w.Jobs[1]; j.Release+j.Deadline.Value != 9*3600*model.Second { // an hour later than eight
		t.Errorf("mart is due %v after %v", j.Deadline, j.Release)
	}
	opt.Night = "2026-10-24T22:00[Europe/Bonn]"
	golden.Refused(t, "V210")(Import(folder(t, data+"/night"), opt))
}
