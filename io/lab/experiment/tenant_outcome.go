package experiment

import (
	"cmp"
	"slices"

	"mrsched/instances"
	"mrsched/model"
	"mrsched/model/multitenant"
)

// tenantClasses are the paper's classes of jobs.
var tenantClasses = []string{instances.ShuffleHeavy, instances.ShuffleMedium, instances.ShuffleLight}

// tenantJob is what became of a job, in seconds and bytes.
type tenantJob struct {
	class                            string
	user, maps                       int
	arrival, end                     float64
	volume, shuffled, crossed, read  float64 // read by maps, put out by them; of those, across racks
	mapTime, mapSpan                 float64 // of maps together; in which at least one runs
	reduceTime, reduceSpan, bothSpan float64
}

// around is the turn-around.
func (j *tenantJob) around() float64 { return j.end - j.arrival }

// tenantSpan is when a task runs.
type tenantSpan struct{ from, until model.Time }

// tenantJobs reads a schedule job by job.
func readTenantJobs(w *model.Workload, in *multitenant.Instance, s *model.Schedule) []tenantJob {
	classes := map[string]string{}
	for _, x := range instances.Benchmarks() {
		classes[x.Name] = x.Class
	}
	list, spans := make([]tenantJob, in.Jobs), make([][2][]tenantSpan, in.Jobs)
	f := in.Flows(s)
	ends, _ := in.Ends(s)
	for i := range s.Entries {
		e := &s.Entries[i]
		t := int32(e.Task)
		j, kind := in.JobOf(t), in.KindOf(t)
		spans[j][kind] = append(spans[j][kind], tenantSpan{e.Start, e.End})
		if kind == model.Map {
			list[j].volume += float64(in.Input[t])
			if in.Locality(t, in.WorkerOf[e.Machine]) == model.Remote {
				list[j].read += float64(in.Input[t])
			}
		}
	}
	for j := range list {
		x := &list[j]
		x.class, x.arrival, x.end, x.shuffled, x.maps = classes[w.Jobs[j].Class], in.Arrival[j].Seconds(), ends[j].Seconds(),
			float64(in.Shuffled[j]), len(spans[j][model.Map])
		x.user = int(in.UserOf[j])
		x.crossed, _ = f.Crossing(int32(j)).Float64()
		x.mapTime, x.mapSpan = covered(spans[j][model.Map])
		x.reduceTime, x.reduceSpan = covered(spans[j][model.Reduce])
		_, either := covered(slices.Concat(spans[j][model.Map], spans[j][model.Reduce]))
		x.bothSpan = x.mapSpan + x.reduceSpan - either
	}
	return list
}

// covered is how long spans are together, and how long their union is, in seconds. It sorts them.
func covered(list []tenantSpan) (sum, union float64) {
	slices.SortFunc(list, func(a, b tenantSpan) int { return cmp.Compare(a.from, b.from) })
	total, span, last := model.Time(0), model.Time(0), model.Time(0)
	for _, x := range list {
		total += x.until - x.from
		if x.until > last {
			span += x.until - max(x.from, last)
			last = x.until
		}
	}
	return total.Seconds(), span.Seconds()
}

// totalOver adds something up over jobs of a class, or of all.
func totalOver(jobs []tenantJob, class string, what func(*tenantJob) float64) float64 {
	sum := 0.0
	for k := range jobs {
		if class == "" || jobs[k].class == class {
			sum += what(&jobs[k])
		}
	}
	return sum
}

// sums adds something up over the jobs of a class, one number a seed.
func (l *Lab) sums(s scenario, policy, class string, what func(*tenantJob) float64) []float64 {
	return l.each(s, policy, func(r reading) float64 { return totalOver(r.tenants, class, what) })
}

// steadyTime is what is measured, in seconds.
func (s scenario) steadyTime() (from, until float64) {
	return asFloat(model.Number(s.params["measure-from"])), asFloat(model.Number(s.params["measure-until"]))
}

// steady says whether a moment is measured.
func (s scenario) steady(at float64) bool {
	from, until := s.steadyTime()
	return at >= from && at <= until
}

// done counts jobs of a class that end in the steady time, one number a seed.
func (l *Lab) done(s scenario, policy, class string) []float64 {
	return l.sums(s, policy, class, func(j *tenantJob) float64 {
		if s.steady(j.end) {
			return 1
		}
		return 0
	})
}

// arrivalsAround is the mean turn-around of all jobs that arrive in the steady time, whenever they end, one number a
// seed.
func (l *Lab) arrivalsAround(s scenario, policy string) []float64 {
	return l.each(s, policy, func(r reading) float64 {
		n, sum := 0.0, 0.0
		for k := range r.tenants {
			if j := &r.tenants[k]; s.steady(j.arrival) {
				n, sum = n+1, sum+j.around()
			}
		}
		return sum / max(1, n)
	})
}

// openJobs is how many jobs a user has on average at a moment of the steady time, one number a seed.
func (l *Lab) openJobs(s scenario, policy string) []float64 {
	from, until := s.steadyTime()
	return l.each(s, policy, func(r reading) float64 {
		users, sum := map[int]bool{}, 0.0
		for k := range r.tenants {
			j := &r.tenants[k]
			users[j.user] = true
			sum += max(0, min(j.end, until)-max(j.arrival, from))
		}
		return sum / (until - from) / float64(len(users))
	})
}
