package reduceplace

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"mrsched/model"
	"mrsched/model/heap"
	"mrsched/model/reduceplace"
)

// policy chooses slots for the reduces of jobs, one job after another, without knowing later ones.
type policy interface {
	// choose appends free slots for the r reduces of a job to list, the cheapest first; there are enough.
	choose(list []int32, job int32, r int, free *freeSlots) []int32
	watcher
}

// ranked is a policy that leaves some of the cheapest free slots and takes the next.
type ranked interface {
	// offset is how many it leaves; enough for the job's r > 0 reduces remain.
	offset(job int32, r int, free *freeSlots) int
	watcher
}

// inRanks chooses slots as a ranked policy says.
type inRanks struct{ ranked }

func (p inRanks) choose(list []int32, job int32, r int, free *freeSlots) []int32 {
	if r == 0 {
		return list
	}
	return free.from(list, p.offset(job, r, free), r)
}

// watcher is told the outcome of its choices.
type watcher interface {
	// placed reports the slots of a job that starts, departed that it ended and its slots are free again.
	placed(job int32, slots []int32)
	departed(job int32)
}

// unaware is embedded by policies that ignore outcomes.
type unaware struct{}

func (unaware) placed(int32, []int32) {}
func (unaware) departed(int32)        {}

// checkEvery is how many jobs are placed between looks at the context.
const checkEvery = 1024

// play runs a policy over all jobs, in the order of their starts, and returns the slot by task. If ctx ends first, the
// other jobs get the cheapest free slots, and stopped is true.
func play(ctx context.Context, in *reduceplace.Instance, p policy, report func(done, total int)) (slot []int32,
	stopped bool) {
	slot = make([]int32, in.Tasks)
	free := newFreeSlots(in.Slots)
	var running heap.Heap[model.Time] // jobs by their end
	var list []int32
	for k, job := range in.Order {
		if k%checkEvery == 0 {
			if report(k, in.Jobs); ctx.Err() != nil && !stopped {
				p, stopped = inRanks{greedy{}}, true
			}
		}
		for len(running) > 0 && running[0].Key <= in.Start[job] {
			j := running.Pop().Index
			for t := in.First[j]; t < in.First[j+1]; t++ {
				free.release(slot[t])
			}
			p.departed(j)
		}
		list = p.choose(list[:0], job, int(in.Reduces[job]), free)
		for _, s := range list {
			free.take(s)
		}
		p.placed(job, list)
		hand(in, job, list, slot)
		running.Push(heap.Item[model.Time]{Key: in.End[job], Index: job})
	}
	return slot, stopped
}

// hand gives a job's reduces their slots. If they fetch different amounts, the largest gets the cheapest slot (Hardy's
// lemma).
func hand(in *reduceplace.Instance, job int32, list, slot []int32) {
	if !in.Uneven(job) {
		copy(slot[in.First[job]:in.First[job+1]], list)
		return
	}
	tasks := make([]int32, len(list))
	for k := range tasks {
		tasks[k] = in.First[job] + int32(k)
	}
	slices.SortStableFunc(tasks, func(a, b int32) int {
		x, _ := in.Data(job, a)
		y, _ := in.Data(job, b)
		return cmp.Compare(y, x)
	})
	for k, t := range tasks {
		slot[t] = list[k]
	}
}

// freeSlots is the set of free slots. Slots are numbered by their cost, so the i-th member is the i-th cheapest.
// Operations take O(r/4096) steps; 1 bit per slot.
type freeSlots struct {
	words []uint64
	block []int32 // members by 64 words
	count int
}

const blockWords = 64

// newFreeSlots has all slots free.
func newFreeSlots(slots int) *freeSlots {
	f := &freeSlots{words: make([]uint64, (slots+63)/64), count: 0}
	f.block = make([]int32, (len(f.words)+blockWords-1)/blockWords)
	for s := range slots {
		f.release(int32(s))
	}
	return f
}

func (f *freeSlots) release(s int32) {
	f.words[s/64] |= 1 << (s % 64)
	f.block[s/64/blockWords]++
	f.count++
}

func (f *freeSlots) take(s int32) {
	f.words[s/64] &^= 1 << (s % 64)
	f.block[s/64/blockWords]--
	f.count--
}

// at is the member number i, from 0. There must be more than i.
func (f *freeSlots) at(i int) int32 {
	k, word := f.locate(i)
	return int32(k*64 + bits.TrailingZeros64(word))
}

// locate finds the word of member number i, without the members before it.
func (f *freeSlots) locate(i int) (k int, word uint64) {
	b := 0
	for ; i >= int(f.block[b]); b++ {
		i -= int(f.block[b])
	}
	k = b * blockWords
	for n := bits.OnesCount64(f.words[k]); i >= n; n = bits.OnesCount64(f.words[k]) {
		i -= n
		k++
	}
	word = f.words[k]
	for ; i > 0; i-- {
		word &= word - 1
	}
	return k, word
}

// from appends n members to list, from member number i on.
func (f *freeSlots) from(list []int32, i, n int) []int32 {
	if n == 0 {
		return list
	}
	for k, word := f.locate(i); ; word = f.words[k] {
		for ; word != 0; word &= word - 1 {
			list = append(list, int32(k*64+bits.TrailingZeros64(word)))
			if n--; n == 0 {
				return list
			}
		}
		k++
	}
}
