package command

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"mrsched/io/trace/keys"
	"mrsched/io/trace/rcmax"
	"mrsched/io/trace/rumen"
	"mrsched/io/trace/swim"
	"mrsched/model"
)

// importer reads files of one format.
type importer struct {
	flags []string // of its own, besides those of all importers
	many  bool     // takes several files
	read  func(s *session, c *cli.Context, files []string) (*model.Workload, error)
}

// importers are the formats that can be imported, by name.
var importers = map[string]importer{
	"keys":  {[]string{"bytes-per-value", "reduces", "partitions", "machines", "reduce-bytes-per-s"}, true, (*session).importKeys},
	"rcmax": {nil, false, (*session).importMatrix},
	"swim": {[]string{"jobs", "users", "nodes", "racks", "map-slots", "reduce-slots", "bandwidth", "uplink", "block-size", "replicas", "reduce-size", "max-reduces",
		"overhead", "map-bytes-per-s", "reduce-bytes-per-s", "seed"}, true, (*session).importSWIM},
	"rumen": {[]string{"topology", "include-failed", "weights", "map-slots", "reduce-slots", "machines", "history", "speeds"}, false, (*session).importRumen},
}

func formatNames() []string { return slices.Sorted(maps.Keys(importers)) }

// Headings of the flags that belong to some formats alone.
const (
	ofRumen = "rumen"
	ofKeys  = "keys"
	ofSWIM  = "swim"
)

func (s *session) importCommand() *cli.Command {
	trace, counts := rumen.DefaultOptions(), keys.DefaultOptions()
	return &cli.Command{
		Name:      "import",
		Usage:     "turn a trace (rumen, swim), a matrix of times (rcmax) or counts of keys into a workload: `import rumen TRACE --topology FILE -o FILE|DIR`",
		ArgsUsage: "FORMAT FILE…",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "-", Usage: "FILE.json[.gz], a directory for CSV, or - for standard output"},
			&cli.StringFlag{Name: "topology", Category: ofRumen, Usage: "the trace's topology file"},
			&cli.BoolFlag{Name: "include-failed", Category: ofRumen, Usage: "import FAILED and KILLED jobs too"},
			&cli.StringFlag{Name: "weights", Category: ofRumen, Value: trace.Weights, Usage: "job weights, one of " + strings.Join(rumen.WeightNames(), ", ")},
			&cli.Int64Flag{Name: "map-slots", Category: ofRumen + ", " + ofSWIM, Value: trace.MapSlots, Usage: "map slots of every node of the topology"},
			&cli.Int64Flag{Name: "reduce-slots", Category: ofRumen + ", " + ofSWIM, Value: trace.ReduceSlots, Usage: "reduce slots of every node of the topology"},
			&cli.BoolFlag{Name: "history", Category: ofRumen, Usage: "also import the successful attempts as past runs, from which problem realtime estimates times"},
			&cli.BoolFlag{Name: "speeds", Category: ofRumen, Usage: "estimate the speeds of the topology's nodes from the attempts"},
			&cli.Int64Flag{Name: "bytes-per-value", Category: ofKeys, Value: counts.BytesPerValue, Usage: "bytes that a value of a key takes"},
			&cli.Int64Flag{Name: "reduces", Category: ofKeys, Value: counts.Reduces, Usage: "reduces of the job"},
			&cli.Int64Flag{Name: "partitions", Category: ofKeys, Usage: "partitions that the keys are hashed into (default: as solve says)"},
			&cli.Float64Flag{Name: "reduce-bytes-per-s", Category: ofKeys + ", " + ofSWIM, DefaultText: ofKeys + " " + rate(counts.ReduceRate) + ", " + ofSWIM + " " + rate(swim.DefaultOptions().ReduceRate), Usage: "bytes that a reduce works off in a second"},
			&cli.Int64Flag{Name: "machines", Category: ofKeys + ", " + ofRumen, Usage: "number of identical machines; rumen: for problems without a topology; keys: one a reduce by default"},
			flagForce, flagQuiet,
		}, swimFlags()...),
		Action: s.importFiles,
	}
}

