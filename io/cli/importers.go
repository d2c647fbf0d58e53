package cli

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/urfave/cli/v2"

	"mrsched/instances"
	"mrsched/io/trace"
	"mrsched/io/trace/alibaba"
	"mrsched/io/trace/rumen"
	"mrsched/io/trace/swim"
	"mrsched/io/trace/wfformat"
	"mrsched/model"
)

const wfformatHelp = `FILE is a workflow in the JSON of WfCommons that was run: version 1.5 or later. Each
file is a job whose precedence is that of the workflow, in the table delays: problem msjo takes it exactly. Multitenant
and realtime read kinds and times, tasks without parents being maps; hta and reduceplace find no data to place.
A task runs on one machine, however many cores it used; with --nodes it takes its cores of a node, for problem cluster.
Several workflows are released as they were executed.`

func (s *session) wfformatImporter() importer {
	return importer{name: "wfformat", usage: "workflows of WfCommons: DAG jobs", about: wfformatHelp, files: "FILE…",
		many: true,
		examples: []string{"mrsched import wfformat montage.json -o montage-workload.json",
			"mrsched import wfformat workflows/*.json --interarrival 60 --machines 32 -o day.json"},
		flags: []cli.Flag{
			&timeFlag{cli.StringFlag{Name: "interarrival", DefaultText: "as executed", Usage: "time between the releases of " +
				"two workflows, in the files' order, in seconds or as 1m; 0: all at once"}},
			&cli.Int64Flag{Name: "machines", DefaultText: "the stated machines' cores", Usage: "number of identical machines"},
			&cli.BoolFlag{Name: "nodes", Usage: "make the stated machines nodes with cores, memory and speeds, for " +
				"problem cluster"},
		},
		read: importWorkflows}
}

func importWorkflows(c *cli.Context, files []trace.File) (*model.Workload, error) {
	opt := wfformat.Options{Machines: givenCount(c, "machines"), Nodes: c.Bool("nodes")}
	var found model.Findings
	if c.IsSet("interarrival") {
		opt.Interarrival = model.Some(span(c, "interarrival", &found))
	}
	if err := found.Err(); err != nil {
		return nil, err
	}
	return wfformat.Import(files, opt)
}

const alibabaHelp = `FILE is batch_task.csv of cluster-trace-v2018; several files are parts of one trace. A task M5_3_4 waits for all instances
of its job's tasks 3 and 4. Every instance is a task, and all of a task take the same time, as the file knows no more.
Problem msjo takes the workload exactly; a job that is a stage graph may have further tasks of length 0, .done, which
stand for the end of all instances. Multitenant and realtime read kinds and times; hta and reduceplace find no data.`

func (s *session) alibabaImporter() importer {
	opt := alibaba.DefaultOptions()
	return importer{name: "alibaba", usage: "DAG jobs: batch_task.csv of Alibaba's cluster-trace-v2018",
		about: alibabaHelp, files: "FILE…", many: true,
		examples: []string{"mrsched import alibaba batch_task.csv.gz --jobs 200 -o alibaba.json",
			"tar -xzOf batch_task.tar.gz | mrsched import alibaba - --jobs 1000 --instances one -o dags.json"},
		flags: []cli.Flag{
			&cli.Int64Flag{Name: "jobs", DefaultText: "all", Usage: "import only the first N jobs to start"},
			&cli.BoolFlag{Name: "include-failed", Usage: "import tasks that are not Terminated too"},
			offering(cli.StringFlag{Name: "instances", Value: opt.Instances,
				Usage: "what becomes of a task's instances: all of them tasks, or together one task"}, alibaba.Instances()...),
			&cli.Int64Flag{Name: "machines", DefaultText: "as many as were busy at once", Usage: "number of identical machines"},
		},
		read: importBatch}
}

func importBatch(c *cli.Context, files []trace.File) (*model.Workload, error) {
	opt := alibaba.Options{Jobs: givenCount(c, "jobs"), IncludeFailed: c.Bool("include-failed"),
		Instances: c.String("instances"), Machines: givenCount(c, "machines")}
	return alibaba.Import(files, opt)
}

