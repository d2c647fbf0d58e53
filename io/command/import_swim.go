package command

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

// swimFlags are the flags that only import swim has.
func swimFlags() []cli.Flag {
	opt := swim.DefaultOptions()
	return []cli.Flag{
		&cli.Int64Flag{Name: "jobs", Category: ofSWIM, Usage: "import only so many jobs, the first to be submitted"},
		&cli.Int64Flag{Name: "users", Category: ofSWIM, Value: opt.Users, Usage: "users, who submit the jobs in turn"},
		&cli.IntFlag{Name: "nodes", Category: ofSWIM, Value: 100, Usage: "nodes of the cluster that is made up"},
		&cli.IntFlag{Name: "racks", Category: ofSWIM, Value: 10, Usage: "racks that they spread over evenly"},
		&cli.Float64Flag{Name: "bandwidth", Category: ofSWIM, Value: opt.Bandwidth / megabit, Usage: "megabits a second of a node in its rack"},
		&cli.Float64Flag{Name: "uplink", Category: ofSWIM, Value: 500, Usage: "megabits a second from and to a rack"},
		&cli.Float64Flag{Name: "block-size", Category: ofSWIM, Value: float64(opt.BlockSize) / mebibyte, Usage: "MiB of a block; each is read by a map"},
		&cli.IntFlag{Name: "replicas", Category: ofSWIM, Value: 3, Usage: "replicas of a block: one on a random node, the others in another rack"},
		&cli.Float64Flag{Name: "reduce-size", Category: ofSWIM, Value: float64(opt.ReduceSize) / megabyte, Usage: "megabytes of shuffled data for which a job gets a reduce"},
		&cli.Int64Flag{Name: "max-reduces", Category: ofSWIM, Value: opt.MaxReduces, Usage: "reduces of a job at most"},
		&cli.Float64Flag{Name: "overhead", Category: ofSWIM, Value: opt.Overhead.Seconds(), Usage: "seconds that a task takes whatever its size"},
		&cli.Float64Flag{Name: "map-bytes-per-s", Category: ofSWIM, Value: opt.MapRate, Usage: "bytes that a map works off in a second"},
		&cli.Uint64Flag{Name: flagSeed.Name, Category: ofSWIM, Value: flagSeed.Value, Usage: "seed of the blocks' places"},
	}
}

func (s *session) importSWIM(c *cli.Context, files []string) (*model.Workload, error) {
	opt := swim.DefaultOptions()
	opt.Jobs, opt.Users, opt.MaxReduces, opt.MapRate = givenCount(c, "jobs"), c.Int64("users"), c.Int64("max-reduces"), c.Float64("map-bytes-per-s")
	if c.IsSet("reduce-bytes-per-s") {
		opt.ReduceRate = c.Float64("reduce-bytes-per-s")
	}
	var found model.Findings
	opt.BlockSize, opt.ReduceSize = size(c, "block-size", mebibyte, &found), size(c, "reduce-size", megabyte, &found)
	if v := c.Float64("overhead"); v >= 0 && v <= model.MaxHorizon.Seconds() {
		opt.Overhead = model.TimeOf(v)
	} else {
		found.Add(outside("overhead", v, "seconds"))
	}
	cluster := instances.RackCluster{Nodes: c.Int("nodes"), Racks: c.Int("racks"), MapSlots: c.Int64("map-slots"), ReduceSlots: c.Int64("reduce-slots"),
		Bandwidth: bandwidth(c, "bandwidth", &found), Uplink: bandwidth(c, "uplink", &found)}
	opt.Bandwidth = cluster.Bandwidth
	cluster.Check(&found)
	replicas := c.Int("replicas")
	if replicas < 1 || replicas > cluster.Nodes {
		found.Add(model.Finding{Code: model.CodeParameter, What: fmt.Sprintf("%d replicas of a block on %d nodes", replicas, cluster.Nodes), Expected: "from one to one a node"})
	}
	if err := found.Err(); err != nil {
		return nil, err
	}
	opt.Storage = instances.NewBlockPlacer(cluster, replicas, 0, rand.NewPCG(c.Uint64(flagSeed.Name), swimPlaces))
	var list []swim.File
	for _, name := range files {
		f, err := s.input(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		list = append(list, swim.File{Name: titled(name), Text: f})
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
	return model.Finding{Code: model.CodeParameter, What: fmt.Sprintf("--%s %g", flag, v), Expected: "a sensible number of " + unit}
}
