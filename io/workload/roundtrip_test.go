package workload

import (
	"bytes"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"mrsched/io/disk"
	"mrsched/model"
	"mrsched/model/tier"
)

// same compares two workloads, except for positions.
var same = cmp.Options{cmpopts.IgnoreUnexported(model.Workload{}), cmpopts.IgnoreFields(model.Workload{}, "Skipped"),
	cmpopts.EquateEmpty(), cmpopts.EquateComparable(model.Origin{})}

func optional[T any](t *rapid.T, g *rapid.Generator[T], label string) model.Optional[T] {
	if !rapid.Bool().Draw(t, label+"?") {
		return model.Optional[T]{}
	}
	return model.Some(g.Draw(t, label))
}

var (
	anyTime   = rapid.Map(rapid.Int64Range(0, 1<<50), func(v int64) model.Time { return model.Time(v) })
	anyWeight = rapid.Map(rapid.Int64Range(0, math.MaxInt64), func(v int64) model.Weight { return model.Weight(v) })
	anyPrice  = rapid.Map(rapid.Int64Range(0, math.MaxInt64), func(v int64) model.Cost { return model.Cost(v) })
	anyBytes  = rapid.Map(rapid.Int64Range(0, math.MaxInt64), func(v int64) model.Bytes { return model.Bytes(v) })
	anyCount  = rapid.Int64Range(0, maxCount)
	anyRatio  = rapid.Float64Range(0, math.MaxFloat64)
	anyRate   = rapid.Float64Range(math.SmallestNonzeroFloat64, math.MaxFloat64)
	anyText   = rapid.Custom(func(t *rapid.T) string {
		s := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("a, \"'\n\r\t\\é日\x00\ufeff")))).Draw(t,
			"text")
		s = strings.ToValidUTF8(s, "?")
		for strings.Contains(s, "\r\n") { // CSV cannot keep it; see TestKeepable
			s = strings.ReplaceAll(s, "\r\n", "\n")
		}
		return s
	})
	anyIDs = rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom(idStarts).Draw(t,
			"start") + anyText.Draw(t, "id")
	}), 1, 6, rapid.ID)
)

// idStarts are beginnings of ids: some are what a spreadsheet would run, with and without apostrophes before it.
var idStarts = []string{"i", "i", "=", "+", "-", "@", "\t", "'", "'=", "''-", "'7"}

// anyCost is any cost that a Builder accepts.
var anyCost = rapid.Custom(func(t *rapid.T) model.AssignmentCost {
	costs := rapid.SliceOfN(anyTime, 3, 6).Draw(t, "costs")
	slices.Sort(costs)
	c := model.AssignmentCost{Local: costs[0], Remote: model.RemoteCost{Base: costs[2]}}
	switch rapid.IntRange(0, 3).Draw(t, "form") {
	case 1:
		c.Remote.PerRemote = anyTime.Draw(t, "per remote")
	case 2:
		c.Remote = model.RemoteCost{Table: costs[1:]}
	case 3:
		c.Rack = model.Some(costs[1])
	}
	return c
})

// anyOrigin is any origin, or none.
var anyOrigin = rapid.Custom(func(t *rapid.T) model.Origin {
	o, _ := model.ParseOrigin(rapid.SampledFrom([]string{"", "22:00", "6:00:07", "2026-11-23T22:00", "0000-01-01 00:00",
		"9999-12-31T23:59:59Z", "2028-02-29 10:00:30+0530", "1969-07-20T20:17:40-03:30"}).Draw(t, "text"))
	return o
})

