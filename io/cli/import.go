package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"mrsched/io/artifact"
	"mrsched/io/engine"
	"mrsched/io/show"
	"mrsched/io/textpos"
	"mrsched/io/trace"
	"mrsched/model"
)

// importer reads files of one format.
type importer struct {
	name     string
	usage    string
	about    string // what becomes of the files, for --help
	examples []string
	files    string // how the arguments are called
	many     bool   // takes several files
	// parts puts files in order, and the files of directories in their place; nil: directories are refused.
	parts func(paths []string) ([]string, error)
	flags []cli.Flag
	read  func(c *cli.Context, files []trace.File) (*model.Workload, error)
	// table makes a table instead, if the flag that asks for it is set; nil: there is none.
	table func(c *cli.Context, files []trace.File) (rows [][]string, notes []string, err error)
}

// importers are the formats that can be imported, by name.
func (s *session) importers() []importer {
	list := append(benchmarkImporters(), s.airflowImporter(), s.alibabaImporter(), s.csvImporter(), s.dbtImporter(),
		s.rumenImporter(), s.slurmImporter(), s.sparkImporter(), s.swfImporter(), s.swimImporter(), s.wfformatImporter())
	slices.SortFunc(list, func(a, b importer) int { return cmp.Compare(a.name, b.name) })
	return list
}

// formatNames are the names of all formats.
func formatNames() []string {
	var names []string
	for _, im := range (&session{}).importers() {
		names = append(names, im.name)
	}
	return names
}

// importFlags are what all formats have. Each command has its own: the flag package keeps their values in them.
func importFlags(table bool) []cli.Flag {
	output := workloadOutput("", "-")
	if table {
		output = outputFlag("FILE.json[.gz], FILE.csv for --state-at, a directory for CSV, or - for standard output", "-",
			"FILE.json, FILE.json.gz, a directory, FILE.csv with --state-at, or -", ".json", ".json.gz", ".csv")
	}
	return []cli.Flag{
		output,
		flagForce, &cli.BoolFlag{Name: flagStrict.Name, Usage: "refuse files that lack something that ran"},
		maxInputFlag(), flagQuiet,
	}
}

func (s *session) importCommand() *cli.Command {
	var commands []*cli.Command
	for _, im := range s.importers() {
		commands = append(commands, &cli.Command{
			Name:            im.name,
			Usage:           im.usage,
			ArgsUsage:       im.files,
			Description:     im.about,
			UsageText:       strings.Join(im.examples, "\n"),
			HideHelpCommand: true,
			Flags:           append(importFlags(im.table != nil), im.flags...),
			Action:          func(c *cli.Context) error { return s.importFiles(c, im) },
		})
	}
	return &cli.Command{
		Name:      "import",
		Usage:     "convert traces and other files into a workload",
		ArgsUsage: importArgument,
		Description: "Each format has its own flags: mrsched import FORMAT --help. Where a file lacks " +
			"data, documented rules fill it in; the importer counts these cases and keeps them as notes of the " +
			"workload. Files may be gzip; - is standard input.",
		UsageText:       examples("mrsched import rumen trace.json.gz --topology topology.json.gz -o workload.json"),
		HideHelpCommand: true,
		Flags:           importFlags(false),
		Subcommands:     commands,
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return engine.Unknown("format", c.Args().First(), formatNames())
			}
			return engine.Usagef("FORMAT is missing: mrsched import FORMAT FILE…, one of %s", strings.Join(formatNames(), ", "))
		},
	}
}

func (s *session) importFiles(c *cli.Context, im importer) error {
	paths := c.Args().Slice()
	switch {
	case len(paths) == 0:
		return engine.Usagef("FILE is missing: mrsched import %s %s", im.name, im.files)
	case len(paths) > 1 && !im.many && im.name == "rumen":
		return engine.Usagef("unexpected argument %q: import rumen reads one file; a topology goes to --topology", paths[1])
	case len(paths) > 1 && !im.many:
		return engine.Usagef("unexpected argument %q: import %s reads one file", paths[1], im.name)
	}
	table := im.table != nil && c.IsSet("state-at")
	switch out := c.String("output"); {
	case table && strings.Contains(filepath.Base(out), ".json"):
		return engine.Usagef("-o %s: --state-at writes a table; name FILE.csv, or - for standard output", out)
	case !table && im.table != nil && strings.HasSuffix(out, ".csv"):
		return engine.Usagef("-o %s: a workload is no single CSV; name FILE.json, or a directory for CSV", out)
	}
	files, done, err := s.openTraces(im, paths)
	defer done()
	if err != nil {
		return err
	}
	if table {
		rows, notes, err := im.table(c, files)
		if err == nil {
			err = s.tellLacks(c, &model.Workload{Notes: notes}, paths[0])
		}
		if err != nil {
			return err
		}
		return s.writeTable(c, rows)
	}
	w, err := im.read(c, files)
	if err != nil {
		return err
	}
	news := *w
	news.Notes = w.Notes[s.told:]
	for _, d := range w.ReaderWarnings {
		fmt.Fprintf(s.stderr, "warning: %s\n", d.Finding)
	}
	if err := s.tellLacks(c, &news, paths[0]); err != nil {
		return err
	}
	if err := s.writeWorkload(c, w); err != nil {
		return err
	}
	tellImported(s.notes(c), &news)
	return nil
}