const rumenHelp = `TRACE is a stream of JSON objects, one per job. Maps and reduces take as long as their successful attempts; a map's block lies
where the trace would have preferred to run it. Without --topology, the nodes are the hosts that the trace names as the
places of replicas or of successful attempts, in the racks that it names. A trace does not state slots: --map-slots and
--reduce-slots apply to every host. Rumen's Folder repeats jobs under their old ids; the copies are renamed ID.2, ID.3, …`

func (s *session) rumenImporter() importer {
	opt := rumen.DefaultOptions()
	return importer{name: "rumen", usage: "a job trace of Apache Rumen, with its topology", about: rumenHelp,
		files: "TRACE",
		examples: []string{"mrsched import rumen trace.json.gz --topology topology.json.gz -o trace.json",
			"mrsched import rumen trace.json.gz --topology topology.json.gz --history -o history.json"},
		flags: []cli.Flag{
			&cli.StringFlag{Name: "topology", Usage: "the trace's topology file"},
			&cli.BoolFlag{Name: "include-failed", Usage: "import FAILED and KILLED jobs too"},
			&cli.Int64Flag{Name: "map-slots", Value: opt.MapSlots, Usage: "map slots of every node"},
			&cli.Int64Flag{Name: "reduce-slots", Value: opt.ReduceSlots, Usage: "reduce slots of every node"},
			&cli.Int64Flag{Name: "machines", DefaultText: "not stated", Usage: "number of identical machines, for problems " +
				"without a topology"},
			&cli.BoolFlag{Name: "history", Usage: "also import the successful attempts as past runs, from which problem " +
				"realtime estimates times"},
		},
		read: s.importRumen}
}

