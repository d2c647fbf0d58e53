package page

import (
	"fmt"
	"slices"
	"strings"

	"mrsched/io/report/chart"
	"mrsched/model"
)

// When a Gantt chart draws tasks, and when it shows how busy groups of machines are.
const (
	drawnTasks    = 20_000 // at most, one by one
	drawnMachines = 150
	titledTasks   = 1000 // at most: elements of their own, described under the pointer
	namedTasks    = 400  // at most: drawn with their names
	heatGroups    = 50   // of machines, at most
	heatBuckets   = 180  // of time
	heatLevels    = 5
	legendNames   = 12 // at most
	markStrip     = 18 // pixels above the rows, for releases and deadlines
	markedJobs    = 400
	// axisReach is how far beyond the end of the schedule, as a multiple of it, the axis reaches to show deadlines.
	axisReach = 1.25
)

// detailed says whether the chart shows single tasks.
func (s *schedule) detailed() bool {
	return len(s.id) <= drawnTasks && len(s.machines) <= drawnMachines
}

// mixed says that there are both kinds of tasks: only then reduces are hatched.
func (s *schedule) mixed() bool { return 0 < s.reduces && s.reduces < len(s.id) }

// until is where the axis of time ends: after the last task and after deadlines that are not far from it.
func (s *schedule) until() model.Time {
	end := max(1, s.horizon)
	for _, t := range s.due {
		if float64(t) <= axisReach*float64(s.horizon) {
			end = max(end, t)
		}
	}
	return end
}

// marked says whether some job has a release after the beginning, and some a deadline.
func (s *schedule) marked() (release, due bool) {
	after := func(from model.Time) func(model.Time) bool { return func(t model.Time) bool { return t >= from } }
	return slices.ContainsFunc(s.release, after(1)), slices.ContainsFunc(s.due, after(0))
}

// gantt draws the whole schedule: machines from top to bottom, time from left to right.
func (s *schedule) gantt(name string, width float64) *chart.Drawing {
	release, due := s.marked()
	marks := len(s.jobs) <= markedJobs && (release || due)
	entries, rows := s.ganttEntries(marks), s.labels
	var g *grid
	if !s.detailed() {
		g = s.gridOf(heatGroups, heatBuckets)
		rows = make([]string, g.groups)
		for k := range rows {
			first, last := k*g.perGroup, min(len(s.machines), (k+1)*g.perGroup)-1
			rows[k] = s.labels[first]
			if last > first {
				rows[k] += " … " + s.labels[last]
			}
		}
		entries = append(heatEntries(s), chart.Entry{Class: "paper", Text: fmt.Sprintf("a cell: %s, %s",
			plural(g.perGroup, "machine"), s.unit.With(g.width/float64(model.Second)))})
	}
	strip := 0.0
	if marks {
		strip = markStrip
	}
	height := min(26, max(4, 900/float64(max(1, len(rows)))))
	d := chart.NewRows(name, chart.Frame{Width: width, Entries: entries, XHigh: s.until().Seconds(), XUnit: s.moment,
		XLabel: s.axis()}, rows, height, strip)
	if g != nil {
		g.heat(d, s.mixed())
	} else {
		s.absences(d, height)
		s.bars(d, height)
	}
	if marks {
		s.marks(d)
	}
	d.Line("axis", d.X.From, d.Y.To, d.X.To, d.Y.To)
	return &d.Drawing
}

// ganttEntries is the legend: kinds, if there are both, releases and deadlines, then what hues stand for.
func (s *schedule) ganttEntries(marks bool) []chart.Entry {
	var list []chart.Entry
	if s.mixed() {
		list = append(list, chart.Entry{Class: mapsLook, Text: "map"},
			chart.Entry{Class: reducesLook, Hatch: true, Text: "reduce"})
	}
	if release, due := s.marked(); marks {
		if release {
			list = append(list, chart.Entry{Class: "ink", Event: chart.Release, Text: "job released"})
		}
		if due {
			list = append(list, chart.Entry{Class: "ink", Event: chart.Due, Text: "job due"})
		}
	}
	if s.detailed() && slices.ContainsFunc(s.away, func(a Absence) bool {
		return a.From < s.until() && slices.Contains(s.nodes, a.Node)
	}) {
		list = append(list, chart.Entry{Class: heatClass(mapsLook, 1), Hatch: true, Text: "unavailable"})
	}
	entries := s.key.entries()
	if len(entries) > 2*legendNames {
		entries = append(entries[:legendNames], chart.Entry{Class: "paper", Text: fmt.Sprintf("and %d more",
			len(entries)-legendNames)})
	}
	return append(list, entries...)
}

