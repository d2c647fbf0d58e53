package trace

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
)

// TestWaits: tasks of random stages come after exactly those that the edges say, in as many rows as planned.
func TestWaits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "stages")
		sizes, stages := make([]int64, n), make([]Stage, n)
		b := model.NewBuilder()
		b.Job(model.Job{ID: "j", Weight: model.UnitWeight}, model.Locus{})
		var edges [][2]int32
		after := map[string][]string{}
		for k := range n {
			sizes[k] = rapid.Int64Range(1, 4).Draw(t, "size")
			for i := range sizes[k] {
				id := fmt.Sprintf("%d/%d", k, i)
				stages[k].Tasks = append(stages[k].Tasks, id)
				b.Task(model.Task{ID: id, Processing: model.Some(model.Second)}, "j", "", model.Locus{})
			}
			stages[k].Done = model.Task{ID: fmt.Sprintf("%d.done", k)}
			for from := range k {
				if !rapid.Bool().Draw(t, "edge") {
					continue
				}
				edges = append(edges, [2]int32{int32(from), int32(k)})
				for _, id := range stages[k].Tasks {
					after[id] = append(after[id], stages[from].Tasks...)
				}
			}
		}
		joined, rows := PlanWaits(sizes, edges)
		joins := EnterWaits(b, "j", stages, edges, joined)
		b.Scalars("w", "", model.Some(int64(1)), nil)
		w, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		before := map[string][]string{}
		for _, d := range w.Delays {
			before[w.Tasks[d.To].ID] = append(before[w.Tasks[d.To].ID], w.Tasks[d.From].ID)
		}
		for id := range after {
			var got []string
			for _, p := range before[id] {
				if done, joined := before[p]; joined && slices.ContainsFunc(stages, func(s Stage) bool { return s.Done.ID == p }) {
					got = append(got, done...)
				} else {
					got = append(got, p)
				}
			}
			if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(after[id]))) {
				t.Fatalf("%s waits for %v, not %v", id, got, after[id])
			}
		}
		if int64(len(w.Delays)) != rows || len(w.Tasks)-joins != int(sum(sizes)) {
			t.Fatalf("%d rows, planned %d; %d tasks, %d of them to join", len(w.Delays), rows, len(w.Tasks), joins)
		}
	})
}

func sum(list []int64) (total int64) {
	for _, v := range list {
		total += v
	}
	return total
}
