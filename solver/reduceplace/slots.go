package reduceplace

import "math/bits"

// freeSlots is the set of free slots. Slots are numbered by their cost, so the i-th member is the i-th cheapest.
// Operations take O(r/4096) steps; 1 bit a slot.
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
