package command

import (
	"mrsched/instances"
	"mrsched/io/sweep"
	"mrsched/solver"
)

// instanceSize is how large an instance is, as far as its file or the parameters of its generator tell: what the costs
// of runs depend on. Each number is at least 1.
type instanceSize struct {
	tasks    int64 // that algorithms place: of reduceplace reduces, of realtime maps and partitions or keys
	jobs     int64
	machines int64 // machines, servers, slots, workers or nodes
	rows     int64 // of all tables
	parts    int64 // of realtime: partitions a job
	racks    bool  // of hta: a task costs less in the rack of its block
	skewed   bool  // of hta: blocks or servers are not alike
	guessed  bool  // the numbers may be off by more than chance has it
}

// bytesPerRow is about how much of a workload's JSON a row of a table takes.
const bytesPerRow = 60

// presetSizes are the sizes of what the presets make; those that are not here are small documents.
var presetSizes = map[string]func(p solver.Params, seed uint64) instanceSize{
	"mars": func(p solver.Params, _ uint64) instanceSize {
		perJob := int64(46) // on average
		if p.Text("counts") == "uniform" {
			perJob = 40
		}
		s := instanceSize{tasks: p.Int("jobs") * perJob, jobs: p.Int("jobs"), machines: p.Int("machines")}
		if most := p.Int("tasks"); most > 0 && most < s.tasks {
			s.tasks, s.jobs = most, 1+most/perJob
		}
		s.rows = s.tasks + s.jobs
		return s
	},
	"wikipedia": func(p solver.Params, _ uint64) instanceSize {
		s := instanceSize{tasks: 2000, jobs: 27, machines: p.Int("machines"), rows: 2000}
		if p.Text("set") == "small" {
			s.tasks, s.jobs, s.rows = 100, 10, 100
		}
		return s
	},
	"replicated": func(p solver.Params, _ uint64) instanceSize {
		blocks := p.Int("tasks")
		if n := p.Int("blocks"); n > 0 {
			blocks = min(n, blocks)
		}
		return instanceSize{tasks: p.Int("tasks"), jobs: 1, machines: p.Int("servers"),
			rows:  p.Int("tasks") + blocks*p.Int("replicas") + p.Int("servers"),
			racks: p.Float("rack-cost") > 0, skewed: p.Float("zipf") > 0 || p.Float("server-zipf") > 0}
	},
	"thm41": func(p solver.Params, _ uint64) instanceSize {
		n := p.Int("servers")
		return instanceSize{tasks: n, jobs: 1, machines: n, rows: 3 * n}
	},
	"thm43": func(p solver.Params, _ uint64) instanceSize {
		return instanceSize{tasks: p.Int("tasks"), jobs: 1, machines: p.Int("servers"),
			rows: 2*p.Int("tasks") + p.Int("servers")}
	},
	"thm54": func(p solver.Params, _ uint64) instanceSize {
		n := p.Int("servers")
		return instanceSize{tasks: n * n, jobs: 1, machines: n, rows: 2 * n * n}
	},
	"placement": func(p solver.Params, _ uint64) instanceSize {
		s := instanceSize{tasks: p.Int("jobs") * (1 + p.Int("max-reduces")) / 2, jobs: p.Int("jobs"),
			machines: p.Int("slots")}
		s.rows = s.jobs*(1+p.Int("maps")) + s.machines
		return s
	},
	"twitter": realtimeSize,
	"youtube": realtimeSize,
	"shufflewatcher": func(p solver.Params, seed uint64) instanceSize {
		jobs, maps, reduces := instances.ShufflewatcherSize(p, seed)
		return instanceSize{tasks: maps + reduces, jobs: jobs, machines: p.Int("nodes"),
			rows: jobs + maps*(1+p.Int("replicas")) + reduces}
	},
}

func realtimeSize(p solver.Params, _ uint64) instanceSize {
	jobs, workers, maps, parts := p.Int("jobs"), p.Int("workers"), p.Int("maps"), max(p.Int("partitions"), p.Int("keys"))
	s := instanceSize{tasks: jobs * (maps + p.Int("partitions")), jobs: jobs, machines: workers,
		parts: p.Int("partitions"), rows: jobs*(1+maps+parts) + workers*p.Int("history-runs")}
	if p.Bool("per-map") {
		s.rows += capped(jobs*maps, parts)
	}
	if p.Float("noise") > 0 {
		s.rows += capped(s.tasks, workers)
	}
	return s
}

// largestProduct keeps sums of sizes far from overflow.
const largestProduct = 1 << 58

// capped is the product of two numbers ≥ 0, or largestProduct if it is above.
func capped(a, b int64) int64 {
	if b > 0 && a > largestProduct/b {
		return largestProduct
	}
	return a * b
}

// sizeOf estimates how large an instance is.
func sizeOf(in *sweep.Instance) instanceSize {
	var s instanceSize
	if size := presetSizes[in.Preset]; in.Path == "" && in.Bytes == 0 && size != nil {
		s = size(in.Values, in.Seed)
	} else {
		s = fileSize(in)
		s.guessed = true
	}
	s.tasks, s.jobs, s.machines, s.rows, s.parts = max(1, s.tasks), max(1, s.jobs), max(1, s.machines), max(1, s.rows),
		max(1, s.parts)
	return s
}

// fileSize guesses the size of what a file holds, from its length alone; documents of presets are small.
func fileSize(in *sweep.Instance) instanceSize {
	rows := in.Bytes / bytesPerRow
	switch {
	case in.Preset == "3sat": // a clause of some eight bytes makes some twenty tasks
		return instanceSize{tasks: 3 * in.Bytes, jobs: 1, machines: in.Bytes, rows: 9 * in.Bytes}
	case in.Path == "":
		return instanceSize{tasks: 20, jobs: 4, machines: 5, rows: 40, parts: 4}
	case in.Problem == "hta", in.Problem == "multitenant": // three of four rows are replicas
		return instanceSize{tasks: rows / 4, jobs: 1 + rows/1000, machines: 1 + rows/100, rows: rows, skewed: true}
	}
	return instanceSize{tasks: rows / 2, jobs: 1 + rows/100, machines: 1 + rows/50, rows: rows, parts: 20}
}
