package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"mrsched/io/artifact"
	"mrsched/io/disk"
	"mrsched/io/engine"
	"mrsched/io/report/gather"
	html "mrsched/io/report/page"
	"mrsched/io/textpos"
)

func (s *session) reportCommand() *cli.Command {
	return &cli.Command{
		Name: "report",
		Usage: "draw results as one HTML file that needs no network: Gantt charts, " +
			"utilisation, bounds",
		ArgsUsage: "RESULT…",
		Description: "RESULT is a result directory or document, or a directory of results as compare -o writes it. The " +
			"page works in any browser, without a network. A page that report wrote before is replaced; any other file only " +
			"with --force. If something contradicts a result, the page and standard error say so, and the exit code is 4.",
		UsageText: examples("mrsched report results/fig1 -o report.html",
			"mrsched report results/fig1 --instance instances/examples/fig1.json -o report.html --force",
			"mrsched report results/a results/b.json.gz --svg pictures -o two.html"),
		Flags: []cli.Flag{
			outputFlag("output file, or - for standard output", "report.html", "FILE.html, or - for standard output", ".html",
				".htm"),
			&cli.StringFlag{Name: "instance",
				Usage: "the workload of the results, or a folder with one for each result, of its name: the page then derives " +
					"them again, groups machines by rack, and for cluster begins with late jobs and draws absences and resources"},
			&cli.StringFlag{Name: "simulation", Usage: "JSON of mrsched simulate: the page says how sure each deadline is, " +
				"and draws when jobs end"},
			&cli.StringFlag{Name: "svg", Usage: "write the charts as SVG files into this directory, too"},
			flagUnknown, maxInputFlag(), maxCountFlag(), flagForce, flagQuiet,
		},
		Action: s.makeReport,
	}
}

func (s *session) makeReport(c *cli.Context) error {
	if !c.Args().Present() {
		return engine.Usagef("RESULT is missing: mrsched report RESULT…")
	}
	out, pictures, force := c.String("output"), c.String("svg"), c.Bool(flagForce.Name)
	if err := reportTargets(out, pictures, force); err != nil {
		return err
	}
	replace := force || html.Written(out) // an older report
	r := &gather.Reporter{Errors: s.stderr, Notes: s.notes(c)}
	if err := s.gather(c, r); err != nil {
		return err
	}
	p := html.New(&r.Doc)
	if pictures != "" {
		if err := engine.Misplaced(pictures, disk.WriteDir(pictures, force, func(d disk.Dir) error {
			return gather.WritePictures(d, p)
		})); err != nil {
			return err
		}
	}
	var err error
	if out == "-" {
		err = p.Write(s.stdout)
	} else {
		err = engine.Misplaced(out, disk.WriteFile(out, replace, p.Write))
	}
	if err == nil && !onLine(c, "output") { // nobody named it
		fmt.Fprintf(s.notes(c), "report: %s\n", textpos.Visible(out))
	}
	if err == nil && r.Matched && c.String("simulation") == "" {
		s.unsure(c, r.W, "RESULT --json > FILE, then --simulation FILE")
	}
	if err == nil && r.Bad {
		err = &engine.ExitError{Code: engine.ExitViolation}
	}
	return err
}

// gather reads the simulation, the results, and their instances.
func (s *session) gather(c *cli.Context, r *gather.Reporter) error {
	if path := c.String("simulation"); path != "" {
		if c.String("instance") == "" {
			return engine.Usagef("--simulation has no effect without --instance")
		}
		var err error
		if r.Sure, err = gather.ReadSure(path); err != nil {
			return err
		}
	}
	for _, path := range c.Args().Slice() {
		if at := instanceOf(c.String("instance"), path); at != r.At {
			w, err := s.readWorkload(c, at)
			if err != nil {
				return err
			}
			r.W, r.At = w, at
		}
		if err := r.Add(c.Context, path); err != nil {
			other := c.Args().First()
			if other == path {
				other = c.Args().Get(1)
			}
			return artifact.Swapped(err, other, path, fmt.Sprintf("report %s --instance %s", other, path))
		}
	}
	if r.W != nil && !r.Matched {
		return cmp.Or(r.Other, engine.Usagef("--instance %s: none of the results can be read", r.At))
	}
	if len(r.Doc.Results) == 0 {
		return &engine.ExitError{Code: engine.ExitViolation} // what is wrong was said
	}
	return nil
}

// instanceOf is where the instance of a result is: that of its name, if a folder of instances is named.
func instanceOf(named, result string) string {
	if at := artifact.InstanceIn(named, filepath.Base(result)); at != "" && !isInstance(named) {
		return at
	}
	return named
}

// reportTargets refuses targets before the work begins. A directory is replaced only if it holds only pictures.
func reportTargets(out, pictures string, force bool) error {
	if out != "-" {
		if err := engine.HasPlace(out); err != nil {
			return err
		}
		if engine.IsDir(out) {
			return engine.Usagef("-o %s: it is a directory; name a file", out)
		}
		if engine.Exists(out) && !force && !html.Written(out) {
			return fmt.Errorf("%s: %w", out, disk.ErrExists)
		}
	}
	if pictures == "" {
		return nil
	}
	if err := engine.HasPlace(pictures); err != nil {
		return err
	}
	entries, err := os.ReadDir(pictures)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return engine.Usagef("--svg %s: it is not a directory", pictures)
	case !force:
		return fmt.Errorf("%s: %w", pictures, disk.ErrExists)
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".svg" {
			return engine.Usagef("--svg %s: it holds %q, which is no picture, and is not replaced", pictures, e.Name())
		}
	}
	return nil
}
