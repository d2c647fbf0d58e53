package multitenant

import (
	"mrsched/model"
	"mrsched/solver/sim"
)

// sampling is the interval between NetSat's samples.
const sampling = model.Second

// netsat tracks which racks are saturated: their uplink, out or in, has carried more than a share of its rate since the
// last sample. It samples every second while the network changes. Otherwise the last result holds until the next
// change.
type netsat struct {
	on        bool
	fresh     bool // something has changed since the last sample
	last      model.Time
	carried   [2][]model.Bytes // by direction and rack: bytes until the last sample
	saturated []bool
	total     []model.Time // by rack: how long it has been saturated
}

func newNetsat(racks int) netsat {
	return netsat{saturated: make([]bool, racks), total: make([]model.Time, racks),
		carried: [2][]model.Bytes{make([]model.Bytes, racks), make([]model.Bytes, racks)}}
}

// changed reports that flows begin or end now.
func (n *netsat) changed(s *simulation) {
	n.fresh = true
	if n.on || s.limited {
		return
	}
	n.on = true
	n.count(s.now)
	n.look(s)
	s.events.Push(s.now/sampling*sampling+sampling, sampleEvent, 0)
}

// count adds the time since the last sample to the saturated racks.
func (n *netsat) count(now model.Time) {
	for rack, full := range n.saturated {
		if full {
			n.total[rack] += now - n.last
		}
	}
}

// look reads the bytes that the uplinks have carried since the last sample.
func (n *netsat) look(s *simulation) Load {
	load := Load{From: n.last, Until: s.now}
	for direction, kind := range []sim.LinkKind{sim.RackOut, sim.RackIn} {
		carried := n.carried[direction]
		list := make([]model.Bytes, len(carried))
		for rack := range list {
			bytes := s.t.net.LinkBytes(s.t.net.Link(kind, rack))
			list[rack], carried[rack] = bytes-carried[rack], bytes
		}
		load.Carried[direction] = list
	}
	if s.seen != nil && load.From < load.Until {
		s.seen(load)
	}
	n.last = s.now
	return load
}

// sample compares traffic with the threshold.
func (n *netsat) sample(s *simulation) {
	load, relief := n.look(s), false
	elapsed := load.Until - load.From
	for rack, before := range n.saturated {
		bytes := max(load.Carried[0][rack], load.Carried[1][rack])
		full := saturates(bytes, elapsed.Seconds(), s.in.Uplink[rack], s.c.saturation)
		n.saturated[rack] = full
		relief = relief || before && !full
		if full {
			n.total[rack] += elapsed
		}
	}
	for u := range s.users {
		if relief && len(s.users[u].early) > 0 {
			s.wake(model.Reduce, int32(u))
		}
	}
	n.on = n.fresh && !s.limited
	n.fresh = false
	if n.on {
		s.events.Push(s.now+sampling, sampleEvent, 0)
	}
}

// saturates reports whether the bytes of some seconds exceed a share of an uplink's rate; rate 0 is unlimited.
func saturates(bytes model.Bytes, seconds float64, uplink int64, share float64) bool {
	return uplink > 0 && float64(bytes) > share*float64(uplink)*seconds
}