// tellLacks warns of what the files lacked, or refuses that with --strict.
func (s *session) tellLacks(c *cli.Context, w *model.Workload, path string) error {
	var lacks model.Findings
	for _, f := range w.Lacks() {
		f.Pos.File = artifact.Titled(path)
		if lacks.Add(f); !c.Bool(flagStrict.Name) {
			fmt.Fprintf(s.stderr, "warning: %s\n", f)
		}
	}
	if !c.Bool(flagStrict.Name) {
		return nil
	}
	return lacks.Err()
}

// openTraces opens the files, whose contents must not look like those of another format. done closes them.
func (s *session) openTraces(im importer, paths []string) (list []trace.File, done func(), err error) {
	var opened []io.Closer
	done = func() {
		for _, f := range opened {
			f.Close()
		}
	}
	if im.parts != nil {
		if paths, err = im.parts(paths); err != nil {
			return nil, done, err
		}
	}
	var found model.Findings
	for _, path := range paths {
		f, err := s.input(path)
		if err != nil {
			return nil, done, err
		}
		opened = append(opened, f)
		text := artifact.Peeked(f)
		if other, ok := artifact.OtherFormat(im.name, artifact.Beginning(text)); ok {
			found.Add(other.Finding(im.name, path))
		}
		list = append(list, trace.File{Name: artifact.Titled(path), Text: text})
	}
	return list, done, found.Err()
}

// tellImported says what was imported and what had to be assumed.
func tellImported(out io.Writer, w *model.Workload) {
	counts := []string{show.Counted(len(w.Jobs), "job"), show.Counted(len(w.Tasks), "task"),
		show.Counted(len(w.Topology), "topology row")}
	for _, t := range []struct {
		rows int
		what string
	}{{len(w.Delays), "delay"}, {len(w.Parts), "partition"}, {len(w.Keys), "key"}, {len(w.Times), "time"},
		{len(w.History), "past run"}, {len(w.Capacities), "capacity"}, {len(w.Demands), "demand"},
		{len(w.Dependencies), "dependency"}, {len(w.Unavailable), "absence"}, {len(w.Runs), "run"}} {
		if t.rows > 0 {
			counts = append(counts, show.Counted(t.rows, t.what))
		}
	}
	fmt.Fprintf(out, "imported %s\n", strings.Join(counts, ", "))
	for _, note := range w.Notes {
		if !strings.HasPrefix(note, model.NoteOfLack) { // else a warning said so
			fmt.Fprintf(out, "note: %s\n", textpos.Visible(note))
		}
	}
}

// givenCount is the value of a flag, if it is set.
func givenCount(c *cli.Context, flag string) model.Optional[int64] {
	return model.Optional[int64]{Value: c.Int64(flag), Known: c.IsSet(flag)}
}

// input opens a file, or standard input for "-".
func (s *session) input(path string) (io.ReadCloser, error) {
	if path == "-" {
		return io.NopCloser(s.stdin), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, unreadable(path, fmt.Sprintf("cannot open the file: %v", engine.Underlying(err)), "")
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, unreadable(path, "this is a directory", directoryHint(path))
	}
	return f, nil
}

func unreadable(path, what, hint string) error {
	return model.NewInputError(model.Finding{Code: model.CodeUnreadable, Pos: model.Position{File: path}, What: what,
		Expected: "a readable file", Hint: hint})
}

// directoryHint says what to do with a directory where a file is wanted.
func directoryHint(path string) string {
	if engine.Exists(filepath.Join(path, "tasks.csv")) || engine.Exists(filepath.Join(path, "jobs.csv")) {
		return "this is a workload already and needs no import: mrsched solve " + path
	}
	return "name the files in it: " + filepath.Join(path, "*")
}
