package multitenant

import (
	"cmp"
	"iter"
	"math"
	"math/big"
	"slices"
	"strconv"

	"mrsched/model"
)

// Tables are jobs, users, fetches and traffic: the outcome of each job and user, the transfers of each reduce, and the
// traffic across racks over time.
func (in *Instance) Tables(s *model.Schedule) []model.ResultTable {
	f := in.Flows(s)
	ends, _ := in.Ends(s)
	return []model.ResultTable{
		{Name: "jobs", Rows: in.jobRows(s, f, ends), Columns: []string{"job", "user", "arrival", "first_start", "maps_end",
			"end", "turn_around",
			"node_local", "rack_local", "off_rack", "racks", "shuffle_bytes", "cross_rack_shuffle_bytes",
			"cross_rack_map_bytes"}},
		{Name: "users", Rows: in.userRows(s, ends), Columns: []string{"user", "jobs", "slot_seconds", "active_seconds",
			"mean_slots", "turn_around"}},
		{Name: "fetches", Rows: in.fetchRows(s, f), Columns: []string{"task", "job", "rack", "fetched", "fetched_across"}},
		{Name: "traffic", Rows: in.trafficRows(s, f), Columns: []string{"from", "until", "rack", "shuffle_out", "shuffle_in",
			"map_out", "map_in"}},
	}
}

// jobRows has a row a job. What a job without the tasks in question lacks is empty.
func (in *Instance) jobRows(s *model.Schedule, f *Flows, ends []model.Time) iter.Seq[[]string] {
	first := s.FirstStarts(in.Jobs, func(t model.TaskIndex) int32 { return in.JobOf(int32(t)) })
	maps, read := make([][3]int, in.Jobs), make([]model.Bytes, in.Jobs) // maps by Locality
	for i := range s.Entries {
		e := &s.Entries[i]
		t := int32(e.Task)
		if !in.IsMap(t) {
			continue
		}
		j := in.JobOf(t)
		near := in.Locality(t, in.WorkerOf[e.Machine])
		maps[j][near]++
		if near == model.Remote {
			read[j] += in.Input[t]
		}
	}
	return func(yield func([]string) bool) {
		for j := range int32(in.Jobs) {
			racks, ran := 0, false
			for k := int(j) * in.Racks; k < (int(j)+1)*in.Racks; k++ {
				mapped := f.First[k] < math.MaxInt64
				if mapped || f.Reducers[k] > 0 {
					racks++
				}
				ran = ran || mapped
			}
			start, mapsEnd := "", ""
			if first[j].Known {
				start = first[j].Value.String()
			}
			if ran {
				mapsEnd = f.MapsEnd[j].String()
			}
			if !yield([]string{in.work.Jobs[j].ID, in.Users[in.UserOf[j]], in.Arrival[j].String(), start, mapsEnd,
				ends[j].String(), (ends[j] - in.Arrival[j]).String(),
				strconv.Itoa(maps[j][model.NodeLocal]), strconv.Itoa(maps[j][model.RackLocal]), strconv.Itoa(maps[j][model.Remote]),
				strconv.Itoa(racks),
				in.Shuffled[j].String(), string(model.LowerNumber(f.Crossing(j))), read[j].String()}) {
				return
			}
		}
	}
}

// fetchRows has a row a reduce: the bytes that it fetches, V/R, and those of them that other racks' maps put out.
func (in *Instance) fetchRows(s *model.Schedule, f *Flows) iter.Seq[[]string] {
	rackOf := make([]int32, in.Tasks-in.Maps) // by reduce
	for r := range rackOf {
		rackOf[r] = model.None
	}
	for i := range s.Entries {
		if e := &s.Entries[i]; !in.IsMap(int32(e.Task)) {
			rackOf[int(e.Task)-in.Maps] = in.RackOf[in.WorkerOf[e.Machine]]
		}
	}
	return func(yield func([]string) bool) {
		across := make([]string, in.Racks) // of the job's reduces in a rack; empty: not yet known
		for j := range int32(in.Jobs) {
			parts := int64(in.Reduces(j))
			if parts == 0 {
				continue
			}
			part := func(bytes model.Bytes) string { return string(model.LowerNumber(big.NewRat(int64(bytes), parts))) }
			clear(across)
			fetched := part(in.Shuffled[j])
			for t := in.FirstReduce(j); t < in.FirstReduce(j+1); t++ {
				rack := rackOf[int(t)-in.Maps]
				if rack == model.None {
					continue
				}
				if across[rack] == "" {
					across[rack] = part(in.Shuffled[j] - f.Output[int(j)*in.Racks+int(rack)])
				}
				id, job, _ := in.TaskName(model.TaskIndex(t))
				if !yield([]string{id, job, in.rackName[rack], fetched, across[rack]}) {
					return
				}
			}
		}
	}
}

// userRows has a row a user.
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

// holdings are, by user, the time that slots are held, all of them added up, and the time in which the user has
// unfinished jobs.
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