// anyWorkload is any workload that a Builder accepts.
var anyWorkload = rapid.Custom(func(t *rapid.T) *model.Workload {
	b, at := model.NewBuilder(), model.Locus{}
	b.Scalars(anyText.Draw(t, "name"), anyText.Draw(t, "problem"), optional(t, rapid.Int64Range(1, maxCount), "machines"),
		rapid.SliceOfN(anyText, 0, 3).Draw(t, "notes"))
	b.MaxRunningJobs(optional(t, rapid.Int64Range(1, maxCount), "running"))
	b.Origin(anyOrigin.Draw(t, "origin"))
	if rapid.Bool().Draw(t, "cost?") {
		b.Cost(anyCost.Draw(t, "cost"), at)
	}
	jobs, tasks, blocks, nodes := anyIDs.Draw(t, "jobs"), anyIDs.Draw(t, "tasks"), anyIDs.Draw(t, "blocks"),
		anyIDs.Draw(t, "nodes")
	jobs = jobs[:min(len(jobs), len(tasks))]
	if rapid.Bool().Draw(t, "implied?") { // all tasks, or those of some more jobs
		if rapid.Bool().Draw(t, "no tasks?") {
			jobs, tasks = nil, nil
		}
		for _, id := range anyIDs.Draw(t, "implied") {
			b.Job(model.Job{ID: "implied " + id, Reduces: model.Some(rapid.Int64Range(1, maxCount).Draw(t, "reduces"))}, at)
		}
	}
	for _, id := range jobs {
		b.Job(model.Job{ID: id, Release: anyTime.Draw(t, "release"), Weight: anyWeight.Draw(t, "weight"),
			Deadline: optional(t, anyTime, "deadline"),
			Tenant:   anyText.Draw(t, "tenant"), Class: anyText.Draw(t, "class"), Reduces: optional(t, anyCount, "reduces"),
			IntermediateBytes: optional(t, anyBytes, "bytes"), MapWork: optional(t, anyTime, "work"),
			ShuffleRatio: optional(t, anyRatio, "ratio"),
			Partitions:   optional(t, rapid.Int64Range(1, maxCount), "partitions"),
			TaskOverhead: optional(t, anyTime, "overhead"),
			MapRate:      optional(t, anyRate, "map rate"), ReduceRate: optional(t, anyRate, "reduce rate"),
			RecordedCompletion: optional(t, anyTime, "recorded")}, at)
	}
	topology := rapid.Bool().Draw(t, "topology?")
	if topology {
		for i, id := range nodes {
			n, parent := model.Node{ID: id, Kind: model.HostNode}, nodes[0]
			if i == 0 {
				n.Kind, parent = model.RootNode, ""
			}
			n.MapSlots, n.ReduceSlots = anyCount.Draw(t, "slots"), anyCount.Draw(t, "slots")
			n.Speed, n.Bandwidth = optional(t, anyRate, "speed"), optional(t, anyRate, "bandwidth")
			n.CPU, n.MemoryBytes = optional(t, anyRatio, "cpu"), optional(t, anyBytes, "memory")
			b.Node(n, parent, at)
		}
		nodes = nodes[1:]
	}
	if rapid.Bool().Draw(t, "slots?") {
		for _, id := range anyIDs.Draw(t, "slots") {
			node := rapid.SampledFrom(append(nodes, "")).Draw(t, "node")
			b.ReduceSlot(model.ReduceSlot{ID: id, NodeName: node, Cost: anyPrice.Draw(t, "cost")}, at)
		}
	}
	for i, id := range tasks {
		block := rapid.SampledFrom(append(blocks, "")).Draw(t, "block")
		b.Task(model.Task{ID: id, Kind: rapid.SampledFrom([]model.TaskKind{model.Map, model.Reduce}).Draw(t, "kind"),
			Processing: optional(t, anyTime, "processing"), ShuffleDelay: anyTime.Draw(t, "delay"),
			Weight:  optional(t, anyWeight, "weight"),
			Release: optional(t, anyTime, "release"), InputBytes: optional(t, anyBytes, "in"),
			OutputBytes: optional(t, anyBytes, "out"),
			CPU:         optional(t, anyRatio, "cpu"), MemoryBytes: optional(t, anyBytes, "memory"),
			RecordedNode: anyText.Draw(t, "node"), RecordedStart: optional(t, anyTime, "started")},
			jobs[i%len(jobs)], block, at)
		if i >= len(jobs) {
			b.Delay(tasks[i-len(jobs)], id, anyTime.Draw(t, "delay"), at)
		}
		if block != "" && len(nodes) > 0 {
			b.Placement(block, rapid.SampledFrom(nodes).Draw(t, "node"), at)
		}
	}
	if topology {
		anyRows(t, b, jobs, nodes)
		anyClusterRows(t, b, jobs, tasks, nodes)
	} else {
		anyRows(t, b, jobs, nil)
	}
	w, err := b.Build()
	try(t, err)
	return w
})

