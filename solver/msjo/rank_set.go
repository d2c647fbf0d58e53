package msjo

import "math/bits"

// rankSet is a set of ranks from 0 to n−1 whose least member is found fast. Bit i of a level's word k says that word
// 64k + i of the level below has members; the lowest level has one bit per rank.
type rankSet struct {
	level [][]uint64 // the lowest first; the last has one word
}

func newRankSet(n int) *rankSet {
	s := &rankSet{}
	for words := n; words > 1 || len(s.level) == 0; {
		words = (words + 63) / 64
		s.level = append(s.level, make([]uint64, words))
	}
	return s
}

func (s *rankSet) empty() bool { return s.level[len(s.level)-1][0] == 0 }

func (s *rankSet) add(rank int32) {
	for _, words := range s.level {
		word, bit := rank/64, uint64(1)<<(rank%64)
		had := words[word]
		if words[word] = had | bit; had != 0 {
			return
		}
		rank = word
	}
}

// pop removes the least member; the set must not be empty.
func (s *rankSet) pop() int32 {
	var rank int
	for k := len(s.level) - 1; k >= 0; k-- {
		rank = rank*64 + bits.TrailingZeros64(s.level[k][rank])
	}
	at := rank
	for _, words := range s.level {
		words[at/64] &^= 1 << (at % 64)
		if at /= 64; words[at] != 0 {
			break
		}
	}
	return int32(rank)
}
