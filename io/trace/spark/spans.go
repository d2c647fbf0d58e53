package spark

import "slices"

// limitTimes decides when attempts of tasks finished and how long they ran: as their metrics state, but no longer than
// from launch to finish. A finish counts as it stands if it is neither before the launch nor after what was over later.
func (im *importer) limitTimes() {
	im.limitLaunches()
	im.checkEnds()
	later := int64(unknown) // the latest time of the events that follow in the log
	if !im.endIsLast {
		later = im.latest
	}
	for k := len(im.ends) - 1; k >= 0; k-- {
		e := &im.ends[k]
		over := im.overAt(int32(k))
		if over == unknown && later > e.launch {
			over = later
		}
		if e.finish < e.launch || over != unknown && e.finish > over {
			e.finish = over
			im.left.unfinished++
		}
		later = max(later, e.finish)
	}
	later = max(later, im.latest)
	for k := range im.ends {
		e := &im.ends[k]
		if e.finish == unknown && later > e.launch {
			e.finish = later
		}
		if e.finish == unknown {
			e.processing = max(e.processing, 0)
			im.left.unlimited++
			im.left.unfinished--
			continue
		}
		most := e.finish - e.launch
		switch {
		case e.processing == unknown:
			e.processing = most
			im.left.unmeasured++
		case e.processing > most:
			e.processing = most
			im.left.longer++
		}
	}
}

// overAt is when an attempt of a task was over at the latest, by the ends of its stage, job and application, or
// unknown. A task may go on after the end of its stage or job. Then its end follows in the log.
func (im *importer) overAt(k int32) int64 {
	launch := im.ends[k].launch
	over := int64(unknown)
	limit := func(at int64) {
		if at > launch && (over == unknown || at < over) {
			over = at
		}
	}
	limit(im.endedAt)
	r := &im.runs[im.ends[k].run]
	if k < r.over {
		limit(r.done)
	}
	if r.job >= 0 && k < im.jobs[r.job].over {
		limit(im.jobs[r.job].done)
	}
	return over
}

// limitLaunches replaces launches that cannot be: before the submission of the stage, the job and the application, or
// after all of their ends, while the finish is not. Such an attempt was launched as long before its finish as it ran by
// its metrics, but not before the submission.
func (im *importer) limitLaunches() {
	im.checkSubmissions()
	for k := range im.ends {
		e := &im.ends[k]
		r := &im.runs[e.run]
		begun, over := []int64{im.startedAt, r.submitted}, []int64{im.endedAt, r.done}
		if r.job >= 0 {
			begun, over = append(begun, im.jobs[r.job].submitted), append(over, im.jobs[r.job].done)
		}
		isUnknown := func(at int64) bool { return at == unknown }
		if begun = slices.DeleteFunc(begun, isUnknown); len(begun) == 0 {
			continue
		}
		early := e.launch < slices.Min(begun) && e.finish >= slices.Min(begun)
		over = slices.DeleteFunc(over, isUnknown)
		late := len(over) > 0 && e.launch > slices.Max(over) && e.finish >= slices.Max(begun) && e.finish <= slices.Max(over)
		if early || late {
			e.launch = min(slices.Max(begun), e.finish)
			if e.processing != unknown {
				e.launch = max(e.launch, e.finish-e.processing)
			}
			im.left.misplaced++
		}
	}
}

// checkSubmissions forgets when the application began if most tasks were launched before, and submissions of jobs and
// stages that came before it.
func (im *importer) checkSubmissions() {
	earlier := 0
	for k := range im.ends {
		if im.ends[k].launch < im.startedAt {
			earlier++
		}
	}
	if earlier > 1 && 2*earlier > len(im.ends) {
		im.startedAt = unknown
		im.left.unusable++
	}
	settle := func(at *int64) {
		if *at != unknown && *at < im.startedAt {
			*at = unknown
			im.left.unusable++
		}
	}
	for j := range im.jobs {
		settle(&im.jobs[j].submitted)
	}
	for k := range im.runs {
		settle(&im.runs[k].submitted)
	}
}

// checkEnds forgets the end of a stage, a job or the application if most of its tasks, two at least, finished later. It
// forgets the end of a job that succeeded after the application's end, too.
func (im *importer) checkEnds() {
	type votes struct{ all, later int }
	var app votes
	jobs, runs := make([]votes, len(im.jobs)), make([]votes, len(im.runs))
	vote := func(v *votes, e *end, over int64) {
		if v.all++; e.finish > over {
			v.later++
		}
	}
	for i := range im.ends {
		e, k := &im.ends[i], int32(i)
		if e.finish < e.launch {
			continue
		}
		vote(&app, e, im.endedAt)
		r := &im.runs[e.run]
		if k < r.over {
			vote(&runs[e.run], e, r.done)
		}
		if r.job >= 0 && k < im.jobs[r.job].over {
			vote(&jobs[r.job], e, im.jobs[r.job].done)
		}
	}
	settle := func(v votes, at *int64) {
		if *at > 0 && v.later > 1 && 2*v.later > v.all {
			*at = 0
			im.left.unusable++
		}
	}
	settle(app, &im.endedAt)
	for k := range im.runs {
		settle(runs[k], &im.runs[k].done)
	}
	for j := range im.jobs {
		done := &im.jobs[j].done
		settle(jobs[j], done)
		if im.endedAt > 0 && *done > im.endedAt && im.jobs[j].succeeded {
			*done = 0
			im.left.unusable++
		}
	}
}
