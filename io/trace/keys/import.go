package keys

import (
	"fmt"
	"math"
	"strconv"

	"mrsched/io/textpos"
	"mrsched/io/trace"
	"mrsched/model"
	"mrsched/model/realtime"
)

// File is one file to import.
type File = trace.File

// Options say what the counts do not say.
type Options struct {
	BytesPerValue int64                 // that a value of a key takes
	Reduces       int64                 // of the job
	Partitions    model.Optional[int64] // of the job; unknown: solvers decide
	Machines      model.Optional[int64] // unknown: as many as Reduces
	ReduceRate    float64               // bytes per second that a reduce processes
}

// DefaultOptions are a byte per value, ten reduces on a machine each, and a megabyte per second.
func DefaultOptions() Options { return Options{BytesPerValue: 1, Reduces: 10, ReduceRate: 1_000_000} }

// maxCount bounds counts: dense indices are 32 bits wide.
const maxCount = math.MaxInt32

// check reports options that make no sense.
func (o *Options) check(found *model.Findings) {
	check := trace.Options{Found: found}
	for _, c := range []struct {
		what  string
		value int64
	}{{"bytes a value", o.BytesPerValue}, {"reduces", o.Reduces}, {"partitions", o.Partitions.Or(1)},
		{"machines", o.Machines.Or(1)}} {
		check.Count(c.value, maxCount, c.what, fmt.Sprintf("from 1 to %d", maxCount))
	}
	check.Rate(o.ReduceRate)
}

// Import reads counts, each file plain or gzip. The workload's notes state all assumptions.
//
// Errors: *model.InputError with every finding of every file.
//
// Complexity: O(bytes). Memory: the distinct pairs of map and key, never a file.
func Import(files []File, opt Options) (*model.Workload, error) {
	b := model.NewBuilder()
	t := &tally{bytesPerValue: opt.BytesPerValue, at: map[[2]int32]int32{}}
	return trace.Build(b, func() { opt.check(&b.Findings) }, func() {
		for _, f := range files {
			readFile(f, t, &b.Findings)
		}
		if len(t.rows) == 0 {
			trace.NothingLeft(&b.Findings, files, "there are no counts", "at least one row below the header")
		}
	}, func() { emit(b, t, opt, textpos.Stem(files[0].Name, ".gz", ".csv")) })
}

// emit enters the job and its keys.
func emit(b *model.Builder, t *tally, opt Options, title string) {
	machines := opt.Machines.Or(opt.Reduces)
	b.Scalars(title, realtime.Name, model.Some(machines), nil)
	b.Note("imported from counts: %d read, %d of a map's key left, as those of the same map and key add up", t.read,
		len(t.rows))
	b.Note("every value takes %d B", opt.BytesPerValue)
	b.Note("the job is given %d reduces, each working off %s B/s, and %d identical machines", opt.Reduces,
		strconv.FormatFloat(opt.ReduceRate, 'f', -1, 64), machines)
	b.Job(model.Job{ID: title, Weight: model.UnitWeight, Reduces: model.Some(opt.Reduces), Partitions: opt.Partitions,
		ReduceRate: model.Some(opt.ReduceRate)}, model.Locus{})
	for _, r := range t.rows {
		b.KeyData(model.KeyData{Map: t.maps.IDs[r.mapper], Key: t.keys.IDs[r.key], Bytes: r.bytes}, title,
			model.Locus{Pos: r.at})
	}
}
