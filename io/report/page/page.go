package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"

	"mrsched/io/report/chart"
	"mrsched/io/textpos"
	"mrsched/model"
)

var (
	//go:embed page.html
	pageTemplate string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
)

// view is one result as the template shows it.
type view struct {
	ID, Title      string
	Facts          []fact // the key figures
	Details        []fact // everything else
	Violations     []string
	MoreViolations int
	Figures        []*figure
	Note           string // why there are no pictures
	Asked          *Asked
}

// content is what the template shows.
type content struct {
	Policy  string
	Mark    template.HTML
	Style   template.CSS
	Script  template.JS
	Title   string
	Groups  []*group
	Results []*view
	Choices []*view // the same, in the order of the tables
	Broken  []*view // files that are no results
	Alarms  int     // results with violations, and broken files
	Short   bool    // the page begins with what people ask first
}

// shownViolations is how many contradictions a result lists.
const shownViolations = 8

// Page is a document with its pictures drawn.
type Page struct{ c content }

// New draws all pictures of a document.
func New(d *Document) *Page {
	schedules := d.schedules()
	p := &Page{c: content{Title: title(d), Groups: d.groups()}}
	c := &p.c
	for _, u := range d.Unreadable {
		v := &view{Title: u.Name}
		v.contradict(u.Violations)
		c.Broken = append(c.Broken, v)
		c.Alarms++
	}
	for i, s := range schedules {
		v := viewOf(&d.Results[i], s, i)
		c.Results = append(c.Results, v)
		c.Short = c.Short || v.Asked != nil
		if len(v.Violations) > 0 {
			c.Alarms++
		}
	}
	for _, g := range c.Groups {
		for _, l := range g.Rows {
			for _, v := range c.Results {
				if v.ID == l.Link {
					c.Choices = append(c.Choices, v)
				}
			}
		}
	}
	c.Style = template.CSS(chart.Themes() + chart.Style + pageStyle)
	c.Script = template.JS("'use strict';\n" + pageScript)
	c.Mark = mark
	c.Policy = "default-src 'none'; base-uri 'none'; form-action 'none'; script-src " + digestOf(string(c.Script)) +
		"; style-src " + digestOf(string(c.Style))
	return p
}

// digestOf names an inline script or style in a content security policy.
func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	t, err := template.New("page").Funcs(template.FuncMap{"spaced": spaced,
		"seen":    func(v any) string { return textpos.Visible(fmt.Sprint(v)) },
		"numeric": func(d *data, i int) bool { return d.Numeric[i] }}).Parse(pageTemplate)
	if err != nil {
		return err
	}
	return t.Execute(w, &p.c)
}

// Pictures gives every picture as a file: its name, without a folder, and its text.
func (p *Page) Pictures(yield func(name, svg string) bool) {
	for _, v := range p.c.Results {
		for _, f := range v.Figures {
			if !yield(f.Name, f.file) {
				return
			}
		}
	}
}

// title names what the document is about: the workloads and the problems.
func title(d *Document) string {
	var names, problems []string
	for i := range d.Results {
		r := &d.Results[i]
		if n := r.Instance.Name; n != "" && !slices.Contains(names, n) {
			names = append(names, n)
		}
		if !slices.Contains(problems, r.Problem) {
			problems = append(problems, r.Problem)
		}
	}
	text := strings.Join(problems, ", ") + ": " + plural(len(d.Results), "result")
	if len(names) == 0 {
		return text
	}
	if len(names) > namesInTitle {
		names = append(names[:namesInTitle], fmt.Sprintf("%d more", len(names)-namesInTitle))
	}
	return strings.Join(names, ", ") + " – " + text
}

// namesInTitle is how many workloads the title names, at most.
const namesInTitle = 3

// schedules reads all schedules and gives them hues, and one unit of time.
func (d *Document) schedules() []*schedule {
	list := make([]*schedule, len(d.Results))
	span := model.Time(0)
	for i := range d.Results {
		if list[i] = scheduleOf(&d.Results[i]); list[i] != nil {
			span = max(span, list[i].horizon)
		}
	}
	for i := range d.Results {
		r := &d.Results[i]
		if r.unit = chart.TimeUnit(span.Seconds()); r.About.Unit("start") == model.UnitNone {
			r.unit = chart.Plain
		}
		if list[i] != nil {
			list[i].unit, list[i].moment = r.unit, r.unit.Since(r.Origin, span.Seconds())
			list[i].setHues()
		}
	}
	return list
}