// anyRows adds any rows of the tables of problem realtime that some jobs and some nodes of the topology allow.
func anyRows(t *rapid.T, b *model.Builder, jobs, nodes []string) {
	at := model.Locus{}
	name := rapid.Custom(func(t *rapid.T) string { return "n" + anyText.Draw(t, "name") })
	for range rapid.IntRange(0, 3).Draw(t, "history") {
		b.PastRun(model.PastRun{Class: name.Draw(t, "class"), Worker: rapid.SampledFrom(append(nodes, "gone")).Draw(t,
			"worker"),
			Kind: rapid.SampledFrom([]model.TaskKind{model.Map, model.Reduce}).Draw(t, "kind"), Bytes: anyBytes.Draw(t, "bytes"),
			CPU: optional(t, anyRatio, "cpu"), MemoryBytes: optional(t, anyBytes, "memory"), Time: anyTime.Draw(t, "seconds")},
			at)
	}
	for range rapid.IntRange(0, 3).Draw(t, "rows") {
		if len(jobs) == 0 {
			return
		}
		job := rapid.SampledFrom(jobs).Draw(t, "job")
		b.Part(model.Part{Map: anyText.Draw(t, "map"), Partition: name.Draw(t, "partition"),
			Bytes: anyBytes.Draw(t, "bytes")}, job, at)
		b.KeyData(model.KeyData{Map: anyText.Draw(t, "map"), Key: name.Draw(t, "key"), Bytes: anyBytes.Draw(t, "bytes")}, job,
			at)
		if len(nodes) > 0 {
			b.GivenTime(model.GivenTime{Task: name.Draw(t, "task"), Time: anyTime.Draw(t, "seconds")}, job,
				rapid.SampledFrom(nodes).Draw(t, "worker"), at)
		}
	}
}

// anyClusterRows adds any rows of the tables about clusters, each for a different node, job or task.
func anyClusterRows(t *rapid.T, b *model.Builder, jobs, tasks, nodes []string) {
	at := model.Locus{}
	resource := rapid.Custom(func(t *rapid.T) string { return "r" + anyText.Draw(t, "resource") })
	amount := rapid.Map(rapid.Int64Range(0, math.MaxInt64), func(v int64) model.Amount { return model.Amount(v) })
	some := func() bool { return rapid.Bool().Draw(t, "row?") }
	for i, job := range jobs {
		if i > 0 && some() {
			b.Dependency(job, jobs[i-1], anyTime.Draw(t, "delay"), at)
		}
	}
	for i, node := range nodes {
		if some() {
			b.Capacity(model.Capacity{Resource: resource.Draw(t, "resource"), Amount: amount.Draw(t, "amount")}, node, at)
		}
		if some() {
			u := model.Unavailable{From: anyTime.Draw(t, "from")}
			if some() {
				u.Until = model.Some(u.From + 1 + anyTime.Draw(t, "length"))
			}
			b.Unavailable(u, node, at)
		}
		if i < len(jobs) && some() {
			b.Eligible(jobs[i], "", node, at)
		}
		if i < len(tasks) && some() {
			b.Eligible("", tasks[i], node, at)
		}
		if i < len(tasks) && some() {
			start := rapid.Int64Range(-1<<50, 1<<50).Draw(t, "start")
			b.FixedTask(tasks[i], node, model.Time(start), at)
		}
	}
	for _, task := range tasks {
		if some() {
			b.Demand(model.TaskDemand{Resource: resource.Draw(t, "resource"), Amount: amount.Draw(t, "amount")}, task, at)
		}
	}
}

