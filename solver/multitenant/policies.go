package multitenant

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"mrsched/model"
	"mrsched/model/multitenant"
	"mrsched/solver"
)

// config describes a policy.
type config struct {
	drf, nass, sarp, samp bool
	patient               bool // jobs wait for locality
	known                 bool // shuffle volumes are known when jobs arrive
	slowStart             float64
	saturation, mapsDone  float64
	patience, window      model.Time
	plan                  *plan // to follow; may be nil
}

// policies lists the paper's policies, which have no guarantee.
func policies() solver.Methods[*run, *solver.Outcome] {
	base := []string{saturationParam, slowStartParam}
	delayed := append(slices.Clone(base), waitParam)
	watched := append(slices.Clone(base), mapsDoneParam, withoutParam, ratioParam, windowParam, multipleParam)
	relaxed := append(slices.Clone(watched), waitParam)
	type method = solver.Method[*run, *solver.Outcome]
	row := func(name, summary string, params []string, c config) method {
		return method{
			Algorithm: solver.Algorithm{Name: name, Summary: summary, Params: params},
			Solve: func(ctx context.Context, r *run, opt solver.Options) (*solver.Outcome, error) {
				c, err := c.with(r.p)
				if err != nil {
					return nil, err
				}
				if c.nass {
					if c.window, err = r.submissionWindow(ctx); err != nil {
						return nil, err
					}
				}
				out, err := r.simulate(ctx, c, opt)
				if name == "fair" && err == nil {
					r.keepWindow(out)
				}
				return out, err
			}}
	}
	all := config{nass: true, sarp: true, samp: true}
	drf, patient := all, all
	drf.drf, patient.patient = true, true
	return solver.Methods[*run, *solver.Outcome]{
		row("fair", "the user with the fewest running tasks goes first; reduces start early", base, config{}),
		row("delay", "fair, but jobs wait a little for nodes, then racks, with their data", delayed,
			config{patient: true}),
		row("drf", "the user with the smallest dominant share of cores and memory goes first", base,
			config{drf: true}),
		row("shufflewatcher", "fair, with NASS, SARP and SAMP: gathers maps in few racks, puts reduces where their data "+
			"is, and delays them while racks are saturated", watched, all),
		row("sw-drf", "drf with NASS, SARP and SAMP", watched, drf),
		row("sw-relaxed", "shufflewatcher, but jobs wait a little for the racks that SAMP and SARP chose", relaxed,
			patient),
	}
}

// submissionWindow is the length of the windows: that of the parameter, or else a multiple of the jobs' mean
// turn-around under fair.
func (r *run) submissionWindow(ctx context.Context) (model.Time, error) {
	if window := cmp.Or(model.TimeOf(r.p.submissionWindow), r.window); window > 0 {
		return window, nil
	}
	c, err := config{}.with(r.p)
	if err != nil {
		return 0, err
	}
	first := run{in: r.in, p: r.p}
	out, err := first.simulate(ctx, c, solver.Options{})
	if err != nil {
		return 0, err
	}
	return r.keepWindow(out), nil
}

// keepWindow makes a window of an outcome of fair. It keeps none of what a limit cut short.
func (r *run) keepWindow(out *solver.Outcome) model.Time {
	ends, _ := r.in.Ends(out.Schedule)
	sum := 0.0
	for j, end := range ends {
		sum += (end - r.in.Arrival[j]).Seconds()
	}
	window := max(1, model.TimeOf(r.p.windowMultiple*sum/float64(max(1, len(ends)))))
	if out.Status != model.StatusLimit {
		r.window = window
	}
	return window
}

// with sets a policy's parameters. Errors are *model.InputError: --without names an unknown part.
func (c config) with(p params) (config, error) {
	c.slowStart, c.saturation, c.mapsDone = p.slowStart, p.saturation, p.mapsDone
	c.patience, c.window = model.TimeOf(p.localityWait), max(1, model.TimeOf(p.submissionWindow))
	c.known = p.shuffleRatio == "known"
	for part := range strings.SplitSeq(p.without, ",") {
		switch strings.TrimSpace(part) {
		case "":
		case "nass":
			c.nass, c.sarp, c.samp = false, false, false
		case "sarp":
			c.sarp, c.samp = false, false
		case "samp":
			c.samp = false
		default:
			return c, model.NewInputError(model.Finding{Code: model.CodeParameter,
				What:     fmt.Sprintf("--%s %s: shufflewatcher has no part %q", withoutParam, p.without, part),
				Expected: "samp, sarp, nass, or several of them with commas"})
		}
	}
	return c, nil
}

