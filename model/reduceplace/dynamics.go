package reduceplace

import (
	"container/heap"
	"math/bits"

	"mrsched/model"
)

// attained is the service that a running job has had, or needs: microseconds and 2^−32 parts of one.
type attained struct {
	us   int64
	part uint32
}

func (a attained) less(b attained) bool { return a.us < b.us || a.us == b.us && a.part < b.part }

// after is the service attained when n jobs share dt, rounded up by less than a part, so that exact ends stay exact.
func (a attained) after(dt model.Time, n int) attained {
	q, rest := int64(dt)/int64(n), uint64(int64(dt)%int64(n))
	part := uint64(a.part) + (rest<<32+uint64(n)-1)/uint64(n)
	return attained{a.us + q + int64(part>>32), uint32(part)}
}

// until is the time that n jobs need to get from a to b, rounded up. (b − a)·n is at most the work that is left.
func (a attained) until(b attained, n int) model.Time {
	us, part := b.us-a.us, int64(b.part)-int64(a.part)
	if part < 0 {
		us, part = us-1, part+1<<32
	}
	high, low := bits.Mul64(uint64(part), uint64(n))
	whole := high<<32 | low>>32
	if low&(1<<32-1) != 0 {
		whole++
	}
	return model.Time(us*int64(n) + int64(whole))
}

// running is the heap of running jobs by the service at which they end.
type running struct {
	job []int32
	end []attained // by job
}

func (r *running) Len() int { return len(r.job) }
func (r *running) Less(i, k int) bool {
	a, b := r.end[r.job[i]], r.end[r.job[k]]
	return a.less(b) || a == b && r.job[i] < r.job[k]
}
func (r *running) Swap(i, k int) { r.job[i], r.job[k] = r.job[k], r.job[i] }
func (r *running) Push(x any)    { r.job = append(r.job, x.(int32)) }
func (r *running) Pop() any {
	last := r.job[len(r.job)-1]
	r.job = r.job[:len(r.job)-1]
	return last
}

// simulate is K-limited processor sharing: the first jobs in the order of arrival run, at most MaxRunning and as long
// as there are slots for all their reduces; n running jobs get 1/n of the map capacity each. All running jobs attain
// service at the same rate, so the next to end is the one whose end lies lowest in attained service.
func (in *Instance) simulate() {
	in.Start, in.End, in.Present = make([]model.Time, in.Jobs), make([]model.Time, in.Jobs), make([]int32, in.Jobs)
	r := &running{end: make([]attained, in.Jobs)}
	var now model.Time
	var service attained
	free, arrived, started := in.Slots, 0, 0 // jobs by Order: started ≤ arrived
	crowded := -1                            // the last job that waited for slots, by Order
	for started < in.Jobs || r.Len() > 0 {
		next := model.Time(-1) // arrival
		if arrived < in.Jobs {
			next = in.Arrival[in.Order[arrived]]
		}
		if r.Len() > 0 {
			first := r.end[r.job[0]]
			if end := now + service.until(first, r.Len()); next < 0 || end <= next {
				now, service = end, first
				for r.Len() > 0 && !service.less(r.end[r.job[0]]) {
					j := heap.Pop(r).(int32)
					in.End[j] = now
					free += int(in.Reduces[j])
				}
				next = -1
			}
		}
		if next >= 0 {
			if r.Len() > 0 {
				service = service.after(next-now, r.Len())
			}
			now = next
			in.Present[in.Order[arrived]] = int32(r.Len() + arrived - started)
			arrived++
		}
		for started < arrived && r.Len() < in.MaxRunning {
			j := in.Order[started]
			if int(in.Reduces[j]) > free {
				if started != crowded {
					in.Crowded, crowded = in.Crowded+1, started
				}
				break
			}
			started++
			free -= int(in.Reduces[j])
			in.Start[j] = now
			r.end[j] = attained{service.us + int64(in.Work[j]), service.part}
			heap.Push(r, j)
		}
	}
}
