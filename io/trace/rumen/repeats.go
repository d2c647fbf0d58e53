package rumen

import "strconv"

// renameRepeats gives every job that has the id of an earlier one an id of its own: ID.2, ID.3, … Its tasks, whose
// ids derive from the job's, get the same ending. Endings that would give a job or task the id of another are
// skipped. Rumen's Folder writes such traces: it samples jobs, some of them several times.
func (im *importer) renameRepeats() {
	next := make(map[string]int, len(im.jobs)) // by id: the number that its next copy tries first
	var repeats []*job
	for _, j := range im.jobs {
		if _, known := next[j.id.Text]; known {
			repeats = append(repeats, j)
		}
		next[j.id.Text] = 2
	}
	if len(repeats) == 0 {
		return
	}
	tasks := map[string]bool{}
	for _, j := range im.jobs {
		j.eachTask(func(t *task) { tasks[t.id] = true })
	}
	for _, j := range repeats {
		id := j.id.Text
		k := next[id]
		for !j.canEnd("."+strconv.Itoa(k), next, tasks) {
			k++
		}
		ending := "." + strconv.Itoa(k)
		next[id] = k + 1
		j.id.Text += ending
		next[j.id.Text] = 2
		j.eachTask(func(t *task) {
			t.id += ending
			tasks[t.id] = true
		})
	}
	im.report.RepeatedJobs = len(repeats)
}

// canEnd says whether the ids of the job and of all its tasks are free once they have this ending.
func (j *job) canEnd(ending string, jobs map[string]int, tasks map[string]bool) bool {
	if _, taken := jobs[j.id.Text+ending]; taken {
		return false
	}
	free := true
	j.eachTask(func(t *task) { free = free && !tasks[t.id+ending] })
	return free
}

// eachTask calls do for the job's maps and reduces.
func (j *job) eachTask(do func(*task)) {
	for _, kind := range kinds {
		for i := range j.tasks[kind] {
			do(&j.tasks[kind][i])
		}
	}
}
