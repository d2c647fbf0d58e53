package airflow

import (
	"fmt"
	"strings"
	"testing"

	"mrsched/io/trace"
	"mrsched/io/trace/golden"
	"mrsched/model"
)

// storedDAG is a row of serialized_dag with its header, in which % stands for what a task states beside its id.
func storedDAG(dag, tasks string) string {
	return "dag_id,data\n" + dag + `,"` + strings.ReplaceAll(`{"dag":{"tasks":[`+tasks+`]}}`, `"`, `""`) + "\"\n"
}

// TestNamedTasks: a sensor that names a task, tasks or a group waits for these alone, whatever else says that it waits
// for the DAG; for a task that does no work it waits for what is ahead of that.
func TestNamedTasks(t *testing.T) {
	night := append(twice, "load.a fx a 02T22:40:00-02T22:41:00 h1 q B")
	for text, want := range map[string]string{
		`"external_task_id":"get"`:                                              "get",
		`"external_task_id":"get","external_task_ids":["get"]`:                  "get",
		`"external_task_ids":["get","load.a"],"external_task_id":null`:          "get load.a",
		`"external_task_group_id":"load"`:                                       "load.a",
		`"external_task_ids":["mark"]`:                                          "get",
		`"external_task_ids":"get"`:                                             "get",
		`"external_task_ids":7`:                                                 "put load.a",
		`"external_task_id":"{{ var.value.task }}"`:                             "put load.a",
		`"external_task_id":"get","execution_delta":3600`:                       "get",
		`"execution_delta":{"__type":"timedelta","__var":86400.0}`:              "",
		`"external_task_id":"get","execution_delta":90000`:                      "",
		`"external_task_id":"put","external_task_ids":["put"],"_is_sensor":"x"`: "unread",
	} {
		w := golden.Must(t)(Import(with(nil, "task_instance.csv", rows(night...)+
			"mark,fx,a,,,success,,,EmptyOperator\n", "edges.csv", "dag_id,upstream_task_id,downstream_task_id\n"+
			"fx,get,mark\nfx,mark,put\nfx,get,put\nmart,wait,build\n", "dag_dependencies.csv",
			"dependency_type,source_dag_id,target_dag_id,sensor_task_id\nsensor,fx,mart,wait\n",
			"serialized_dag.csv", storedDAG("mart", `{"task_id":"wait","external_dag_id":"fx",`+text+`}`)), tonight))
		var got []string
		for _, d := range w.Delays {
			if from, to := w.Tasks[d.From].ID, w.Tasks[d.To].ID; to == "mart.build" {
				got = append(got, strings.TrimPrefix(from, "fx."))
			}
		}
		if want == "unread" {
			want = "put load.a"
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: it waits for %q, not %q", text, got, want)
		}
		note := "1 wait for a task that the other DAG lacks is a wait for all of it"
		if strings.Contains(fmt.Sprint(w.Notes), note) != strings.Contains(text, "var.value") {
			t.Errorf("%s: %q", text, w.Notes)
		}
	}
}

// across are two DAGs of which a waits for the b of the night before, and b for the a of the same night.
var across = []string{"await a a 02T22:00:00-02T22:00:05 h1 q ExternalTaskSensor",
	"run a a 02T22:00:05-02T22:10:00 h1 q B",
	"await b b 02T22:00:00-02T22:11:00 h1 q ExternalTaskSensor", "run b b 02T22:11:00-02T22:20:00 h1 q B"}

// TestEarlierRuns: a wait for a run from before the night is none in it, whether a table says so or only the
// sensor, which ended before what it names did; any other cycle is a finding that says so.
func TestEarlierRuns(t *testing.T) {
	files := func(deltas ...string) []trace.File {
		return with(nil, "task_instance.csv", rows(across...), "edges.csv", "dag_id,upstream_task_id,downstream_task_id\n"+
			"a,await,run\nb,await,run\n", "dag_dependencies.csv", "source_dag_id,target_dag_id,sensor_task_id,"+
			"execution_delta\nb,a,"+deltas[0]+"\na,b,"+deltas[1]+"\n")
	}
	const inferred = "incomplete: 1 sensor never waited for the end, in the same night, of what it names, and waits for " +
		"nothing there: a.await; hint: say which run it waits for with execution_delta, in seconds, in dag_dependencies.csv"
	for delta, want := range map[string]string{"await,86400.0": "", "await,82800": "", "await,": inferred,
		"await,3600": inferred} {
		if want == "" {
			want = "1 sensor waits for an earlier run, which is over: a.await"
		}
		golden.Holds(t, golden.Must(t)(Import(files(delta, "await,"), tonight)), want, "a.run > b.run 0", "no b.run > a.run")
	}
	refused(t, `V202 dag_dependencies.csv:2:11: execution_delta "1 day" is not a number; `, files("await,1 day", "await,"))
	for _, sensor := range []string{",", "other,"} { // which sensor waits is unknown
		refused(t, "S407 dag_dependencies.csv:2:3: the dependencies form a cycle: a → b → a; expected precedence without "+
			"cycles; hint: if one waits for a run of an earlier night, say so with execution_delta, in seconds, in "+
			"dag_dependencies.csv; else drop one of these rows", files(sensor, sensor))
	}
}

