package solver

import (
	"context"
	"errors"
	"math/big"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"mrsched/model"
	"mrsched/solver/lp"
)

// failing is a run whose algorithms all fail.
type failing struct {
	Run
	why map[string]error
}

func (failing) View() model.View          { return nil }
func (failing) Excludes(string) Exclusion { return Exclusion{} }

func (f failing) Solve(_ context.Context, name string, _ Options) (*Outcome, error) {
	return nil, f.why[name]
}

// TestStartShortOfMemory: Start leaves out an algorithm that fails, but fails itself if one had no memory.
func TestStartShortOfMemory(t *testing.T) {
	f := failing{why: map[string]error{"a": errors.New("no"), "b": &BackendError{Err: lp.ErrMemory}}}
	a, b := Algorithm{Name: "a"}, Algorithm{Name: "b"}
	for _, list := range [][]Algorithm{{a}, {a, b}, {b, a}} {
		s, err := Start(context.Background(), f, list, 1, 1, Options{})
		if short := len(list) > 1; s.Outcome != nil || errors.Is(err, lp.ErrMemory) != short || !short && err != nil {
			t.Errorf("%v: %v, %v", list, s, err)
		}
	}
}

// timed is a run whose algorithms take known times. The name of an algorithm is the cost of its schedule.
type timed struct {
	Run
	takes map[string]time.Duration
}

// costs is a view in which the cost of a schedule is the start of its only entry.
type costs struct{ model.View }

func (costs) Evaluate(s *model.Schedule) model.Evaluation {
	return model.Evaluation{Value: big.NewRat(int64(s.Entries[0].Start), 1)}
}

func (timed) View() model.View          { return costs{} }
func (timed) Excludes(string) Exclusion { return Exclusion{} }

func (r timed) Solve(ctx context.Context, name string, opt Options) (*Outcome, error) {
	const step = 10 * time.Millisecond
	total := int(r.takes[name] / step)
	for k := range total {
		opt.Report(k, total)
		if time.Sleep(step); ctx.Err() != nil {
			return &Outcome{}, nil
		}
	}
	cost, err := strconv.Atoi(name)
	return &Outcome{Schedule: &model.Schedule{Entries: []model.Entry{{Start: model.Time(cost)}}}}, err
}

// TestStartWithinLimit: what Start finds, and when it ends, by a clock that only sleeping moves. Seconds are by
// algorithm; the schedule of the first costs 9, that of the next 8. A limit of 60 s leaves Start 48 s, of which it
// takes up to 7.2 s to find out what the algorithms cost.
func TestStartWithinLimit(t *testing.T) {
	for name, x := range map[string]struct {
		seconds       []float64 // of costs 9, 8, 7, …
		limit, signal float64   // 0: none
		width         int
		found         int64   // the cost; 0: no schedule
		least, most   float64 // when it ends
		cut           bool
	}{
		"without a limit all run":          {[]float64{50, 40, 30}, 0, 0, 1, 7, 120, 120.1, false},
		"all fit":                          {[]float64{7, 11, 9, 1}, 60, 0, 1, 6, 28, 35.2, false},
		"the quick one comes last":         {[]float64{100, 100, 100, 1}, 60, 0, 1, 6, 48, 48.1, true},
		"the quicker one goes first":       {[]float64{100, 25, 100, 100}, 60, 0, 1, 8, 48, 48.1, true},
		"two side by side":                 {[]float64{29, 29}, 60, 0, 2, 8, 29, 36.3, false},
		"one of half the limit comes last": {[]float64{5, 29}, 60, 0, 1, 8, 34, 41.3, false},
		"the only one takes all the time":  {[]float64{50, 100}, 60, 0, 1, 9, 53, 57.3, true},
		"late, but within the grace":       {[]float64{60.8}, 60, 0, 1, 9, 60.8, 60.9, false},
		"nothing in time":                  {[]float64{70, 80}, 60, 0, 1, 0, 61.5, 61.6, true},
		"a signal":                         {[]float64{3, 50}, 0, 5, 1, 9, 5, 5.1, true},
		"a signal, and one almost ready":   {[]float64{6, 50}, 0, 5, 1, 9, 6, 6.1, true},
		"a signal before any is ready":     {[]float64{50, 50}, 0, 5, 1, 0, 6.5, 6.6, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := timed{takes: map[string]time.Duration{}}
				var list []Algorithm
				for k, s := range x.seconds {
					a := Algorithm{Name: strconv.Itoa(9 - k)}
					list = append(list, a)
					r.takes[a.Name] = time.Duration(s * float64(time.Second))
				}
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				if x.limit > 0 {
					ctx, cancel = context.WithTimeout(ctx, time.Duration(x.limit*float64(time.Second)))
					defer cancel()
				}
				if x.signal > 0 {
					time.AfterFunc(time.Duration(x.signal*float64(time.Second)), cancel)
				}
				begin := time.Now()
				s, err := Start(ctx, r, list, 1, x.width, Options{})
				if took := time.Since(begin).Seconds(); err != nil || took < x.least || took > x.most || s.Cut != x.cut {
					t.Errorf("%v after %.2f s, cut %v", err, took, s.Cut)
				}
				if found := s.Cost; (found == nil) != (x.found == 0) || found != nil && found.Num().Int64() != x.found {
					t.Errorf("found %v, expected %d", found, x.found)
				}
			})
		})
	}
}
