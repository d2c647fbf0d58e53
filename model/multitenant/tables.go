package multitenant

import (
	"cmp"
	"iter"
	"math/big"
	"slices"
	"strconv"

	"mrsched/model"
)

// Tables are jobs, users and traffic: the outcome of each job and user, and the traffic across racks over time.
func (in *Instance) Tables(s *model.Schedule) []model.ResultTable {
	f := in.Flows(s)
	ends, _ := in.Ends(s)
	crossing := []string{"from", "until", "rack", "shuffle_out", "shuffle_in", "map_out", "map_in", "write_out",
		"write_in"}
	return []model.ResultTable{
		{Name: "jobs", Rows: in.jobRows(s, f, ends), Columns: []string{"job", "user", "arrival", "first_start", "maps_end",
			"end", "turn_around",
			"node_local", "rack_local", "off_rack", "racks", "shuffle_bytes", "cross_rack_shuffle_bytes",
			"cross_rack_map_bytes"}},
		{Name: "users", Rows: in.userRows(s, ends), Columns: []string{"user", "jobs", "slot_seconds", "active_seconds",
			"mean_slots", "turn_around"}},
		{Name: "traffic", Rows: in.trafficRows(s, f), Columns: crossing[:3+in.trafficKinds()]},
	}
}

// jobRows has a row per job. Cells that do not apply to a job are empty.
func (in *Instance) jobRows(s *model.Schedule, f *Flows, ends []model.Time) iter.Seq[[]string] {
	first := s.FirstStarts(in.Jobs, func(t model.TaskIndex) int32 { return in.JobOf(int32(t)) })
	maps, read := make([][3]int, in.Jobs), make([]model.Bytes, in.Jobs) // maps by Locality
	racks, ran := make([]int, in.Jobs), make([]bool, in.Jobs*in.Racks)
	for i := range s.Entries {
		e := &s.Entries[i]
		t, w := int32(e.Task), in.WorkerOf[e.Machine]
		j := in.JobOf(t)
		if k := int(j)*in.Racks + int(in.RackOf[w]); !ran[k] {
			ran[k], racks[j] = true, racks[j]+1
		}
		if !in.IsMap(t) {
			continue
		}
		near := in.Locality(t, w)
		maps[j][near]++
		if near == model.Remote {
			read[j] += in.Input[t]
		}
	}
	return func(yield func([]string) bool) {
		for j := range int32(in.Jobs) {
			start, mapsEnd := "", ""
			if first[j].Known {
				start = first[j].Value.String()
			}
			if maps[j] != [3]int{} {
				mapsEnd = f.MapsEnd[j].String()
			}
			if !yield([]string{in.work.Jobs[j].ID, in.Users[in.UserOf[j]], in.Arrival[j].String(), start, mapsEnd,
				ends[j].String(), (ends[j] - in.Arrival[j]).String(),
				strconv.Itoa(maps[j][model.NodeLocal]), strconv.Itoa(maps[j][model.RackLocal]), strconv.Itoa(maps[j][model.Remote]),
				strconv.Itoa(racks[j]),
				in.Shuffled[j].String(), string(model.LowerNumber(f.Crossing(j))), read[j].String()}) {
				return
			}
		}
	}
}

// userRows has a row per user.
func (in *Instance) userRows(s *model.Schedule, ends []model.Time) iter.Seq[[]string] {
	held, active := in.holdings(s, ends)
	jobs, around := make([]int64, len(in.Users)), make([]*big.Int, len(in.Users))
	for u := range around {
		around[u] = new(big.Int)
	}
	for j, end := range ends {
		u := in.UserOf[j]
		jobs[u]++
		around[u].Add(around[u], big.NewInt(int64(end-in.Arrival[j])))
	}
	seconds := func(sum *big.Int, n int64) string {
		return string(model.LowerNumber(new(big.Rat).SetFrac(sum, new(big.Int).Mul(big.NewInt(n),
			big.NewInt(int64(model.Second))))))
	}
	return func(yield func([]string) bool) {
		for u, name := range in.Users {
			slots := ""
			if active[u] > 0 {
				slots = string(model.LowerNumber(big.NewRat(int64(held[u]), int64(active[u]))))
			}
			if !yield([]string{name, strconv.FormatInt(jobs[u], 10), held[u].String(), active[u].String(), slots,
				seconds(around[u], jobs[u])}) {
				return
			}
		}
	}
}