// marks draws when jobs are released and due, in the strip above the rows, with lines through the rows if there are few
// jobs. A deadline beyond the axis is marked at its end.
func (s *schedule) marks(d *chart.Plot) {
	y := d.Y.From - markStrip/2
	for j, job := range s.jobs {
		look := s.jobLook(job)
		mark := func(t model.Time, m chart.Mark, what string) {
			x := d.X.At(t.Seconds())
			if t > s.until() {
				x, m = d.X.To+6, chart.Later
			} else if len(s.jobs) <= legendNames {
				d.Line(strokeOf(look)+" flag", x, d.Y.From, x, d.Y.To)
			}
			d.Event(strokeOf(look), m, chart.Point{X: x, Y: y}, fmt.Sprintf("%s %s %s", job, what, s.when(t)))
		}
		if s.release[j] > 0 {
			mark(s.release[j], chart.Release, "released at")
		}
		if s.due[j] >= 0 {
			mark(s.due[j], chart.Due, "due at")
		}
	}
}

// absences draws when the machines of rows are unavailable.
func (s *schedule) absences(d *chart.Plot, height float64) {
	for _, a := range s.away {
		x, until := d.X.At(a.From.Seconds()), d.X.At(min(a.Until, s.until()).Seconds())
		for m, node := range s.nodes {
			if node == a.Node && x < until {
				d.Titled(heatClass(mapsLook, 1), x, d.Y.At(float64(m)), until-x, height, a.Node+" is unavailable")
				d.Hatch(chart.Box(x, d.Y.At(float64(m)), until-x, height))
			}
		}
	}
}

// strokeOf is the class of a line in the colour of a look.
func strokeOf(look string) string {
	if look == restLook {
		return "s" + restLook
	}
	return "s" + look[1:]
}

// bars draws every task.
func (s *schedule) bars(d *chart.Plot, height float64) {
	if len(s.id) <= titledTasks {
		for u := range s.id {
			s.namedBar(d, u, height)
		}
		return
	}
	paths, hatched := map[string]*strings.Builder{}, strings.Builder{}
	for _, c := range s.key.looks {
		paths[c] = &strings.Builder{}
	}
	for u := range s.id {
		x, y, w := s.place(d, u)
		b := chart.Box(x, y+0.5, w, height-1)
		paths[s.key.lookOf(u)].WriteString(b)
		if s.reduce[u] && s.mixed() {
			hatched.WriteString(b)
		}
	}
	for _, c := range s.key.looks {
		d.Path(c, paths[c].String())
		paths[c].Reset() // looks repeat
	}
	d.Hatch(hatched.String())
}

// axis is what the axis of a schedule shows: time, or loads where costs are no times.
func (s *schedule) axis() string {
	if s.unit == chart.Plain {
		return "load"
	}
	return "time"
}

// namedBar draws a task, of few with its name in white. The hatching of reduces leaves the name free.
func (s *schedule) namedBar(d *chart.Plot, u int, height float64) {
	x, y, w := s.place(d, u)
	kind := "map"
	if s.reduce[u] {
		kind = "reduce"
	}
	d.Titled(s.key.lookOf(u), x, y+0.5, w, height-1, fmt.Sprintf("%s\njob %s, %s\non %s\n%s to %s", s.id[u],
		s.jobs[s.job[u]], kind, s.machines[s.machine[u]], s.when(s.start[u]), s.when(s.end[u])))
	hatched := s.reduce[u] && s.mixed()
	room := w - 8
	if hatched {
		room -= 12
	}
	name := ""
	if height >= 14 && len(s.id) <= namedTasks {
		if name = chart.Shorten(s.id[u], room); len([]rune(name)) < 3 {
			name = ""
		}
	}
	free := 0.0
	if name != "" {
		free = chart.TextWidth(name) + 6
	}
	if hatched {
		d.Hatch(chart.Box(x+free, y+0.5, w-free, height-1))
	}
	if name != "" {
		d.Text("on", "start", x+4, y+height/2+4, name)
	}
}

// place is where a task's bar begins, and its width: a pixel less than it takes, but not less than can be seen.
func (s *schedule) place(d *chart.Plot, u int) (x, y, w float64) {
	x = d.X.At(s.start[u].Seconds())
	w = d.X.At(s.end[u].Seconds()) - x
	if w > 2 {
		w--
	}
	return x, d.Y.At(float64(s.machine[u])), max(0.4, w)
}
