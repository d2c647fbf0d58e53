package swim

import (
	"fmt"
	"math"

	"mrsched/io/trace"
	"mrsched/model"
)

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

// Options say what the lines do not tell.
type Options struct {
	Jobs       model.Optional[int64] // import so many; unknown: all
	Users      int64
	BlockSize  model.Bytes
	ReduceSize model.Bytes // of shuffled data, for which a job gets a reduce
	MaxReduces int64       // of a job
	Overhead   model.Time  // what a task takes whatever its size
	// MapRate and ReduceRate are the bytes that a map and a reduce work off in a second.
	MapRate, ReduceRate float64
	Bandwidth           float64 // bytes a second at which a reduce fetches, for shuffle delays
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
	}{{"jobs", o.Jobs.Or(1)}, {"users", o.Users}, {"bytes a block", int64(o.BlockSize)},
		{"bytes a reduce", int64(o.ReduceSize)}, {"reduces a job", o.MaxReduces}} {
		check.Count(c.value, math.MaxInt64, c.what, "1 or more")
	}
	if o.Overhead < 0 {
		check.Bad(fmt.Sprintf("%s s a task", o.Overhead), "0 or more")
	}
	for _, rate := range []float64{o.MapRate, o.ReduceRate, o.Bandwidth} {
		check.Rate(rate)
	}
}
