package multitenant

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/tier"
)

// tablesExample is worked by hand: racks A (n1, n2) and B (n3) with uplinks of 10 bytes a second. Job j1 of user u1
// reads 100 bytes at home on n1 and 60 bytes from n1 on n3, and shuffles as much to a reduce on n2 and one on n3, 80
// bytes each; u2 has a job of one map that reads nothing and one of a single reduce.
func tablesExample(t *testing.T) (*Instance, *model.Schedule) {
	t.Helper()
	b := model.NewBuilder()
	at := model.Locus{}
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", at)
	for _, rack := range [][]string{{"A", "n1", "n2"}, {"B", "n3"}} {
		b.Node(model.Node{ID: rack[0], Kind: model.RackNode, Bandwidth: model.Some(10.0)}, "root", at)
		for _, n := range rack[1:] {
			b.Node(model.Node{ID: n, Kind: model.HostNode, MapSlots: 1, ReduceSlots: 1}, rack[0], at)
		}
	}
	second := model.Some(model.Second)
	b.Job(model.Job{ID: "j1", Tenant: "u1", ShuffleRatio: model.Some(1.0), Reduces: model.Some(int64(2)),
		TaskOverhead: second}, at)
	b.Job(model.Job{ID: "j2", Tenant: "u2", Release: 20 * model.Second}, at)
	b.Job(model.Job{ID: "j3", Tenant: "u2", Release: 21 * model.Second, Reduces: model.Some(int64(1)),
		TaskOverhead: second}, at)
	b.Task(model.Task{ID: "m1", InputBytes: model.Some(model.Bytes(100)), Processing: model.Some(4 * model.Second)},
		"j1", "b1", at)
	b.Task(model.Task{ID: "m2", InputBytes: model.Some(model.Bytes(60)), Processing: model.Some(2 * model.Second)},
		"j1", "b2", at)
	b.Task(model.Task{ID: "m3", Processing: model.Some(2 * model.Second)}, "j2", "", at)
	b.Placement("b1", "n1", at)
	b.Placement("b2", "n1", at)
	in, s := opened(t, b), &model.Schedule{}
	for _, x := range []struct {
		task, slot string
		start, end float64
	}{{"m1", "n1/m1", 0, 4}, {"m2", "n3/m1", 1, 9.5}, {"m3", "n2/m1", 20, 22}, {"j1.r1", "n2/r1", 5, 14},
		{"j1.r2", "n3/r1", 6, 17}, {"j3.r1", "n1/r1", 21, 22}} {
		task, found := in.FindTask(x.task)
		if !found {
			t.Fatalf("no %s", x.task)
		}
		s.Entries = append(s.Entries, in.entry(t, int(task), x.slot, x.start, x.end))
	}
	return in, s
}

// tableText is a table as lines, the columns first.
func tableText(x model.ResultTable) string {
	var lines strings.Builder
	lines.WriteString(strings.Join(x.Columns, ",") + "\n")
	for row := range x.Rows {
		lines.WriteString(strings.Join(row, ",") + "\n")
	}
	return lines.String()
}

// TestTables compares with numbers worked by hand.
func TestTables(t *testing.T) {
	in, s := tablesExample(t)
	want := map[string]string{
		"jobs": "job,user,arrival,first_start,maps_end,end,turn_around,node_local,rack_local,off_rack,racks,shuffle_bytes,cross_rack_shuffle_bytes,cross_rack_map_bytes\n" +
			"j1,u1,0,0,9.5,17,17,1,0,1,2,160,80,60\nj2,u2,20,20,22,22,2,1,0,0,1,0,0,0\nj3,u2,21,21,,22,1,0,0,0,1,0,0,0\n",
		"users": "user,jobs,slot_seconds,active_seconds,mean_slots,turn_around\nu1,1,32.5,17,1.911764,17\nu2,2,3,2,1.5,1.5\n",
	}
	for range 2 { // rows can be gone through again
		list := in.Tables(s)
		if len(list) != len(want) {
			t.Errorf("%d tables, not %d", len(list), len(want))
		}
		for _, x := range list {
			if is := tableText(x); is != want[x.Name] {
				t.Errorf("%s is\n%s\nnot\n%s", x.Name, is, want[x.Name])
			}
		}
	}
	for _, x := range in.Tables(s) { // and left early
		for range x.Rows {
			break
		}
	}
}

