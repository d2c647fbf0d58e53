package realtime

import (
	"errors"
	"fmt"
	"math/big"

	"mrsched/model"
)

// Late proves that some jobs miss their deadlines, in every schedule.
//
// Notation. L(t) is the least time of task t over the workers with slots of its kind. A job that is on time, in short a
// good job, has an interval for each kind of its tasks in which they run, by what must come before and after:
//
//   - Its partitions start no earlier than Head = max(Release, max_t (TaskRelease_t + L(t) + Shuffle_t), first release
//     of a map + what the maps together take + least Shuffle, the first own release of a partition) and end by Due.
//   - Map t starts at TaskRelease_t at the earliest and ends by Due − Shuffle_t − Tail, where Tail is the least, over
//     the job's partitioners, of what the reduce phase takes; by Due if the job has no partitions.
//
// What n tasks together take is at least D, and at least the longest L(t), if on every slot s at most ⌊D'/m_s⌋ of them
// can end within any D' < D, m_s being the least time of one of them there, and these numbers add up to less than n;
// partitions count on the R slots alone for which the sum is largest. Likewise with prices, below. Where partitions may
// be split (Instance.Resplit), one takes at least L(t)/min(R, slots), since at most so many pieces run at once and each
// works off its length over its own time of all of it, and counting proves nothing.
//
// Sure misses are the jobs with Head + Tail > Due, those with a partition that cannot end by Due after its own release,
// and those whose last map cannot end by Due. They miss in every schedule, whatever else runs.
//
// Prices. Let Y_w ≥ 0 be integer prices of the slots of one kind, by worker, U ≥ 1 the unit. If task t runs whole on a
// slot of worker w inside an interval of length Λ, then Time(t, w) ≤ Λ: w is usable. Its work
//
//	c_t = min over usable w of ⌊Y_w·Time(t, w)/U⌋
//
// is an integer with U·c_t ≤ Y_w·Time(t, w) for the worker that it runs on. The tasks that run on one slot of w inside
// an interval of length ℓ last ℓ at most, so their work is at most ⌊Y_w·ℓ/U⌋, and that of all slots together at most
// the room
//
//	C(ℓ) = Σ over slots of ⌊Y_w·ℓ/U⌋.
//
// A partition that is split may use slots on which it would not fit whole: then all workers are usable. Its pieces of
// lengths ℓ_k, without what splitting costs, on workers w_k have Σ ℓ_k/Time(t, w_k) ≥ 1, hence Σ Y_{w_k}·ℓ_k ≥ U·c_t,
// and the room is ⌊Σ Y_w·ℓ/U⌋, rounded once. With Y_w = the speed of w and U = 1 this is fully divisible, preemptive
// work on one machine of the total speed; with U about the work of a task it counts whole tasks on each slot, which is
// stronger in short intervals. A job's work is the sum over its tasks; over its partitions it is that of the
// partitioner with the least, of those with a usable worker for each partition.
//
// Windows. A window has a kind of tasks, a set J of jobs: those that are not sure misses, have such tasks and From ≤
// Release < Due ≤ Until; and prices. Let job j of J have its interval from h_j (its first map's release, or Head) to
// d_j (the latest end of a map, or Due), a = min h_j, and S the good jobs of J. For any d, those with d_j ≤ d do their
// work in [a, d): Σ_{j∈S, d_j≤d} c_j ≤ C(d−a). C never falls. So S is a feasible set of single-machine jobs of lengths
// c_j with due dates C(d_j − a), all released at 0, and |S| is at most what the algorithm of Moore and Hodgson leaves:
// the others must miss. Backward, with b = max d_j and due dates C(b − h_j), the same holds in reversed time.
//
// No job may be in two windows; those of windows that have at most a point in common are not. So the misses of all
// windows add up, and the bound is their sum plus the sure misses.
//
// Sources: Moore, Management Science 1968; the windows are ours, after the energetic tests of constraint programming.
type Late struct {
	// Prices are shared by windows. The first of each kind also says what tasks together take, see above.
	Prices  []Price  `json:"prices,omitempty"`
	Windows []Window `json:"windows,omitempty"`
}

// LateWindows is the method that makes them.
const LateWindows = "late-windows"

// Price is a vector of prices of slots.
type Price struct {
	Kind   string  `json:"kind"`   // of tasks and slots: map or reduce
	Unit   int64   `json:"unit"`   // U
	Worker []int64 `json:"worker"` // Y by worker; 0 for those without slots of the kind
}

// Window is a set of jobs of which some must be late.
type Window struct {
	From  model.Time `json:"from"`
	Until model.Time `json:"until"`
	// Price is the position of its prices in Late.Prices.
	Price int `json:"price"`
	// Backward moves all due dates to the last instead of all releases to the first.
	Backward bool `json:"backward,omitempty"`
}

// proveLate counts the jobs that must be late.
func (in *Instance) proveLate(c *Certificate) (*big.Rat, error) {
	if c.Late == nil {
		return nil, errors.New("certificate: late is missing")
	}
	l, err := in.Lateness(c.Late.Prices)
	if err != nil {
		return nil, err
	}
	late, seen := l.SureMisses(), make([]bool, in.Jobs)
	for k, w := range c.Late.Windows {
		if w.Price < 0 || w.Price >= len(c.Late.Prices) {
			return nil, fmt.Errorf("certificate: window %d has prices number %d of %d", k, w.Price, len(c.Late.Prices))
		}
		jobs := l.Inside(w)
		for _, j := range jobs {
			if seen[j] {
				return nil, fmt.Errorf("certificate: job %q is in window %d and an earlier one", in.work.Jobs[j].ID, k)
			}
			seen[j] = true
		}
		late += l.Misses(w, jobs)
	}
	return big.NewRat(int64(late), 1), nil
}
