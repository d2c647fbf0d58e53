package diff

import (
	"cmp"
	"iter"
	"slices"

	"mrsched/io/result"
)

// waiting is an item of one side whose counterpart has not come yet.
type waiting[T any] struct {
	item T
	at   int
}

// queue holds the waiting items of one side by key, in their order.
type queue[T any] map[string][]waiting[T]

func (q queue[T]) take(key string) (w waiting[T], ok bool) {
	list := q[key]
	if len(list) == 0 {
		return w, false
	}
	if len(list) == 1 {
		delete(q, key)
	} else {
		q[key] = list[1:]
	}
	return list[0], true
}

// pairs joins two sequences by key. visit gets the items with the same key, the first with the first, and nil in place
// of a missing counterpart. at is twice the position in both sequences, or the sum of the two positions: it does not
// depend on which side is old. Items are valid only until the next one, so keep copies those that wait. These are few
// if the keys of both sides come in about the same order.
func pairs[T any](old, new iter.Seq[T], key func(T) string, keep func(T) T, visit func(old, new *T, at int)) {
	nextOld, stopOld := iter.Pull(old)
	defer stopOld()
	nextNew, stopNew := iter.Pull(new)
	defer stopNew()
	olds, news := queue[T]{}, queue[T]{}
	for at := 0; ; at++ {
		x, inOld := nextOld()
		y, inNew := nextNew()
		if !inOld && !inNew {
			break
		}
		var kx, ky string
		if inOld {
			kx = key(x)
		}
		if inNew {
			ky = key(y)
		}
		if inOld && inNew && kx == ky && len(olds[kx]) == 0 && len(news[ky]) == 0 {
			visit(&x, &y, 2*at)
			continue
		}
		if inOld {
			if w, ok := news.take(kx); ok {
				visit(&x, &w.item, at+w.at)
			} else {
				olds[kx] = append(olds[kx], waiting[T]{keep(x), at})
			}
		}
		if inNew {
			if w, ok := olds.take(ky); ok {
				visit(&w.item, &y, at+w.at)
			} else {
				news[ky] = append(news[ky], waiting[T]{keep(y), at})
			}
		}
	}
	for _, w := range olds.rest() {
		visit(&w.item, nil, 2*w.at)
	}
	for _, w := range news.rest() {
		visit(nil, &w.item, 2*w.at)
	}
}

// rest is the waiting items that have no counterpart, in their order.
func (q queue[T]) rest() []waiting[T] {
	var list []waiting[T]
	for _, some := range q {
		list = append(list, some...)
	}
	slices.SortFunc(list, func(a, b waiting[T]) int { return cmp.Compare(a.at, b.at) })
	return list
}

// byTask groups adjacent rows of one task; a group is valid until the next one.
func byTask(rows result.Rows) iter.Seq[[]result.Row] {
	return func(yield func([]result.Row) bool) {
		var over []result.Row // of the task that may continue in the next rows, which overwrite these
		for some := range rows.All() {
			for len(some) > 0 {
				n := 1
				for n < len(some) && some[n].Task == some[0].Task {
					n++
				}
				switch {
				case len(over) > 0 && over[0].Task != some[0].Task:
					if !yield(over) {
						return
					}
					over = over[:0]
				case len(over) > 0 || n == len(some):
					over = append(over, some[:n]...)
					some = some[n:]
				default:
					if !yield(some[:n]) {
						return
					}
					some = some[n:]
				}
			}
		}
		if len(over) > 0 {
			yield(over)
		}
	}
}
