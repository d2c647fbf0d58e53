package command

import (
	"fmt"
	"io"
	"os"
	"sort"
	"strings"

	"github.com/urfave/cli/v2"

	"mrsched/io/trace/rumen"
	"mrsched/model"
)

// importers reads traces, by format.
var importers = map[string]func(s *session, c *cli.Context, path string) (*model.Workload, error){
	"rumen": (*session).importRumen,
}

func formatNames() []string {
	var names []string
	for name := range importers {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func (s *session) importCommand() *cli.Command {
	defaults := rumen.DefaultOptions()
	return &cli.Command{
		Name:      "import",
		Usage:     "turn a trace into a workload: `import rumen TRACE --topology FILE -o FILE|DIR`",
		ArgsUsage: "FORMAT TRACE",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "-", Usage: "FILE.json[.gz], a directory for CSV, or - for standard output"},
			&cli.StringFlag{Name: "topology", Usage: "the trace's topology file"},
			&cli.BoolFlag{Name: "include-failed", Usage: "import FAILED and KILLED jobs too"},
			&cli.StringFlag{Name: "weights", Value: defaults.Weights, Usage: "job weights, one of " + strings.Join(rumen.WeightNames(), ", ")},
			&cli.Int64Flag{Name: "map-slots", Value: defaults.MapSlots, Usage: "map slots of every node of the topology"},
			&cli.Int64Flag{Name: "reduce-slots", Value: defaults.ReduceSlots, Usage: "reduce slots of every node of the topology"},
			&cli.Int64Flag{Name: "machines", Usage: "number of identical machines, for problems without a topology"},
			flagForce, flagQuiet,
		},
		Action: s.importTrace,
	}
}

func (s *session) importTrace(c *cli.Context) error {
	args, err := arguments(c, "FORMAT", "TRACE")
	if err != nil {
		return err
	}
	read, ok := importers[args[0]]
	if !ok {
		return unknown("trace format", args[0], formatNames())
	}
	w, err := read(s, c, args[1])
	if err != nil {
		return err
	}
	if err := s.writeWorkload(c, w); err != nil {
		return err
	}
	if !c.Bool(flagQuiet.Name) {
		fmt.Fprintf(s.stderr, "imported %s, %s, %s\n", counted(len(w.Jobs), "job"), counted(len(w.Tasks), "task"), counted(len(w.Topology), "topology row"))
		for _, note := range w.Notes {
			fmt.Fprintf(s.stderr, "note: %s\n", note)
		}
	}
	return nil
}

func (s *session) importRumen(c *cli.Context, path string) (*model.Workload, error) {
	opt := rumen.DefaultOptions()
	opt.IncludeFailed = c.Bool("include-failed")
	opt.Weights = c.String("weights")
	opt.MapSlots, opt.ReduceSlots = c.Int64("map-slots"), c.Int64("reduce-slots")
	if c.IsSet("machines") {
		opt.Machines = model.Some(c.Int64("machines"))
	}
	trace, err := s.input(path)
	if err != nil {
		return nil, err
	}
	defer trace.Close()
	var topology io.Reader
	if name := c.String("topology"); name != "" {
		f, err := s.input(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		topology = f
	}
	w, _, err := rumen.Import(trace, path, topology, c.String("topology"), opt)
	return w, err
}

// input opens a file, or standard input for "-".
func (s *session) input(path string) (io.ReadCloser, error) {
	if path == "-" {
		return io.NopCloser(s.stdin), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, model.NewInputError(model.Finding{Code: model.CodeUnreadable, Pos: model.Position{File: path},
			What: fmt.Sprintf("cannot open the file: %v", underlying(err)), Expected: "a readable file"})
	}
	return f, nil
}

// underlying is the cause of a path error, without the path.
func underlying(err error) error {
	if p, ok := err.(*os.PathError); ok {
		return p.Err
	}
	return err
}