// contradict lists violations.
func (v *view) contradict(found []model.Violation) {
	n := min(len(found), shownViolations)
	for _, x := range found[:n] {
		v.Violations = append(v.Violations, x.String())
	}
	v.MoreViolations = len(found) - n
}

// resultID is the name of a result in the page.
func resultID(i int) string { return "r" + strconv.Itoa(i+1) }

// viewOf is a result with its pictures.
func viewOf(r *Result, s *schedule, i int) *view {
	v := &view{ID: resultID(i), Title: r.Name, Asked: r.Asked}
	v.contradict(r.Violations)
	v.Facts, v.Details = factsOf(r, s), detailsOf(r)
	if s == nil || len(s.id) == 0 {
		v.Note = "There is no schedule to draw."
		if r.Status == model.StatusBound {
			v.Note = "This algorithm makes no schedule: it proves a bound."
		}
		return v
	}
	v.Figures = figuresOf(r, s, v.ID)
	for _, f := range v.Figures {
		f.Name = v.ID + "-" + fileName(r.Algorithm) + "-" + f.File + ".svg"
	}
	return v
}

// fileName is what of a name any file system takes.
func fileName(name string) string {
	kept := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}, name)
	return kept[:min(len(kept), 40)]
}

// figuresOf draws a result.
func figuresOf(r *Result, s *schedule, id string) []*figure {
	gantt := figure{ID: id + "-gantt", File: "gantt", Title: "Schedule", Wide: true, Zoom: true, Table: s.perJob(),
		Caption: fmt.Sprintf("%s of %s on %s.", s.counted(), plural(len(s.jobs), "job"), plural(len(s.machines), s.row))}
	if s.row == "lane" {
		gantt.Caption += " A machine that runs several tasks at a time has a lane for each."
	}
	if s.mixed() {
		gantt.Caption += " Reduces are hatched."
	}
	if s.moment != s.unit {
		gantt.Caption += " Times are those of the clock, from " + r.Origin.String() + " on."
	}
	if !s.detailed() {
		gantt.Caption += " It is aggregated: cells show how busy groups of machines are, and with what most."
	} else if s.key.what != "job" {
		gantt.Caption += " Colours of tasks stand for the " + spaced(s.key.what) + "."
	} else if len(s.jobs) > chart.Hues {
		gantt.Caption += " There are more jobs than colours."
	}
	use, resources := []*figure{s.utilisation(id + "-utilisation")}, r.resources(s, id)
	if s.row == "lane" && len(resources) > 0 { // then a share of the lanes, which are only drawn, says nothing
		use, resources = resources, nil
	}
	list := append([]*figure{gantt.drawn(s.gantt), s.bands(id)}, append(use, r.busy(s, id), s.lateness(id))...)
	return slices.DeleteFunc(append(list, resources...), func(f *figure) bool { return f == nil })
}

// perJob is the table behind a Gantt chart.
func (s *schedule) perJob() *data {
	n := len(s.jobs)
	maps, reduces := make([]int, n), make([]int, n)
	first, last := make([]model.Time, n), make([]model.Time, n)
	for u := range s.id {
		j := s.job[u]
		if maps[j]+reduces[j] == 0 || s.start[u] < first[j] {
			first[j] = s.start[u]
		}
		last[j] = max(last[j], s.end[u])
		switch {
		case !s.reduce[u]:
			maps[j]++
		case !s.further(u):
			reduces[j]++
		}
	}
	release, due := s.marked()
	heads := []string{"job", "#maps", "#reduces", "#" + s.moment.Label("first start"), "#" + s.moment.Label("end")}
	if s.reduces == 0 {
		heads = slices.Replace(heads, 1, 3, "#tasks")
	}
	if release {
		heads = append(heads, "#"+s.moment.Label("released"))
	}
	if due {
		heads = append(heads, "#"+s.moment.Label("due"))
	}
	d := newData(heads...)
	moment := func(t model.Time) string {
		if t < 0 {
			return dash
		}
		return s.moment.Text(t.Seconds())
	}
	for j, name := range s.jobs {
		cells := []string{name, count(maps[j]), count(reduces[j]), moment(first[j]), moment(last[j])}
		if s.reduces == 0 {
			cells = slices.Delete(cells, 2, 3)
		}
		if release {
			cells = append(cells, moment(s.release[j]))
		}
		if due {
			cells = append(cells, moment(s.due[j]))
		}
		d.row(cells...)
	}
	return d.cut(plural(n, "job"))
}
