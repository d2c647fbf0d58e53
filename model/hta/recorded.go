package hta

import (
	"fmt"
	"slices"
	"strings"

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
func (r *Record) Complete() bool { return len(r.gaps()) == 0 }

// gaps are the reasons why the record has no makespan.
func (r *Record) gaps() (list []string) {
	for _, g := range []struct {
		n    int
		what string
	}{
		{r.maps - r.Known, "no record"},
		{r.Elsewhere, "a record on no server of the instance"},
		{r.Unplaced, "a record but no known replica: remote here"},
	} {
		if g.n > 0 {
			list = append(list, fmt.Sprintf("%s %s", have(g.n), g.what))
		}
	}
	return list
}

// String says how much of the instance the record covers, and why it has no makespan, if it has none.
func (r *Record) String() string {
	text := fmt.Sprintf("%d of %s a record", r.Known, have(r.maps))
	if gaps := r.gaps(); len(gaps) > 0 {
		text += "; no makespan, because " + strings.Join(gaps, ", ")
	}
	return text
}

func have(n int) string {
	if n == 1 {
		return "1 map has"
	}
	return fmt.Sprintf("%d maps have", n)
}
