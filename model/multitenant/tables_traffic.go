package multitenant

import (
	"iter"
	"strconv"

	"mrsched/model"
)

// The kinds of traffic of a rack with others.
const (
	shuffleOut = iota
	shuffleIn
	mapOut
	mapIn
	trafficKinds
)

// maxTrafficCells bounds intervals times racks, and with them what a table of traffic takes, whatever the schedule
// says.
const maxTrafficCells = 1 << 21

// traffic counts the bytes that cross racks in intervals of time, all equally long.
type traffic struct {
	racks, intervals int
	width            model.Time // of an interval
	// change is by how much more bytes there are in an interval than in the one before, by interval, rack and kind. A
	// transfer changes it in four places at most, however long it takes.
	change []int64
}

// newTraffic divides the time until last into seconds, or into 2, 5, 10, 20, … of them where there would be too many.
func newTraffic(racks int, last model.Time) *traffic {
	c := &traffic{racks: racks, width: model.Second}
	for k := 0; int64(last/c.width)+1 > int64(max(1, maxTrafficCells/max(1, racks))); k++ {
		if k%3 == 1 {
			c.width = c.width / 2 * 5
		} else {
			c.width *= 2
		}
	}
	c.intervals = int(last/c.width) + 1
	c.change = make([]int64, (c.intervals+1)*racks*trafficKinds)
	return c
}

// add spreads a transfer evenly over its window, in whole bytes an interval; what rounding leaves moves in the last
// one. Without a window it moves at once.
func (c *traffic) add(kind int, rack int32, from, until model.Time, bytes model.Bytes) {
	at := func(interval model.Time, more model.Bytes) {
		c.change[(int(interval)*c.racks+int(rack))*trafficKinds+kind] += int64(more)
	}
	from, until = max(0, min(from, until)), max(0, until)
	first, last := from/c.width, max(from, until-1)/c.width
	if first == last {
		at(first, bytes)
		at(first+1, -bytes)
		return
	}
	length := model.Bytes(until - from)
	head := bytes.Share(model.Bytes((first+1)*c.width-from), length)
	whole := model.Bytes(0)
	if last > first+1 {
		whole = bytes.Share(model.Bytes(c.width), length)
	}
	tail := bytes - head - whole*model.Bytes(last-first-1)
	at(first, head)
	at(first+1, whole-head)
	at(last, tail-whole)
	at(last+1, -tail)
}

// trafficRows has a row for each interval and rack in which anything crosses, each transfer spread evenly over the
// window that the checker demands its links for: a map's input moves from its start until it computes, what a reduce
// fetches from a rack from that rack's first output and the reduce's start until the reduce computes.
func (in *Instance) trafficRows(s *model.Schedule, f *Flows) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		c := in.countTraffic(s, f)
		bytes, row := make([]int64, c.racks*trafficKinds), make([]string, 3+trafficKinds)
		for i := range c.intervals {
			row[0], row[1] = (model.Time(i) * c.width).String(), (model.Time(i+1) * c.width).String()
			for rack := range c.racks {
				moves := false
				for kind := range trafficKinds {
					k := rack*trafficKinds + kind
					bytes[k] += c.change[i*c.racks*trafficKinds+k]
					moves = moves || bytes[k] != 0
					row[3+kind] = strconv.FormatInt(bytes[k], 10)
				}
				row[2] = in.rackName[rack]
				if moves && !yield(row) {
					return
				}
			}
		}
	}
}

// countTraffic adds up all transfers between racks.
func (in *Instance) countTraffic(s *model.Schedule, f *Flows) *traffic {
	last := model.Time(0)
	for i := range s.Entries {
		last = max(last, s.Entries[i].Start, s.Entries[i].End)
	}
	c := newTraffic(in.Racks, last)
	for i := range s.Entries {
		e := &s.Entries[i]
		t, w := int32(e.Task), in.WorkerOf[e.Machine]
		rack, until := in.RackOf[w], e.End-in.Compute(t, w)
		if in.IsMap(t) {
			if in.Locality(t, w) == model.Remote {
				c.add(mapOut, in.RackOf[in.Source(t, w)], e.Start, until, in.Input[t])
				c.add(mapIn, rack, e.Start, until, in.Input[t])
			}
			continue
		}
		j := in.JobOf(t)
		r, parts := model.Bytes(t-in.FirstReduce(j)), model.Bytes(in.Reduces(j))
		for a := range int32(in.Racks) {
			k := int(j)*in.Racks + int(a)
			if a == rack || f.Output[k] == 0 {
				continue
			}
			part := f.Output[k].Share(r+1, parts) - f.Output[k].Share(r, parts) // the parts add up to all of it
			from := max(e.Start, f.First[k])
			c.add(shuffleOut, a, from, until, part)
			c.add(shuffleIn, rack, from, until, part)
		}
	}
	return c
}