func (s *session) importFiles(c *cli.Context) error {
	args := c.Args().Slice()
	if len(args) == 0 {
		return usagef("FORMAT is missing: mrsched import FORMAT FILE…, one of %s", strings.Join(formatNames(), ", "))
	}
	from, ok := importers[args[0]]
	if !ok {
		return unknown("format", args[0], formatNames())
	}
	switch files := args[1:]; {
	case len(files) == 0:
		return usagef("FILE is missing: mrsched import %s FILE", args[0])
	case len(files) > 1 && !from.many:
		return usagef("unexpected argument %q: import %s reads one file", files[1], args[0])
	}
	for _, name := range formatNames() {
		for _, flag := range importers[name].flags {
			if c.IsSet(flag) && !slices.Contains(from.flags, flag) {
				return usagef("--%s has no effect on import %s; it belongs to import %s", flag, args[0], name)
			}
		}
	}
	w, err := from.read(s, c, args[1:])
	if err != nil {
		return err
	}
	if err := s.writeWorkload(c, w); err != nil {
		return err
	}
	if !c.Bool(flagQuiet.Name) {
		s.tellImported(w)
	}
	return nil
}

// tellImported says on standard error what was imported and what had to be assumed.
func (s *session) tellImported(w *model.Workload) {
	counts := []string{counted(len(w.Jobs), "job"), counted(len(w.Tasks), "task"), counted(len(w.Topology), "topology row")}
	for _, t := range []struct {
		rows int
		what string
	}{{len(w.Parts), "partition"}, {len(w.Keys), "key"}, {len(w.Times), "time"}, {len(w.History), "past run"}} {
		if t.rows > 0 {
			counts = append(counts, counted(t.rows, t.what))
		}
	}
	fmt.Fprintf(s.stderr, "imported %s\n", strings.Join(counts, ", "))
	for _, note := range w.Notes {
		fmt.Fprintf(s.stderr, "note: %s\n", note)
	}
}

func (s *session) importRumen(c *cli.Context, files []string) (*model.Workload, error) {
	opt := rumen.DefaultOptions()
	opt.IncludeFailed = c.Bool("include-failed")
	opt.Weights = c.String("weights")
	opt.MapSlots, opt.ReduceSlots = c.Int64("map-slots"), c.Int64("reduce-slots")
	opt.History, opt.Speeds = c.Bool("history"), c.Bool("speeds")
	opt.Machines = givenCount(c, "machines")
	trace, err := s.input(files[0])
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
	w, _, err := rumen.Import(trace, files[0], topology, c.String("topology"), opt)
	return w, err
}

// givenCount is the value of a flag, if it is set.
func givenCount(c *cli.Context, flag string) model.Optional[int64] {
	return model.Optional[int64]{Value: c.Int64(flag), Known: c.IsSet(flag)}
}

func (s *session) importMatrix(_ *cli.Context, files []string) (*model.Workload, error) {
	matrix, err := s.input(files[0])
	if err != nil {
		return nil, err
	}
	defer matrix.Close()
	return rcmax.Import(matrix, titled(files[0]))
}

func (s *session) importKeys(c *cli.Context, files []string) (*model.Workload, error) {
	opt := keys.DefaultOptions()
	opt.BytesPerValue, opt.Reduces = c.Int64("bytes-per-value"), c.Int64("reduces")
	if c.IsSet("reduce-bytes-per-s") {
		opt.ReduceRate = c.Float64("reduce-bytes-per-s")
	}
	opt.Partitions, opt.Machines = givenCount(c, "partitions"), givenCount(c, "machines")
	var list []keys.File
	for _, name := range files {
		f, err := s.input(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		list = append(list, keys.File{Name: titled(name), Text: f})
	}
	return keys.Import(list, opt)
}

// titled is the name of a file that its job is named after.
func titled(path string) string {
	if path == "-" {
		return "stdin"
	}
	return path
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
