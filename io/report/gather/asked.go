package gather

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"mrsched/io/engine"
	"mrsched/io/explain"
	html "mrsched/io/report/page"
	"mrsched/io/result"
	"mrsched/io/show"
	"mrsched/model"
	"mrsched/model/shop"
	question "mrsched/solver/explain"
)

// Sure is a row of what simulate prints as JSON.
type Sure struct {
	Job         string      `json:"job"`
	As          string      `json:"as"`
	Result      string      `json:"result"`
	P50         model.Time  `json:"p50"` // never if absent
	P95         model.Time  `json:"p95"`
	Probability json.Number `json:"probability"`
	Low         json.Number `json:"low"`
	High        json.Number `json:"high"`
}

// ReadSure reads the rows of a simulation in a file.
func ReadSure(path string) (rows []Sure, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, engine.Usagef("--simulation: %v", err)
	}
	defer f.Close() // it was only read
	for d := json.NewDecoder(f); ; {
		row := Sure{P50: shop.Never, P95: shop.Never}
		if err := d.Decode(&row); errors.Is(err, io.EOF) {
			return rows, nil
		} else if err != nil || row.Job == "" || row.As == "" {
			return nil, model.NewInputError(model.Finding{Code: model.CodeSyntax, Pos: model.Position{File: path},
				What: "the file is no output of a simulation", Expected: "JSON lines with job and as",
				Hint: "mrsched simulate INSTANCE RESULT --json > FILE"})
		}
		rows = append(rows, row)
	}
}

// Most jobs, nodes and absences that a page begins with.
const mostAsked = 20

// asked is what people ask first: which jobs are late, by how much and why, how sure that is, and which nodes run
// nothing.
func (r *Reporter) asked(ctx context.Context, b *result.Bundle, x *html.Result) error {
	o, err := explain.Reopen(r.W, b)
	if err != nil || b.Rows == nil {
		return nil //nolint:nilerr // it was said as a violation
	}
	in, ok := o.Run.View().(*shop.Instance)
	if !ok || in.Identical || len(x.Violations) > 0 {
		return nil
	}
	s, _ := result.Schedule(in, b.Rows)
	done := in.Completions(s)
	a := &html.Asked{}
	jobs := slices.DeleteFunc(model.Indices(in.Jobs), func(j int32) bool { return in.Due[j] == shop.Never })
	slices.SortStableFunc(jobs, func(i, j int32) int { return cmp.Compare(done[j]-in.Due[j], done[i]-in.Due[i]) })
	for k, j := range jobs {
		late := max(0, done[j]-in.Due[j])
		if late > 0 {
			a.Late++
		}
		sure := r.sure(in.Workload().Jobs[j].ID, x.Name)
		if k >= mostAsked || late == 0 && sure == "" {
			continue
		}
		row := html.AskedJob{Name: in.Workload().Jobs[j].ID, Sure: sure, Text: fmt.Sprintf("ends at %s, in time for %s",
			o.W.At(done[j]), o.W.At(in.Due[j]))}
		if late > 0 {
			row.Text = fmt.Sprintf("ends at %s, %s after its deadline %s", o.W.At(done[j]), show.Time(late), o.W.At(in.Due[j]))
			e, err := o.Run.Explain(ctx, question.Question{Workload: o.W, Schedule: s, Task: model.None, Job: model.JobIndex(j),
				Algorithm: b.Result.Algorithm, Certificate: b.Certificate})
			if err != nil {
				return err
			}
			if len(e.When) > 0 {
				row.Why = e.Subject[strings.LastIndex(e.Subject, "; ")+1:] + ": " + e.When[0].Text
			}
		}
		a.Jobs = append(a.Jobs, row)
	}
	if more := a.Late - len(a.Jobs); more > 0 {
		a.Jobs = append(a.Jobs, html.AskedJob{Text: fmt.Sprintf("and %d more", more)})
	}
	a.Deadlines = len(jobs)
	busy := make([]bool, in.Nodes)
	for _, e := range s.Entries {
		busy[e.Machine] = true
	}
	for i, runs := range busy {
		if !runs {
			a.Idle = append(a.Idle, in.MachineName(int32(i)))
		}
	}
	aways(o.W, a)
	for _, row := range r.rows(x.Name) {
		a.Bands = append(a.Bands, html.Band{Job: row.Job, Rule: row.As, P50: row.P50, P95: row.P95})
	}
	x.Asked = a
	return nil
}

// aways say when nodes are unavailable.
func aways(w *model.Workload, a *html.Asked) {
	for _, u := range w.Unavailable {
		x, until := html.Absence{Node: w.Topology[u.Node].ID, From: u.From, Until: shop.Never}, "for good"
		if u.Until.Known {
			x.Until, until = u.Until.Value, "to "+w.At(u.Until.Value)
		}
		a.Away = append(a.Away, fmt.Sprintf("%s from %s %s", x.Node, w.At(x.From), until))
		a.Absences = append(a.Absences, x)
	}
}

// rows are what the simulation says of a result and of no result.
func (r *Reporter) rows(name string) []Sure {
	return slices.DeleteFunc(slices.Clone(r.Sure), func(row Sure) bool {
		return row.Result != "" && row.Result != path.Base(name)
	})
}

// sure says how often a job is in time in the simulation of a result.
func (r *Reporter) sure(job, name string) (text string) {
	for _, row := range r.rows(name) {
		if row.Job != job || row.Probability == "" {
			continue
		}
		share := func(n json.Number, mode model.Rounding) string {
			return show.Value(model.Number(n), model.UnitShare, mode)
		}
		if text += ", "; text == ", " {
			text = "simulated runs in time: "
		}
		text += fmt.Sprintf("as %s %s (%s to %s)", row.As, share(row.Probability, model.RoundDown),
			share(row.Low, model.RoundDown), share(row.High, model.RoundUp))
	}
	return text
}