// TestTablesOfImpossible: schedules that break every constraint still have tables.
func TestTablesOfImpossible(t *testing.T) {
	in, s := tablesExample(t)
	for i := range s.Entries {
		e := &s.Entries[i]
		e.Start, e.End = e.End, e.Start
		e.Machine = int32((i * 5) % in.Slots)
	}
	s.Entries = append(s.Entries[1:3], s.Entries[1:]...)
	s.Entries[0].End = model.MaxTime
	for _, x := range append(in.Tables(s), in.Tables(&model.Schedule{})...) {
		tableText(x)
	}
}

// TestShuffleNeedsReduces: map output is shuffled only if there are reduces, whatever the rows state. A ratio that
// gives more output than can be stored is a finding, and so are more bytes than can be added.
func TestShuffleNeedsReduces(t *testing.T) {
	one, half, unstated := model.Some(int64(1)), model.Some(0.5), model.Optional[model.Bytes]{}
	for _, x := range []struct {
		job    model.Job
		input  model.Bytes
		output model.Optional[model.Bytes]
		want   model.Bytes
		code   model.Code
	}{
		{model.Job{Reduces: one, ShuffleRatio: half}, 100, unstated, 50, ""},
		{model.Job{Reduces: one, ShuffleRatio: half}, 100, model.Some(model.Bytes(70)), 70, ""},
		{model.Job{Reduces: one, IntermediateBytes: model.Some(model.Bytes(60))}, 100, unstated, 60, ""},
		{model.Job{ShuffleRatio: half}, 100, unstated, 0, ""},
		{model.Job{IntermediateBytes: model.Some(model.Bytes(60))}, 100, model.Some(model.Bytes(70)), 0, ""},
		{model.Job{Reduces: one, ShuffleRatio: model.Some(1e300)}, 100, unstated, 0, model.CodeOverflow},
		{model.Job{Reduces: one, ShuffleRatio: model.Some(1.0)}, 1 << 62, unstated, 0, model.CodeOverflow},
	} {
		b := model.NewBuilder()
		b.Scalars("", "", model.Some(int64(1)), nil)
		x.job.ID, x.job.TaskOverhead = "a", model.Some(model.Second)
		b.Job(x.job, model.Locus{})
		b.Task(model.Task{ID: "a1", InputBytes: model.Some(x.input), OutputBytes: x.output}, "a", "", model.Locus{})
		if x.code != "" {
			expectRefused(t, "a ratio", b, x.code)
		} else if in := opened(t, b); in.Shuffled[0] != x.want || in.Output[0] != x.want {
			t.Errorf("%d bytes shuffled, not %d: %+v", in.Shuffled[0], x.want, x.job)
		}
	}
}

// TestReducesFromNowhere: reduces of a job without maps process its intermediate_bytes, which must be stated.
func TestReducesFromNowhere(t *testing.T) {
	job := func(bytes model.Optional[model.Bytes]) *model.Builder {
		b := model.NewBuilder()
		b.Scalars("", "multitenant", model.Some(int64(2)), nil)
		b.Job(model.Job{ID: "j", Reduces: model.Some(int64(2)), ReduceRate: model.Some(1e6), IntermediateBytes: bytes},
			model.Locus{})
		return b
	}
	if got := opened(t, job(model.Some(model.Bytes(6e6)))).Compute(1, 0); got != 3*model.Second { // 3 MB at 1 MB/s
		t.Errorf("a reduce computes %s s, not 3", got)
	}
	expectRefused(t, "without bytes", job(model.Optional[model.Bytes]{}), model.CodeJobData)
}

