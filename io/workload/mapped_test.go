package workload

import (
	"os"
	"slices"
	"strings"
	"testing"

	"mrsched/model"
)

// mapped reads files by a map; each begins with its name, after = its table, and the text.
func mapped(t *testing.T, m Mapping, base *model.Workload, files ...string) (*model.Workload, error) {
	t.Helper()
	var list []MappedFile
	for _, f := range files {
		name, text, _ := strings.Cut(f, "\n")
		table, file, both := strings.Cut(name, "=")
		if !both {
			table, file = "", name
		}
		list = append(list, MappedFile{Table: table, Name: file, Text: strings.NewReader(text)})
	}
	return m.Read(base, list)
}

// csvOf is the text of some tables of a workload, as a folder has them.
func csvOf(t *testing.T, w *model.Workload, names ...string) string {
	t.Helper()
	var all strings.Builder
	for _, x := range tables {
		if !slices.Contains(names, x.tableName()) {
			continue
		}
		if err := x.writeCSV(&all, w); err != nil {
			t.Fatal(err)
		}
	}
	return all.String()
}

// TestMapped builds a night of tables as spreadsheets and other programs write them: line ends of Windows, a byte order
// mark, semicolons, decimal commas, units in names of columns, lists, nulls, rows without a key, and zones.
func TestMapped(t *testing.T) {
	runs := "runs.csv\n\ufeffdag_id,task_id,duration,state\r\ncrm,load,0:10:30,success\r\ncrm,\"a,b\",90.5,success\r\n" +
		"erp,load,1 day 00:00:01.5,success\r\ncrm,,5,success\r\n,,,\r\nerp,load,\\N,success\r\n"
	origin, _ := model.ParseOrigin("2026-11-27T22:00Z")
	w, err := mapped(t, Mapping{Map: "id=dag_id.task_id,job=dag_id,processing_time=duration", Origin: origin}, nil, runs)
	if err != nil {
		t.Fatal(err)
	}
	hosts := "hosts.csv\nHostname;Cores;ram_gb;rack;swap [mb]\nn1;8;0,5;r1;1\nn2;4,5;1.024;r1;2\n=n3;2;2;;3\n"
	w, err = mapped(t, Mapping{Map: "id=hostname,cpu=cores,memory_bytes=ram_gb,parent=rack", Comma: true}, w, hosts)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []struct{ by, text string }{
		{"id=dag.task,cpu=cores,memory_bytes=mem:MiB", "tasks=r.csv\ndag,task,cores,mem\ncrm,load,2,64\nold,gone,1,1\n" +
			"erp,load,,2GiB\n"},
		{"task=dag.task,place=pinned", "r.csv\ndag,task,pinned\ncrm,load,n1 | n2\nerp,load,\ncrm,\"a,b\",=n3\n"},
		{"node=host,from=start,until=end", "m.csv\nhost|start|end\nn1|2026-11-28 02:00|2026-11-28 04:30:00.5+01\n"},
		{"from=dag.up,to=dag.down,delay==0", "e.csv\ndag\tup\tdown\ncrm\tload\ta,b\n"},
		{"resource==licence,task=id,amount=n", "d.csv\nid,n\ncrm.load,2\n"},
		{"node=node,resource==licence,amount=n", "capacities.csv\nnode,n\nn1,3\n"},
	} {
		if w, err = mapped(t, Mapping{Map: f.by}, w, f.text); err != nil {
			t.Fatal(err)
		}
	}
	got := csvOf(t, w, "jobs", "topology", "tasks", "delays", "capacities", "demands", "eligible", "unavailable")
	if want := `id,release,weight,deadline,tenant,class,reduces,intermediate_bytes,map_work,shuffle_ratio,partitions,task_overhead,map_bytes_per_s,reduce_bytes_per_s,recorded_completion
crm,0,1,,,,,,,,,,,,
erp,0,1,,,,,,,,,,,,
id,parent,kind,map_slots,reduce_slots,speed,bandwidth_bytes_per_s,cpu,memory_bytes
n1,r1,node,,,,,8,500000000
n2,r1,node,,,,,4.5,1024000000000
'=n3,root,node,,,,,2,2000000000
root,,root,,,,,,
r1,root,rack,,,,,,
id,job,kind,processing_time,shuffle_delay,weight,release,block,input_bytes,output_bytes,cpu,memory_bytes,recorded_node,recorded_start
crm.load,crm,map,630,,,,,,,2,67108864,,
"crm.a,b",crm,map,90.5,,,,,,,,,,
erp.load,erp,map,86401.5,,,,,,,,2147483648,,
from,to,delay
crm.load,"crm.a,b",0
node,resource,amount
n1,licence,3
task,resource,amount
crm.load,licence,2
job,task,place
,crm.load,n1
,crm.load,n2
,"crm.a,b",'=n3
node,from,until
n1,14400,19800.5
`; got != want {
		t.Error(got)
	}
	notes := `runs.csv: 3 rows added, 0 changed, 2 left out that have no key or are not there, the first in line 5; numbers: duration in seconds
hosts.csv: 3 rows added, 0 changed; numbers: ram_gb in gb
r.csv: 0 rows added, 2 changed, 1 left out that have no key or are not there, the first in line 3; numbers: mem in MiB
r.csv: 3 rows added, 0 changed, 1 left out that have no key or are not there, the first in line 3
m.csv: 1 row added, 0 changed
clock times without an offset from UTC are in the zone of time 0, 2026-11-27T22:00:00Z
e.csv: 1 row added, 0 changed
d.csv: 1 row added, 0 changed
capacities.csv: 1 row added, 0 changed`
	if got := strings.Join(w.Notes, "\n"); got != notes {
		t.Error(got)
	}
}

