package cli

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/urfave/cli/v2"

	"mrsched/instances"
	"mrsched/io/trace/swim"
	"mrsched/model"
)

// Units of the flags.
const (
	megabit  = 1e6 / 8 // bytes
	megabyte = 1e6
	mebibyte = 1 << 20
)

// swimPlaces tells the random stream of block places from others of the same seed.
const swimPlaces = 601

// rate prints bytes a second.
func rate(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

const swimHelp = `FILE has tab-separated lines: job id, submission, gap, and bytes of map input, shuffle and output. Tasks, durations, places
and users are not recorded and are made up by the rules that these flags set. All five problems take the workload.`

func (s *session) swimImporter() importer {
	opt := swim.DefaultOptions()
	return importer{name: "swim", usage: "a workload of SWIM, with tasks and a cluster made up", about: swimHelp,
		files: "FILE…", many: true,
		examples: []string{"mrsched import swim FB-2009.tsv --jobs 300 --nodes 16 --racks 4 --users 8 -o facebook.json"},
		flags: []cli.Flag{
			&cli.Int64Flag{Name: "jobs", DefaultText: "all", Usage: "import only so many jobs, the first to be submitted"},
			&cli.Int64Flag{Name: "users", Value: opt.Users, Usage: "users, who submit the jobs in turn"},
			&cli.IntFlag{Name: "nodes", Value: 100, Usage: "nodes of the cluster that is made up"},
			&cli.IntFlag{Name: "racks", Value: 10, Usage: "racks that they spread over evenly"},
			&cli.Int64Flag{Name: "map-slots", Value: 2, Usage: "map slots of every node"},
			&cli.Int64Flag{Name: "reduce-slots", Value: 2, Usage: "reduce slots of every node"},
			&cli.Float64Flag{Name: "bandwidth", Value: opt.Bandwidth / megabit,
				Usage: "megabits a second of a node in its rack"},
			&cli.Float64Flag{Name: "uplink", Value: 500, Usage: "megabits a second from and to a rack"},
			&cli.Float64Flag{Name: "block-size", Value: float64(opt.BlockSize) / mebibyte,
				Usage: "MiB of a block; each is read by a map"},
			&cli.IntFlag{Name: "replicas", Value: 3, Usage: "replicas of a block: one on a random node, the others in " +
				"another rack"},
			&cli.Float64Flag{Name: "reduce-size", Value: float64(opt.ReduceSize) / megabyte,
				Usage: "megabytes of shuffled data for which a job gets a reduce"},
			&cli.Int64Flag{Name: "max-reduces", Value: opt.MaxReduces, Usage: "reduces of a job at most"},
			&cli.Float64Flag{Name: "overhead", Value: opt.Overhead.Seconds(), Usage: "seconds that a task takes whatever its " +
				"size"},
			&cli.Float64Flag{Name: "map-bytes-per-s", Value: opt.MapRate, DefaultText: rate(opt.MapRate),
				Usage: "bytes that a map works off in a second"},
			&cli.Float64Flag{Name: "reduce-bytes-per-s", Value: opt.ReduceRate, DefaultText: rate(opt.ReduceRate),
				Usage: "bytes that a reduce works off in a second"},
			&cli.Uint64Flag{Name: flagSeed.Name, Value: flagSeed.Value, Usage: "seed of the blocks' places"},
		},
		read: importSWIM}
}

func importSWIM(c *cli.Context, files []traceFile) (*model.Workload, error) {
	opt := swim.DefaultOptions()
	opt.Jobs, opt.Users, opt.MaxReduces = givenCount(c, "jobs"), c.Int64("users"), c.Int64("max-reduces")
	opt.MapRate, opt.ReduceRate = c.Float64("map-bytes-per-s"), c.Float64("reduce-bytes-per-s")
	var found model.Findings
	opt.BlockSize, opt.ReduceSize = size(c, "block-size", mebibyte, &found), size(c, "reduce-size", megabyte, &found)
	if v := c.Float64("overhead"); v >= 0 && v <= model.MaxHorizon.Seconds() {
		opt.Overhead = model.TimeOf(v)
	} else {
		found.Add(outside("overhead", v, "seconds"))
	}
	cluster := instances.RackCluster{Nodes: c.Int("nodes"), Racks: c.Int("racks"), MapSlots: c.Int64("map-slots"),
		ReduceSlots: c.Int64("reduce-slots"),
		Bandwidth:   bandwidth(c, "bandwidth", &found), Uplink: bandwidth(c, "uplink", &found)}
	opt.Bandwidth = cluster.Bandwidth
	cluster.Check(&found)
	replicas := c.Int("replicas")
	if replicas < 1 || replicas > cluster.Nodes {
		found.Add(model.Finding{Code: model.CodeParameter, What: fmt.Sprintf("%d replicas of a block on %d nodes", replicas,
			cluster.Nodes), Expected: "from one to one a node"})
	}
	if err := found.Err(); err != nil {
		return nil, err
	}
	opt.Storage = instances.NewBlockPlacer(cluster, replicas, 0, rand.NewPCG(c.Uint64(flagSeed.Name), swimPlaces))
	var list []swim.File
	for _, f := range files {
		list = append(list, swim.File{Name: f.name, Text: f.text})
	}
	return swim.Import(list, opt)
}

// size reads a flag in a unit of bytes.
func size(c *cli.Context, flag string, unit float64, found *model.Findings) model.Bytes {
	v := c.Float64(flag) * unit
	if !(v >= 0.5 && v < math.MaxInt64/2) {
		found.Add(outside(flag, c.Float64(flag), "megabytes"))
		return 1
	}
	return model.Bytes(math.Round(v))
}

// bandwidth reads a flag in megabits a second.
func bandwidth(c *cli.Context, flag string, found *model.Findings) float64 {
	v := c.Float64(flag)
	if !(v > 0) || math.IsInf(v, 0) {
		found.Add(outside(flag, v, "megabits a second, above 0"))
	}
	return v * megabit
}

func outside(flag string, v float64, unit string) model.Finding {
	return model.Finding{Code: model.CodeParameter, What: fmt.Sprintf("--%s %g", flag, v),
		Expected: "a sensible number of " + unit}
}
