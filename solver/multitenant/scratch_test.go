package multitenant

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

func TestScratch(t *testing.T) {
	mean, _ := strconv.Atoi(os.Getenv("MEAN"))
	if mean == 0 {
		t.Skip()
	}
	racks, jobs := 10, 360
	if os.Getenv("BIG") != "" {
		racks, jobs = 60, 5894
	}
	users := 30 * racks / 10
	c := busyCluster(racks, jobs, users, func(r *rand.Rand) int { return 1 + int(r.ExpFloat64()*r.ExpFloat64()*float64(mean)) })
	run := c.open(t, nil)
	for _, p := range policies().Algorithms() {
		if only := os.Getenv("ONLY"); only != "" && only != p.Name {
			continue
		}
		begin := time.Now()
		out, in := run.play(t, p.Name)
		took := time.Since(begin)
		ev := in.Evaluate(out.Schedule)
		t.Log(p.Name, in.Tasks, in.Maps, took, "makespan", ev.Value.FloatString(0), ev.Metrics, out.Found)
	}
}