// TestMappedTogether reads several files with one map.
func TestMappedTogether(t *testing.T) {
	w, err := mapped(t, Mapping{Map: "tasks.id=t,tasks.job=j,tasks.processing_time=ms_ms,jobs.id=j,jobs.weight=w"}, nil,
		"tasks=a.csv\nt,j,ms_ms\nx,one,1500\n", "jobs=b.csv\nj,w\none,3\n")
	if err != nil {
		t.Fatal(err)
	}
	if got := csvOf(t, w, "tasks"); !strings.Contains(got, "\nx,one,map,1.5,") || w.Jobs[0].Weight != 3*model.UnitWeight {
		t.Error(got, w.Jobs)
	}
}

// TestMappedBad: findings are about the map, or at the place in the file.
func TestMappedBad(t *testing.T) {
	const fine = "tasks=f.csv\nid,job,time\n"
	for _, c := range []struct{ by, file, want string }{
		{"id", fine, `V210: "id" in the map; expected COLUMN=SOURCE`},
		{"nodes.id=id", fine, `V210: table "nodes" in the map; expected "jobs", `},
		{"name=id", fine, `V210: table tasks has no column "name"; expected one of id, `},
		{"jobs.id=id", fine, "V210: the map says nothing about table tasks; expected tasks.COLUMN=SOURCE"},
		{"id=id,cpu=time", "f.csv\nid,job,time\n", "V210: the map fits 2 tables: topology, tasks; expected one table; hint: " +
			"say which: TABLE=f.csv"},
		{"id=id,node=time", "f.csv\nid,time\n", "S401 workload.json: the workload has 0 jobs"},
		{"id=id,from=time", "f.csv\nid,time\n", "V210: the map fits 0 tables; expected one table"},
		{"id=id,from=time", "tasks.csv\nid,time\n", `V210: table tasks has no column "from"; expected one of id, `},
		{"tasks.id=id,tasks.time=time", "f.csv\nid,time\n", `V210: table tasks has no column "time"; expected one of id, `},
		{"id=di.job", fine, `V207 f.csv:1:1: the header has no column "di"; expected one of id, job, time`},
		{"id=id,job=job,processing_time=time", fine + "x,y,1\nx2,y\n", "F109 f.csv:3:1: 2 fields; expected 3; hint: put "},
		{"id=id,job=job,processing_time=time", fine + "x,y,1\n\nz,y,soon\n", `V202 f.csv:4:5: processing_time "soon" is not a ` +
			`number`},
		{"id=id,job=job,processing_time=time:stone", fine + "x,y,1\n", "V202 f.csv:2:5: processing_time"},
		{"task=id,place=job", "eligible=f.csv\nid,job\nx,n1\n", ""},
		{"id=id,job=job", "tasks=f.csv\n", "T503 f.csv: the file is empty"},
		{"id=id,job=job", "tasks=f.csv\nid,job\n\"x,y\n", "F103 f.csv:2:"},
	} {
		_, err := mapped(t, Mapping{Map: c.by}, nil, c.file)
		if c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%s: %v\nwant %s", c.by, err, c.want)
		}
	}
	base := &model.Workload{}
	b := model.NewBuilder()
	b.Job(model.Job{ID: "j"}, model.Locus{})
	b.Task(model.Task{ID: "x", Processing: model.Some(model.Second)}, "j", "", model.Locus{})
	base, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	_, err = mapped(t, Mapping{Map: "from=a,to=b,delay==0"}, base, "delays=f.csv\na,b\nx,y\n")
	if err == nil || !strings.HasPrefix(err.Error(), "R303 f.csv:2:3: ") {
		t.Error(err)
	}
}

