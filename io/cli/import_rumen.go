package cli

import (
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"mrsched/io/trace/rumen"
	"mrsched/model"
)

const rumenHelp = `TRACE is a stream of JSON objects, one a job. Maps and reduces take what their successful attempts took; a map's block lies
where the trace would have preferred to run it. Without --topology, the nodes are the hosts that the trace names as the
places of replicas or of successful attempts, in the racks that it names. A trace knows no slots: --map-slots and
--reduce-slots hold for every host. Rumen's Folder samples jobs again under their old ids; the copies are renamed ID.2,
ID.3, …`

func (s *session) rumenImporter() importer {
	opt := rumen.DefaultOptions()
	return importer{name: "rumen", usage: "a job trace of Apache Rumen, with its topology", about: rumenHelp,
		files: "TRACE",
		examples: []string{"mrsched import rumen trace.json.gz --topology topology.json.gz -o trace.json",
			"mrsched import rumen trace.json.gz --topology topology.json.gz --history --speeds -o history.json"},
		flags: []cli.Flag{
			&cli.StringFlag{Name: "topology", Usage: "the trace's topology file"},
			&cli.BoolFlag{Name: "include-failed", Usage: "import FAILED and KILLED jobs too"},
			&cli.StringFlag{Name: "weights", Value: opt.Weights, Usage: "job weights, one of " +
				strings.Join(rumen.WeightNames(), ", ")},
			&cli.Int64Flag{Name: "map-slots", Value: opt.MapSlots, Usage: "map slots of every node"},
			&cli.Int64Flag{Name: "reduce-slots", Value: opt.ReduceSlots, Usage: "reduce slots of every node"},
			&cli.Int64Flag{Name: "machines", DefaultText: "not stated", Usage: "number of identical machines, for problems " +
				"without a topology"},
			&cli.BoolFlag{Name: "history", Usage: "also import the successful attempts as past runs, from which problem " +
				"realtime estimates times"},
			&cli.BoolFlag{Name: "speeds", Usage: "estimate the speeds of the nodes from the attempts"},
		},
		read: s.importRumen}
}

func (s *session) importRumen(c *cli.Context, files []traceFile) (*model.Workload, error) {
	opt := rumen.DefaultOptions()
	opt.IncludeFailed = c.Bool("include-failed")
	opt.Weights = c.String("weights")
	opt.MapSlots, opt.ReduceSlots = c.Int64("map-slots"), c.Int64("reduce-slots")
	opt.History, opt.Speeds = c.Bool("history"), c.Bool("speeds")
	opt.Machines = givenCount(c, "machines")
	var topology io.Reader
	if name := c.String("topology"); name != "" {
		f, err := s.input(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		topology = f
	}
	w, _, err := rumen.Import(files[0].text, files[0].name, topology, c.String("topology"), opt)
	return w, err
}
