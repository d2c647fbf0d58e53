package model

// This file adds the rows of the tables that only problem realtime reads: history, partitions, keys, times.

// PastRun adds a row of history. The builder finds r.Node by r.Worker.
func (b *Builder) PastRun(r PastRun, at Locus) {
	r.Node = None
	b.w.History = append(b.w.History, r)
	b.at[TableHistory].add(at)
}

// Part adds a row of partitions; job is an id.
func (b *Builder) Part(p Part, job string, at Locus) {
	p.Job = b.rowJob(TablePartitions, len(b.w.Parts), job, at)
	b.w.Parts = append(b.w.Parts, p)
	b.at[TablePartitions].add(at)
}

// KeyData adds a row of keys; job is an id.
func (b *Builder) KeyData(k KeyData, job string, at Locus) {
	k.Job = b.rowJob(TableKeys, len(b.w.Keys), job, at)
	b.w.Keys = append(b.w.Keys, k)
	b.at[TableKeys].add(at)
}

// GivenTime adds a row of times; job and worker are ids.
func (b *Builder) GivenTime(t GivenTime, job, worker string, at Locus) {
	row := len(b.w.Times)
	t.Job = b.rowJob(TableTimes, row, job, at)
	t.Worker = None
	b.timeNodes = append(b.timeNodes, pending{int32(row), worker, at.At("worker")})
	b.w.Times = append(b.w.Times, t)
	b.at[TableTimes].add(at)
}

// rowJob is the index of the job that a row names, or None until Build.
func (b *Builder) rowJob(table Table, row int, id string, at Locus) JobIndex {
	j := b.job(id)
	if j == None {
		b.rowJobs[table] = append(b.rowJobs[table], pending{int32(row), id, at.At("job")})
	}
	return j
}

// resolveRows finds the jobs and workers of these tables' rows. Workers of history may no longer exist.
func (b *Builder) resolveRows() {
	w := &b.w
	set := map[Table]func(row int32, j JobIndex){
		TablePartitions: func(row int32, j JobIndex) { w.Parts[row].Job = j },
		TableKeys:       func(row int32, j JobIndex) { w.Keys[row].Job = j },
		TableTimes:      func(row int32, j JobIndex) { w.Times[row].Job = j },
	}
	for _, table := range []Table{TablePartitions, TableKeys, TableTimes} {
		for _, p := range b.rowJobs[table] {
			j := b.job(p.id)
			if j == None {
				b.reportUnknown(CodeUnknownJob, p.pos, "job", p.id, &b.jobs, b.jobID)
			}
			set[table](p.row, j)
		}
	}
	for _, p := range b.timeNodes {
		n := b.hostNode(p.id)
		if n == None {
			b.reportNode(p.pos, p.id)
		}
		w.Times[p.row].Worker = n
	}
	for i := range w.History {
		if w.HasTopology {
			w.History[i].Node = b.hostNode(w.History[i].Worker)
		}
	}
}
