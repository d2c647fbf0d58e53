package page

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mrsched/io/report/chart"
	"mrsched/model"
)

// When a still Gantt chart draws tasks, and when it shows how busy groups of machines are.
const (
	drawnTasks    = 6000 // at most, one by one, in a drawing of the full width
	drawnMachines = 150
	namedTasks    = 400 // at most: drawn with their names, and as elements of their own
	heatGroups    = 50  // of machines, at most
	heatBuckets   = 180 // of time, in a drawing of the full width
	heatLevels    = 5
	legendNames   = 12 // at most
	markStrip     = 18 // pixels above the rows, for releases and deadlines
	markedJobs    = 400
	// axisReach is how far beyond the end of the schedule, as a multiple of it, the axis reaches to show deadlines.
	axisReach = 1.25
)

// detailed says whether a still chart of a width shows single tasks of schedules.
func detailed(width float64, list ...*schedule) bool {
	tasks, machines := 0, 0
	for _, s := range list {
		tasks, machines = tasks+len(s.id), machines+len(s.machines)
	}
	return float64(tasks) <= drawnTasks*width/chart.Wide*width/chart.Wide && machines <= drawnMachines
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
			d.Event(strokeOf(look), m, chart.Point{X: x, Y: y}, fmt.Sprintf("%s %s %s", job, what, s.unit.With(t.Seconds())))
		}
		if s.release[j] > 0 {
			mark(s.release[j], chart.Release, "released at")
		}
		if s.due[j] >= 0 {
			mark(s.due[j], chart.Due, "due at")
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
	if len(s.id) <= namedTasks {
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

// namedBar draws a task with its name in white. The hatching of reduces leaves the name free.
func (s *schedule) namedBar(d *chart.Plot, u int, height float64) {
	x, y, w := s.place(d, u)
	kind := "map"
	if s.reduce[u] {
		kind = "reduce"
	}
	d.Titled(s.key.lookOf(u), x, y+0.5, w, height-1, fmt.Sprintf("%s\njob %s, %s\non %s\n%s to %s", s.id[u],
		s.jobs[s.job[u]], kind, s.machines[s.machine[u]], s.unit.With(s.start[u].Seconds()), s.unit.With(s.end[u].Seconds())))
	hatched := s.reduce[u] && s.mixed()
	room := w - 8
	if hatched {
		room -= 12
	}
	name := ""
	if height >= 14 {
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

// heatEntries is the legend of a heat map: how full its cells are, and with what most.
func heatEntries(s *schedule) []chart.Entry {
	var list []chart.Entry
	for kind, name := range []string{"maps", "reduces"} {
		if kind == 0 && s.reduces == len(s.id) || kind == 1 && s.reduces == 0 {
			continue
		}
		for level := 1; level <= heatLevels; level++ {
			text := "≤ " + strconv.Itoa(level*100/heatLevels) + " %"
			if level == 1 {
				text = "mostly " + name + ": " + text
			}
			list = append(list, chart.Entry{Class: heatClass(kindLooks[kind], level), Hatch: kind == 1 && s.mixed(), Text: text})
		}
	}
	return list
}

// kindLooks are the looks of maps and of reduces.
var kindLooks = []string{mapsLook, reducesLook}

// heatClass is the look of a cell by its colour and level.
func heatClass(look string, level int) string {
	if level == heatLevels {
		return look
	}
	return fmt.Sprintf("%s h%d", look, level)
}

// heat draws how busy groups of machines are. Neighbours that look alike are one box.
func (g *grid) heat(p *chart.Plot, mixed bool) {
	paths := make([]strings.Builder, 2*heatLevels)
	var hatched strings.Builder
	height := p.Y.At(1) - p.Y.At(0)
	at := func(bucket int) float64 { return p.X.At(g.width * float64(bucket) / float64(model.Second)) }
	for row := range g.groups {
		begin, look := 0, -1
		flush := func(k int) {
			if look >= 0 {
				b := chart.Box(at(begin), p.Y.At(float64(row))+0.5, at(k)-at(begin), height-1)
				paths[look].WriteString(b)
				if look >= heatLevels && mixed {
					hatched.WriteString(b)
				}
			}
			begin = k
		}
		for k := range g.buckets {
			if now := g.look(row, k); now != look {
				flush(k)
				look = now
			}
		}
		flush(g.buckets)
	}
	for i := range paths {
		p.Path(heatClass(kindLooks[i/heatLevels], i%heatLevels+1), paths[i].String())
	}
	p.Hatch(hatched.String())
}

// look is level − 1 of a cell, plus heatLevels where reduces are most of it; −1: it is idle.
func (g *grid) look(row, bucket int) int {
	m, r := g.maps[row*g.buckets+bucket], g.reduces[row*g.buckets+bucket]
	busy := m + r
	if busy <= 0.001 {
		return -1
	}
	level := min(heatLevels-1, int(busy*heatLevels*0.9999))
	if r > m {
		level += heatLevels
	}
	return level
}
