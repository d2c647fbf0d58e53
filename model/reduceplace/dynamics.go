package reduceplace

import (
	"math/bits"

	"mrsched/model"
	"mrsched/model/heap"
)

// attained is the service that a running job has received, or needs: microseconds and 2^−32 parts of one.
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

// ending is a running job with the service at which it ends.
type ending struct {
	at  attained
	job int32
}

func (a ending) before(b ending) bool { return a.at.less(b.at) || a.at == b.at && a.job < b.job }

// simulate is K-limited processor sharing: the first jobs in the order of arrival run, at most MaxRunning of them and
// only while there are slots for all their reduces; n running jobs get 1/n of the map capacity each. All running jobs
// receive service at the same rate, so the next to end is the one that ends at the least attained service.
func (in *Instance) simulate() {
	in.Start, in.End, in.Present = make([]model.Time, in.Jobs), make([]model.Time, in.Jobs), make([]int32, in.Jobs)
	running := heap.By[ending]{Before: ending.before}
	var now model.Time
	var service attained
	free, arrived, started := in.Slots, 0, 0 // jobs by Order: started ≤ arrived
	crowded := -1                            // the last job that waited for slots, by Order
	for started < in.Jobs || running.Len() > 0 {
		next := model.Time(-1) // arrival
		if arrived < in.Jobs {
			next = in.Arrival[in.Order[arrived]]
		}
		if running.Len() > 0 {
			first := running.Items[0].at
			if end := now + service.until(first, running.Len()); next < 0 || end <= next {
				now, service = end, first
				for running.Len() > 0 && !service.less(running.Items[0].at) {
					j := running.Pop().job
					in.End[j] = now
					free += int(in.Reduces[j])
				}
				next = -1
			}
		}
		if next >= 0 {
			if running.Len() > 0 {
				service = service.after(next-now, running.Len())
			}
			now = next
			in.Present[in.Order[arrived]] = int32(running.Len() + arrived - started)
			arrived++
		}
		for started < arrived && running.Len() < in.MaxRunning {
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
			running.Push(ending{attained{service.us + int64(in.Work[j]), service.part}, j})
		}
	}
}
