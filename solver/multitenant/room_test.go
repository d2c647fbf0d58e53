package multitenant

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"mrsched/model"
	"mrsched/solver"
)

// crowded draws a cluster with very little memory and cores, and jobs with many reduces, which may all begin before the
// maps. Every task fits on the first node if it is empty.
func crowded(t *rapid.T) *clusterRows {
	c := newRows()
	for rack := range rapid.IntRange(1, 2).Draw(t, "racks") {
		hosts := make([]model.Node, rapid.IntRange(1, 2).Draw(t, "nodes"))
		for k := range hosts {
			first := rack+k == 0
			hosts[k] = model.Node{MapSlots: rapid.Int64Range(0, 2).Draw(t, "map slots"),
				ReduceSlots: rapid.Int64Range(0, 6).Draw(t, "reduce slots"),
				MemoryBytes: model.Some(model.Bytes(rapid.IntRange(1, 4).Draw(t, "memory")))}
			if rapid.Bool().Draw(t, "has cores") {
				hosts[k].CPU = model.Some(float64(rapid.IntRange(1, 4).Draw(t, "cores")) / 10)
			}
			if first {
				hosts[k].MapSlots, hosts[k].ReduceSlots = 1, 6
				hosts[k].MemoryBytes, hosts[k].CPU = model.Some(model.Bytes(4)), model.Some(0.4)
			}
		}
		c.rack([]float64{0, 20}[rapid.IntRange(0, 1).Draw(t, "uplink")], hosts...)
	}
	for j := range rapid.IntRange(1, 4).Draw(t, "jobs") {
		x := testJob{id: "j" + strconv.Itoa(j), user: "u" + strconv.Itoa(rapid.IntRange(0, 1).Draw(t, "user")),
			arrival: float64(rapid.IntRange(0, 3).Draw(t, "arrival")),
			mapTime: float64(rapid.IntRange(0, 4).Draw(t, "map time")),
			redTime: float64(rapid.IntRange(0, 3).Draw(t, "reduce time")), reduces: rapid.Int64Range(1, 6).Draw(t, "reduces"),
			input: 5, shuffle: model.Bytes(rapid.IntRange(0, 1).Draw(t, "shuffles") * 30)}
		needs := func(int) (n taskNeeds) {
			n.memory = model.Some(model.Bytes(rapid.IntRange(0, 4).Draw(t, "needs memory")))
			n.cpu = model.Some(float64(rapid.IntRange(0, 4).Draw(t, "needs cores")) / 10)
			if rapid.IntRange(0, 5).Draw(t, "later") == 0 {
				n.release = model.Some(model.TimeOf(float64(rapid.IntRange(0, 8).Draw(t, "release"))))
			}
			return n
		}
		x.mapNeeds, x.redNeeds = needs, needs
		for range rapid.IntRange(1, 4).Draw(t, "maps") {
			nodes := rapid.SliceOfNDistinct(rapid.IntRange(0, c.nodes-1), 1, 2, rapid.ID)
			x.replicas = append(x.replicas, nodes.Draw(t, "replicas"))
		}
		c.add(x)
	}
	return c
}

// TestNoDeadlock: reduces that hold memory and cores while they wait for maps never block these. Every policy ends, and
// the checker accepts its schedule. Some reduces do begin early.
func TestNoDeadlock(t *testing.T) {
	early := 0
	rapid.Check(t, func(rt *rapid.T) {
		r := crowded(rt).open(t, solver.Params{slowStartParam: rapid.SampledFrom([]float64{0, 0.5}).Draw(rt, "slow start"),
			waitParam: rapid.SampledFrom([]float64{0, 1, 5}).Draw(rt, "wait")})
		for _, x := range everyConfig {
			s := simulated(rt, r, x.c, 1)
			if v := r.in.Check(&model.Schedule{Entries: s.rows}); len(v) > 0 {
				rt.Fatalf("%s: %v", x.name, v)
			}
			early += s.facts.early
		}
	})
	if early == 0 {
		t.Error("no reduce began before its job's maps had ended")
	}
}

// TestEarlyReducesLeaveRoom: a node of 9 bytes has two map slots and four reduce slots. The job's two maps need 4 bytes
// each, its three reduces 3. The second map is released at 20 s. At 0 there is room for a map and one reduce. At 10,
// when the map has ended, two more reduces would fit. But a second reduce would not leave the 4 bytes of the second
// map, so the others begin when that map has ended.
func TestEarlyReducesLeaveRoom(t *testing.T) {
	c := newRows()
	c.rack(0, model.Node{MapSlots: 2, ReduceSlots: 4, MemoryBytes: model.Some(model.Bytes(9))})
	c.add(testJob{id: "a", mapTime: 10, redTime: 1, reduces: 3, replicas: [][]int{nil, nil},
		mapNeeds: func(k int) taskNeeds {
			return taskNeeds{memory: model.Some(model.Bytes(4)), release: model.Some(model.Time(k) * 20 * model.Second)}
		},
		redNeeds: func(int) taskNeeds { return taskNeeds{memory: model.Some(model.Bytes(3))} }})
	r := c.open(t, solver.Params{slowStartParam: 0.0})
	out, _ := r.play(t, "fair")
	expectRuns(t, r, out, "a", "n0/m1 0-10", "n0/m2 20-30", "n0/r1 0-31", "n0/r2 30-31", "n0/r3 30-31")
}
