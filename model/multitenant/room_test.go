package multitenant

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"mrsched/model"
)

// roomTask is a task of a test: a map or a reduce of job j, which arrives at 1 s. It takes 10 s.
type roomTask struct {
	id      string
	kind    model.TaskKind
	release float64
	cpu     float64
	memory  model.Bytes
	instant bool // it takes no time
}

// roomInstance has nodes big (two map slots and two reduce slots) and small (one each) with memory and cores.
func roomInstance(memory [2]model.Bytes, cores [2]float64, tasks ...roomTask) (*Instance, error) {
	b, at := model.NewBuilder(), model.Locus{}
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", at)
	for k, id := range []string{"big", "small"} {
		n := model.Node{ID: id, Kind: model.HostNode, MapSlots: int64(2 - k), ReduceSlots: int64(2 - k)}
		n.MemoryBytes, n.CPU = model.Some(memory[k]), model.Optional[float64]{Value: cores[k], Known: cores[k] > 0}
		b.Node(n, "root", at)
	}
	b.Job(model.Job{ID: "j", IntermediateBytes: model.Some(model.Bytes(0)), Release: model.Second}, at)
	for _, x := range tasks {
		t := model.Task{ID: x.id, Kind: x.kind, Processing: model.Some(10 * model.Second)}
		t.MemoryBytes, t.CPU = model.Some(x.memory), model.Some(x.cpu)
		if x.release > 0 {
			t.Release = model.Some(model.TimeOf(x.release))
		}
		if x.instant {
			t.Processing.Value = 0
		}
		b.Task(t, "j", "", at)
	}
	w, err := b.Build()
	if err != nil {
		return nil, err
	}
	return New(w, Options{})
}

// TestCheckRoom corrupts a schedule once for each rule on releases, memory and cores: exactly that code must appear.
// Cores are counted exactly: 0.1 and 0.2 of them are 0.3.
func TestCheckRoom(t *testing.T) {
	in, err := roomInstance([2]model.Bytes{10, 5}, [2]float64{0.3, 0.2}, roomTask{id: "m1", cpu: 0.1, memory: 5},
		roomTask{id: "m2", release: 3, cpu: 0.2, memory: 5}, roomTask{id: "m3", memory: 6, instant: true},
		roomTask{id: "r1", kind: model.Reduce, memory: 1}, roomTask{id: "r2", kind: model.Reduce, cpu: 0.1},
		roomTask{id: "r3", kind: model.Reduce, memory: 6}, roomTask{id: "r4", kind: model.Reduce, cpu: 0.3})
	if err != nil {
		t.Fatal(err)
	}
	on := func(slot string, start, end model.Time) model.Entry {
		k, ok := in.Machine(slot)
		if !ok {
			t.Fatal(slot)
		}
		return model.Entry{Machine: k, Start: start * model.Second, End: end * model.Second}
	}
	const m1, m2, m3, r1, r2, r3, r4 = 0, 1, 2, 3, 4, 5, 6
	good := []model.Entry{on("big/m1", 3, 13), on("big/m2", 3, 13), on("big/m1", 13, 13), on("big/r1", 13, 23),
		on("big/r2", 13, 23), on("big/r1", 23, 33),
		on("big/r2", 23, 33)}
	for _, x := range []struct {
		name string
		code model.Code // none: all is well
		task int
		at   model.Entry
	}{
		{"nothing", "", m1, good[m1]},
		{"map before its own release", model.CodeBeforeRelease, m2, on("big/m2", 2, 12)},
		{"map before its job's release", model.CodeBeforeRelease, m1, on("big/m1", 0, 10)},
		{"memory of a reduce that waits for maps", model.CodeMemory, r1, on("big/r1", 12, 23)},
		{"cores of a reduce that waits for maps", model.CodeCores, r2, on("big/r2", 12, 23)},
		{"a reduce that waits where there is room", "", r1, on("small/r1", 12, 23)},
		{"a reduce on a node with too little memory", model.CodeMemory, r3, on("small/r1", 23, 33)},
		{"a reduce on a node with too few cores", model.CodeCores, r4, on("small/r1", 23, 33)},
		{"a map without length on a node with too little memory", model.CodeMemory, m3, on("small/m1", 13, 13)},
		{"a map without length while others need everything", "", m3, on("big/m1", 3, 3)},
	} {
		s := &model.Schedule{Entries: slices.Clone(good)}
		s.Entries[x.task] = x.at
		for k := range s.Entries {
			s.Entries[k].Task = model.TaskIndex(k)
		}
		var codes []model.Code
		for _, v := range in.Check(s) {
			if codes = append(codes, v.Code); v.Code != x.code {
				t.Errorf("%s: %s", x.name, v)
			}
		}
		if (x.code != "") != (len(codes) == 1) {
			t.Errorf("%s: %v, expected %q", x.name, codes, x.code)
		}
	}
}

