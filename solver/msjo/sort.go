package msjo

import "math/bits"

// radixSort sorts task indices by keys, stably.
type radixSort struct {
	other []int32
	count [1 << radixBits]int32
}

// radixBits is the number of key bits a pass handles.
const radixBits = 11

func (r *radixSort) init(n int) { r.other = make([]int32, n) }

// sort sets order to the items of start by key; ties keep their order.
func (r *radixSort) sort(key []int64, order, start []int32) {
	least, most := key[0], key[0]
	for _, k := range key {
		least, most = min(least, k), max(most, k)
	}
	copy(order, start)
	from, to := order, r.other
	passes := (bits.Len64(uint64(most-least)) + radixBits - 1) / radixBits
	for p := range passes {
		shift := p * radixBits
		clear(r.count[:])
		for _, u := range from {
			r.count[(key[u]-least)>>shift&(1<<radixBits-1)]++
		}
		var sum int32
		for d, c := range r.count {
			r.count[d] = sum
			sum += c
		}
		for _, u := range from {
			d := (key[u] - least) >> shift & (1<<radixBits - 1)
			to[r.count[d]] = u
			r.count[d]++
		}
		from, to = to, from
	}
	if passes%2 == 1 {
		copy(order, from)
	}
}

// keyBits is the resolution of a keySorter: values that differ by less than 2^−keyBits of their range may stay
// unsorted. No bound depends on it, because certificates are sorted exactly.
const keyBits = 33

// fewKeys is the number of values up to which insertion sort is faster than radix sort: the last iteration's order is
// nearly the new one.
const fewKeys = 256

// keySorter sorts positions by their values in linear time; it keeps its buffers.
type keySorter struct {
	radix radixSort
	key   []int64
	perm  []int32
	ident []int32
	from  []keyed
}

// sort orders by x; ties keep their order.
func (s *keySorter) sort(order []keyed) {
	if len(order) == 0 {
		return
	}
	if len(s.key) != len(order) {
		n := len(order)
		s.key, s.perm, s.ident, s.from = make([]int64, n), make([]int32, n), make([]int32, n), make([]keyed, n)
		s.radix.init(n)
		for i := range s.ident {
			s.ident[i] = int32(i)
		}
	}
	least, most := order[0].x, order[0].x
	for _, o := range order {
		least, most = min(least, o.x), max(most, o.x)
	}
	scale := 0.0
	if most > least {
		scale = (1 << keyBits) / (most - least)
	}
	for i, o := range order {
		s.key[i] = int64((o.x - least) * scale)
	}
	if len(order) <= fewKeys {
		s.insert(order)
		return
	}
	copy(s.from, order)
	s.radix.sort(s.key, s.perm, s.ident)
	for i, k := range s.perm {
		order[i] = s.from[k]
	}
}

// insert is insertion sort by the keys.
func (s *keySorter) insert(order []keyed) {
	for i := 1; i < len(order); i++ {
		o, key, k := order[i], s.key[i], i
		for ; k > 0 && s.key[k-1] > key; k-- {
			order[k], s.key[k] = order[k-1], s.key[k-1]
		}
		order[k], s.key[k] = o, key
	}
}
