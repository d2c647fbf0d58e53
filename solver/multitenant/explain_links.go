package multitenant

import (
	"fmt"

	"mrsched/model"
)

// link is crossed by the data of a task: out of a rack, into it, or between its nodes.
type link struct {
	name           string
	rack           int32
	out, in, local bool
	rate           int64
}

// links are those with a limit that a task's data crosses: uplinks, and the links of the nodes of its rack together.
func (x *explainer) links(t int32) (list []link) {
	in, rack := x.in, x.rack(t)
	add := func(l link) {
		if l.rate > 0 {
			list = append(list, l)
		}
	}
	out := func(k int32) {
		add(link{name: fmt.Sprintf("the uplink of %s, outwards", rackText(in.RackName(k))), rack: k, out: true,
			rate: in.Uplink[k]})
	}
	foreign := false
	if in.IsMap(t) {
		if foreign = in.Locality(t, x.worker(t)) == model.Remote; foreign {
			out(in.RackOf[in.Source(t, x.worker(t))])
		}
	} else {
		j := in.JobOf(t)
		for k := range int32(in.Racks) {
			if k != rack && x.f.Output[int(j)*in.Racks+int(k)] > 0 {
				foreign = true
				out(k)
			}
		}
	}
	if foreign {
		add(link{name: fmt.Sprintf("the uplink of %s, inwards", rackText(in.RackName(rack))), rack: rack, in: true,
			rate: in.Uplink[rack]})
	}
	add(link{name: fmt.Sprintf("the nodes' links in %s together", rackText(in.RackName(rack))), rack: rack, local: true,
		rate: in.Fabric[rack]})
	return list
}

// carried is how much of its capacity a link uses in an interval, if each transfer is spread evenly over the time that
// the schedule leaves for it.
func (x *explainer) carried(l link, from, until model.Time) float64 {
	in, sum := x.in, 0.0
	add := func(a, b model.Time, bytes float64) {
		if both := min(b, until) - max(a, from); both > 0 {
			sum += float64(bytes * float64(both) / float64(b-a))
		}
	}
	for i := range x.s.Entries {
		e := &x.s.Entries[i]
		t, w := int32(e.Task), in.WorkerOf[e.Machine]
		rack, done := in.RackOf[w], e.End-in.Compute(int32(e.Task), w)
		if done <= from || e.Start >= until {
			continue
		}
		if in.IsMap(t) {
			near := in.Locality(t, w)
			if l.local && rack == l.rack && near != model.NodeLocal || near == model.Remote &&
				(l.in && rack == l.rack || l.out && in.RackOf[in.Source(t, w)] == l.rack) {
				add(e.Start, done, float64(in.Input[t]))
			}
			continue
		}
		if !l.out && rack != l.rack || l.out && rack == l.rack {
			continue
		}
		j := in.JobOf(t)
		for k := range int32(in.Racks) {
			at := int(j)*in.Racks + int(k)
			if x.f.Output[at] == 0 || l.out && k != l.rack || l.in && k == rack {
				continue
			}
			add(max(e.Start, x.f.First[at]), done, float64(x.f.Output[at])/float64(in.Reduces(j)))
		}
	}
	return sum / float64(l.rate) / (until - from).Seconds()
}
