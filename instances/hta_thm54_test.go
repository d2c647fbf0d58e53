package instances

import (
	"fmt"
	"reflect"
	"testing"

	"mrsched/model"
)

// TestThm54 on four servers: costs 2 and 3, 3 + 2² = 7 hot tasks, and one on each other server that s2 holds too.
func TestThm54(t *testing.T) {
	w := generateHTA(t, "thm54", 0, "servers", 4)
	want := map[string][]string{"t2": {"s2"}, "t3": {"s3", "s2"}, "t4": {"s4", "s2"}}
	for k := 1; k <= 7; k++ {
		want[fmt.Sprintf("hot%d", k)] = []string{"s1"}
	}
	if got := tasksOn(w); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
	if w.Cost.Local != 2*model.Second || w.Cost.Remote.At(7) != 3*model.Second {
		t.Errorf("cost %+v", w.Cost)
	}
}
