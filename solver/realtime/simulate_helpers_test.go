package realtime

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// simTB is the common part of tests, benchmarks and rapid.
type simTB interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// simWorker is a worker of a test's cluster.
type simWorker struct {
	speed         float64
	maps, reduces int64
}

// simJob is a job of a test, times in seconds at speed 1.
type simJob struct {
	id            string
	release, due  float64 // due: after its arrival; 0: no deadline
	maps, reduces []float64
	holder        []int             // by map: the worker, from 1, that holds its block; 0 or missing: it reads none
	late, shuffle []float64         // by map: how long after its job it is released, its shuffle delay
	lateReduces   []float64         // by reduce: how long after its job it is released
	keys          map[string]uint16 // instead of reduces: bytes, at 1 byte a second
	reducers      int64             // of keys
}

// simParams are the parameters' defaults for goal deadlines, with true times and without LOF.
func simParams(set map[string]any) solver.Params {
	p := solver.Params{"goal": "deadlines", "deadline-factor": 0.0, "partitions": int64(0), "sketch-delta": 0.2,
		"sketch-seed": int64(1), "resplit-cost": "",
		estimatesParam: "true", neighboursParam: int64(256), lofParam: 0.0, partitionParam: "dp"}
	for k, v := range set {
		p[k] = v
	}
	return p
}

func simWorkload(t simTB, workers []simWorker, jobs []simJob) *model.Workload {
	t.Helper()
	b := model.NewBuilder()
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
	for i, w := range workers {
		b.Node(model.Node{ID: fmt.Sprintf("w%d", i+1), Kind: model.HostNode, MapSlots: w.maps, ReduceSlots: w.reduces,
			Speed: model.Some(w.speed)}, "root", model.Locus{})
	}
	at := func(list []float64, i int) float64 {
		if i < len(list) {
			return list[i]
		}
		return 0
	}
	for _, j := range jobs {
		row := model.Job{ID: j.id, Release: model.TimeOf(j.release), Weight: model.UnitWeight,
			Reduces: model.Some(int64(len(j.reduces)))}
		if j.due > 0 {
			row.Deadline = model.Some(model.TimeOf(j.due))
		}
		if j.keys != nil {
			row.Reduces, row.ReduceRate = model.Some(j.reducers), model.Some(1.0)
		}
		b.Job(row, model.Locus{})
		for i, p := range j.maps {
			block := ""
			if h := int(at(floats(j.holder), i)); h > 0 {
				block = fmt.Sprintf("b-%s-%d", j.id, i)
				b.Placement(block, fmt.Sprintf("w%d", h), model.Locus{})
			}
			b.Task(model.Task{ID: fmt.Sprintf("%s.m%d", j.id, i+1), Kind: model.Map, Processing: model.Some(model.TimeOf(p)),
				ShuffleDelay: model.TimeOf(at(j.shuffle, i)),
				Release:      model.Some(model.TimeOf(j.release + at(j.late, i)))}, j.id, block, model.Locus{})
		}
		for i, p := range j.reduces {
			b.Task(model.Task{ID: fmt.Sprintf("%s.r%d", j.id, i+1), Kind: model.Reduce, Processing: model.Some(model.TimeOf(p)),
				Release: model.Some(model.TimeOf(j.release + at(j.lateReduces, i)))}, j.id, "", model.Locus{})
		}
		var keys []string
		for k := range j.keys {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			b.KeyData(model.KeyData{Key: k, Bytes: model.Bytes(j.keys[k])}, j.id, model.Locus{})
		}
	}
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func floats(list []int) (out []float64) {
	for _, v := range list {
		out = append(out, float64(v))
	}
	return out
}

func simRun(t simTB, w *model.Workload, p solver.Params) *run {
	t.Helper()
	r, err := open(w, p)
	if err != nil {
		t.Fatal(err)
	}
	return r.(*run)
}

func simPolicy(t simTB, name string) policy {
	t.Helper()
	for _, p := range policyList() {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("no policy %q", name)
	return policy{}
}

// simOrder writes a schedule as "task slot start–end" in seconds, by start, then by task.
func simOrder(in *realtime.Instance, s *model.Schedule) string {
	rows := slices.Clone(s.Entries)
	slices.SortFunc(rows, func(a, b model.Entry) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start),
			cmp.Compare(a.Task, b.Task))
	})
	var out []string
	for _, e := range rows {
		id, _, _ := in.TaskName(e.Task)
		out = append(out, fmt.Sprintf("%s %s %s–%s", id, in.MachineName(e.Machine), e.Start, e.End))
	}
	return strings.Join(out, "; ")
}

// simSolve simulates and requires a schedule that violates nothing.
func simSolve(t simTB, r *run, name string) *solver.Outcome {
	t.Helper()
	out, err := r.simulate(context.Background(), simPolicy(t, name), solver.Options{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if bad := r.in.Check(out.Schedule); len(bad) > 0 {
		t.Fatalf("%s: %v\n%s", name, bad, simOrder(r.in, out.Schedule))
	}
	return out
}

// simExpected maps task ids to their expected time on every worker, in seconds; other tasks have their true time.
type simExpected struct {
	*realtime.Instance
	think map[string]float64
}

func (b simExpected) Time(task, worker int32) model.Time {
	id, _, _ := b.TaskName(model.TaskIndex(task))
	if v, ok := b.think[id]; ok {
		return model.TimeOf(v)
	}
	return b.Instance.Time(task, worker)
}

// open opens a workload as the driver does.
func open(w *model.Workload, p solver.Params) (solver.Run, error) { return Problem().Open(w, p) }
