package workload

import (
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"mrsched/model"
)

// grid is a workload of the given size on 1 000 nodes.
func grid(tb testing.TB, tasks int) *model.Workload { return cluster(tb, tasks, 1000) }

// cluster is a workload of the given size: 100 tasks a job, a block a task, 3 replicas a block, 40 nodes a rack.
func cluster(tb testing.TB, tasks, nodes int) *model.Workload {
	tb.Helper()
	b := model.NewBuilder()
	b.Scalars("grid", "msjo", model.Some(int64(50)), []string{"made for a benchmark"})
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
	for n := range nodes {
		rack := fmt.Sprintf("rack_%d", n/40)
		if n%40 == 0 {
			b.Node(model.Node{ID: rack, Kind: model.RackNode}, "root", model.Locus{})
		}
		b.Node(model.Node{ID: fmt.Sprintf("node_%d", n), Kind: model.HostNode, MapSlots: 4, ReduceSlots: 2}, rack,
			model.Locus{})
	}
	for j := range (tasks + 99) / 100 {
		b.Job(model.Job{ID: fmt.Sprintf("job_%d", j), Release: model.Time(j) * model.Second / 3, Weight: model.UnitWeight},
			model.Locus{})
	}
	for i := range tasks {
		block := fmt.Sprintf("block_%d", i)
		b.Task(model.Task{ID: fmt.Sprintf("task_%d", i), Kind: model.Map, Processing: model.Some(model.Time(i%977) * 12345),
			InputBytes: model.Some(model.Bytes(64 << 20))}, fmt.Sprintf("job_%d", i/100), block, model.Locus{})
		for k := range 3 {
			b.Placement(block, fmt.Sprintf("node_%d", (i*7+k*331)%nodes), model.Locus{})
		}
	}
	w, err := b.Build()
	try(tb, err)
	return w
}

// BenchmarkFiles reads and writes a usual workload, and the largest that problem hta aims at, 1 000 000 tasks on 10 000
// servers. Reading the large instance of generate hta and one of 1 000 000 tasks of generate msjo took 0.84 and 0.83
// times the processor time of json.load of Python 3.11, the median of seven runs in turn, and a third and a half of its
// memory; as CSV, on a busy machine, 1.9 and 2.3 times that in which csv.reader reads the same files.
func BenchmarkFiles(b *testing.B) {
	for size, generate := range map[string]func() *model.Workload{
		"usual": func() *model.Workload { return grid(b, 100_000) },
		"large": func() *model.Workload { return cluster(b, 1_000_000, 10_000) },
	} {
		w := generate()
		doc, dir := docOf(b, w), filepath.Join(b.TempDir(), "w")
		try(b, Write(dir, w, false, nil))
		for name, run := range map[string]func() error{
			"read JSON":  func() error { _, err := ReadBytes(doc, "w.json", Options{}); return err },
			"read CSV":   func() error { _, err := Read(dir, nil, Options{}); return err },
			"write JSON": func() error { return WriteJSON(io.Discard, w) },
			"write CSV": func() error {
				return writeTables(func(_ string, write func(io.Writer) error) error { return write(io.Discard) }, w)
			},
		} {
			b.Run(size+" "+name, func(b *testing.B) {
				for b.Loop() {
					try(b, run())
				}
			})
		}
	}
}
