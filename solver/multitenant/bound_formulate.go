package multitenant

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"

	"mrsched/model"
	"mrsched/model/multitenant"
	"mrsched/solver/lp"
)

// modelColumns is the largest number of columns of a written program.
const modelColumns = 5_000_000

// linkUnit is the unit of bytes in the program.
const linkUnit = 1e6

// Formulate writes the linear program whose dual solution is the prices of the bound rack-lp, for the jobs that they
// count.
func (r *run) Formulate(ctx context.Context, w io.Writer, format string) error {
	o := newOracle(r.in, runtime.GOMAXPROCS(0))
	if n := o.columns(); n > modelColumns {
		return model.NewInputError(model.Finding{Code: model.CodeParameter,
			What:     fmt.Sprintf("the program would have %d columns, more than %d", n, modelColumns),
			Expected: "a smaller workload: maps that read in fewer combinations of racks"})
	}
	_, most := o.slotBounds()
	p, err := o.rackPrices(ctx, most, o.known(most))
	if err != nil {
		return err
	}
	from := slices.Min(r.in.Arrival)
	if p != nil {
		from = p.From
	}
	m := o.program(from)
	return lp.Write(w, m, format)
}

// columns estimates the number of columns of the program.
func (o *oracle) columns() int {
	n := 1
	for j := range o.x.Jobs {
		job, modes := &o.x.Jobs[j], 1
		if job.Shuffles {
			modes = o.racks
		}
		n += o.places * (len(job.Maps)*modes + len(job.Reduces))
	}
	return n
}

// formulation is a program under construction.
type formulation struct {
	*oracle
	m   *lp.Model
	use [][]lp.Entry // by resource
	row []lp.Entry
}

// program is
//
//	minimise    T
//	subject to  Σ_p r_jgp = n_g                    every group g of reduces of job j; p: places
//	            Σ_p m_jgpl = n_g·x_jl              every group g of maps of job j, every rack l
//	            what uses a resource ≤ capacity·(T − idle)
//
// Here x_jl = 1/R·Σ_{g, p in l} r_jgp is the share of job j with its reduces in rack l. For that share, maps of job j
// pay for output that leaves their rack to l. Jobs without shuffle have m_jgp instead, with sum n_g.
func (o *oracle) program(from model.Time) *lp.Model {
	f := &formulation{oracle: o, m: lp.NewModel("racks"), use: make([][]lp.Entry, len(o.capacity))}
	f.m.Comments = []string{
		"T: the makespan in seconds, of the jobs that arrive at " + from.String() + " s or later",
		"r_J_G_P: reduces of group G of job J at place P; places are workers of one rack, speed and bandwidth, in the " +
			"order of workers",
		"m_J_G_P_L: maps of group G of job J at place P, for the share of the job whose reduces are in rack L; m_J_G_P if " +
			"it shuffles nothing",
		"rows placed: all tasks have places; slots_map, slots_reduce: seconds of slots at a place; out, in, fabric: " +
			"megabytes over links",
	}
	t := f.m.AddCol("T", 1, 0, lp.Inf)
	for j := range o.x.Jobs {
		if o.in.Arrival[j] >= from {
			f.job(int32(j))
		}
	}
	idle := o.idle(o.x.Window(from))
	for r, c := range o.capacity {
		if c == 0 {
			continue
		}
		if r >= 2*o.places {
			c /= linkUnit
		}
		f.m.AddRow(o.resourceName(r), append(f.use[r], lp.Entry{Col: t, Coef: -c}), lp.LE, -c*idle[r])
	}
	return f.m
}

// resourceName names a resource.
func (o *oracle) resourceName(r int) string {
	switch {
	case r < o.places:
		return "slots_map_" + strconv.Itoa(r)
	case r < 2*o.places:
		return "slots_reduce_" + strconv.Itoa(r-o.places)
	}
	r -= 2 * o.places
	return []string{"out_", "in_", "fabric_"}[r/o.racks] + o.in.RackName(int32(r%o.racks))
}

// job adds a job's columns and rows.
func (f *formulation) job(j int32) {
	job, name := &f.x.Jobs[j], f.in.JobID(j)
	inRack := make([][]lp.Col, f.racks) // its reduces
	for g := range job.Reduces {
		f.row = f.row[:0]
		for p := range f.x.Places {
			place := &f.x.Places[p]
			if place.ReduceSlots == 0 {
				continue
			}
			col := f.m.AddCol(fmt.Sprintf("r_%s_%d_%d", name, g, p), 0, 0, lp.Inf)
			f.row = append(f.row, lp.Entry{Col: col, Coef: 1})
			inRack[place.Rack] = append(inRack[place.Rack], col)
			f.uses(f.reduceAt(int32(p)), col, f.x.ReduceTime(&job.Reduces[g], place).Seconds())
			if job.Shuffles {
				f.uses(f.fabricAt(int(place.Rack)), col, float64(job.Volume)/float64(job.ReduceCount))
			}
		}
		f.m.AddRow(fmt.Sprintf("placed_r_%s_%d", name, g), f.row, lp.EQ, float64(job.Reduces[g].Count))
	}
	for g := range job.Maps {
		if !job.Shuffles {
			f.maps(fmt.Sprintf("%s_%d", name, g), job, g, -1)
			f.m.AddRow(fmt.Sprintf("placed_m_%s_%d", name, g), f.row, lp.EQ, float64(job.Maps[g].Count))
			continue
		}
		for l, reduces := range inRack {
			if len(reduces) == 0 {
				continue
			}
			f.maps(fmt.Sprintf("%s_%d", name, g), job, g, l)
			for _, col := range reduces {
				f.row = append(f.row, lp.Entry{Col: col, Coef: -float64(job.Maps[g].Count) / float64(job.ReduceCount)})
			}
			f.m.AddRow(fmt.Sprintf("placed_m_%s_%d_%s", name, g, f.in.RackName(int32(l))), f.row, lp.EQ, 0)
		}
	}
}

// maps adds the columns of a group of maps for reduces in rack l (−1: no shuffle), and sets row to their sum.
func (f *formulation) maps(name string, job *multitenant.JobGroups, g, l int) {
	m := &job.Maps[g]
	kind := &job.Kinds[m.Kind]
	f.row = f.row[:0]
	for p := range f.x.Places {
		place := &f.x.Places[p]
		if place.MapSlots == 0 {
			continue
		}
		text := fmt.Sprintf("m_%s_%d", name, p)
		if l >= 0 {
			text += "_" + f.in.RackName(int32(l))
		}
		col, k := f.m.AddCol(text, 0, 0, lp.Inf), int(place.Rack)
		f.row = append(f.row, lp.Entry{Col: col, Coef: 1})
		away := !m.Near(place.Rack)
		f.uses(f.mapAt(int32(p)), col, f.x.MapTime(kind, place, away).Seconds())
		if away {
			f.uses(f.outAt(int(m.Source)), col, float64(kind.Input))
			f.uses(f.inAt(k), col, float64(kind.Input))
			f.uses(f.fabricAt(k), col, float64(kind.Input))
		}
		if l >= 0 && l != k {
			f.uses(f.outAt(k), col, float64(kind.Output))
			f.uses(f.inAt(l), col, float64(kind.Output))
		}
	}
}

// uses records that a column uses an amount of a resource.
func (f *formulation) uses(r int, col lp.Col, much float64) {
	if r >= 2*f.places {
		much /= linkUnit
	}
	if much > 0 && f.capacity[r] > 0 {
		f.use[r] = append(f.use[r], lp.Entry{Col: col, Coef: much})
	}
}
