package multitenant

import (
	"mrsched/model"
	"mrsched/solver/sim"
)

// sampling is how often NetSat looks.
const sampling = model.Second

// netsat knows which racks are saturated: those whose uplink, out or in, has carried more than a share of its rate
// since the last look. It looks every second, but not while nothing changes on the network: then its word stands, and
// it looks again from the next change on.
type netsat struct {
	on        bool
	fresh     bool // something has changed since the last look
	last      model.Time
	carried   [2][]model.Bytes // by direction and rack: by the last look
	saturated []bool
	total     []model.Time // by rack: how long it has been saturated
}

func newNetsat(s *simulation) netsat {
	racks := s.in.Racks
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
	n.look(s, func(int, int, model.Bytes) {})
	s.events.Push(s.now/sampling*sampling+sampling, sampleEvent, 0)
}

// count adds the time since the last look.
func (n *netsat) count(now model.Time) {
	for rack, full := range n.saturated {
		if full {
			n.total[rack] += now - n.last
		}
	}
}

// look reads what the uplinks have carried since the last look.
func (n *netsat) look(s *simulation, each func(direction, rack int, bytes model.Bytes)) {
	load := Load{From: n.last, Until: s.now}
	for direction, kind := range []sim.LinkKind{sim.RackOut, sim.RackIn} {
		for rack := range n.saturated {
			bytes := s.t.net.LinkBytes(s.t.net.Link(kind, rack))
			each(direction, rack, bytes-n.carried[direction][rack])
			if s.seen != nil {
				load.Carried[direction] = append(load.Carried[direction], bytes-n.carried[direction][rack])
			}
			n.carried[direction][rack] = bytes
		}
	}
	if s.seen != nil && load.From < load.Until {
		s.seen(load)
	}
	n.last = s.now
}

// sample compares traffic with the threshold.
func (n *netsat) sample(s *simulation) {
	elapsed, relief := (s.now - n.last).Seconds(), false
	most := make([]model.Bytes, len(n.saturated))
	from := n.last
	n.look(s, func(_, rack int, bytes model.Bytes) { most[rack] = max(most[rack], bytes) })
	for rack, bytes := range most {
		before := n.saturated[rack]
		n.saturated[rack] = saturates(bytes, elapsed, s.in.Uplink[rack], s.c.saturation)
		relief = relief || before && !n.saturated[rack]
		if n.saturated[rack] {
			n.total[rack] += s.now - from
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

// close counts the time since the last look.
func (n *netsat) close(s *simulation) {
	if !n.on {
		n.count(s.now)
	}
}

// saturates says whether bytes in some seconds exceed a share of an uplink's rate; an uplink of 0 has no limit.
func saturates(bytes model.Bytes, seconds float64, uplink int64, share float64) bool {
	return uplink > 0 && float64(bytes) > share*float64(uplink)*seconds
}
