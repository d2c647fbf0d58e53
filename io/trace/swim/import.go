package swim

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"mrsched/io/textpos"
	"mrsched/io/trace"
	"mrsched/model"
	"mrsched/model/multitenant"
)

// Import reads jobs, each file plain or gzip, and generates their tasks and a cluster. The workload's notes count all
// assumptions.
//
// Errors: *model.InputError with every finding of every file.
//
// Complexity: O(bytes + tasks). Memory: the jobs and tasks, never a file.
func Import(files []File, opt Options) (*model.Workload, error) {
	im := &importer{b: model.NewBuilder(), opt: opt}
	found := &im.b.Findings
	return trace.Build(im.b, func() { opt.check(found) }, func() {
		for _, f := range files {
			prefix := ""
			if len(files) > 1 {
				prefix = stem(f.Name) + "/"
			}
			im.jobs = append(im.jobs, readFile(f, prefix, found)...)
		}
		if im.read = len(im.jobs); im.read == 0 {
			trace.NothingLeft(found, files, "the trace is empty", "at least one line, with one job per line")
		}
		im.checkIDs()
	}, im.choose, im.checkTasks, func() {
		im.opt.Storage.Enter(im.b)
		for k := range im.jobs {
			im.emit(k)
		}
		im.b.Scalars(stem(files[0].Name), multitenant.Name, model.Optional[int64]{}, im.notes())
	})
}

func stem(name string) string { return textpos.Stem(name, ".gz", ".tsv", ".txt") }

// importer is an import under way.
type importer struct {
	b    *model.Builder
	opt  Options
	jobs []job
	read int // jobs in the files

	// What was assumed.
	reduces, maps                       int64
	noInput, mapOnly, capped, unratioed int
	paths                               int // jobs that name paths
}

// checkIDs reports the jobs whose id another one has; the builder would report their tasks as well.
func (im *importer) checkIDs() {
	seen := make(map[string]bool, len(im.jobs))
	for k := range im.jobs {
		j := &im.jobs[k]
		if seen[j.id] {
			im.b.Findings.Add(model.Finding{Code: model.CodeDuplicate, Pos: j.at,
				What: fmt.Sprintf("job id %.80q is used twice", j.id), Expected: "unique ids", Hint: "rename one of them"})
		}
		seen[j.id] = true
	}
}

// choose sorts the jobs and cuts them.
func (im *importer) choose() {
	slices.SortStableFunc(im.jobs, func(a, b job) int { return cmp.Compare(a.submit, b.submit) })
	if n := im.opt.Jobs; n.Known && n.Value < int64(len(im.jobs)) {
		im.jobs = im.jobs[:n.Value]
	}
}

// sizes are the maps and reduces of a job.
func (im *importer) sizes(j *job) (maps, reduces int64) {
	maps = max(1, parts(j.input, im.opt.BlockSize))
	if j.shuffle > 0 {
		reduces = min(parts(j.shuffle, im.opt.ReduceSize), im.opt.MaxReduces)
	}
	return maps, reduces
}

// parts is how many parts of a size bytes fill, the last one in part.
func parts(bytes, size model.Bytes) int64 {
	n := int64(bytes / size)
	if bytes%size > 0 {
		n++
	}
	return n
}

// checkTasks bounds the tasks and makes room for them.
func (im *importer) checkTasks() {
	total := int64(0)
	for k := range im.jobs {
		maps, reduces := im.sizes(&im.jobs[k])
		if total = total + min(maps, maxTasks) + min(reduces, maxTasks); total > maxTasks {
			im.b.Findings.Add(model.Finding{Code: model.CodeOverflow, Pos: im.jobs[k].at,
				What:     fmt.Sprintf("up to job %.80q there are more than %d tasks", im.jobs[k].id, maxTasks),
				Expected: "fewer", Hint: "raise --block-size or --reduce-size, or lower --jobs"})
			return
		}
	}
	im.b.Reserve(int(total))
}

// emit enters a job and its tasks.
func (im *importer) emit(k int) {
	j, o := &im.jobs[k], &im.opt
	maps, reduces := im.sizes(j)
	im.maps, im.reduces = im.maps+maps, im.reduces+reduces
	at := model.Locus{Pos: j.at}
	if j.input == 0 {
		im.noInput++
	}
	if reduces == 0 {
		im.mapOnly++
	}
	if j.paths {
		im.paths++
	}
	if reduces < parts(j.shuffle, o.ReduceSize) {
		im.capped++
	}
	row := model.Job{ID: j.id, Weight: model.UnitWeight, Release: j.submit - im.jobs[0].submit,
		Tenant:  "u" + strconv.FormatInt(int64(k)%o.Users+1, 10),
		Reduces: model.Some(reduces), IntermediateBytes: model.Some(j.shuffle)}
	switch {
	case j.input > 0:
		row.ShuffleRatio = model.Some(math.Round(float64(j.shuffle)/float64(j.input)*1e6) / 1e6)
	case j.shuffle > 0:
		im.unratioed++
	}
	im.b.Job(row, at)
	o.Storage.NewFile()
	task := model.Task{Kind: model.Map}
	if reduces > 0 {
		task.ShuffleDelay = transfer(j.shuffle.Share(1, model.Bytes(reduces)), o.Bandwidth)
	}
	for m := range maps {
		read := min(o.BlockSize, j.input-model.Bytes(m)*o.BlockSize)
		task.ID, task.InputBytes = fmt.Sprintf("%s.m%d", j.id, m+1), model.Some(read)
		task.Processing = model.Some(o.Overhead + transfer(read, o.MapRate))
		if reduces == 0 {
			task.OutputBytes = model.Some(between(j.output, model.Bytes(m)*o.BlockSize, read, j.input))
		}
		block := ""
		if j.input > 0 {
			block = fmt.Sprintf("%s.b%d", j.id, m+1)
			o.Storage.Place(im.b, block)
		}
		im.b.Task(task, j.id, block, at)
	}
	for r := range reduces {
		one := model.Bytes(1)
		fetched := between(j.shuffle, model.Bytes(r), one, model.Bytes(reduces))
		im.b.Task(model.Task{ID: fmt.Sprintf("%s.r%d", j.id, r+1), Kind: model.Reduce, InputBytes: model.Some(fetched),
			OutputBytes: model.Some(between(j.output, model.Bytes(r), one, model.Bytes(reduces))),
			Processing:  model.Some(o.Overhead + transfer(fetched, o.ReduceRate))}, j.id, "", at)
	}
}