// holdings returns, by user, the slot time that the user's tasks hold, summed over all slots, and the time during which
// the user has unfinished jobs.
func (in *Instance) holdings(s *model.Schedule, ends []model.Time) (held, active []model.Time) {
	type span struct{ from, until model.Time }
	spans := make([][]span, len(in.Users))
	held, active = make([]model.Time, len(in.Users)), make([]model.Time, len(in.Users))
	for j, end := range ends {
		if u := in.UserOf[j]; end > in.Arrival[j] {
			spans[u] = append(spans[u], span{in.Arrival[j], end})
		}
	}
	for i := range s.Entries {
		e := &s.Entries[i]
		held[in.UserOf[in.JobOf(int32(e.Task))]] += e.End - e.Start
	}
	for u, list := range spans {
		slices.SortFunc(list, func(a, b span) int { return cmp.Compare(a.from, b.from) })
		until := model.Time(0)
		for _, x := range list {
			if x.until > until {
				active[u] += x.until - max(x.from, until)
				until = x.until
			}
		}
	}
	return held, active
}

// The kinds of traffic of a rack with others.
const (
	shuffleOut = iota
	shuffleIn
	mapOut
	mapIn
	writeOut
	writeIn
	allTraffic
)

// trafficKinds are the kinds of traffic that the instance has: the last two only if reduces write.
func (in *Instance) trafficKinds() int {
	if in.Writing() {
		return allTraffic
	}
	return writeOut
}

// maxTrafficCells bounds intervals times racks, and with them what a table of traffic takes, whatever the schedule
// says.
const maxTrafficCells = 1 << 21

// traffic counts the bytes that cross racks in equally long intervals of time.
type traffic struct {
	racks, intervals int
	kinds            int
	width            model.Time // of an interval
	// change is the increase of the bytes in an interval over the one before, by interval, rack and kind. A transfer
	// changes it in at most four places, however long it takes.
	change []int64
}

// newTraffic divides the time until last into seconds, or into intervals of 2, 5, 10, 20, … seconds if there would be
// too many.
func newTraffic(racks, kinds int, last model.Time) *traffic {
	c := &traffic{racks: racks, kinds: kinds, width: model.Second}
	for k := 0; int64(last/c.width)+1 > int64(max(1, maxTrafficCells/max(1, racks))); k++ {
		if k%3 == 1 {
			c.width = c.width / 2 * 5
		} else {
			c.width *= 2
		}
	}
	c.intervals = int(last/c.width) + 1
	c.change = make([]int64, (c.intervals+1)*racks*kinds)
	return c
}

// add spreads a transfer evenly over its window, in whole bytes per interval; what rounding leaves moves in the last
// one. Without a window it moves at once.
func (c *traffic) add(kind int, rack int32, from, until model.Time, bytes model.Bytes) {
	at := func(interval model.Time, more model.Bytes) {
		c.change[(int(interval)*c.racks+int(rack))*c.kinds+kind] += int64(more)
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

// trafficRows has a row for each interval and rack in which anything crosses, each move spread evenly over its window.
func (in *Instance) trafficRows(s *model.Schedule, f *Flows) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		c := in.countTraffic(s, f)
		bytes, row := make([]int64, c.racks*c.kinds), make([]string, 3+c.kinds)
		for i := range c.intervals {
			row[0], row[1] = (model.Time(i) * c.width).String(), (model.Time(i+1) * c.width).String()
			for rack := range c.racks {
				moves := false
				for kind := range c.kinds {
					k := rack*c.kinds + kind
					bytes[k] += c.change[i*c.racks*c.kinds+k]
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
	c := newTraffic(in.Racks, in.trafficKinds(), last)
	for i := range s.Entries {
		in.moves(&s.Entries[i], f, func(m move) {
			if m.from != m.to {
				part := m.bytes.Share(m.part+1, m.parts) - m.bytes.Share(m.part, m.parts) // the parts add up to all of it
				c.add(m.kind, m.from, m.start, m.until, part)
				c.add(m.kind+1, m.to, m.start, m.until, part)
			}
		})
	}
	return c
}
