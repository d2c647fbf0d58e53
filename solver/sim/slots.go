package sim

// slots numbers what comes and goes: a slot is used again once it is free, an id never. An id is the slot and the
// generation of its use; generations begin at 1, so that 0 is the id of nothing.
type slots struct {
	generation []uint32
	free       []int32
}

// take occupies a slot: the one that was freed last, else a new one.
func (s *slots) take() (slot int32, fresh bool) {
	if k := len(s.free) - 1; k >= 0 {
		slot = s.free[k]
		s.free = s.free[:k]
		return slot, false
	}
	s.generation = append(s.generation, 1)
	return int32(len(s.generation) - 1), true
}

func (s *slots) release(slot int32) {
	s.generation[slot]++
	s.free = append(s.free, slot)
}

func (s *slots) id(slot int32) uint64 { return uint64(s.generation[slot])<<32 | uint64(uint32(slot)) }

// find returns the slot of an id that is still in use.
func (s *slots) find(id uint64) (int32, bool) {
	slot := uint32(id)
	if int(slot) >= len(s.generation) || s.generation[slot] != uint32(id>>32) {
		return 0, false
	}
	return int32(slot), true
}
