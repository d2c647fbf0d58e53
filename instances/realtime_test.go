package instances

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver"
)

func realtimeOf(t testing.TB, preset Preset, more solver.Params) (*model.Workload, *realtime.Instance) {
	t.Helper()
	w := workloadOf(t, preset, 1, more)
	in, err := realtime.New(w, realtime.Options{Delta: 0.0004, SketchSeed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return w, in
}

func twitterPreset() Preset { return realtimePreset(twitterJob) }

func youtubePreset() Preset { return realtimePreset(youtubeJob) }

// TestRealtimePresets: the paper's numbers of §5, and 100 past runs of each of 82 workers.
func TestRealtimePresets(t *testing.T) {
	for _, c := range []struct {
		preset          Preset
		strict, relaxed model.Time
		sets            int // of a job: Hadoop's hash and ⌈ln 1/0.0004⌉ = 8 rows; or the stated partitions
	}{{twitterPreset(), 15 * model.Second, 20 * model.Second, 9}, {youtubePreset(), 2 * model.Second, 4 * model.Second,
		1}} {
		w, in := realtimeOf(t, c.preset, nil)
		if in.Goal != realtime.Deadlines || in.Workers != 82 || len(in.MapSlots) != 59 || len(in.ReduceSlots) != 23 ||
			len(w.History) != 82*100 {
			t.Errorf("%s: goal %s, %d workers, %d map slots, %d reduce slots, %d past runs", c.preset.Name, in.Goal, in.Workers,
				len(in.MapSlots), len(in.ReduceSlots), len(w.History))
		}
		count := map[model.Time]int{}
		for j := range int32(in.Jobs) {
			count[in.Due[j]-in.Release[j]]++
			if n := in.FirstMap[j+1] - in.FirstMap[j]; n != 59 || in.Reducers[j] != 23 || len(in.SetsOf(j)) != c.sets ||
				in.SetsOf(j)[0].Count != 40 {
				t.Fatalf("%s: job %d has %d maps, %d reducers, %d sets", c.preset.Name, j, n, in.Reducers[j], len(in.SetsOf(j)))
			}
		}
		if count[c.strict] != 14 || count[c.relaxed] != 6 || in.Release[0] != 0 {
			t.Errorf("%s: deadlines %v", c.preset.Name, count)
		}
	}
}

// TestRealtimeTimes: on a worker of speed 1 a map takes --map-time, and a partition of 1/R of the data --reduce-time.
func TestRealtimeTimes(t *testing.T) {
	w, in := realtimeOf(t, youtubePreset(), solver.Params{"jobs": 1, "speed-spread": 0.0, "skew": 0.0,
		"partitions": 23, "need-spread": 0.0})
	for task := range int32(in.Tasks) {
		want := model.TimeOf(0.22)
		if !in.IsMap(task) {
			want = model.TimeOf(0.11)
		}
		if got := in.Time(task, 0); got < want-1 || got > want+1 { // sizes are whole bytes
			t.Fatalf("task %d takes %s, want %s", task, got, want)
		}
	}
	if len(w.Times) > 0 {
		t.Errorf("%d times without --noise", len(w.Times))
	}
}

// skewness is 100 − 100·ΣS/(p·max S), in percent, of the sizes S of p partitions.
func skewness(sizes []model.Bytes) float64 {
	sum := 0.0
	for _, v := range sizes {
		sum += float64(v)
	}
	return 100 - 100*sum/(float64(len(sizes))*float64(slices.Max(sizes)))
}

// TestRealtimeSkew: skewness equals --skew, up to the rounding of sizes to bytes. Partitions that Hadoop's hash leaves
// empty make data more skewed than requested: the least possible skew is that of equal non-empty partitions. With 31
// reducers the last digit decides (31·h + c mod 31), so 10 have data.
func TestRealtimeSkew(t *testing.T) {
	for _, c := range []struct {
		preset     Preset
		partitions int
		skew, want float64
		keys       int
	}{{youtubePreset(), 23, 80, 80, 0}, {youtubePreset(), 23, 0, 0, 0}, {youtubePreset(), 1000, 80, 80, 0},
		{youtubePreset(), 40, 90, 90, 0}, {youtubePreset(), 1, 0, 0, 0}, {youtubePreset(), 2, 50, 50, 0},
		{twitterPreset(), 23, 80, 80, 2000}, {twitterPreset(), 23, 35.5, 35.5, 500}, {youtubePreset(), 23, 0, 0, 400},
		{twitterPreset(), 31, 0, 100 - 100*10/31.0, 5000}} {
		more := solver.Params{"jobs": 2, "partitions": c.partitions, "skew": c.skew, "keys": c.keys}
		if c.partitions == 31 {
			more["reduces"] = 31
		}
		_, in := realtimeOf(t, c.preset, more)
		for j := range int32(in.Jobs) {
			set := in.SetsOf(j)[0]
			if got := skewness(in.Bytes[set.First : set.First+set.Count]); math.Abs(got-c.want) > 0.001 {
				t.Errorf("%s, %d keys, %d partitions: skewness %g, want %g", c.preset.Name, c.keys, c.partitions, got, c.want)
			}
		}
	}
}

// TestPowerLaw: sizes 1 and 2^−a of two partitions with skewness 25 add up to 2·0.75, so a = 1. With two empty ones
// the skewness is at least 50; with 50 the second has nothing.
func TestPowerLaw(t *testing.T) {
	for _, c := range []struct {
		of           int
		skew, second float64
	}{{2, 25, 0.5}, {4, 25, 1}, {2, 50, 0}} {
		if got := powerLaw(2, c.of, c.skew); got[0] != 1 || math.Abs(got[1]-c.second) > 1e-12 {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestRealtimeHistory: over many runs, a run's time is the law of its size and worker times noise of mean 1, with the
// requested standard deviation of logarithms: 4 standard errors of 23·400 draws.
func TestRealtimeHistory(t *testing.T) {
	w, in := realtimeOf(t, youtubePreset(), solver.Params{"jobs": 1, "history-runs": 400,
		"history-noise": 0.2, "need-spread": 0.0})
	speed := map[string]float64{}
	for k := range int32(in.Workers) {
		speed[in.WorkerName(k)] = in.Speed[k]
	}
	var ratio, logs []float64
	j := &w.Jobs[0]
	for i := range w.History {
		h := &w.History[i]
		if h.Kind != model.Reduce {
			continue
		}
		law := (j.TaskOverhead.Value.Seconds() + float64(h.Bytes)/j.ReduceRate.Value) / speed[h.Worker]
		ratio, logs = append(ratio, h.Time.Seconds()/law), append(logs, math.Log(h.Time.Seconds()/law))
	}
	n := math.Sqrt(float64(len(ratio)))
	if mean, sigma := stat.Mean(ratio, nil), stat.StdDev(logs, nil); math.Abs(mean-1) > 4*0.2/n ||
		math.Abs(sigma-0.2) > 4*0.2/n {
		t.Errorf("%d runs: mean %g, spread %g", len(ratio), mean, sigma)
	}
}

// TestRealtimeNoise: true times are stated for each task on each worker that may run it, and their mean follows the
// law.
func TestRealtimeNoise(t *testing.T) {
	_, plain := realtimeOf(t, youtubePreset(), solver.Params{"jobs": 5})
	w, in := realtimeOf(t, youtubePreset(), solver.Params{"jobs": 5, "noise": 0.3})
	if n := 5 * (59*59 + 40*23); len(w.Times) != n {
		t.Fatalf("%d times, want %d", len(w.Times), n)
	}
	sum, count := 0.0, 0.0
	for task := range int32(in.Tasks) {
		for _, s := range in.SlotsFor(in.KindOf(task)) {
			sum += float64(in.Time(task, in.WorkerOf[s])) / float64(plain.Time(task, plain.WorkerOf[s]))
			count++
		}
	}
	if mean := sum / count; math.Abs(mean-1) > 4*0.3/math.Sqrt(count) {
		t.Errorf("mean %g of %g times", mean, count)
	}
	if w, _ := realtimeOf(t, twitterPreset(), solver.Params{"jobs": 1, "noise": 0.3}); len(w.Times) != 59*59 {
		t.Errorf("%d times with keys, want those of maps", len(w.Times))
	}
}

// TestRealtimeArrivals: with one job of 2 + 1.4 s every 3.4/6 s, Little's law gives 6 jobs in the system; 4 standard
// errors.
func TestRealtimeArrivals(t *testing.T) {
	for _, c := range []struct {
		more        solver.Params
		want, error float64
	}{{solver.Params{"concurrent": 6.0}, 3.4 / 6, 4 / math.Sqrt(2000)},
		{solver.Params{"interarrival": 0.25}, 0.25, 4 / math.Sqrt(2000)}} {
		maps.Copy(c.more, solver.Params{"jobs": 2000, "maps": 1, "keys": 0, "partitions": 1, "skew": 0.0, "history-runs": 0})
		_, in := realtimeOf(t, twitterPreset(), c.more)
		if got := in.Release[1999].Seconds() / 1999; math.Abs(got/c.want-1) > c.error || !slices.IsSorted(in.Release) {
			t.Errorf("%v: %g s between arrivals, want %g", c.more, got, c.want)
		}
	}
}

// TestRealtimeSpeeds: speeds depend only on --speed-seed.
func TestRealtimeSpeeds(t *testing.T) {
	_, a := realtimeOf(t, twitterPreset(), solver.Params{"jobs": 1})
	_, b := realtimeOf(t, youtubePreset(), solver.Params{"jobs": 7})
	_, c := realtimeOf(t, youtubePreset(), solver.Params{"speed-seed": 2})
	if !slices.Equal(a.Speed, b.Speed) || slices.Equal(b.Speed, c.Speed) {
		t.Error("speeds do not depend on --speed-seed alone")
	}
}

// TestRealtimeDegenerate: one worker, no maps, no data, one partition, more reducers than partitions.
func TestRealtimeDegenerate(t *testing.T) {
	for _, c := range []struct {
		more                    solver.Params
		workers, maps, reducers int
	}{
		{solver.Params{"workers": 1}, 1, 1, 1},
		{solver.Params{"workers": 2}, 2, 1, 1},
		{solver.Params{"workers": 1, "maps": 0}, 1, 0, 1},
		{solver.Params{"workers": 5, "maps": 0}, 5, 0, 5},
		{solver.Params{"workers": 5, "maps": 1, "reduces": 1000}, 5, 1, 4},
		{solver.Params{"workers": 5, "maps": 1000, "reduces": 1, "partitions": 1, "skew": 0.0}, 5, 4, 1},
		{solver.Params{"data": 0.0, "input": 0.0, "jobs": 1}, 82, 59, 23},
		{solver.Params{"data": 0.0, "keys": 3, "jobs": 1}, 82, 59, 23},
		{solver.Params{"partitions": 3, "skew": 10.0, "strict": 0.0, "jobs": 1}, 82, 59, 23},
	} {
		_, in := realtimeOf(t, youtubePreset(), c.more)
		if in.Workers != c.workers || len(in.MapSlots) != c.maps || len(in.ReduceSlots) != c.reducers {
			t.Errorf("%v: %d workers, %d map slots, %d reduce slots", c.more, in.Workers, len(in.MapSlots), len(in.ReduceSlots))
		}
	}
}

func TestRealtimeContradictions(t *testing.T) {
	for _, c := range []struct {
		more solver.Params
		want string
	}{
		{solver.Params{"overhead": 0.22}, "--map-time"},
		{solver.Params{"overhead": 0.11}, "--reduce-time"},
		{solver.Params{"partitions": 4}, "--skew"},
		{solver.Params{"keys": 10, "reduces": 1, "skew": 0.5}, "--skew"},
		{solver.Params{"jobs": 1000000}, "rows of tasks"},
		{solver.Params{"jobs": 500, "keys": 1000000}, "rows of partitions"},
		{solver.Params{"history-runs": 10000000}, "rows of history"},
		{solver.Params{"jobs": 100000, "noise": 0.1}, "rows of times"},
		{solver.Params{"jobs": 100000, "load": 0.1}, "rows of times"},
		{solver.Params{"keys": 10, "load": 0.1, "skew": 0.0}, "--load with --keys"},
	} {
		_, err := youtubePreset().Generate(settings(t, youtubePreset(), c.more), 1)
		var input *model.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want a finding about %s", c.more, err, c.want)
		}
	}
}
