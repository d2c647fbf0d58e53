package realtime

import (
	"context"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// packSpec describes a workload for goal partitions: one worker with one reduce slot a column, or with several.
type packSpec struct {
	times    [][][]model.Time // by job, by partition, by worker; nil: base over speed
	base     [][]model.Time   // by job, by partition, where times is nil
	speeds   []float64
	slots    []int64 // by worker; nil: 1
	reducers int64   // 0: as many as slots
	resplit  model.Optional[model.Time]
}

// packInstance builds the instance of a spec.
func packInstance(t testing.TB, s packSpec) *realtime.Instance {
	t.Helper()
	b := model.NewBuilder()
	b.Scalars("pack", "realtime", model.Optional[int64]{}, nil)
	b.Node(model.Node{ID: "root", Kind: model.RootNode}, "", model.Locus{})
	total := int64(0)
	for w, v := range s.speeds {
		n := int64(1)
		if s.slots != nil {
			n = s.slots[w]
		}
		total += n
		b.Node(model.Node{ID: "w" + strconv.Itoa(w), Kind: model.HostNode, ReduceSlots: n, Speed: model.Some(v)}, "root", model.Locus{})
	}
	reducers := s.reducers
	if reducers == 0 {
		reducers = total
	}
	jobs := max(len(s.times), len(s.base))
	for j := range jobs {
		id := "j" + strconv.Itoa(j)
		b.Job(model.Job{ID: id, Weight: model.UnitWeight, Reduces: model.Some(reducers), ReduceRate: model.Some(1e6)}, model.Locus{})
		parts := 0
		if s.times != nil {
			parts = len(s.times[j])
		} else {
			parts = len(s.base[j])
		}
		for i := range parts {
			name := "p" + strconv.Itoa(i)
			size := model.Bytes(1)
			if s.times == nil {
				size = model.Bytes(s.base[j][i])
			}
			b.Part(model.Part{Partition: name, Bytes: size}, id, model.Locus{})
			if s.times != nil {
				for w, p := range s.times[j][i] {
					b.GivenTime(model.GivenTime{Task: name, Time: p}, id, "w"+strconv.Itoa(w), model.Locus{})
				}
			}
		}
	}
	w, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	in, err := realtime.New(w, realtime.Options{Goal: realtime.Partitions, Resplit: s.resplit})
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// rcmaxInstance reads a matrix, one line a machine, times in seconds.
func rcmaxInstance(t testing.TB, name string) *realtime.Instance {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "bench", "rcmax", name))
	if err != nil {
		t.Skipf("no reference instance: %v", err)
	}
	var s packSpec
	var job [][]model.Time
	for w, line := range strings.Fields(string(raw)) {
		s.speeds = append(s.speeds, 1)
		for i, cell := range strings.Split(line, ",") {
			v, err := strconv.Atoi(cell)
			if err != nil {
				t.Fatal(err)
			}
			if w == 0 {
				job = append(job, nil)
			}
			job[i] = append(job[i], model.Time(v)*model.Second)
		}
	}
	s.times = [][][]model.Time{job}
	return packInstance(t, s)
}

var packOptions = solver.Options{Iterations: 1000, Seed: 1, Threads: 1}

// packRun opens a run.
func packRun(in *realtime.Instance) *run { return &run{in: in, p: solver.Params{}} }

// packSolve solves and checks, and gives the makespan and the best bound in microseconds.
func packSolve(t testing.TB, r *run, name string, opt solver.Options) (*solver.Outcome, model.Time, model.Time) {
	t.Helper()
	out, err := r.Solve(context.Background(), name, opt)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if found := r.in.Check(out.Schedule); len(found) > 0 {
		t.Fatalf("%s: %v", name, found)
	}
	return out, r.in.Ends(out.Schedule).Last, packBound(t, r.in, out.Bounds[0])
}

func TestRcmaxTmp(t *testing.T) {
	for _, f := range []string{"P10-10-5-1_t.txt", "P20-10-5-1_t.txt", "P100-50-10-1_t.txt"} {
		in := rcmaxInstance(t, f)
		r := packRun(in)
		for _, a := range []string{"lst", "best", "exact"} {
			b := time.Now()
			out, cost, bound := packSolve(t, r, a, packOptions)
			t.Log(f, a, out.Status, cost, bound, out.Bounds[0].Method, len(out.Bounds), packBound(t, in, out.Bounds[len(out.Bounds)-1]), time.Since(b), out.Found)
		}
	}
}

// packBound certifies a bound and gives its value in microseconds.
func packBound(t testing.TB, in *realtime.Instance, b solver.Bound) model.Time {
	t.Helper()
	raw, err := json.Marshal(b.Certificate)
	if err != nil {
		t.Fatal(err)
	}
	c, err := in.Certify(raw)
	if err != nil {
		t.Fatalf("%s: %v", b.Method, err)
	}
	v := new(big.Rat).Mul(c.Value, big.NewRat(int64(model.Second), 1))
	if !v.IsInt() {
		t.Fatalf("%s: a bound of %s", b.Method, c.Value)
	}
	return model.Time(v.Num().Int64())
}
