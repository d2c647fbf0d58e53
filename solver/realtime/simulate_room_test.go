package realtime

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

// TestRoom: a reducer for each job, on w1 of speed 1 and w2 of 0.8. X takes w1 until 4, Y w2 until 5. A, 0.5 s from 1
// on and due at 6.5, waits for w1 (4.5; w2 5.625). B, 2.4 s from 2 on, would end first on w1 (6.9; w2 8).
//
// By laxity B goes before A, 8 − 2.4 = 5.6 against 6.5 − 0.5 = 6, and A would be late: B goes to w2. By deadlines A
// goes before B, and nothing is late on w1.
func TestRoom(t *testing.T) {
	const start = "X.r1 w1 0–4; Y.r1 w2 0–5; "
	for _, c := range map[string]struct {
		policy  string
		a, b    float64 // after their arrivals
		reduces []float64
		want    string
		missed  int
	}{
		"to the slower worker": {"llf", 5.5, 6, []float64{2.4}, "A.r1 w1 4–4.5; B.r1 w2 5–8", 0},
		"no harm":              {"edf", 5.5, 6, []float64{2.4}, "A.r1 w1 4–4.5; B.r1 w1 4.5–6.9", 0},
		// On w2, B is late itself.
		"nowhere without harm": {"llf", 5.5, 5.9, []float64{2.4}, "B.r1 w1 4–6.4; A.r1 w1 6.4–6.9", 1},
		// Without a deadline, A cannot be late, nor B: then A, which has one, goes first.
		"A is never due": {"llf", 0, 6, []float64{2.4}, "B.r1 w1 4–6.4; A.r1 w1 6.4–6.9", 0},
		"B is never due": {"llf", 5.5, 0, []float64{2.4}, "A.r1 w1 4–4.5; B.r1 w1 4.5–6.9", 0},
		// Due at 8.6, one of 1.5, four of 0.6 s: w1 until 6 (rank 7.1), w2 until 5.75, 6.5, w1 until 6.6 (8.6 − 2.1 = 6.5),
		// and w2 until 7.25, for on w1 (7.2) B would have rank 8.6 − 2.7 = 5.9 and go before A.
		"rank rises": {"llf", 5.5, 6.6, []float64{1.5, 0.6, 0.6, 0.6, 0.6},
			"A.r1 w1 4–4.5; B.r1 w1 4.5–6; B.r2 w2 5–5.75; B.r3 w2 5.75–6.5; B.r4 w1 6–6.6; B.r5 w2 6.5–7.25", 0},
	} {
		r := spec{0, []worker{{1, 0, 1}, {0.8, 0, 1}}, []job{{id: "X", due: 100, reduces: []float64{4}},
			{id: "Y", due: 100, reduces: []float64{4}}, {id: "A", release: 1, due: c.a, reduces: []float64{0.5}},
			{id: "B", release: 2, due: c.b, reduces: c.reduces}}}.run(t, nil)
		checkPolicy(t, r, c.policy, start+c.want, c.missed)
	}
}

// TestRoomShares: two slots share the waiting units. Both are busy until 4; A and C of 2 s, due at 6.5 and 7.5, wait,
// in this order. They are expected to end at 4 + 2 and 4 + 2/2 + 2. Before both, 1 s of work delays each by half a
// second, and more makes one late; the same holds between them; after them any amount fits.
func TestRoomShares(t *testing.T) {
	r := spec{0, []worker{{1, 0, 2}}, []job{{id: "X", due: 100, reduces: []float64{4, 4}},
		{id: "A", release: 1, due: 5.5, reduces: []float64{2}}, {id: "C", release: 1, due: 6.5, reduces: []float64{2}},
		{id: "B", release: 2, due: 50, reduces: []float64{9}}}}.run(t, nil)
	s := newSimulation(r, policyOf(t, "edf"), r.in)
	simUntil(t, s, 3*model.Second/2)
	o := s.outlook(3)
	for _, c := range []struct {
		key  model.Time
		most model.Time // work, in microseconds
		ends model.Time // of 3 s of work, 2 s of them on one slot
	}{{6, 1_000_000, 6_500_000}, {7, 1_000_000, 7_500_000}, {8, 100_000_000, 8_500_000}} {
		at := waiter{key: c.key * model.Second, unit: s.jobs[3].first}
		if !o.room.spares(0, c.most, at) || c.key < 8 && o.room.spares(0, c.most+1, at) {
			t.Errorf("rank %d: %d μs fit, or one more", c.key, c.most)
		}
		if got := o.room.crowd(0).end(at, 3*model.Second, 2*model.Second); got != c.ends {
			t.Errorf("rank %d: ends at %s, want %s", c.key, got, c.ends)
		}
	}
}

// simUntil plays the events up to a time.
func simUntil(t tester, s *simulation, until model.Time) {
	t.Helper()
	for at, ok := s.events.Next(); ok && at <= until; at, ok = s.events.Next() {
		happenAt(t, s, at)
		s.dispatch()
	}
}

// TestRoomNaive: on random instances room agrees with a scan of all units.
func TestRoomNaive(t *testing.T) {
	late, round := 0, 0
	naive := func(t *rapid.T) {
		rapid.SliceOfN(rapid.Byte(), round, round).Draw(t, "round") // with a fixed seed, each round still draws other cases
		r := drawSimulated(t).run(t, solver.Params{lofParam: 1.5})
		p := policyList()[rapid.IntRange(0, len(policyList())-1).Draw(t, "policy")]
		s := newSimulation(r, p, noisy{r.in, rapid.Uint64().Draw(t, "seed")})
		work := model.Time(rapid.IntRange(1, 20).Draw(t, "work")) * model.Second / 2
		for at, ok := s.events.Next(); ok; at, ok = s.events.Next() {
			simUntil(t, s, at)
			for j := range int32(r.in.Jobs) {
				room := s.outlook(j).room
				for _, w := range s.workers[model.Reduce] {
					at := room.place(work)
					want := naiveSpares(s, w, work, at)
					if got := room.spares(w, work, at); got != want {
						t.Errorf("at %s worker %d spares %s for job %d: %t, want %t", s.now, w, work, j, got, want)
					}
					if !want {
						late++
					}
				}
			}
		}
	}
	for ; late < 10 && round < 40; round++ { // few units are late
		rapid.Check(t, naive)
	}
	if late < 10 {
		t.Errorf("only %d times something would be late", late)
	}
}

// naiveSpares reports whether every unit on time on a worker stays so with this much work at a place before it.
func naiveSpares(s *simulation, worker int32, work model.Time, at waiter) bool {
	id := queueOf(worker, model.Reduce)
	var list []waiter
	for u := range s.units {
		if x := &s.units[u]; x.state == waiting && x.queue == id {
			key, last := s.p.rank(s, x.job)
			list = append(list, waiter{last: last, key: key, unit: int32(u)})
		}
	}
	slices.SortFunc(list, compareWaiters)
	slots, before := model.Time(s.queues[id].slots), s.idles(&s.queues[id])
	sum := model.Time(0)
	for _, x := range list {
		u := &s.units[x.unit]
		end, due := before+sum/slots+u.left, s.in.Due[u.job]
		if compareWaiters(x, at) > 0 && due != realtime.NoDeadline && end <= due && end+(work+slots-1)/slots > due {
			return false
		}
		sum += u.left
	}
	return true
}
