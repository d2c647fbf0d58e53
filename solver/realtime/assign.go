package realtime

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// sketched is the suffix of the algorithms that choose among the rows of a job's sketch.
const sketched = "-sketch"

// assignments lists the algorithms of the paper for goal partitions.
func assignments() []method {
	believing := []string{estimatesParam, neighboursParam}
	list := []method{
		assigning("hash", "Hadoop: partition i to reducer i mod R", "Dean, Ghemawat, OSDI 2004"),
		assigning("lb", "the largest partition to the reducer with the least data", "Gufler et al., CLOSER 2011"),
		assigning("dp", "the largest partition to the reduce slot that is believed to finish first", source+", §4",
			believing...),
		assigning("lb"+sketched, "lb for every row of the sketch of the keys; the one that balances the data best",
			source+", §5"),
		assigning("dp"+sketched, "dp for every row of the sketch of the keys; the one that is believed to finish first",
			source+", §4", believing...),
	}
	return append(list, method{
		Method: solver.Method[*run, *solver.Outcome]{Algorithm: solver.Algorithm{Name: "skewtune",
			Summary: "hash; whenever a reducer idles, what the one believed to end last has left is split again",
			Source:  "Kwon et al., SIGMOD 2012", Params: believing}, Solve: solveSkewtune},
		goal: realtime.Partitions,
		needs: func(r *run) string {
			if !r.in.Resplit.Known {
				return "splits partitions: --resplit-cost says at what cost"
			}
			return ""
		},
	})
}

// assigning is an algorithm that assigns the partitions of one job after another.
func assigning(name, summary, source string, params ...string) method {
	m := method{Method: solver.Method[*run, *solver.Outcome]{Algorithm: solver.Algorithm{Name: name, Summary: summary,
		Source: source, Params: params},
		Solve: func(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
			return r.solveAssign(ctx, name, opt)
		}}, goal: realtime.Partitions}
	if strings.HasSuffix(name, sketched) {
		m.needs = func(r *run) string {
			if r.sketchRows() == 0 {
				return "no job has a sketch: they are made of the table keys, with --sketch-delta above 0"
			}
			return ""
		}
	}
	return m
}

// sketchRows is the largest number of rows of a job's sketch.
func (r *run) sketchRows() (most int) {
	for j := range int32(r.in.Jobs) {
		most = max(most, len(r.in.SetsOf(j))-1)
	}
	return most
}

// solveAssign assigns the partitions of all jobs by a named algorithm.
func (r *run) solveAssign(ctx context.Context, name string, opt solver.Options) (*solver.Outcome, error) {
	var b belief
	var err error
	if strings.HasPrefix(name, "dp") { // the others look at bytes only
		if b, err = r.believes(); err != nil {
			return nil, err
		}
	}
	out := &solver.Outcome{Status: model.StatusFeasible}
	list := make([]assignment, r.in.Jobs)
	for j := range list {
		opt.Report(j, len(list))
		if ctx.Err() != nil { // out of time: the fast algorithm for the rest
			out.Status, name = model.StatusLimit, "hash"
		}
		if list[j], err = r.assign(name, int32(j), b, nil); err != nil {
			return nil, err
		}
	}
	out.Schedule = phases(r.in, list)
	if strings.HasSuffix(name, sketched) {
		out.Facts = Facts{SketchFacts: r.describeSketches()}
	}
	return out, nil
}

// describeSketches reports how many rows the sketches have, and ε, the largest share of all data by which one may
// overestimate a key: that of the job with the fewest partitions.
func (r *run) describeSketches() *SketchFacts {
	fewest := int32(math.MaxInt32)
	for j := range int32(r.in.Jobs) {
		if sets := r.in.SetsOf(j); len(sets) > 1 {
			fewest = min(fewest, sets[1].Count)
		}
	}
	return &SketchFacts{r.sketchRows(), model.LowerNumber(new(big.Rat).SetFloat64(realtime.SketchError(int(fewest))))}
}

// placer puts the partitions of a set on reduce slots and returns a cost by its own measure; lower is better.
type placer func(r *run, set realtime.Set, b belief, free []model.Time) (slot []int32, cost int64)

// assign chooses a job's set of partitions and puts them on at most R reduce slots, by a named algorithm. free is when
// each slot is expected to be free, by slot; nil: now. Results depend on nothing else.
//
// The algorithms with sketches try the rows of the job's sketch and, as in the paper, not Hadoop's hash, which is for
// jobs without a sketch. Ties: the first row.
func (r *run) assign(name string, job int32, b belief, free []model.Time) (assignment, error) {
	placers := map[string]placer{"hash": (*run).placeHash, "lb": (*run).placeLB, "dp": (*run).placeDP}
	base, rows := strings.CutSuffix(name, sketched)
	place, ok := placers[base]
	if !ok {
		return assignment{}, fmt.Errorf("there is no partitioner %q", name)
	}
	sets := r.in.SetsOf(job)
	if rows && len(sets) > 1 {
		sets = sets[1:]
	} else {
		sets = sets[:1]
	}
	var best assignment
	least := int64(0)
	for k, set := range sets {
		if slot, cost := place(r, set, b, free); k == 0 || cost < least {
			best, least = assignment{set, slot}, cost
		}
	}
	return best, nil
}

// descending lists the partitions of a set, the largest first. Ties: the first.
func descending(in *realtime.Instance, set realtime.Set) []int32 {
	order := make([]int32, set.Count)
	for k := range order {
		order[k] = int32(k)
	}
	size := in.Bytes[set.First : set.First+set.Count]
	slices.SortStableFunc(order, func(i, k int32) int { return cmp.Compare(size[k], size[i]) })
	return order
}

// seats are the slots of a job's reducers: one on each slot, in the order in which slots are expected to be free, then
// another on each, and so on. Reducers beyond the number of partitions get no data and are left out. Ties: the first
// slot.
func (r *run) seats(set realtime.Set, free []model.Time) []int32 {
	slots := slices.Clone(r.in.ReduceSlots)
	if free != nil {
		slices.SortStableFunc(slots, func(a, b int32) int { return cmp.Compare(free[a], free[b]) })
	}
	seats := make([]int32, min(r.in.Reducers[set.Job], set.Count))
	for k := range seats {
		seats[k] = slots[k%len(slots)]
	}
	return seats
}

// placeHash gives partition i to reducer i mod R; see seats. With p = R that is hash mod R, as in Hadoop.
//
// Complexity: O(p), and sorting the slots where free is known.   Source: Dean, Ghemawat, OSDI 2004, §4.1.
func (r *run) placeHash(set realtime.Set, _ belief, free []model.Time) ([]int32, int64) {
	seats, slot := r.seats(set, free), make([]int32, set.Count)
	for k := range slot {
		slot[k] = seats[k%len(seats)]
	}
	return slot, 0
}
