package estimate

import (
	"testing"

	"mrsched/model"
)

// runOf is a past run of a class that took the given microseconds and states only its bytes.
func runOf(class int32, kind model.TaskKind, worker int32, speed float64, bytes float64, took model.Time) Run {
	return Run{Class: class, Kind: kind, Worker: worker, Speed: speed, Needs: Needs{bytes, -1, -1}, Time: took}
}

// TestSources: worker 0 has a map of 100 µs. For worker 1, of speed 2, maps of workers 0 and −1 count as at speed 1:
// (100 + 3·20)/2 = 80, so the estimate is 40. Class 0 has no reduces: all its runs have mean 80, also on worker 0, of
// speed 1. Class 1 has no runs, and class −1 is ignored.
func TestSources(t *testing.T) {
	e := New([]Run{runOf(0, model.Map, 0, 1, 5, 100), runOf(0, model.Map, -1, 3, 5, 20), runOf(-1, model.Map, 1, 2, 5, 9)},
		2, []float64{1, 2}, 256)
	if e.Runs(0) != 2 || e.Runs(1) != 0 {
		t.Errorf("%d and %d runs", e.Runs(0), e.Runs(1))
	}
	for _, c := range []struct {
		kind   model.TaskKind
		worker int32
		source Source
		want   model.Time
	}{{model.Map, 0, OwnRuns, 100}, {model.Map, 1, SharedRuns, 40}, {model.Reduce, 0, ClassMean, 80},
		{model.Reduce, 1, ClassMean, 40}} {
		task := Task{Class: 0, Kind: c.kind, Needs: Needs{7, -1, -1}}
		x := e.Explain(task, c.worker, 9)
		if x.Source != c.source || x.Time != c.want || e.Time(task, c.worker) != c.want {
			t.Errorf("%v on %d: %+v, by hand %d from %s", c.kind, c.worker, x, c.want, c.source)
		}
		if l := e.ExplainLine(task, c.worker); !l.Line || l.Time != c.want || len(l.Neighbours) > 0 {
			t.Errorf("%v on %d: by the line %+v, by hand %d", c.kind, c.worker, l, c.want)
		}
	}
}

// TestUnknownNeeds: a task without stated cores gets the value of the fullest bin, 4 cores, and so is near the runs of
// 30 µs. A task of 1 core is near the run of 10 µs.
func TestUnknownNeeds(t *testing.T) {
	var runs []Run
	for _, x := range []struct {
		cores float64
		took  model.Time
	}{{1, 10}, {4, 30}, {4, 30}, {4, 30}} {
		r := runOf(0, model.Map, 0, 1, 5, x.took)
		r.CPU = x.cores
		runs = append(runs, r)
	}
	e := New(runs, 1, []float64{1}, 1)
	for cores, want := range map[float64]model.Time{-1: 30, 1: 10, 4: 30} {
		x := e.Explain(Task{Needs: Needs{5, cores, -1}}, 0, 1)
		if x.Time != want || x.Memory.Known || !x.CPU.Known {
			t.Errorf("with %v cores %+v, by hand %d", cores, x, want)
		}
	}
}