func init() { tier.Rapid(40) }

// build opens what a builder holds.
func build(t rapid.TB, b *model.Builder) (*Instance, error) {
	t.Helper()
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return New(w, Options{})
}

func opened(t rapid.TB, b *model.Builder) *Instance {
	t.Helper()
	in, err := build(t, b)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// expectRefused requires that New has one finding, with this code.
func expectRefused(t rapid.TB, name string, b *model.Builder, code model.Code) *model.InputError {
	t.Helper()
	var input *model.InputError
	if _, err := build(t, b); !errors.As(err, &input) || len(input.Findings) != 1 || input.Findings[0].Code != code {
		t.Fatalf("%s: %v, expected %s", name, err, code)
	}
	return input
}

// entry puts a task on a slot from a time to another one, in seconds.
func (in *Instance) entry(t testing.TB, task int, slot string, start, end float64) model.Entry {
	t.Helper()
	k, ok := in.Machine(slot)
	if !ok {
		t.Fatal(slot)
	}
	return model.Entry{Task: model.TaskIndex(task), Machine: k, Start: model.TimeOf(start), End: model.TimeOf(end)}
}

// expectCheck requires that a schedule has one violation, with this code, or one at each link of a transfer; "": none.
func expectCheck(t *testing.T, in *Instance, name string, rows []model.Entry, code model.Code) {
	t.Helper()
	list := in.Check(&model.Schedule{Entries: rows})
	other := func(v model.Violation) bool { return v.Code != code }
	if (len(list) > 0) != (code != "") || slices.ContainsFunc(list, other) || len(list) > 1 && code != model.CodeLink {
		t.Errorf("%s: %v, expected %q", name, list, code)
	}
}

// boundNode is a node of a test cluster, in rack A or B.
type boundNode struct {
	rack          string
	maps, reduces int64
	speed         float64 // 0: 1
	bandwidth     float64 // 0: without limit
}

// boundJob is a job: maps with the node that holds their input (−1: none), all of one time, input and output.
type boundJob struct {
	arrival          float64
	mapTime, redTime float64
	input, output    model.Bytes
	at               []int
	reduces          int64
}

// boundInstance has racks A and B with an uplink in bytes a second.
func boundInstance(t rapid.TB, uplink float64, nodes []boundNode, jobs ...boundJob) *Instance {
	b, at := model.NewBuilder(), model.Locus{}
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", at)
	for _, rack := range []string{"A", "B"} {
		b.Node(model.Node{ID: rack, Kind: model.RackNode, Bandwidth: model.Some(uplink)}, "root", at)
	}
	for k, n := range nodes {
		speed := model.Optional[float64]{Value: n.speed, Known: n.speed > 0}
		b.Node(model.Node{ID: fmt.Sprintf("n%d", k), Kind: model.HostNode, MapSlots: n.maps, ReduceSlots: n.reduces,
			Speed:     speed,
			Bandwidth: model.Optional[float64]{Value: n.bandwidth, Known: n.bandwidth > 0}}, n.rack, at)
	}
	blocks := 0
	for j, x := range jobs {
		id := fmt.Sprintf("j%d", j)
		b.Job(model.Job{ID: id, Release: model.TimeOf(x.arrival), Reduces: model.Some(x.reduces),
			TaskOverhead: model.Some(model.TimeOf(x.redTime))}, at)
		for m, n := range x.at {
			block := ""
			if n >= 0 {
				block = fmt.Sprintf("b%d", blocks)
				blocks++
				b.Placement(block, fmt.Sprintf("n%d", n), at)
			}
			b.Task(model.Task{ID: fmt.Sprintf("%s.m%d", id, m), Processing: model.Some(model.TimeOf(x.mapTime)),
				InputBytes: model.Some(x.input), OutputBytes: model.Some(x.output)}, id, block, at)
		}
	}
	return opened(t, b)
}
