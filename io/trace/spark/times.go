package spark

// settleTimes decides when attempts of tasks started and finished, and how long they ran. A time that is stated counts
// if it lies between what must have come before and what came after; else it counts as that. An attempt took what its
// metrics state, but no longer than from launch to finish.
func (im *importer) settleTimes() {
	later := int64(unknown) // the latest time of the events that follow in the log
	if !im.endIsLast {
		later = im.latest
	}
	for k := len(im.ends) - 1; k >= 0; k-- {
		e := &im.ends[k]
		im.settleLaunch(e)
		over := im.overAt(int32(k))
		if over == unknown && later > e.launch {
			over = later
		}
		if e.finish < e.launch || over != unknown && e.finish > over {
			e.finish = over
			im.count[unfinished]++
		}
		later = max(later, e.finish)
	}
	later = max(later, im.latest)
	for k := range im.ends {
		e := &im.ends[k]
		if e.finish == unknown && later > e.launch {
			e.finish = later
		}
		switch most := e.finish - e.launch; {
		case e.finish == unknown:
			e.processing = max(e.processing, 0)
			im.count[unlimited]++
			im.count[unfinished]--
		case e.processing == unknown:
			e.processing = most
			im.count[unmeasured]++
		case e.processing > most:
			e.processing = most
			im.count[longer]++
		}
	}
}

// settleLaunch replaces a launch before the submission of the stage or after the end of the application, while the
// finish is not: the attempt was launched as long before its finish as its metrics state, but not before the
// submission.
func (im *importer) settleLaunch(e *end) {
	begun := max(im.startedAt, im.runs[e.run].submitted)
	early, late := e.launch < begun, im.endedAt != unknown && e.launch > im.endedAt && e.finish <= im.endedAt
	if e.finish >= begun && (early || late) {
		e.launch = max(begun, 0)
		if e.processing != unknown {
			e.launch = max(e.launch, e.finish-e.processing)
		}
		im.count[misplaced]++
	}
}

// overAt is when an attempt of a task was over at the latest, by the ends of its stage, job and application, or
// unknown. A task may go on after the end of its stage or job. Then its end follows in the log.
func (im *importer) overAt(k int32) int64 {
	launch, r := im.ends[k].launch, &im.runs[im.ends[k].run]
	limits := []int64{im.endedAt}
	if k < r.over {
		limits = append(limits, r.done)
	}
	if r.job >= 0 && k < im.jobs[r.job].over {
		limits = append(limits, im.jobs[r.job].done)
	}
	over := int64(unknown)
	for _, at := range limits {
		if at > launch && (over == unknown || at < over) {
			over = at
		}
	}
	return over
}
