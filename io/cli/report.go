package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"mrsched/io/disk"
	"mrsched/io/engine"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	html "mrsched/io/report/page"
	"mrsched/io/result"
	"mrsched/io/textpos"
	"mrsched/io/workload"
	"mrsched/model"
	"mrsched/solver"
)

func (s *session) reportCommand() *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "draw results as one HTML file that needs no network: Gantt charts, utilisation, bounds",
		ArgsUsage: "RESULT…",
		Description: withExamples("RESULT is a result's directory or file, or a directory of results as compare -o makes "+
			"it. The page opens from the disk, in any browser. "+
			"What contradicts a result is shown on the page and on standard error, and the exit code is 4.",
			"mrsched report results/fig1 -o report.html",
			"mrsched report results/fig1 --instance instances/examples/fig1.json -o report.html --force",
			"mrsched report results/a results/b.json.gz --svg pictures -o two.html"),
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "report.html",
				Usage: "the file; or - for standard output"},
			&cli.StringFlag{Name: "instance", Usage: "the workload of the results: they are derived again from it, and jobs " +
				"are drawn against the LP (msjo)"},
			&cli.StringFlag{Name: "svg", Usage: "directory for the pictures as SVG files, too"},
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
	if err := outputFits(c, "FILE.html, or - for standard output", ".html", ".htm"); err != nil {
		return err
	}
	if err := reportTargets(out, pictures, force); err != nil {
		return err
	}
	r := &reporter{s: s, c: c, relaxed: map[string]*html.Relaxed{}}
	if err := r.open(c.String("instance")); err != nil {
		return err
	}
	for _, path := range c.Args().Slice() {
		if err := r.add(c.Context, path); err != nil {
			return err
		}
	}
	if r.w != nil && !r.matched {
		return engine.Usagef("--instance %s: none of the results was made for it", c.String("instance"))
	}
	if len(r.doc.Results) == 0 {
		return &exitError{exitViolation} // what is wrong was said
	}
	p, err := html.New(&r.doc)
	if err != nil {
		return err
	}
	if pictures != "" {
		if err := engine.Misplaced(pictures, disk.WriteDir(pictures, force, func(d disk.Dir) error {
			return writePictures(d,
				p)
		})); err != nil {
			return err
		}
	}
	if out == "-" {
		err = p.Write(s.stdout)
	} else {
		err = engine.Misplaced(out, disk.WriteFile(out, force, p.Write))
	}
	if err == nil && !onLine(c, "output") && !c.Bool(flagQuiet.Name) { // nobody named it
		fmt.Fprintf(s.stderr, "report: %s\n", textpos.Visible(out))
	}
	if err == nil && r.bad {
		err = &exitError{exitViolation}
	}
	return err
}