// unbounded allows any number of slots and reduces, which are never made here.
var unbounded = Options{MaxCount: math.MaxInt64}

func init() { tier.Rapid(40) }

// TestRoundTrip: workloads are read as they were written, in each form, and their documents fit the schema.
func TestRoundTrip(t *testing.T) {
	tier.Slow(t)
	schema := compiled(t)
	rapid.Check(t, func(t *rapid.T) {
		w := anyWorkload.Draw(t, "workload")
		var packed bytes.Buffer
		doc := docOf(t, w)
		if err := validate(schema, doc); err != nil {
			t.Fatalf("%v\n%s", err, doc)
		}
		try(t, disk.Compress(&packed, "w.gz", func(out io.Writer) error { return WriteJSON(out, w) }))
		for _, text := range [][]byte{doc, packed.Bytes()} {
			back, err := ReadBytes(text, "w", unbounded)
			compare(t, "JSON", w, back, err)
		}
		throughCSV(t, w, rapid.Bool().Draw(t, "gzip"), unbounded)
	})
}

func compare(t rapid.TB, what string, want, got *model.Workload, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if d := cmp.Diff(want, got, same); d != "" {
		t.Fatalf("%s: (-written +read)\n%s", what, d)
	}
	if a, b := Digest(want), Digest(got); a != b || len(a) != 64 {
		t.Fatalf("%s: digest %q, then %q", what, a, b)
	}
}

