package hta

import (
	"fmt"
	"slices"

	"mrsched/model"
)

// Record says where the traced cluster ran the maps with a block, as far as the workload states it.
type Record struct {
	// Loads are the costs of the instance's maps on the servers where they ran. Its Counts include the other maps as
	// remote ones.
	Loads     *Loads
	Known     int // maps of the instance whose node the workload states
	Elsewhere int // those of them that ran on no server of the instance
	Unplaced  int // maps without a known replica whose node the workload states; they do not belong to the instance
	maps      int // of the instance
}

// Recorded reads the record of w, whose view in must be; nil if there is none.
func (in *Instance) Recorded(w *model.Workload) *Record {
	r := &Record{maps: in.Tasks}
	server := slices.Repeat([]int32{model.None}, in.Tasks)
	for u := range w.Tasks {
		x, t := &w.Tasks[u], in.dense[u]
		if x.Kind != model.Map || x.RecordedNode == "" || x.InputBytes.Or(0) == 0 {
			continue
		}
		if t == model.None {
			r.Unplaced++
			continue
		}
		r.Known++
		if s, ok := in.server[x.RecordedNode]; ok {
			server[t] = s
		} else {
			r.Elsewhere++
		}
	}
	if r.Known+r.Unplaced == 0 {
		return nil
	}
	r.Loads = in.Measure(server)
	r.Loads.Counts[Remote] += r.Elsewhere + r.Unplaced
	return r
}

// Complete says that the record is an assignment of the instance, whose makespan is known.
func (r *Record) Complete() bool { return r.Known == r.maps && r.Elsewhere+r.Unplaced == 0 }

// String says how much of the instance the record covers, and why it has no makespan, if it has none.
func (r *Record) String() string {
	text := fmt.Sprintf("%d of %s have a record", r.Known, model.Counted(r.maps, "map"))
	if r.Complete() {
		return text
	}
	return text + fmt.Sprintf("; no makespan, because of all maps with one %d ran on no server of the instance, and %d "+
		"have no known replica: remote here", r.Elsewhere, r.Unplaced)
}