// TestMappedDuplicates: a row with the key of another one of its file may fill in cells, but not change them, and none
// moves a task to another job.
func TestMappedDuplicates(t *testing.T) {
	const by = "id=Task,job=Job,processing_time=Min:m"
	_, err := mapped(t, Mapping{Map: by}, nil, "tasks=f.csv\nTask,Job,Min\nextract,crm,5\nload,crm,5\nextract,erp,5\n")
	if want := `R301 f.csv:4:9: the id is that of a row in line 2, but job is "erp" and was "crm"; expected one row for ` +
		`each id; hint: keep one of the rows; if jobs share names of tasks, map the texts of two columns, id=JOB.TASK, ` +
		`wherever tables name tasks`; err == nil || err.Error() != want {
		t.Error(err)
	}
	w, err := mapped(t, Mapping{Map: by}, nil, "tasks=f.csv\nTask,Job,Min\nextract,crm,\nextract,crm,5.0\nextract,crm,5\n")
	if err != nil || w.Tasks[0].Processing != model.Some(300*model.Second) {
		t.Fatal(w, err)
	}
	_, err = mapped(t, Mapping{Map: by}, w, "tasks=g.csv\nTask,Job,Min\nextract,erp,5\n")
	if err == nil || !strings.HasPrefix(err.Error(), `R301 g.csv:2:9: the id is that of a row of the workload, but job is`) {
		t.Error(err)
	}
	w, err = mapped(t, Mapping{Map: "id=j,weight=w"}, w, "jobs=j.csv\nj,w\ncrm,\ncrm,5\n")
	if err != nil || w.Jobs[0].Weight != 5*model.UnitWeight {
		t.Fatal(w, err)
	}
	_, err = mapped(t, Mapping{Map: "id=n,cpu=c"}, w, "topology=h.csv\nn,c\nn1,2\nn1,4\n")
	if err == nil || !strings.HasSuffix(err.Error(), `cpu is "4" and was "2"; expected one row for each id; hint: keep one `+
		"of the rows; if jobs share names of tasks, map the texts of two columns, id=JOB.TASK, wherever tables name tasks") {
		t.Error(err)
	}
}