// TestOwnRuns: a sensor that waits for the run before of its own DAG waits for nothing in the first run of the night.
func TestOwnRuns(t *testing.T) {
	night := append(twice, "own fx a 02T22:30:00-02T22:30:05 h1 q ExternalTaskSensor",
		"own fx b 03T03:30:00-03T03:30:05 h1 q ExternalTaskSensor")
	for task, want := range map[string]string{"": "fx.put > fx#2.get 0", "get": "fx.get > fx#2.get 0"} {
		w := golden.Must(t)(Import(with(nil, "task_instance.csv", rows(night...), "edges.csv",
			"dag_id,upstream_task_id,downstream_task_id\nfx,own,get\nfx,get,put\n", "dag_dependencies.csv",
			"source_dag_id,target_dag_id,sensor_task_id,external_task_id\nfx,fx,own,"+task+"\n"), tonight))
		golden.Holds(t, w, want, "fx.get > fx.put 0", "fx#2.get > fx#2.put 0")
		if len(w.Delays) != 3 || len(w.Dependencies) > 0 {
			t.Error(w.Delays, w.Dependencies)
		}
	}
}

// TestDeadlinesAlone: a file with sla_by and no table dag make deadlines, and what is missing are the releases.
func TestDeadlinesAlone(t *testing.T) {
	w := golden.Must(t)(Import(with(nil, "task_instance.csv", rows(twice...), "sla.csv", "dag_id,sla_by\nmart,06:00\n"),
		tonight))
	golden.Holds(t, w, "1 DAG is due at sla_by, a clock time in the zone of time 0", "mart at 0 s, ended at 6600 s",
		"incomplete: no schedule is known, and so no release: the table dag is missing; hint: export dag.csv, or dags of "+
			"the REST API, and add sla_by")
	if due := w.Jobs[1].Deadline; due != model.Some(8*3600*model.Second) {
		t.Errorf("mart is due at %v", due)
	}
}

// TestFailuresByDate: rows of task_fail that state the date of their run belong to the run that has it; those of runs
// without task instances are left out, and no row makes a run.
func TestFailuresByDate(t *testing.T) {
	const night = header + "get,fx,scheduled__2026-11-01T22:00:00+00:00,2026-11-02 22:10:00+00,2026-11-02 22:20:00+00," +
		"success,h1,q,B\n"
	w := golden.Must(t)(Import(with(nil, "task_instance.csv", night, "task_fail.csv",
		"id,task_id,dag_id,execution_date,start_date,end_date\n"+
			"1,get,fx,2026-11-01 22:00:00+00,2026-11-02 22:00:00+00,2026-11-02 22:05:00+00\n"+
			"2,get,fx,2026-11-01 17:00:00-05,2026-11-02 22:06:00+00,2026-11-02 22:07:00+00\n"+
			"3,get,fx,2026-11-01 05:00:00+00,2026-11-02 22:08:00+00,2026-11-02 22:09:00+00\n"+
			"4,get,fy,2026-11-01 22:00:00+00,2026-11-02 22:08:00+00,2026-11-02 22:09:00+00\n"), tonight))
	golden.Holds(t, w, `airflow for "cluster": 1 tasks, 0 delays, 0 machines`,
		"2 rows of task_fail belong to runs that have no task instances, and are left out")
	if got := runsOf(w, "fx.get"); fmt.Sprint(got) != "[0 300 failed 1 360 420 failed 2 600 1200 success 3]" {
		t.Error(got)
	}
}

// TestZonesOfSchedules: a schedule is in the zone of its DAG, whose runs' dates show what that is in UTC; a schedule
// that has changed since is not the time of these runs.
func TestZonesOfSchedules(t *testing.T) {
	for id, want := range map[string]model.Time{"scheduled__2026-11-02T03:00:00+00:00": 5 * 3600, // New York
		"scheduled__2026-11-01T22:00:00+00:00": 0, "scheduled__2026-11-02T03:10:00+00:00": 0,
		"manual__2026-11-02T03:00:00+00:00": 0} {
		w := golden.Must(t)(Import(with(nil, "task_instance.csv", rows("get fx "+id+" 03T03:00:05-03T03:10:00 h1 q B"),
			"dag.csv", "dag_id,schedule_interval\nfx,0 22 * * *\n"), tonight))
		if got := w.Jobs[0].Release; got != want*model.Second {
			t.Errorf("%s: released at %s, not %d", id, got, want)
		}
	}
}

// TestThirdRun: of three runs in a night, which the table lists backwards, the schedule begins only the first.
func TestThirdRun(t *testing.T) {
	w := golden.Must(t)(Import(with(nil, "task_instance.csv", rows("get fx c 03T05:00:00-03T05:10:00 h1 q B",
		"get fx b 03T03:30:00-03T03:40:00 h1 q B", "get fx a 02T22:30:05-02T22:40:00 h1 q B"), "dag.csv",
		"dag_id,schedule_interval\nfx,30 22 * * *\n"), tonight))
	golden.Holds(t, w, "fx at 1800 s, ended at 2400 s", "fx#2 at 19800 s, ended at 20400 s",
		"fx#3 at 25200 s, ended at 25800 s")
}

// TestWaitOfWhatHasNotBegun: a DAG that has not begun when the tables are exported waits as the others do.
func TestWaitOfWhatHasNotBegun(t *testing.T) {
	w := golden.Must(t)(Import(with(nil, "task_instance.csv", rows(twice[:2]...)+"build,mart,c,,,scheduled,,,B\n",
		"dag_dependencies.csv", "source_dag_id,target_dag_id,sensor_task_id\nfx,mart,\n"), tonight))
	if len(w.Dependencies) != 1 {
		t.Errorf("%v %q", w.Dependencies, w.Notes)
	}
}
