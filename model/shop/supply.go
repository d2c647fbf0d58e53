package shop

import (
	"cmp"
	"maps"
	"slices"

	"mrsched/model"
)

// spoken are the resources that people call otherwise than the input does, with their units and how much of what the
// instance counts is one of them.
var spoken = map[string]struct {
	name, unit string
	size       float64
}{
	ResourceCPU:     {"cores", "cores", 1e6},
	ResourceMemory:  {"memory", "B", 1},
	ResourceMaps:    {"map slots", "slots", 1},
	ResourceReduces: {"reduce slots", "slots", 1},
	ResourceNode:    {"nodes", "nodes", 1},
}

// mostShared is how many groups are supplies.
const mostShared = 64

// Supplies are the resources that nodes limit themselves, and those that the nodes of a group share: of many groups
// those that may be in use most.
func (in *Instance) Supplies() (list []model.Supply) {
	add := func(r int, of string, limited func(i int32) bool, has func(size float64) []model.SupplyStep) {
		as := spoken[in.Resource[r]]
		if r >= in.named || as.name == "" {
			as.name, as.unit, as.size = in.Resource[r], "", float64(model.UnitAmount)
		}
		list = append(list, model.Supply{Name: as.name + of, Unit: as.unit, Has: has(as.size),
			Takes: func(task, machine string) float64 {
				u, known := in.FindTask(task)
				i, ok := in.Machine(machine)
				if !known || !ok || !limited(i) {
					return 0
				}
				return float64(in.Asked(int32(u), int32(r))) / as.size
			}})
	}
	for r := range in.Resources {
		capacity := func(i int32) int64 { return in.Capacities(in.Class[i])[r] }
		limited := func(i int32) bool { return capacity(i) < Unlimited && !in.implied(i, r) }
		add(r, "", limited, func(size float64) []model.SupplyStep {
			return in.supplied(func(i int32) (amount float64, ok bool) { return float64(capacity(i)) / size, limited(i) })
		})
	}
	shared := in.InUse(mostShared)
	slices.Sort(shared)
	for _, g := range shared {
		x := in.Groups[g]
		add(int(x.Resource), " of "+in.workload.Topology[x.Place].ID, func(i int32) bool {
			return in.within(in.nodeAt[i], in.Groups[g].Place)
		}, func(size float64) []model.SupplyStep { return []model.SupplyStep{{Amount: float64(x.Capacity) / size}} })
	}
	return list
}

// InUse lists the groups whose tasks may need them for longest, these first, at most a number of them.
func (in *Instance) InUse(most int) (list []int32) {
	work := make([]float64, len(in.Resource))
	for u, p := range in.Least[:in.Tasks] {
		in.EachTake(int32(u), func(r int32, d int64) { work[r] += float64(d) * float64(p) })
	}
	for g, x := range in.Groups {
		if len(x.Nodes) > 0 && x.Capacity > 0 {
			list = append(list, int32(g))
		}
	}
	load := func(g int32) float64 { return work[in.Groups[g].Resource] / float64(in.Groups[g].Capacity) }
	slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(load(b), load(a)) })
	return list[:min(len(list), most)]
}

// supplied is how much the nodes that are there have of a resource that they limit, over time.
func (in *Instance) supplied(capacity func(i int32) (amount float64, limited bool)) (steps []model.SupplyStep) {
	all, change := 0.0, map[model.Time]float64{}
	for i := range int32(in.Nodes) {
		amount, limited := capacity(i)
		if !limited {
			continue
		}
		all += amount
		for k := in.AwayFirst[i]; k < in.AwayFirst[i+1]; k++ {
			change[max(0, in.AwayFrom[k])] -= amount
			change[max(0, in.AwayUntil[k])] += amount
		}
	}
	steps = append(steps, model.SupplyStep{Amount: all})
	for _, t := range slices.SortedFunc(maps.Keys(change), cmp.Compare) {
		if all += change[t]; t == 0 {
			steps[0].Amount = all
		} else if t < Never {
			steps = append(steps, model.SupplyStep{From: t, Amount: all})
		}
	}
	return steps
}