// TestMappedUnits: names of columns state units. Plain numbers below a unit that is not clear are refused.
func TestMappedUnits(t *testing.T) {
	read := func(column, name, cell string) (string, error) {
		w, err := mapped(t, Mapping{Map: "id=t,job=t," + column + "=" + strings.Replace(name, "R A M (Gig)", "ram gig", 1)}, nil,
			"tasks=f.csv\nt,"+name+"\nx,"+cell+"\n")
		if err != nil {
			return "", err
		}
		return w.Tasks[0].Processing.Value.String() + " " + w.Tasks[0].MemoryBytes.Value.String(), nil
	}
	for _, c := range []struct{ column, name, cell, want string }{
		{"processing_time", "Time (hrs)", "3", "10800 0"}, {"processing_time", "Time (m)", "3", "180 0"},
		{"processing_time", "Time [sec]", "3", "3 0"}, {"processing_time", "TIME_MS", "1500", "1.5 0"},
		{"processing_time", "hours", "2", "7200 0"}, {"processing_time", "Time (hh:mm:ss)", "0:45:00", "2700 0"},
		{"processing_time", "time per run", "3", "3 0"}, {"processing_time", "Time (minuten)", "3m", "180 0"},
		{"memory_bytes", "RAM (GB)", "3", "0 3000000000"}, {"memory_bytes", "mem_kb", "3", "0 3000"},
		{"memory_bytes", "mem_mib", "3", "0 3145728"},
	} {
		if got, err := read(c.column, c.name, c.cell); err != nil || got != c.want {
			t.Errorf("%s: %s, %v", c.name, got, err)
		}
	}
	for _, c := range []struct{ column, name, want string }{
		{"processing_time", "Time (minuten)", `units are ms, s, m, h and d, as in 1h30m; hint: name it in the map: ` +
			`processing_time=Time (minuten):UNIT`},
		{"processing_time", "Time (hh:mm)", "name it in the map"}, {"processing_time", "Time (M)", "write m for minutes, or "},
		{"memory_bytes", "RAM (G)", "write GB for powers of 1000 or GiB for powers of 1024, or name it in the map"},
		{"memory_bytes", "RAM (Gb)", "b is the symbol of bits: write GB for bytes"}, {"memory_bytes", "mem_g", "write GB"},
		{"memory_bytes", "RAM (Gig)", "units are B"}, {"memory_bytes", "R A M (Gig)", "units are B"},
	} {
		_, err := read(c.column, c.name, "3")
		if err == nil || !strings.HasPrefix(err.Error(), `V202 f.csv:1:3: the unit of "`+c.name+`" is not clear`) ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestMappedAgain: rows as before are no changes, deadlines stay at their time if releases change, and a table may be
// replaced.
func TestMappedAgain(t *testing.T) {
	origin, _ := model.ParseOrigin("2026-11-29T22:00")
	const jobs = "jobs=j.csv\nid,due\none,2026-11-30 05:00\ntwo,\n"
	w, err := mapped(t, Mapping{Map: "tasks.id=id,tasks.job=job,tasks.processing_time=s,topology.id=n,jobs.id=id," +
		"jobs.deadline=due", Origin: origin}, nil, "tasks=t.csv\nid,job,s\na,one,60\nb,two,60\n", "topology=n.csv\nn\nn1\n", jobs)
	if err != nil {
		t.Fatal(err)
	}
	note := func(m Mapping, file string) string {
		t.Helper()
		had := len(w.Notes)
		if w, err = mapped(t, m, w, file); err != nil {
			t.Fatal(err)
		}
		return strings.Join(w.Notes[had:], "\n")
	}
	away := Mapping{Map: "node=n,from=f,until=u"}
	const release = "jobs=r.csv\nid,r\none,2026-11-30 02:00\n"
	for _, c := range []struct {
		by         Mapping
		file, want string
	}{
		{Mapping{Map: "id=id,deadline=due"}, jobs, "j.csv: 0 rows added, 0 changed, 2 as before"},
		{Mapping{Map: "id=id,release=r"}, release, "r.csv: 0 rows added, 1 changed\n1 deadline kept at the same time as " +
			"releases changed"},
		{Mapping{Map: "id=id,release=r"}, release, "r.csv: 0 rows added, 0 changed, 1 as before"},
		{Mapping{Map: "id=id,deadline=due"}, jobs, "j.csv: 0 rows added, 0 changed, 2 as before"},
		{away, "unavailable=m.csv\nn,f,u\nn1,2:00,4:00\n", "m.csv: 1 row added, 0 changed"},
		{away, "unavailable=m.csv\nn,f,u\nn1,2:00,4:00\n", "m.csv: 0 rows added, 0 changed, 1 as before"},
		{Mapping{Map: away.Map, Replace: true}, "unavailable=m.csv\nn,f,u\nn1,2:15,4:00\n", "m.csv: 1 row added, 0 changed"},
		{Mapping{Map: "id=id,job=job"}, "tasks=t.csv\nid,job\nc,ome\n", "t.csv: 1 row added, 0 changed\n" +
			`1 job made that only tasks name, such as "ome" did you mean "one"?`},
	} {
		if got := note(c.by, c.file); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s", c.file, got)
		}
	}
	got := csvOf(t, w, "jobs", "unavailable")
	if !strings.Contains(got, "\none,14400,1,10800,") || !strings.HasSuffix(got, "until\nn1,15300,21600\n") {
		t.Error(got)
	}
	_, err = mapped(t, Mapping{Map: "id=id,release=r"}, w, "jobs=r.csv\nid,r\none,2026-11-30 06:00\n")
	if err == nil || !strings.HasPrefix(err.Error(), `V203 r.csv:2:5: the release of job "one" is 3600 s after its deadline`) {
		t.Error(err)
	}
	w, err = mapped(t, Mapping{Map: "id=id,release=r"}, w, "jobs=r.csv\nid,r\ntwo,21:30\n")
	if err != nil || len(w.ReaderWarnings) != 1 || w.ReaderWarnings[0].Pos.String() != "r.csv:2:5" {
		t.Error(w.ReaderWarnings, err)
	}
}

// TestMappedLists: commas and semicolons are between ids if all are known; a wrong list gets a hint, as do jobs before
// tasks.
func TestMappedLists(t *testing.T) {
	w, err := mapped(t, Mapping{Map: "id=t,job=j"}, nil, "tasks=t.csv\nt,j\na,A\nb,\"B, C\"\nc,C\nd,B\ne,E\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range []string{`"A, C"`, "A;C", "A|C"} {
		v, err := mapped(t, Mapping{Map: "job=job,after=after"}, w, "dependencies=d.csv\njob,after\nE,"+list+
			"\nB,\"B, C\"\n")
		if err != nil || len(v.Dependencies) != 3 {
			t.Error(list, v, err)
		}
	}
	_, err = mapped(t, Mapping{Map: "job=job,after=after"}, w, "dependencies=d.csv\njob,after\nE,\"A, D\"\n")
	if err == nil || !strings.HasPrefix(err.Error(), "R302 d.csv:2:3: ") ||
		!strings.Contains(err.Error(), "; hint: put | between") {
		t.Error(err)
	}
	_, err = mapped(t, Mapping{Map: "id=j"}, nil, "jobs=d.csv\nj\nE\n")
	if err == nil || !strings.Contains(err.Error(), "hint: import all tables in one call, or the tasks first") {
		t.Error(err)
	}
}

// TestPropose: maps for tables with names that other programs use, and none for others.
func TestPropose(t *testing.T) {
	for header, want := range map[string]string{
		"task_id,dag_id,run_id,start_date,duration,hostname,pool": "tasks=F --map id=dag_id.task_id,job=dag_id," +
			"processing_time=duration,recorded_node=hostname,recorded_start=start_date",
		"Hostname;cores;RAM_GB;rack":                   "topology=F --map id=Hostname,cpu=cores,memory_bytes=RAM_GB,parent=rack",
		"host,start,end,ticket":                        "unavailable=F --map node=host,from=start,until=end",
		"dag_id\tupstream_task_id\tdownstream_task_id": "delays=F --map from=dag_id.upstream_task_id,to=dag_id.downstream_task_id",
		"source_dag_id,target_dag_id":                  "dependencies=F --map job=target_dag_id,after=source_dag_id",
		"dag_id,sla_by":                                "jobs=F --map id=dag_id,deadline=sla_by",
		"task,pinned_host":                             "eligible=F --map task=task,place=pinned_host",
		"Machine,Cores,Memory (GB)":                    "topology=F --map id=Machine,cpu=Cores,memory_bytes=Memory (GB)",
		"Machine,From,To,Reason":                       "unavailable=F --map node=Machine,from=From,until=To",
		"License,Seats":                                "capacities=F --map resource=License,amount=Seats,node==root",
		"Task,License,Count":                           "demands=F --map task=Task,resource=License,amount=Count",
		"Job Name,Depends On":                          "dependencies=F --map job=Job Name,after=Depends On",
		"Task,Job,Minutes,After":                       "tasks=F --map id=Task,job=Job,processing_time=Minutes",
		"a,b":                                          "",
	} {
		path := t.TempDir() + "/f.csv"
		if err := os.WriteFile(path, []byte("\ufeff"+header+"\r\n1,2\r\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		command, ok := Propose(path)
		command = strings.ReplaceAll(strings.ReplaceAll(command, path, "F"), `"`, "")
		if full := "mrsched import csv " + want + " --into FOLDER"; ok != (want != "") || ok && command != full {
			t.Errorf("%s: %s", header, command)
		}
	}
}

// FuzzMapped reads any text by a map, with a workload that is there or none.
func FuzzMapped(f *testing.F) {
	f.Add("dag,task,time,place\na,b,0:10:30,x|y\n", ',', true)
	f.Add("dag;task;time;place\na;b;1,5;\n", '\x00', false)
	f.Fuzz(func(t *testing.T, text string, between rune, again bool) {
		for _, by := range []string{"id=dag.task,job=dag,processing_time=time", "id=dag,parent=place",
			"task=dag.task,place=place"} {
			m := Mapping{Map: by, Comma: again}
			if strings.ContainsRune(",;|\t", between) {
				m.Delimiter = between
			}
			w, err := mapped(t, m, nil, "f.csv\n"+text)
			if _, ok := err.(*model.InputError); (err == nil) == (w == nil) || err != nil && !ok {
				t.Fatal(w, err)
			}
			if err == nil && again {
				if _, err := mapped(t, m, w, "f.csv\n"+text); err != nil {
					t.Fatal("the same again: ", err)
				}
			}
		}
	})
}
