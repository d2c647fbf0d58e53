package multitenant

import (
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/tier"
)

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

// expectCheck requires that violations of a schedule have this code only; none: that there are none.
func expectCheck(t *testing.T, in *Instance, name string, rows []model.Entry, code model.Code) {
	t.Helper()
	list := in.Check(&model.Schedule{Entries: rows})
	for _, v := range list {
		if v.Code != code {
			t.Errorf("%s: %s", name, v)
		}
	}
	if (code != "") != (len(list) > 0) {
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