func (s *session) importRumen(c *cli.Context, files []trace.File) (*model.Workload, error) {
	opt := rumen.DefaultOptions()
	opt.IncludeFailed = c.Bool("include-failed")
	opt.MapSlots, opt.ReduceSlots = c.Int64("map-slots"), c.Int64("reduce-slots")
	opt.History = c.Bool("history")
	opt.Machines = givenCount(c, "machines")
	name := c.String("topology")
	if name == "" {
		return rumen.Import(files[0], nil, opt)
	}
	f, err := s.input(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return rumen.Import(files[0], &trace.File{Name: name, Text: f}, opt)
}

// Units of the flags.
const (
	megabit  = 1e6 / 8 // bytes
	megabyte = 1e6
	mebibyte = 1 << 20
)

// swimPlaces tells the random stream of block places from others of the same seed.
const swimPlaces = 601

// rate prints bytes per second.
func rate(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

const swimHelp = `FILE has tab-separated lines: job id, submission, gap, and bytes of map input, shuffle and output.
Paths may follow; they are not used. Tasks, durations, places
and users are not recorded and are made up by the rules that these flags set. All six problems accept the workload.`

func (s *session) swimImporter() importer {
	opt := swim.DefaultOptions()
	return importer{name: "swim", usage: "a workload of SWIM, with tasks and a cluster made up", about: swimHelp,
		files: "FILE…", many: true,
		examples: []string{"mrsched import swim FB-2009.tsv --jobs 300 --nodes 16 --racks 4 --users 8 -o facebook.json"},
		flags: []cli.Flag{
			&cli.Int64Flag{Name: "jobs", DefaultText: "all", Usage: "import only the first N jobs by submission"},
			&cli.Int64Flag{Name: "users", Value: opt.Users, Usage: "users, who submit the jobs in turn"},
			&cli.IntFlag{Name: "nodes", Value: 100, Usage: "nodes of the made-up cluster"},
			&cli.IntFlag{Name: "racks", Value: 10, Usage: "racks, over which the nodes spread evenly"},
			&cli.Int64Flag{Name: "map-slots", Value: 2, Usage: "map slots of every node"},
			&cli.Int64Flag{Name: "reduce-slots", Value: 2, Usage: "reduce slots of every node"},
			&cli.Float64Flag{Name: "bandwidth", Value: opt.Bandwidth / megabit,
				Usage: "megabits per second of a node in its rack"},
			&cli.Float64Flag{Name: "uplink", Value: 500, Usage: "megabits per second from and to a rack"},
			&cli.Float64Flag{Name: "block-size", Value: float64(opt.BlockSize) / mebibyte,
				Usage: "MiB of a block; each is read by a map"},
			&cli.IntFlag{Name: "replicas", Value: 3, Usage: "replicas of a block: one on a random node, the others in " +
				"another rack"},
			&cli.Float64Flag{Name: "reduce-size", Value: float64(opt.ReduceSize) / megabyte,
				Usage: "megabytes of shuffled data per reduce of a job"},
			&cli.Int64Flag{Name: "max-reduces", Value: opt.MaxReduces, Usage: "most reduces of a job"},
			&timeFlag{cli.StringFlag{Name: "overhead", Value: opt.Overhead.String(), Usage: "time that a task takes in " +
				"addition, whatever its size, in seconds or as 500ms"}},
			&cli.Float64Flag{Name: "map-bytes-per-s", Value: opt.MapRate, DefaultText: rate(opt.MapRate),
				Usage: "bytes that a map processes per second"},
			&cli.Float64Flag{Name: "reduce-bytes-per-s", Value: opt.ReduceRate, DefaultText: rate(opt.ReduceRate),
				Usage: "bytes that a reduce processes per second"},
			&cli.Uint64Flag{Name: flagSeed.Name, Value: flagSeed.Value, Usage: "seed of the blocks' places"},
		},
		read: importSWIM}
}

func importSWIM(c *cli.Context, files []trace.File) (*model.Workload, error) {
	opt := swim.DefaultOptions()
	opt.Jobs, opt.Users, opt.MaxReduces = givenCount(c, "jobs"), c.Int64("users"), c.Int64("max-reduces")
	opt.MapRate, opt.ReduceRate = c.Float64("map-bytes-per-s"), c.Float64("reduce-bytes-per-s")
	var found model.Findings
	opt.Overhead = span(c, "overhead", &found)
	opt.BlockSize, opt.ReduceSize = size(c, "block-size", mebibyte, &found), size(c, "reduce-size", megabyte, &found)
	cluster := instances.RackCluster{Nodes: c.Int("nodes"), Racks: c.Int("racks"), MapSlots: c.Int64("map-slots"),
		ReduceSlots: c.Int64("reduce-slots"),
		Bandwidth:   bandwidth(c, "bandwidth", &found), Uplink: bandwidth(c, "uplink", &found)}
	opt.Bandwidth = cluster.Bandwidth
	cluster.Check(&found)
	replicas := c.Int("replicas")
	if replicas < 1 || replicas > cluster.Nodes {
		found.Add(model.Finding{Code: model.CodeParameter, What: fmt.Sprintf("%d replicas of a block on %d nodes", replicas,
			cluster.Nodes), Expected: "from 1 to the number of nodes"})
	}
	if err := found.Err(); err != nil {
		return nil, err
	}
	opt.Storage = instances.NewBlockPlacer(cluster, replicas, 0, false, rand.NewPCG(c.Uint64(flagSeed.Name), swimPlaces))
	return swim.Import(files, opt)
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

// bandwidth reads a flag in megabits per second.
func bandwidth(c *cli.Context, flag string, found *model.Findings) float64 {
	v := c.Float64(flag)
	if !(v > 0) || math.IsInf(v, 0) {
		found.Add(outside(flag, v, "megabits per second, above 0"))
	}
	return v * megabit
}

// span is the time that a flag states.
func span(c *cli.Context, flag string, found *model.Findings) model.Time {
	t, err := timeOf(c, flag)
	if err != nil || t > model.MaxHorizon {
		found.Add(model.Finding{Code: model.CodeParameter, What: fmt.Sprintf("--%s %s", flag, c.String(flag)),
			Expected: timesExpected})
	}
	return t
}

func outside(flag string, v float64, unit string) model.Finding {
	return model.Finding{Code: model.CodeParameter, What: fmt.Sprintf("--%s %g", flag, v),
		Expected: "a sensible number of " + unit}
}