// transfer is what bytes take at a rate, at most as long as a file may state.
func transfer(bytes model.Bytes, rate float64) model.Time {
	return model.TimeOf(min(float64(bytes)/rate, model.MaxHorizon.Seconds()))
}

// between is the part of v that falls on length of all, from a place on: such parts add up to v. Of nothing it is v.
func between(v, from, length, all model.Bytes) model.Bytes {
	if all == 0 {
		return v
	}
	return v.Share(from+length, all) - v.Share(from, all)
}

// notes says what was imported and assumed; counts of 0 are left out.
func (im *importer) notes() (notes trace.Notes) {
	o := &im.opt
	notes.Add("imported from SWIM: %s of %d, in the order of submission", model.Counted(len(im.jobs), "job"), im.read)
	notes.Add("time 0 is the first submission, at %s s", im.jobs[0].submit)
	notes.Add("%s of at most %d B each are made up, which take %s s and 1 s for each %s B",
		model.Counted(im.maps, "map"), o.BlockSize, o.Overhead, decimal(o.MapRate))
	notes.Add("%s are made up, one for each %d B of shuffle up to %d a job, which take %s s and 1 s for each %s B",
		model.Counted(im.reduces, "reduce"), o.ReduceSize, o.MaxReduces, o.Overhead, decimal(o.ReduceRate))
	notes.Add("shuffle delays are what a reduce fetches at %s B/s", decimal(o.Bandwidth))
	notes.Add("%s submit the jobs in turn", model.Counted(min(o.Users, int64(len(im.jobs))), "user"))
	notes.Add("the topology and the places of all blocks are made up")
	notes.Count(im.noInput, "job", "without input {has|have} one map without a block{| each}")
	notes.Count(im.paths, "job", "{names paths, which are|name paths, which are} not used: jobs that read the same path "+
		"share no blocks")
	notes.Count(im.mapOnly, "job", "without shuffle {has no reduce|have no reduces}")
	notes.Count(im.capped, "job", "{has|have} as many reduces as a job may have")
	notes.Count(im.unratioed, "job", "that {reads nothing and shuffles has|read nothing and shuffle have} no "+
		"shuffle ratio")
	return notes
}

// decimal prints a rate.
func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// File is one file to import.
type File = trace.File

// Storage is a cluster that has room for blocks.
type Storage interface {
	// Enter adds the topology.
	Enter(b *model.Builder)
	// NewFile says that the blocks that follow are the input of another job.
	NewFile()
	// Place adds the placements of a block.
	Place(b *model.Builder, block string)
}

// Options say what the lines do not say.
type Options struct {
	Jobs       model.Optional[int64] // import this many; unknown: all
	Users      int64
	BlockSize  model.Bytes
	ReduceSize model.Bytes // of shuffled data, for which a job gets a reduce
	MaxReduces int64       // of a job
	Overhead   model.Time  // what a task takes regardless of its size
	// MapRate and ReduceRate are the bytes that a map and a reduce process in a second.
	MapRate, ReduceRate float64
	Bandwidth           float64 // bytes per second at which a reduce fetches, for shuffle delays
	Storage             Storage
}

// DefaultOptions are 30 users, blocks of 64 MiB, a reduce for each 256 MB up to 100 of them, 2 s a task and 5 and 20 MB
// a second: the middle of what MapReduce programs of the traces' time did on one core. Storage is left open.
func DefaultOptions() Options {
	return Options{Users: 30, BlockSize: 64 << 20, ReduceSize: 256_000_000, MaxReduces: 100, Overhead: 2 * model.Second,
		MapRate: 5e6, ReduceRate: 20e6, Bandwidth: 250e6 / 8}
}

// maxTasks bounds the tasks of a workload, which must fit into memory.
const maxTasks = 50_000_000

// check reports options that make no sense.
func (o *Options) check(found *model.Findings) {
	check := trace.Options{Found: found}
	for _, c := range []struct {
		what  string
		value int64
	}{{"jobs", o.Jobs.Or(1)}, {"users", o.Users}, {"bytes per block", int64(o.BlockSize)},
		{"bytes per reduce", int64(o.ReduceSize)}, {"reduces per job", o.MaxReduces}} {
		check.Count(c.value, math.MaxInt64, c.what, "1 or more")
	}
	if o.Overhead < 0 {
		check.Bad(fmt.Sprintf("%s s per task", o.Overhead), "0 or more")
	}
	for _, rate := range []float64{o.MapRate, o.ReduceRate, o.Bandwidth} {
		check.Rate(rate)
	}
}
