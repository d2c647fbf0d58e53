package page

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"mrsched/io/report/chart"
	"mrsched/model"
)

// When a still Gantt chart draws tasks, and when it shows how busy groups of machines are.
const (
	drawnTasks    = 6000 // at most, one by one
	drawnMachines = 150
	namedTasks    = 400 // at most: drawn with their names, and as elements of their own
	heatGroups    = 50  // of machines, at most
	heatBuckets   = 180 // of time
	heatLevels    = 5
	legendJobs    = 21 // colours times shades
)

// shades are the classes of the fills of one colour.
var shades = []string{"", " d1", " d2"}

// hueClass is the look of the tasks of a job, or whatever else colours stand for; beyond colours × shades it repeats.
func hueClass(i int) string {
	return fmt.Sprintf("c%d%s", i%chart.Colours, shades[i/chart.Colours%len(shades)])
}

// hues are what colours stand for, its classes, and which of it by task: jobs, or where a map's data lies if there is
// one job.
func (s *schedule) hues() (names, classes []string, of []int32) {
	if where := s.column(model.RoleLocality); where != nil && len(s.jobs) == 1 {
		for i, k := range where.looks() {
			names, classes = append(names, cmp.Or(where.values[i], "none")), append(classes, colourClass(k))
		}
		return names, classes, where.index
	}
	for i := range s.jobs {
		classes = append(classes, hueClass(i))
	}
	return s.jobs, classes, s.job
}

// detailed says whether the still chart shows single tasks.
func (s *schedule) detailed() bool {
	return len(s.id) <= drawnTasks && len(s.machines) <= drawnMachines
}

// ganttEntries is the legend: kinds, if there are reduces, then jobs.
func (s *schedule) ganttEntries() []chart.Entry {
	var list []chart.Entry
	if 0 < s.reduces && s.reduces < len(s.id) {
		list = append(list, chart.Entry{Class: otherLook, Text: "map"})
	}
	if s.reduces > 0 {
		list = append(list, chart.Entry{Class: otherLook, Hatch: true, Text: "reduce"})
	}
	if !s.detailed() {
		return nil
	}
	names, classes, _ := s.hues()
	for i, name := range names {
		if i == 12 && len(names) > legendJobs {
			more := fmt.Sprintf("and %d more, in the same colours again", len(names)-i)
			list = append(list, chart.Entry{Class: "paper", Text: more})
			break
		}
		list = append(list, chart.Entry{Class: classes[i], Text: name})
	}
	return list
}

// gantt draws the whole schedule: machines from top to bottom, time from left to right.
func (s *schedule) gantt(name string) *chart.Plot {
	labels, entries := s.machines, s.ganttEntries()
	var g *grid
	if !s.detailed() {
		g = s.gridOf(heatGroups, heatBuckets)
		labels = make([]string, g.groups)
		for k := range labels {
			first, last := k*g.perGroup, min(len(s.machines), (k+1)*g.perGroup)-1
			if labels[k] = s.machines[first]; last > first {
				labels[k] += " … " + s.machines[last]
			}
		}
		entries = append(heatEntries(s), chart.Entry{Class: "raised", Text: fmt.Sprintf("a cell: %s, 1/%d of the time",
			plural(g.perGroup, "machine"), heatBuckets)})
	}
	height := min(26, max(4, 900/float64(max(1, len(labels)))))
	d := &chart.Plot{Drawing: chart.Drawing{Name: name, Width: chart.Wide}}
	d.Defs()
	d.Rows(entries, labels, 190, height, max(1, int(14/height+0.99)), max(1, float64(s.horizon)))
	if g != nil {
		g.heat(d)
	} else {
		s.bars(d, height)
	}
	d.Line("axis", d.X.From, d.Y.To, d.X.To, d.Y.To)
	return d
}

// bars draws every task.
func (s *schedule) bars(d *chart.Plot, height float64) {
	gap := min(2, height/8)
	_, classes, hue := s.hues()
	if len(s.id) <= namedTasks {
		for u := range s.id {
			x, y, w := s.place(d, u)
			kind := "map"
			if s.reduce[u] {
				kind = "reduce"
			}
			d.Titled(classes[hue[u]]+" edge", x, y+gap/2, w, height-gap, fmt.Sprintf("%s\njob %s, %s\non %s\n%s s to %s s",
				s.id[u], s.jobs[s.job[u]], kind, s.machines[s.machine[u]], s.start[u], s.end[u]))
			if s.reduce[u] {
				d.Hatch(chart.Box(x, y+gap/2, w, height-gap))
			}
			if height >= 14 && w > 34 {
				d.Text("halo", "start", x+4, y+height/2+4, chart.Shorten(s.id[u], w-4))
			}
		}
		return
	}
	paths, hatched := map[string]*strings.Builder{}, strings.Builder{}
	for _, c := range classes {
		paths[c] = &strings.Builder{}
	}
	for u := range s.id {
		x, y, w := s.place(d, u)
		b := chart.Box(x, y+gap/2, w, height-gap)
		paths[classes[hue[u]]].WriteString(b)
		if s.reduce[u] {
			hatched.WriteString(b)
		}
	}
	for _, c := range classes {
		d.Path(c+" edge", paths[c].String())
		paths[c].Reset() // classes repeat
	}
	d.Hatch(hatched.String())
}

// place is where a task's bar begins, and its width: not less than can be seen.
func (s *schedule) place(d *chart.Plot, u int) (x, y, w float64) {
	x = d.X.At(float64(s.start[u]))
	return x, d.Y.At(float64(s.machine[u])), max(0.4, d.X.At(float64(s.end[u]))-x)
}

// heatEntries is the legend of a heat map: how full its cells are, and with what most.
func heatEntries(s *schedule) []chart.Entry {
	var list []chart.Entry
	for kind, name := range []string{"maps", "reduces"} {
		if kind == 0 && s.reduces == len(s.id) || kind == 1 && s.reduces == 0 {
			continue
		}
		for level := 1; level <= heatLevels; level++ {
			text := strconv.Itoa(level*100/heatLevels) + "%"
			switch level {
			case 1:
				text = "mostly " + name + ": ≤ " + text
			default:
				text = "≤ " + text
			}
			list = append(list, chart.Entry{Class: heatClass(kindLooks[kind], level), Hatch: kind == 1, Text: text})
		}
	}
	return list
}

// kindLooks are the colours of maps and of reduces.
var kindLooks = []string{mapsLook, reducesLook}

// heatClass is the look of a cell by its colour and level.
func heatClass(look string, level int) string {
	if level == heatLevels {
		return look
	}
	return fmt.Sprintf("%s h%d", look, level)
}

// heat draws how busy groups of machines are. Neighbours that look alike are one box.
func (g *grid) heat(p *chart.Plot) {
	paths := make([]strings.Builder, 2*heatLevels)
	var hatched strings.Builder
	height := p.Y.At(1) - p.Y.At(0)
	for row := range g.groups {
		begin, look := 0, -1
		flush := func(k int) {
			if look >= 0 {
				x := p.X.From + (p.X.To-p.X.From)*float64(begin)/float64(g.buckets)
				w := (p.X.To - p.X.From) * float64(k-begin) / float64(g.buckets)
				b := chart.Box(x, p.Y.At(float64(row))+0.5, w, height-1)
				paths[look].WriteString(b)
				if look >= heatLevels {
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
