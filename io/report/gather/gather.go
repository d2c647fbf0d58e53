package gather

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"path/filepath"
	"slices"

	"strings"

	"mrsched/io/artifact"
	"mrsched/io/disk"
	"mrsched/io/engine"
	html "mrsched/io/report/page"
	"mrsched/io/result"
	"mrsched/io/textpos"
	"mrsched/model"
)

// WritePictures writes a page's pictures as files.
func WritePictures(d disk.Dir, p *html.Page) (err error) {
	p.Pictures(func(name, svg string) bool {
		err = d.File(name, func(w io.Writer) error {
			_, err := io.WriteString(w, svg)
			return err
		})
		return err == nil
	})
	return err
}

// Reporter gathers results for a page.
type Reporter struct {
	Errors  io.Writer // what contradicts a result
	Notes   io.Writer // what is left out
	Doc     html.Document
	W       *model.Workload // the instance; nil: unknown
	At      string          // where the instance was read
	Matched bool            // some result is of the instance
	Other   error           // what tells the instance from that of the first result that is not of it
	Bad     bool            // something contradicts a result
	Sure    []Sure          // of a simulation
}

// Add reads the results at a path.
func (r *Reporter) Add(ctx context.Context, path string) error {
	paths, err := artifact.ResultPaths(path)
	if err != nil {
		return err
	}
	first := len(r.Doc.Results)
	for _, p := range paths {
		b, found, err := artifact.ResultAt(path, p)
		if err != nil {
			return err
		}
		name := reportName(p)
		if b == nil {
			r.complain(p, found)
			r.Doc.Unreadable = append(r.Doc.Unreadable, html.Unreadable{Name: name, Violations: found})
			continue
		}
		x := pageResult(name, b)
		x.Violations = found
		if err := r.derive(ctx, b, &x); err != nil {
			return err
		}
		x.Violations = result.Told(x.Violations)
		r.complain(p, x.Violations)
		r.Doc.Results = append(r.Doc.Results, x)
	}
	if len(r.Doc.Results) > first && engine.IsDir(path) {
		r.others(path, first)
	}
	return nil
}

// complain prints what contradicts a result.
func (r *Reporter) complain(path string, found []model.Violation) {
	const most = 20 // of one result; check prints all
	r.Bad = r.Bad || len(found) > 0
	for _, v := range found[:min(most, len(found))] {
		fmt.Fprintln(r.Errors, textpos.Visible(path+": "+v.String()))
	}
	if len(found) > most {
		fmt.Fprintf(r.Errors, "%s: and %d more\n", path, len(found)-most)
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

// derive derives a result again from the instance, if it is of it, and adds what the instance says besides.
func (r *Reporter) derive(ctx context.Context, b *result.Bundle, x *html.Result) error {
	if r.W == nil {
		return nil
	}
	w := r.W
	if err := engine.IsInstanceOf(b, w, r.At); err != nil {
		r.Other = cmp.Or(r.Other, err)
		return nil
	}
	r.Matched = true
	found, err := engine.Recheck(ctx, w, b, engine.DefaultMaxSearch)
	if err != nil {
		return err
	}
	x.Violations = append(x.Violations, found...)
	x.Checked = true
	x.Origin, x.Racks = w.Origin, racksOf(w)
	x.Supplies = supplies(w, b.Result)
	return r.asked(ctx, b, x)
}

// racksOf are the racks of nodes.
func racksOf(w *model.Workload) map[string]string {
	racks := map[string]string{}
	for i := range w.Topology {
		n := &w.Topology[i]
		if n.Kind == model.HostNode && n.Parent != model.None && w.Topology[n.Parent].Kind == model.RackNode {
			racks[n.ID] = w.Topology[n.Parent].ID
		}
	}
	return racks
}

// supplies are the resources of an instance as a result's parameters shape it.
func supplies(w *model.Workload, res *model.Result) []model.Supply {
	p, err := engine.FindProblem(res.Problem, nil)
	if err != nil {
		return nil // said as a violation, as are the errors below
	}
	stated := map[string]any{}
	for _, q := range p.Params {
		if v, ok := res.Parameters[q.Name]; ok && q.View {
			stated[q.Name] = v
		}
	}
	params, err := engine.StatedParams(p.Params, stated)
	if err != nil {
		return nil
	}
	run, err := p.Open(w, params)
	if err != nil {
		return nil
	}
	return p.Supplies(run.View())
}

// others adds the lines of a comparison that are no results. One that cannot be read says nothing of the results beside
// it.
func (r *Reporter) others(dir string, first int) {
	text, err := textpos.ReadBelow(dir, result.ComparisonFile)
	if err != nil {
		return
	}
	var doc result.Comparison
	if err := json.Unmarshal(text, &doc); err != nil {
		fmt.Fprintf(r.Notes, "note: %s cannot be read and is left out: %v\n", filepath.Join(dir, result.ComparisonFile), err)
		return
	}
	for _, row := range doc.Rows {
		if row.Status != model.StatusSkipped && row.Status != engine.StatusRecorded ||
			r.Doc.Results[first].Instance.SHA256 != doc.Instance.SHA256 {
			continue
		}
		x := &model.Result{Algorithm: row.Algorithm, Status: row.Status, Ratio: row.Ratio, Metrics: row.Metrics}
		if row.Objective != "" {
			x.Objective = &model.Objective{Name: doc.Objective, Value: row.Objective}
		}
		if row.LowerBound != "" {
			x.LowerBound = &model.LowerBound{Value: row.LowerBound, Method: row.Method, Verified: true}
		}
		r.Doc.Others = append(r.Doc.Others, html.Other{Beside: first, Result: x, Note: row.Note})
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
	if p, err := engine.FindProblem(b.Result.Problem, nil); err == nil {
		x.About = *p.Results
	}
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
