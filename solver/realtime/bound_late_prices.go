package realtime

import (
	"context"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
	"mrsched/solver/unrelated"
)

const (
	// speedScale is the price of a worker of speed 1, so that prices are exact for speeds of at most six decimals.
	speedScale = 1_000_000
	// priceTasks bounds the linear program for prices of workers that are not related by speeds.
	priceTasks = 250
	// workBits bounds the work of all tasks together.
	workBits = 1 << 60
)

// latePrices are the price vectors to try, by kind: balanced prices, if times are given, and the workers' speeds; and
// both in larger units, in which the room of a slot is a whole number of tasks of the least work. Workers that are too
// slow for any task have price 0.
func latePrices(ctx context.Context, in *realtime.Instance) (list []realtime.Price, err error) {
	l, err := in.Lateness(nil)
	if err != nil {
		return nil, err
	}
	for _, kind := range []model.TaskKind{model.Map, model.Reduce} {
		tasks := lateTasks(in, l, kind)
		workers := usableWorkers(in, l, kind, tasks)
		if len(workers) == 0 {
			continue
		}
		vectors := [][]int64{speedPrices(in, workers)}
		if slices.ContainsFunc(tasks, in.Given) {
			balanced, err := balancedPrices(ctx, in, kind, tasks, workers)
			if err != nil {
				return nil, err
			}
			vectors = append(vectors, balanced)
		}
		for _, v := range vectors {
			p := realtime.Price{Kind: kind.String(), Worker: v}
			fits, least := priceUnits(in, tasks, workers, v)
			p.Unit = fits
			list = append(list, p)
			if least > fits && (kind == model.Map || !in.Resplit.Known) { // slots for pieces round nothing
				p.Unit = least
				list = append(list, p)
			}
		}
	}
	return list, nil
}

// lateTasks are the tasks of a kind of the jobs that may be on time.
func lateTasks(in *realtime.Instance, l *realtime.Lateness, kind model.TaskKind) []int32 {
	first, end := int32(0), int32(in.Maps)
	if kind == model.Reduce {
		first, end = end, int32(in.Tasks)
	}
	return slices.DeleteFunc(numbers(first, end), func(t int32) bool {
		return in.Due[in.JobOf(t)] == realtime.NoDeadline || l.Sure[in.JobOf(t)]
	})
}

// usableWorkers are the workers on which some task of a kind fits between its job's bounds.
func usableWorkers(in *realtime.Instance, l *realtime.Lateness, kind model.TaskKind, tasks []int32) []int32 {
	split := kind == model.Reduce && in.Resplit.Known && len(tasks) > 0
	return slices.DeleteFunc(workersFor(in, kind), func(w int32) bool {
		return !split && !slices.ContainsFunc(tasks, func(t int32) bool {
			return in.Time(t, w) <= l.End[kind][in.JobOf(t)]-l.Head[kind][in.JobOf(t)]
		})
	})
}

// speedPrices are the speeds of workers.
func speedPrices(in *realtime.Instance, workers []int32) []int64 {
	list, divisor := make([]int64, in.Workers), model.Time(0)
	for _, w := range workers {
		list[w] = max(1, int64(math.Round(min(in.Speed[w]*speedScale, workBits/float64(in.Slots)))))
		divisor = model.GCD(divisor, model.Time(list[w]))
	}
	for _, w := range workers {
		list[w] /= int64(divisor)
	}
	return list
}

// priceUnits are the least unit in which the work of all tasks stays below workBits, and the least work of a task in
// units of 1; 0 if no task has any.
func priceUnits(in *realtime.Instance, tasks, workers []int32, price []int64) (fits, least int64) {
	work, lightest, sum := 0.0, math.Inf(1), 0.0
	for i, t := range tasks {
		if i == 0 || in.Given(t) || !in.Alike(t, tasks[i-1]) {
			work = math.Inf(1)
			for _, w := range workers {
				work = min(work, float64(price[w])*float64(in.Time(t, w)))
			}
		}
		if sum += work; work > 0 {
			lightest = min(lightest, work)
		}
	}
	for fits = 1; sum/float64(fits) > workBits; fits *= 2 {
	}
	if math.IsInf(lightest, 1) {
		return fits, 0
	}
	return fits, int64(min(lightest, workBits))
}

// balancedPrices are prices for which the work of some of the tasks is largest compared to the room of all slots: the
// prices of slots between which the tasks are divided.
func balancedPrices(ctx context.Context, in *realtime.Instance, kind model.TaskKind, tasks, workers []int32) (
	[]int64, error) {
	tasks = thinned(tasks, priceTasks)
	s := unrelated.Spec{Tasks: len(tasks), Divisible: true,
		Time: func(i, c int) model.Time { return in.Time(tasks[i], workers[c]) }}
	for c, w := range workers {
		s.Speed = append(s.Speed, in.Speed[w])
		for _, slot := range in.SlotsFor(kind) {
			if in.WorkerOf[slot] == w {
				s.Class = append(s.Class, int32(c))
			}
		}
	}
	s.Most = len(s.Class)
	b, err := unrelated.New(s).RelaxedBound(ctx)
	if err != nil || b.Proof.Machines == nil {
		return speedPrices(in, workers), err
	}
	list := make([]int64, in.Workers)
	for k, c := range s.Class {
		list[workers[c]] = b.Proof.Machines[k]
	}
	return list, nil
}
