package multitenant

import (
	"cmp"
	"iter"
	"math/big"
	"slices"
	"strconv"

	"mrsched/model"
)

// Tables are jobs and users: the outcome of each.
func (in *Instance) Tables(s *model.Schedule) []model.ResultTable {
	ends, _ := in.Ends(s)
	return []model.ResultTable{
		{Name: "jobs", Rows: in.jobRows(s, in.Flows(s), ends), Columns: []string{"job", "user", "arrival", "first_start",
			"maps_end", "end", "turn_around", "node_local", "rack_local", "off_rack", "racks", "shuffle_bytes",
			"cross_rack_shuffle_bytes", "cross_rack_map_bytes"}},
		{Name: "users", Rows: in.userRows(s, ends), Columns: []string{"user", "jobs", "slot_seconds", "active_seconds",
			"mean_slots", "turn_around"}},
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
