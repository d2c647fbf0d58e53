package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
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
	//go:embed decode.js
	decodeScript string
	//go:embed gantt.js
	ganttScript string
)

// view is one result as the template shows it.
type view struct {
	ID, Title      string
	Facts          []fact // the key figures
	Details        []fact // everything else
	Violations     []string
	MoreViolations int
	Figures        []*figure
	Note           string // why there are no pictures, or what they leave out
	Gantt          int    // index of its schedule among those packed
}

// content is what the template shows.
type content struct {
	Policy   string
	Mark     template.HTML
	Style    template.CSS
	Script   template.JS
	Data     template.JS
	Title    string
	Groups   []*group
	Results  []*view
	Choices  []*view // the same, in the order of the tables
	Broken   []*view // files that are no results
	Alarms   int     // results with violations, and broken files
	Embedded int     // tasks of the schedules that are whole
}

// Limits of the page's size.
const (
	// pageBytes is how large a page of a moderate number of results may become; schedules that would exceed it are only
	// drawn.
	pageBytes = 4_900_000
	// shownViolations is how many contradictions a result lists.
	shownViolations = 8
)

// Page is a document with its pictures drawn.
type Page struct{ c content }

// New draws all pictures of a document.
func New(d *Document) (*Page, error) {
	schedules := d.schedules()
	p := &Page{c: content{Title: title(d), Groups: d.groups(schedules)}}
	c := &p.c
	for _, u := range d.Unreadable {
		v := &view{Title: u.Name}
		v.contradict(u.Violations)
		c.Broken = append(c.Broken, v)
		c.Alarms++
	}
	data := &packed{SVG: chart.LightStyle(), Results: []*packedResult{}}
	size := len(pageScript) + len(ganttScript) + len(decodeScript) + len(pageStyle) + len(chart.Style)
	for _, g := range c.Groups {
		for _, f := range g.Figures {
			size += f.size()
		}
	}
	for i, s := range schedules {
		v := viewOf(&d.Results[i], s, i)
		c.Results = append(c.Results, v)
		size += v.size()
		if len(v.Violations) > 0 {
			c.Alarms++
		}
	}
	if len(d.Results) > 0 {
		u := d.Results[0].unit
		if data.Unit = (packedUnit{u.Size * 1e6, u.Name}); u.Clock {
			data.Unit.Size = 0
		}
	}
	for i, s := range schedules {
		v := c.Results[i]
		v.Gantt = i
		packed := data.add(&d.Results[i], s, pageBytes-size)
		if packed.Whole {
			c.Embedded += packed.Tasks
		} else if s != nil {
			v.Note = fmt.Sprintf("The Gantt chart is a still picture, aggregated where the schedule is large: this page "+
				"would be too large with the %s of the schedule. Ask for a report of fewer results.", plural(len(s.id), "task"))
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
	text, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	c.Data = template.JS(text) // json.Marshal escapes <, > and &
	c.Style = template.CSS(chart.Themes() + chart.Style + pageStyle)
	c.Script = template.JS("'use strict';\n" + decodeScript + ganttScript + pageScript)
	c.Mark = mark
	c.Policy = "default-src 'none'; base-uri 'none'; form-action 'none'; script-src " + digestOf(string(c.Script)) +
		"; style-src " + digestOf(string(c.Style))
	return p, nil
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
	for _, g := range p.c.Groups {
		for _, f := range g.Figures {
			if !yield(f.Name, f.file) {
				return
			}
		}
	}
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

// schedules reads all schedules, those of records too, and gives them what they share: the unit of time, and hues.
func (d *Document) schedules() []*schedule {
	all := slices.Clone(d.Results)
	read := map[*Recorded]bool{}
	for _, r := range d.Results {
		if c := r.Recorded; c != nil && !read[c] {
			read[c] = true
			r.Tasks, r.Own, r.Supplies = c.Tasks, nil, nil
			all = append(all, r)
		}
	}
	list := make([]*schedule, len(all))
	span := model.Time(0)
	for i := range all {
		if list[i] = scheduleOf(&all[i]); list[i] != nil {
			span = max(span, list[i].horizon)
		}
		if i >= len(d.Results) {
			all[i].Recorded.schedule = list[i]
		}
	}
	for i := range all {
		unit := chart.TimeUnit(span.Seconds())
		if all[i].About.Unit("start") == model.UnitNone {
			unit = chart.Plain
		}
		if i < len(d.Results) {
			d.Results[i].unit = unit
		}
		if list[i] != nil {
			list[i].unit = unit
		}
	}
	assignHues(all, list)
	return list[:len(d.Results)]
}

// size is about how many bytes of the page a result takes without its schedule.
func (v *view) size() int {
	n := 4096
	for _, f := range v.Figures {
		n += f.size()
	}
	return n
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
	v := &view{ID: resultID(i), Title: r.Name}
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

// figuresOf draws what suits the problem.
func figuresOf(r *Result, s *schedule, id string) []*figure {
	gantt := figure{ID: id + "-gantt", File: "gantt", Title: "Schedule", Wide: true, Live: true, Table: s.perJob(),
		Caption: fmt.Sprintf("%s of %s on %s.", s.counted(), plural(len(s.jobs), "job"), plural(len(s.machines), s.row))}
	if s.row == "lane" {
		gantt.Caption += " A machine that runs several tasks at a time has a lane for each."
	}
	if s.mixed() {
		gantt.Caption += " Reduces are hatched."
	}
	if !detailed(chart.Wide, s) {
		gantt.Caption += " From afar it is aggregated: cells show how busy groups of machines are, and with what most; " +
			"closer by, it shows tasks."
	}
	if s.key.what != "job" {
		gantt.Caption += " Colours of tasks stand for the " + spaced(s.key.what) + "."
	} else if len(s.jobs) > chart.Hues {
		gantt.Caption += " There are more jobs than colours: only the chosen one has a colour."
	}
	list := []*figure{gantt.drawn(stack{{schedule: s}}.gantt), s.utilisation(id + "-utilisation")}
	for _, c := range r.charts() {
		if f := charts[c](r, s, id+"-"+string(c)); f != nil {
			list = append(list, f)
		}
	}
	return append(list, r.resources(s, id)...)
}

// charts draw a result; nil if it lacks what they show.
var charts = map[model.Chart]func(r *Result, s *schedule, id string) *figure{
	model.ChartMachines:   (*Result).perMachine,
	model.ChartLoads:      (*Result).loads,
	model.ChartCompletion: (*Result).completion,
	model.ChartSlotCost:   (*Result).slotCost,
	model.ChartLateness:   (*Result).lateness,
	model.ChartTraffic:    (*Result).traffic,
	model.ChartUsers:      (*Result).users,
}

// charts are those of the result's objective, or those that suit any.
func (r *Result) charts() []model.Chart {
	if r.Objective != nil {
		if list := r.About.Criterion(r.Objective.Name).Charts; list != nil {
			return list
		}
	}
	return []model.Chart{model.ChartMachines}
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
	heads := []string{"job", "#maps", "#reduces", "#" + s.unit.Label("first start"), "#" + s.unit.Label("end")}
	if release {
		heads = append(heads, "#"+s.unit.Label("released"))
	}
	if due {
		heads = append(heads, "#"+s.unit.Label("due"))
	}
	d := newData(heads...)
	moment := func(t model.Time) string {
		if t < 0 {
			return dash
		}
		return s.unit.Text(t.Seconds())
	}
	for j, name := range s.jobs {
		cells := []string{name, count(maps[j]), count(reduces[j]), moment(first[j]), moment(last[j])}
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