// TestNoRoom: a task that no node with a slot of its kind can hold makes the instance impossible.
func TestNoRoom(t *testing.T) {
	for _, x := range []struct {
		name string
		task roomTask
		code model.Code
		want string
	}{
		{"fits", roomTask{id: "m", cpu: 0.4, memory: 10}, "", ""},
		{"memory", roomTask{id: "m", memory: 11}, model.CodeNoRoom,
			`map "m" needs 11 bytes of memory, and no node with a map slot can hold it: the largest such node has 10 bytes`},
		{"memory of a task without length", roomTask{id: "m", memory: 11, instant: true}, model.CodeNoRoom, "11 bytes"},
		{"cores", roomTask{id: "m", kind: model.Reduce, cpu: 0.8}, model.CodeNoRoom,
			"needs 0.8 cores, and no node with a reduce slot can hold it: the largest such node has 0.7 cores"},
		{"both", roomTask{id: "m", cpu: 0.7, memory: 10}, model.CodeNoRoom,
			"needs 10 bytes of memory and 0.7 cores, and no node with a map slot can hold it: no such node has both"},
		{"very many cores", roomTask{id: "m", cpu: 2e12}, model.CodeOverflow, "more than can be counted"},
		{"largest memory", roomTask{id: "m", memory: math.MaxInt64}, model.CodeNoRoom, "9223372036854775807 bytes"},
	} {
		_, err := roomInstance([2]model.Bytes{10, 5}, [2]float64{0.4, 0.7}, x.task)
		var input *model.InputError
		switch {
		case x.code == "" && err != nil:
			t.Errorf("%s: %v", x.name, err)
		case x.code == "":
		case !errors.As(err, &input) || len(input.Findings) != 1 || input.Findings[0].Code != x.code,
			!strings.Contains(err.Error(), x.want):
			t.Errorf("%s: %v, expected %s: %s", x.name, err, x.code, x.want)
		case x.code == model.CodeNoRoom && (input.Findings[0].Conflict == nil || !input.Findings[0].Conflict.Infeasible):
			t.Errorf("%s: it is not said that no schedule exists", x.name)
		}
	}
}

// TestMostMemory: a sum of memory beyond the largest integer does not make a schedule acceptable.
func TestMostMemory(t *testing.T) {
	const most = math.MaxInt64
	in, err := roomInstance([2]model.Bytes{most, most}, [2]float64{},
		roomTask{id: "m1", memory: most}, roomTask{id: "m2", memory: most})
	if err != nil {
		t.Fatal(err)
	}
	rows := []model.Entry{{Task: 0, Machine: in.MapSlots[0], Start: model.Second, End: 11 * model.Second},
		{Task: 1, Machine: in.MapSlots[1], Start: 10 * model.Second, End: 20 * model.Second}}
	if v := in.Check(&model.Schedule{Entries: rows}); len(v) != 1 || v[0].Code != model.CodeMemory {
		t.Errorf("at once: %v", v)
	}
	rows[1].Start, rows[1].End = 11*model.Second, 21*model.Second
	if v := in.Check(&model.Schedule{Entries: rows}); len(v) != 0 {
		t.Errorf("one after the other: %v", v)
	}
}

// TestReleasesInBounds: alone, a job of three maps of 10 s on three slots, the last released at 30 s, and a reduce of
// 10 s that is released at 25 s ends at 50 s; released at 60 s, the reduce ends at 70 s.
func TestReleasesInBounds(t *testing.T) {
	for release, want := range map[float64]model.Time{25: 50 * model.Second, 60: 70 * model.Second} {
		in, err := roomInstance([2]model.Bytes{0, 0}, [2]float64{}, roomTask{id: "m1"},
			roomTask{id: "m2", release: 4}, roomTask{id: "m3", release: 30},
			roomTask{id: "r", kind: model.Reduce, release: release})
		if err != nil {
			t.Fatal(err)
		}
		if is := in.Relax().Alone(0); is != want {
			t.Errorf("reduce released at %g: %s, expected %s", release, is, want)
		}
	}
}