// picker chooses among the tasks of a user for a slot.
type picker interface {
	// findMap finds a map of a user who has some, and how well the slot suits it; -1 if all of them wait for a better
	// slot.
	findMap(s *simulation, u *user, slot int32) (int32, class)
	// reduces says whether a user has reduces for a rack. They may have to wait for locality.
	reduces(s *simulation, u *user, rack int32) bool
	// findReduce finds one of these reduces likewise; -1 if all of them wait for a better slot.
	findReduce(s *simulation, u *user, slot int32) (int32, class)
}

// class is how well a slot suits a task: it decides between users with equal shares.
type class int8

const (
	preferred class = iota // SAMP or SARP wants the task in this rack; without them, a map's block is in the rack
	local                  // a map's block is in the rack, or none is wanted
	anywhere
)

// has says whether a user has a task for a slot of a kind in a rack.
func (s *simulation) has(u *user, kind model.TaskKind, rack int32) bool {
	if kind == model.Map {
		return len(u.maps) > 0
	}
	return s.p.reduces(s, u, rack)
}

// find finds a task of a user who has some; -1 if all of them wait for a better slot.
func (s *simulation) find(u *user, kind model.TaskKind, slot int32) (int32, class) {
	if kind == model.Map {
		return s.p.findMap(s, u, slot)
	}
	return s.p.findReduce(s, u, slot)
}

func (c *config) picker() picker {
	switch {
	case c.plan != nil:
		return follow{c.plan}
	case c.nass:
		return nass{}
	case c.patient:
		return delay{}
	}
	return fair{}
}

// before says whether user a has a smaller share of the cluster than b: fewer running tasks of the kind, or under drf
// the smaller dominant share.
func (c *config) before(s *simulation, a, b *user, kind model.TaskKind) bool {
	if c.drf {
		return s.dominant(a, kind) < s.dominant(b, kind)
	}
	return a.running[kind] < b.running[kind]
}

// starts says whether reduces of a job may start although maps have not ended.
func (c *config) starts(j *job) bool {
	if c.nass {
		return j.mapsEnded > 0
	}
	return float64(j.mapsEnded) >= c.slowStart*float64(j.maps)
}

// cutShort drops what takes time.
func (c *config) cutShort() {
	c.nass, c.sarp, c.samp, c.patient, c.slowStart = false, false, false, false, 1
}

// Facts are what results state about a run.
type Facts struct {
	SaturatedRackSeconds model.Time   `json:"saturated_rack_seconds"` // sum over racks
	SaturatedSeconds     []model.Time `json:"saturated_seconds"`      // by rack, as NetSat saw it
	EarlyReduces         int          `json:"early_reduces"`          // that started before their maps had ended
	*WatcherFacts
	Simulations *int   `json:"simulations,omitempty"` // of best
	Plan        string `json:"plan,omitempty"`        // that best chose
	*TrafficFacts
}

// WatcherFacts count what the parts of ShuffleWatcher did.
type WatcherFacts struct {
	SARPCounts     int `json:"sarp_counts"`
	SAMPRemoteMaps int `json:"samp_remote_maps"` // outside the racks that SAMP chose
	// DeferredJobs counts the jobs whose reduces could not start early because a rack was saturated.
	DeferredJobs int `json:"deferred_jobs"`
	// Window is the length of the submission windows.
	Window model.Time `json:"submission_window,omitempty"`
}

// stated is what the result states.
func (s *simulation) stated() *Facts {
	x := &Facts{SaturatedSeconds: s.n.total, EarlyReduces: s.facts.early}
	for _, t := range s.n.total {
		x.SaturatedRackSeconds += t
	}
	if s.c.nass {
		watched := s.facts.WatcherFacts // a pointer into s would keep it in memory
		if x.WatcherFacts = &watched; s.c.plan == nil {
			watched.Window = s.c.window
		}
	}
	return x
}