// reportTargets refuses targets before the work begins. A directory is replaced only if it holds nothing but pictures.
func reportTargets(out, pictures string, force bool) error {
	if out != "-" {
		if err := engine.HasPlace(out); err != nil {
			return err
		}
		if engine.IsDir(out) {
			return engine.Usagef("-o %s: it is a directory; name a file", out)
		}
		if engine.Exists(out) && !force {
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

func writePictures(d disk.Dir, p *html.Page) (err error) {
	p.Pictures(func(name, svg string) bool {
		err = d.File(name, func(w io.Writer) error {
			_, err := io.WriteString(w, svg)
			return err
		})
		return err == nil
	})
	return err
}

// reporter gathers results for a page.
type reporter struct {
	s       *session
	c       *cli.Context
	doc     html.Document
	w       *model.Workload // the instance; nil: unknown
	matched bool            // some result is of the instance
	bad     bool            // something contradicts a result
	relaxed map[string]*html.Relaxed
}

func (r *reporter) open(path string) (err error) {
	if path != "" {
		r.w, err = r.s.readWorkload(r.c, path)
	}
	return err
}

// add reads the results at a path.
func (r *reporter) add(ctx context.Context, path string) error {
	paths, err := resultPaths(path)
	if err != nil {
		return err
	}
	first := len(r.doc.Results)
	for _, p := range paths {
		b, found, err := resultAt(path, p)
		if err != nil {
			return err
		}
		name := reportName(p)
		if b == nil {
			r.complain(p, found)
			r.doc.Unreadable = append(r.doc.Unreadable, html.Unreadable{Name: name, Violations: found})
			continue
		}
		x := pageResult(name, b)
		x.Violations = found
		if err := r.derive(ctx, b, &x); err != nil {
			return err
		}
		r.complain(p, x.Violations)
		r.doc.Results = append(r.doc.Results, x)
	}
	if len(r.doc.Results) > first && engine.IsDir(path) {
		r.others(path, first)
	}
	return nil
}

// complain prints what contradicts a result.
func (r *reporter) complain(path string, found []model.Violation) {
	const most = 20 // of one result; check prints all
	r.bad = r.bad || len(found) > 0
	for _, v := range found[:min(most, len(found))] {
		fmt.Fprintln(r.s.stderr, textpos.Visible(path+": "+v.String()))
	}
	if len(found) > most {
		fmt.Fprintf(r.s.stderr, "%s: and %d more\n", path, len(found)-most)
	}
}

// reportName is how a page calls a result: as the user did, but without folders that say where the files lie.
func reportName(path string) string {
	path = filepath.ToSlash(filepath.Clean(path))
	parts := strings.Split(path, "/")
	if filepath.IsAbs(path) || parts[0] == ".." {
		return strings.Join(parts[max(1, len(parts)-2):], "/")
	}
	return path
}

// derive derives a result again from the instance, if it is of it, and solves the relaxation behind its bound.
func (r *reporter) derive(ctx context.Context, b *result.Bundle, x *html.Result) error {
	if r.w == nil {
		return nil
	}
	w := r.w
	if only, ok := b.Result.Parameters["job"].(string); ok {
		part, err := w.Restrict(strings.Split(only, ","))
		if err != nil {
			return nil // it is another instance's
		}
		w = part
	}
	if workload.Digest(w) != b.Result.Instance.SHA256 {
		return nil
	}
	r.matched = true
	found, err := engine.Recheck(ctx, r.w, b, engine.DefaultMaxSearch)
	if err != nil {
		return err
	}
	x.Violations = append(x.Violations, found...)
	x.Checked = true
	x.Relaxed, err = r.relax(ctx, w, b.Result)
	return err
}

// relax solves the relaxation of an instance as a result's parameters say; nil if the problem has none. Results that
// differ in nothing that matters share it.
func (r *reporter) relax(ctx context.Context, w *model.Workload, res *model.Result) (*html.Relaxed, error) {
	p, err := engine.FindProblem(res.Problem, nil)
	if err != nil {
		return nil, nil // said as a violation
	}
	stated := map[string]any{}
	for _, q := range p.Params {
		if v, ok := res.Parameters[q.Name]; ok && q.View {
			stated[q.Name] = v
		}
	}
	text, err := json.Marshal(stated)
	if err != nil {
		return nil, err
	}
	key := strings.Join([]string{res.Problem, res.Instance.SHA256, string(text)}, " ")
	if known, ok := r.relaxed[key]; ok {
		return known, nil
	}
	params, err := engine.StatedParams(p.Params, stated)
	if err != nil {
		return nil, nil // said as a violation
	}
	run, err := p.Open(w, params)
	if err != nil {
		return nil, nil // said as a violation
	}
	r.relaxed[key] = nil
	relaxer, ok := run.(solver.Relaxer)
	if !ok {
		return nil, nil
	}
	opt := solver.Options{Iterations: solver.DefaultIterations, Seed: 1, Threads: 1, Watch: &solver.Watch{}}
	line := newStatus(r.c.Context, r.s.stderr, "report", r.c.Bool(flagQuiet.Name), 0, opt.Watch)
	ctx, end := opt.Phase(ctx, phaseRelaxation, 1)
	solved, err := relaxer.Relaxed(ctx, opt)
	end()
	line.close()
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	x := &html.Relaxed{Method: solved.Method, Completion: map[string]float64{}}
	for j, t := range solved.Completion {
		x.Completion[w.Jobs[j].ID] = t
	}
	r.relaxed[key] = x
	return x, nil
}

// others adds the lines of a comparison that are no results. One that cannot be read says nothing of the results beside
// it.
func (r *reporter) others(dir string, first int) {
	text, err := textpos.ReadBelow(dir, result.ComparisonFile)
	if err != nil {
		return
	}
	var doc result.Comparison
	if err := json.Unmarshal(text, &doc); err != nil {
		if !r.c.Bool(flagQuiet.Name) {
			fmt.Fprintf(r.s.stderr, "note: %s cannot be read and is left out: %v\n", filepath.Join(dir, result.ComparisonFile),
				err)
		}
		return
	}
	for _, row := range doc.Rows {
		if row.Status != model.StatusSkipped && row.Status != statusRecorded ||
			r.doc.Results[first].Instance.SHA256 != doc.Instance.SHA256 {
			continue
		}
		x := &model.Result{Algorithm: row.Algorithm, Status: row.Status, Ratio: row.Ratio, Metrics: row.Metrics}
		if row.Objective != "" {
			x.Objective = &model.Objective{Name: doc.Objective, Value: row.Objective}
		}
		if row.LowerBound != "" {
			x.LowerBound = &model.LowerBound{Value: row.LowerBound, Method: row.Method, Verified: true}
		}
		r.doc.Others = append(r.doc.Others, html.Other{Beside: first, Result: x, Note: row.Note})
	}
}

// settingOf is what a result's parameters make of its instance, and how many machines that is: results that differ in
// it are not to be compared.
func settingOf(r *model.Result) (list []string) {
	if p, err := engine.FindProblem(r.Problem, nil); err == nil {
		for _, q := range p.Params {
			if !q.View || q.Name == settingMachines { // of these the result says how many there were
				continue
			}
			v := q.Default
			if stated, ok := r.Parameters[q.Name]; ok {
				v = fmt.Sprint(stated)
			}
			if v != "" {
				list = append(list, q.Name+" "+v)
			}
		}
	}
	return append(list, fmt.Sprintf("%s %d", settingMachines, r.Instance.Machines))
}

const settingMachines = "machines"

// pageResult is a bundle as pages take it.
func pageResult(name string, b *result.Bundle) html.Result {
	x := html.Result{Name: name, Result: b.Result, Tables: b.Tables(), Shown: shownMetrics(b.Result),
		Setting: settingOf(b.Result)}
	if b.Rows == nil {
		return x
	}
	for some := range b.Rows {
		for _, c := range some[0].Columns {
			x.Own = append(x.Own, c.Name)
		}
		break
	}
	x.Tasks = tasksOf(b.Rows, len(x.Own))
	return x
}

// tasksOf are rows as pages take them, with a number of own columns.
func tasksOf(rows result.Rows, own int) iter.Seq[html.Task] {
	return func(yield func(html.Task) bool) {
		texts := make([]string, own)
		for some := range rows {
			for i := range some {
				r := &some[i]
				clear(texts)
				for k, c := range r.Columns[:min(own, len(r.Columns))] {
					texts[k] = c.Text
				}
				if !yield(html.Task{ID: r.Task, Job: r.Job, Machine: r.Machine, Reduce: r.Kind == model.Reduce.String(),
					Start: r.Start, End: r.End, Own: texts}) {
					return
				}
			}
		}
	}
}

// shownMetrics are the metrics that the tables of a result's problem show; of a problem without any, all plain ones.
func shownMetrics(r *model.Result) []string {
	p, err := engine.FindProblem(r.Problem, nil)
	if err == nil && len(p.Shown) > 0 {
		return p.Shown
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(r.Metrics)), func(name string) bool {
		_, isNumber := model.Number(cmp.Or(fmt.Sprint(r.Metrics[name]), "x")).Rat()
		return !isNumber || r.Objective != nil && name == r.Objective.Name
	})
}
