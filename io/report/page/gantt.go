package page

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
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
	return fmt.Sprintf("c%d%s", i%colours, shades[i/colours%len(shades)])
}

// hues are what colours stand for, its classes, and which of it by task: jobs, or where a map's data lies if there is
// one job.
func (s *schedule) hues() (names, classes []string, of []int32) {
	if where := s.column(localityColumn); where != nil && len(s.jobs) == 1 {
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
func (s *schedule) ganttEntries() []entry {
	var list []entry
	if 0 < s.reduces && s.reduces < len(s.id) {
		list = append(list, entry{class: otherLook, text: "map"})
	}
	if s.reduces > 0 {
		list = append(list, entry{class: otherLook, hatch: true, text: "reduce"})
	}
	if !s.detailed() {
		return nil
	}
	names, classes, _ := s.hues()
	for i, name := range names {
		if i == 12 && len(names) > legendJobs {
			list = append(list, entry{class: "paper", text: fmt.Sprintf("and %d more, in the same colours again", len(names)-i)})
			break
		}
		list = append(list, entry{class: classes[i], text: name})
	}
	return list
}

// gantt draws the whole schedule: machines from top to bottom, time from left to right.
func (s *schedule) gantt(name string) *plot {
	rows := len(s.machines)
	var g *grid
	if !s.detailed() {
		g = s.gridOf(heatGroups, heatBuckets)
		rows = g.groups
	}
	height := min(26, max(4, 900/float64(max(1, rows))))
	d := &plot{drawing: drawing{name: name, width: wide}}
	d.defs()
	entries := s.ganttEntries()
	if g != nil {
		entries = append(heatEntries(s), entry{class: "raised", text: fmt.Sprintf("a cell: %s, 1/%d of the time",
			plural(g.perGroup, "machine"), heatBuckets)})
	}
	top := 14 + d.legend(8, 18, wide-16, entries)
	label := func(k int) string {
		if g == nil || g.perGroup == 1 {
			return s.machines[k]
		}
		last := min(len(s.machines), (k+1)*g.perGroup) - 1
		if last == k*g.perGroup {
			return s.machines[last]
		}
		return s.machines[k*g.perGroup] + " … " + s.machines[last]
	}
	left := 0.0
	for k := range rows {
		left = max(left, widthOf(label(k)))
	}
	left = min(left, 190) + 16
	d.x = scale{0, max(1, float64(s.horizon)), left, wide - 14}
	d.y = scale{0, max(1, float64(rows)), top, top + height*float64(max(1, rows))}
	d.height = d.y.to + 42
	d.time()
	every := max(1, int(14/height+0.99))
	for k := range rows {
		if k%every == 0 {
			d.text("t", "end", left-7, d.y.at(float64(k)+0.5)+4, cut(label(k), left-12))
		}
	}
	if g != nil {
		d.heat(g)
	} else {
		s.bars(d, height)
	}
	d.line("axis", d.x.from, d.y.to, d.x.to, d.y.to)
	return d
}

// time draws the axis of time below the rows.
func (p *plot) time() {
	u := timeUnit(p.x.high / 1e6)
	for _, v := range ticks(0, p.x.high/1e6/u.size, int(p.width/100)) {
		x := p.x.at(v * u.size * 1e6)
		p.line("grid", x, p.y.from, x, p.y.to)
		p.text("t", "middle", x, p.y.to+18, unit{1, ""}.text(v))
	}
	p.text("t m", "middle", (p.x.from+p.x.to)/2, p.height-5, u.label("time"))
}

// bars draws every task.
func (s *schedule) bars(d *plot, height float64) {
	gap := min(2, height/8)
	_, classes, hue := s.hues()
	if len(s.id) <= namedTasks {
		for u := range s.id {
			x, y, w := s.place(d, u)
			kind := "map"
			if s.reduce[u] {
				kind = "reduce"
			}
			d.titled(classes[hue[u]]+" edge", x, y+gap/2, w, height-gap, fmt.Sprintf("%s\njob %s, %s\non %s\n%s s to %s s",
				s.id[u], s.jobs[s.job[u]], kind, s.machines[s.machine[u]], s.start[u], s.end[u]))
			if s.reduce[u] {
				d.hatch(box(x, y+gap/2, w, height-gap))
			}
			if height >= 14 && w > 34 {
				d.text("halo", "start", x+4, y+height/2+4, cut(s.id[u], w-4))
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
		b := box(x, y+gap/2, w, height-gap)
		paths[classes[hue[u]]].WriteString(b)
		if s.reduce[u] {
			hatched.WriteString(b)
		}
	}
	for _, c := range classes {
		d.path(c+" edge", paths[c].String())
		paths[c].Reset() // classes repeat
	}
	d.hatch(hatched.String())
}

// place is where a task's bar begins, and its width: not less than can be seen.
func (s *schedule) place(d *plot, u int) (x, y, w float64) {
	x = d.x.at(float64(s.start[u]))
	return x, d.y.at(float64(s.machine[u])), max(0.4, d.x.at(float64(s.end[u]))-x)
}

// heatEntries is the legend of a heat map: how full its cells are, and with what most.
func heatEntries(s *schedule) []entry {
	var list []entry
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
			list = append(list, entry{class: heatClass(kindLooks[kind], level), hatch: kind == 1, text: text})
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
func (p *plot) heat(g *grid) {
	paths := make([]strings.Builder, 2*heatLevels)
	var hatched strings.Builder
	height := p.y.at(1) - p.y.at(0)
	for row := range g.groups {
		begin, look := 0, -1
		flush := func(k int) {
			if look >= 0 {
				x := p.x.from + (p.x.to-p.x.from)*float64(begin)/float64(g.buckets)
				w := (p.x.to - p.x.from) * float64(k-begin) / float64(g.buckets)
				b := box(x, p.y.at(float64(row))+0.5, w, height-1)
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
		p.path(heatClass(kindLooks[i/heatLevels], i%heatLevels+1), paths[i].String())
	}
	p.hatch(hatched.String())
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