// vacancy lists the free slots of a kind. No user had a task for those before offered. Since then only the users in
// woken may have got one, except where memory or cores of the worker have become free.
type vacancy struct {
	slots   []int32
	offered int
	woken   []int32
}

// inTurn lists the slots of a kind, one of each rack in turn, in each rack one of each worker in turn.
func inTurn(in *multitenant.Instance, kind model.TaskKind) []int32 {
	type turn struct{ round, worker, rack int32 } // the slot's number on its worker, the worker's in its rack
	at, ofWorker, ofRack := make([]turn, in.Slots), make([]int32, in.Workers), make([]int32, in.Racks)
	list := slices.Clone(in.SlotsFor(kind))
	number := make([]int32, in.Workers)
	for w, rack := range in.RackOf {
		number[w] = ofRack[rack]
		ofRack[rack]++
	}
	for _, slot := range list {
		w := in.WorkerOf[slot]
		at[slot] = turn{ofWorker[w], number[w], in.RackOf[w]}
		ofWorker[w]++
	}
	slices.SortStableFunc(list, func(a, b int32) int {
		x, y := at[a], at[b]
		return cmp.Or(cmp.Compare(x.round, y.round), cmp.Compare(x.worker, y.worker), cmp.Compare(x.rack, y.rack))
	})
	return list
}

// wake offers all free slots of a kind again to one more user.
func (s *simulation) wake(kind model.TaskKind, user int32) {
	f := &s.free[kind]
	if at, found := slices.BinarySearch(f.woken, user); !found {
		f.woken = slices.Insert(f.woken, at, user)
	}
}

// offer assigns free slots of a kind. Slots that have become free, and those on workers where memory or cores have
// become free, are offered to all users, the others only to the woken ones.
func (s *simulation) offer(kind model.TaskKind) {
	f := &s.free[kind]
	first := f.offered
	if len(f.woken) > 0 || s.room != nil && s.room.changed[kind] {
		first = 0
	}
	list := f.slots[first:]
	for k, slot := range list {
		if s.waiting[kind] == 0 {
			break
		}
		users := s.everyone
		if first+k < f.offered && (s.room == nil || !s.room.again[kind][s.in.WorkerOf[slot]]) {
			users = f.woken
		}
		if task := s.pick(kind, slot, users); task >= 0 {
			list[k] = -1
			s.begin(task, slot)
		}
	}
	list = slices.DeleteFunc(list, func(slot int32) bool { return slot < 0 })
	f.slots, f.offered, f.woken = f.slots[:first+len(list)], first+len(list), f.woken[:0]
	if s.room != nil {
		s.room.offered(kind)
	}
}

// pick finds a task for a slot; -1 if there is none now. The user with the smallest share of the kind comes first. Ties
// go to the user whose next task the slot suits best, then to the first in the workload. Shares are counted by kind, as
// in Hadoop 1: with one share for all tasks, a user whose reduces hold slots and wait for maps would be the last to get
// slots for these maps.
func (s *simulation) pick(kind model.TaskKind, slot int32, users []int32) int32 {
	s.turn++
	rack := s.in.RackOf[s.in.WorkerOf[slot]]
	for {
		s.tied = s.tied[:0]
		for _, u := range users {
			x := &s.users[u]
			if x.declined == s.turn || !s.has(x, kind, rack) {
				continue
			}
			switch {
			case len(s.tied) == 0:
			case s.c.before(s, x, s.tied[0], kind):
				s.tied = s.tied[:0]
			case s.c.before(s, s.tied[0], x, kind):
				continue
			}
			s.tied = append(s.tied, x)
		}
		if len(s.tied) == 0 {
			return -1
		}
		best := s.suited(kind, slot)
		if task, _ := s.find(best, kind, slot); task >= 0 {
			return task
		}
		best.declined = s.turn
	}
}

// suited is the first of the tied users whose next task a slot suits best.
func (s *simulation) suited(kind model.TaskKind, slot int32) *user {
	if len(s.tied) == 1 {
		return s.tied[0]
	}
	s.asking = true
	defer func() { s.asking = false }()
	best, least := s.tied[0], anywhere+1
	for _, u := range s.tied {
		if task, c := s.find(u, kind, slot); task >= 0 && c < least {
			if best, least = u, c; c == preferred {
				break
			}
		}
	}
	return best
}