// try fails a test that met an error.
func try(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// docOf is the JSON of a workload.
func docOf(t rapid.TB, w *model.Workload) []byte {
	t.Helper()
	var doc bytes.Buffer
	try(t, WriteJSON(&doc, w))
	return doc.Bytes()
}

// throughCSV compares a workload with what a directory of it is read as.
func throughCSV(t rapid.TB, w *model.Workload, packed bool, o Options) {
	t.Helper()
	files, err := csvFiles(w, packed)
	try(t, err)
	back, err := readDirectory(files, "w", o)
	compare(t, "CSV", w, back, err)
}

// csvFiles is the directory of a workload in memory.
func csvFiles(w *model.Workload, packed bool) (fstest.MapFS, error) {
	files := fstest.MapFS{}
	err := writeTables(func(name string, write func(io.Writer) error) error {
		if packed {
			name += gzSuffix
		}
		var buf bytes.Buffer
		err := disk.Compress(&buf, name, write)
		files[name] = &fstest.MapFile{Data: buf.Bytes()}
		return err
	}, w)
	return files, err
}

func FuzzReadJSON(f *testing.F) {
	for _, doc := range []string{small, strings.ReplaceAll(small, "\n", ""), "{}",
		`{"format":"mrsched-workload/1","jobs":[{"id":"\u0000"}],"tasks":[null]}`, "\xef\xbb\xbf[]"} {
		f.Add([]byte(doc), false)
	}
	f.Add([]byte(`{"format":"mrsched-workload/1","origin":"22:00","machines":1,"jobs":[{"id":"a","release":"6:00",`+
		`"deadline":"23:00","reduces":1,"intermediate_bytes":"1.5kB","map_work":"2d 3h"}]}`), false)
	matches, err := filepath.Glob("../../testdata/malformed/*.json")
	try(f, err)
	for _, name := range matches {
		f.Add(readFile(f, name), true)
	}
	f.Fuzz(func(t *testing.T, doc []byte, allow bool) {
		w, err := ReadBytes(doc, "w", Options{AllowUnknown: allow})
		checkRead(t, w, err)
	})
}

// fuzzed are the files of a directory in the order in which FuzzReadCSV has them.
var fuzzed = strings.Fields("workload.json jobs.csv tasks.csv delays.csv placements.csv topology.csv slots.csv " +
	"partitions.csv keys.csv times.csv history.csv capacities.csv demands.csv dependencies.csv eligible.csv " +
	"unavailable.csv fixed.csv")

// readFuzzed reads a directory of some of these files; empty ones are absent.
func readFuzzed(texts ...[]byte) (*model.Workload, error) {
	files := fstest.MapFS{}
	for i, text := range texts {
		if len(text) > 0 {
			files[fuzzed[i]] = &fstest.MapFile{Data: text}
		}
	}
	return readDirectory(files, "w", Options{})
}

func FuzzReadCSV(f *testing.F) {
	all := map[string]string{}
	for name, file := range smallFiles() {
		all[name] = string(file.Data)
	}
	for _, seed := range []map[string]string{all,
		{"workload.json": `{"format":"mrsched-workload/1"}`, "jobs.csv": "\xef\xbb\xbfid\r\n\"j\r\"\r\n",
			"tasks.csv": "id,job,kind,block\nt,\"j\r\",map,b\n", "slots.csv": "id,node,cost\ns,n,0.5\ns2,x,1e400\n"},
		{"workload.json": `{"format":"mrsched-workload/1","origin":"2026-11-23T22:00+01:00"}`,
			"jobs.csv":   "id,release,deadline,map_bytes_per_s,,\nj,22:30,2026-11-24T06:00Z,10Gbit/s,,\n,,,,,\n",
			"tasks.csv":  "Id,job,kind,processing_time\nt,j,map,1h30m\n",
			"delays.csv": "from,to,delay\nt,t,.5ms\n", "partitions.csv": "job,partition,bytes\nj,p,64MiB\n"},
		{"workload.json": `{"format":"mrsched-workload/1","origin":"22:00"}`, "jobs.csv": "id\ni\nj\n",
			"tasks.csv": "id,job,kind\ns,i,map\nt,j,map\n", "topology.csv": "id,parent,kind\nr,,root\nn,r,node\n",
			"dependencies.csv": "job,after,delay\nj,i,90s\n", "eligible.csv": "job,task,place\nj,,r\n,s,n\n",
			"unavailable.csv": "node,from,until\nn,23:00,23:30\nn,2:00,\n",
			"fixed.csv":       "task,node,start\ns,n,-1h30m\nt,n,22:00\n"},
	} {
		x := func(i int) []byte { return []byte(seed[fuzzed[i]]) }
		f.Add(x(0), x(1), x(2), x(3), x(4), x(5), x(6), x(7), x(8), x(9), x(10), x(11), x(12), x(13), x(14), x(15), x(16))
	}
	f.Fuzz(func(t *testing.T, scalars, jobs, tasks, delays, placements, topology, slots, partitions, keys, times,
		history, capacities, demands, dependencies, eligible, unavailable, fixed []byte) {
		w, err := readFuzzed(scalars, jobs, tasks, delays, placements, topology, slots, partitions, keys, times,
			history, capacities, demands, dependencies, eligible, unavailable, fixed)
		checkRead(t, w, err)
		if err != nil {
			return
		}
		if _, err := csvFiles(w, false); err == nil || !strings.Contains(err.Error(), "cannot be kept in CSV") {
			throughCSV(t, w, false, Options{})
		}
	})
}

// checkRead requires findings or a workload that can be written and read again.
func checkRead(t *testing.T, w *model.Workload, err error) {
	t.Helper()
	if err != nil {
		e, ok := err.(*model.InputError)
		if !ok || w != nil || len(e.Findings) == 0 {
			t.Fatalf("workload %v, error %v", w, err)
		}
		for _, f := range e.Findings {
			if f.Code == "" || f.Pos.File == "" || f.What == "" {
				t.Fatalf("incomplete finding %+v", f)
			}
		}
		return
	}
	back, err := ReadBytes(docOf(t, w), "w", Options{})
	compare(t, "JSON", w, back, err)
}
