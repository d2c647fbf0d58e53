package workload

import (
	"fmt"
	"strings"
	"testing"
)

// TestCountsAddUp: of each kind, as many as the limit are accepted and one more is not. Rows that only group nodes have
// no slots.
func TestCountsAddUp(t *testing.T) {
	const doc = `{"format":"mrsched-workload/1","machines":%d,
"jobs":[{"id":"a","reduces":%d,"partitions":%d},
{"id":"b","reduces":2,"partitions":1}],
"topology":[{"id":"r","kind":"root"},{"id":"k","parent":"r","kind":"rack","map_slots":1000},
{"id":"n","parent":"k","kind":"node","map_slots":%d,"reduce_slots":4}]}`
	for _, c := range []struct {
		machines, reduces, partitions, slots int
		want                                 string
	}{
		{10, 8, 9, 6, ""},
		{11, 8, 9, 6, "V204 w: machines is 11, more than 10"},
		{10, 9, 9, 6, `V204 w:3:1: up to job "b" the reduces are more than 10`},
		{10, 11, 9, 6, `V204 w:2:9: up to job "a" the reduces are more than 10`},
		{10, 8, 10, 6, `V204 w:3:1: up to job "b" the partitions are more than 10`},
		{10, 8, 9, 7, `V204 w:5:1: up to node "n" the map and reduce slots are more than 10`},
		{10, 8, 9, 2147483647, `V204 w:5:1: up to node "n" the map and reduce slots are more than 10`},
	} {
		w, err := ReadBytes(fmt.Appendf(nil, doc, c.machines, c.reduces, c.partitions, c.slots), "w", Options{MaxCount: 10})
		if (err == nil) != (c.want == "") || (w == nil) != (err != nil) {
			t.Errorf("%+v: %v", c, err)
		}
		if err != nil && (!strings.HasPrefix(err.Error(), c.want+"; expected fewer") || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
