package page

import (
	"fmt"

	"mrsched/io/report/chart"
	"mrsched/model"
)

// endShown is the part of the schedule that the busiest machine must be busy for a chart to reach to its end: else all
// bars would be flat.
const endShown = 1.0 / 3

// perMachine draws how long each machine is busy.
func (r *Result) perMachine(s *schedule, id string) *figure {
	maps, reduces := make([]model.Time, s.listed), make([]model.Time, s.listed)
	for u := range s.id {
		if length := s.end[u] - s.start[u]; s.reduce[u] {
			reduces[s.machine[u]] += length
		} else {
			maps[s.machine[u]] += length
		}
	}
	c := columns{id: id, file: "machines", title: "Busy time per " + s.row, unit: s.unit, label: "busy", what: s.row,
		caption: fmt.Sprintf("%s of %s with tasks.", count(len(s.machines)), plural(s.size, s.row)),
		names:   s.machineNames(), levels: s.machineLevels()}
	if s.listed > chart.NamedRows && len(s.machines) > 0 { // the idle ones are told, and not drawn
		maps, reduces, c.names, c.levels = maps[:len(s.machines)], reduces[:len(s.machines)], s.machines, s.levels
	}
	c.layers = kinds(secondsOf(maps), secondsOf(reduces), "maps", "reduces")
	if c.top() >= endShown*s.horizon.Seconds() {
		c.bound = s.horizon.Seconds()
		c.boundText = "end of the schedule " + s.unit.With(c.bound)
	} else {
		c.caption += " The schedule ends after " + s.unit.With(s.horizon.Seconds()) + "."
	}
	return c.draw()
}
