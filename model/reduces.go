package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ReduceTasks numbers the reduces of all jobs: rows of the table tasks, and those that jobs only count.
type ReduceTasks struct {
	First []int32 // reduces of job i are First[i] … First[i+1]−1

	jobOf  []int32     // by reduce
	listed []TaskIndex // by reduce: its row in the table tasks, or None; nil: there is no such row at all
	task   map[string]int32
	job    map[string]int32
	w      *Workload
}

// NewReduceTasks numbers the reduces of each job, listed ones first; first says how many each job has. It does not
// check whether jobs list more; duplicate ids are findings.
func NewReduceTasks(w *Workload, first []int32, found *Findings) ReduceTasks {
	r := ReduceTasks{First: first, w: w, job: make(map[string]int32, len(w.Jobs)),
		jobOf: make([]int32, first[len(w.Jobs)])}
	for i := range w.Jobs {
		r.job[w.Jobs[i].ID] = int32(i)
		for t := first[i]; t < first[i+1]; t++ {
			r.jobOf[t] = int32(i)
		}
	}
	if len(w.Tasks) == 0 {
		return r
	}
	r.listed, r.task = make([]TaskIndex, len(r.jobOf)), map[string]int32{}
	for t := range r.listed {
		r.listed[t] = None
	}
	next := slices.Clone(first)
	for u := range w.Tasks {
		x := &w.Tasks[u]
		if x.Kind != Reduce {
			continue
		}
		t := next[x.Job]
		next[x.Job]++
		if t < first[x.Job+1] {
			r.listed[t], r.task[x.ID] = TaskIndex(u), t
		}
	}
	for i := range w.Jobs {
		for t := first[i]; t < first[i+1]; t++ {
			if r.listed[t] != None {
				break
			}
			id, _ := r.Name(t)
			if _, taken := r.task[id]; taken {
				found.Add(Finding{Code: CodeDuplicate, Pos: w.Where(TableJobs, i),
					What: fmt.Sprintf("reduce %d of job %q would be called %q, like a task of another job",
						t-first[i]+1, w.Jobs[i].ID, id), Expected: "unique ids", Hint: "rename that task"})
			}
		}
	}
	return r
}

// JobOf is the job of a reduce.
func (r *ReduceTasks) JobOf(t int32) int32 { return r.jobOf[t] }

// Row is a reduce's row in the table tasks, or None.
func (r *ReduceTasks) Row(t int32) TaskIndex {
	if r.listed == nil {
		return None
	}
	return r.listed[t]
}

// Name is a reduce's id in the table tasks, else its job's with ".r1", ".r2", …; and its job's id.
func (r *ReduceTasks) Name(t int32) (id, job string) {
	i := r.jobOf[t]
	job = r.w.Jobs[i].ID
	if row := r.Row(t); row != None {
		return r.w.Tasks[row].ID, job
	}
	return job + ".r" + strconv.Itoa(int(t-r.First[i])+1), job
}

// Find finds a reduce by its id.
func (r *ReduceTasks) Find(id string) (int32, bool) {
	if t, ok := r.task[id]; ok {
		return t, true
	}
	at := strings.LastIndex(id, ".r")
	if at < 0 {
		return 0, false
	}
	i, ok := r.job[id[:at]]
	if !ok {
		return 0, false
	}
	k, err := strconv.ParseInt(id[at+2:], 10, 32)
	if err != nil || k < 1 || int32(k) > r.First[i+1]-r.First[i] || strconv.FormatInt(k, 10) != id[at+2:] {
		return 0, false
	}
	t := r.First[i] + int32(k) - 1
	return t, r.Row(t) == None
}
