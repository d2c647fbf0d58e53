package page

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"mrsched/io/report/chart"
	"mrsched/model"
)

// grid is how long, in each of its cells, machines of a group are busy with maps and with reduces: the share of the
// cell's time times machines.
type grid struct {
	groups, buckets int
	perGroup        int // machines of a group; the last may have fewer
	width           float64
	maps, reduces   []float32 // by group · buckets + bucket
}

// gridOf divides machines into at most this many groups and the time until the horizon into buckets.
func (s *schedule) gridOf(groups, buckets int) *grid {
	n := max(1, len(s.machines))
	g := &grid{perGroup: (n + groups - 1) / groups, buckets: buckets}
	g.groups = (n + g.perGroup - 1) / g.perGroup
	g.width = float64(max(1, s.horizon)) / float64(buckets)
	g.maps, g.reduces = make([]float32, g.groups*buckets), make([]float32, g.groups*buckets)
	for u := range s.id {
		group := int(s.machine[u]) / g.perGroup
		members := min(g.perGroup, n-group*g.perGroup)
		busy := g.maps
		if s.reduce[u] {
			busy = g.reduces
		}
		g.spread(float64(s.start[u]), float64(s.end[u]), func(bucket int, share float64) {
			busy[group*buckets+bucket] += float32(share / float64(members))
		})
	}
	return g
}

// spread says for every bucket which share of it lies between two times.
func (g *grid) spread(from, until float64, add func(bucket int, share float64)) {
	for k := int(from / g.width); k < g.buckets; k++ {
		left, right := float64(k)*g.width, float64(k+1)*g.width
		if left >= until {
			return
		}
		if share := (math.Min(right, until) - math.Max(left, from)) / g.width; share > 0 {
			add(k, share)
		}
	}
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
