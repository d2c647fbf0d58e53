package realtime

import (
	"context"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/model/realtime"
)

const (
	// priceScale is the largest price, unless the speeds are whole multiples of a smaller one.
	priceScale = 1 << 20
	// priceTasks and priceRounds bound the search for prices of workers that are not related by speeds.
	priceTasks, priceRounds = 2000, 100
	// workBits bounds the work of all tasks together.
	workBits = 1 << 60
)

// latePrices are the price vectors to try, by kind: balanced prices, if times are given, and the workers' speeds; the
// same without the workers that are too slow for any task; and all of these in larger units, in which the room of a
// slot is a whole number of tasks of the least work, of the median, or of half the least.
func latePrices(ctx context.Context, in *realtime.Instance) (list []realtime.Price, err error) {
	for _, kind := range []model.TaskKind{model.Map, model.Reduce} {
		tasks := lateTasks(in, kind)
		if len(tasks) == 0 {
			continue
		}
		plain := realtime.Price{Kind: kind.String(), Worker: speedPrices(in, kind)}
		plain.Unit, _, _ = priceUnits(in, tasks, &plain)
		first := len(list)
		list = append(list, plain)
		if slices.ContainsFunc(tasks, in.Given) {
			better := realtime.Price{Kind: kind.String(), Worker: balancedPrices(ctx, in, kind, tasks)}
			better.Unit, _, _ = priceUnits(in, tasks, &better)
			list = append(list, better)
			list[first], list[first+1] = list[first+1], list[first]
		}
		l, err := in.Lateness(list)
		if err != nil {
			return nil, err
		}
		usable := usableWorkers(in, l, kind)
		for _, p := range slices.Clone(list[first:]) {
			p, changed := without(p, usable)
			if changed {
				list = append(list, p)
			}
			list = append(list, roundedPrices(in, l, kind, tasks, p)...)
		}
	}
	return list, nil
}

// roundedPrices are prices in larger units; none if partitions are split, because slots then round nothing.
func roundedPrices(in *realtime.Instance, l *realtime.Lateness, kind model.TaskKind, tasks []int32,
	q realtime.Price) (list []realtime.Price) {
	if kind == model.Reduce && in.Resplit.Known {
		return nil
	}
	open := slices.DeleteFunc(slices.Clone(tasks), func(t int32) bool { return l.Sure[in.JobOf(t)] })
	_, least, median := priceUnits(in, open, &q)
	first, seen := q.Unit, []int64{}
	for _, unit := range []int64{least, median, least / 2} {
		if unit > first && !slices.Contains(seen, unit) {
			q.Unit = unit
			list, seen = append(list, q), append(seen, unit)
		}
	}
	return list
}

// without are prices in which unusable workers have price 0, and whether that changed any.
func without(p realtime.Price, usable []bool) (q realtime.Price, changed bool) {
	q = p
	q.Worker = slices.Clone(p.Worker)
	for w, y := range q.Worker {
		if y > 0 && !usable[w] {
			q.Worker[w], changed = 0, true
		}
	}
	return q, changed
}

// lateTasks are the tasks of a kind of the jobs with a deadline.
func lateTasks(in *realtime.Instance, kind model.TaskKind) []int32 {
	first, end := int32(0), int32(in.Maps)
	if kind == model.Reduce {
		first, end = end, int32(in.Tasks)
	}
	return slices.DeleteFunc(numbers(first, end), func(t int32) bool { return in.Due[in.JobOf(t)] == realtime.NoDeadline })
}

// speedPrices are the speeds of the workers with slots of a kind, as whole numbers: exact if they have at most six
// decimals.
func speedPrices(in *realtime.Instance, kind model.TaskKind) []int64 {
	value := make([]float64, in.Workers)
	for _, w := range workersFor(in, kind) {
		value[w] = in.Speed[w]
	}
	if fastest := slices.Max(value); fastest < 1e-3 || fastest > 1e3 {
		return wholePrices(value)
	}
	exact, divisor := make([]int64, len(value)), int64(0)
	for w, v := range value {
		micro := math.Round(v * 1e6)
		if v > 0 && (micro < 1 || math.Abs(v*1e6-micro) > 1e-6) {
			return wholePrices(value)
		}
		exact[w] = int64(micro)
		for b := exact[w]; b != 0; { // the greatest common divisor
			divisor, b = b, divisor%b
		}
	}
	for w := range exact {
		exact[w] /= divisor
	}
	return exact
}

// wholePrices scales values to whole numbers of at most priceScale.
func wholePrices(value []float64) []int64 {
	scale := priceScale / slices.Max(value)
	list := make([]int64, len(value))
	for w, v := range value {
		if v > 0 {
			list[w] = max(1, int64(math.Round(v*scale)))
		}
	}
	return list
}

// priceUnits are the least unit in which the work of all tasks stays below workBits, and the least and the median work
// of a task in units of 1; 0 if no task has any.
func priceUnits(in *realtime.Instance, tasks []int32, p *realtime.Price) (fits, least, median int64) {
	work, sum := make([]float64, 0, len(tasks)), 0.0
	workers := slices.DeleteFunc(numbers(0, int32(in.Workers)), func(w int32) bool { return p.Worker[w] == 0 })
	last := 0.0
	for i, t := range tasks {
		if i == 0 || in.Given(t) || !in.Alike(t, tasks[i-1]) {
			last = math.Inf(1)
			for _, w := range workers {
				last = min(last, float64(p.Worker[w])*float64(in.Time(t, w)))
			}
		}
		if sum += last; last > 0 && !math.IsInf(last, 1) {
			work = append(work, last)
		}
	}
	for fits = 1; sum/float64(fits) > workBits; fits *= 2 {
	}
	if len(work) == 0 {
		return fits, 0, 0
	}
	slices.Sort(work)
	whole := func(x float64) int64 { return int64(min(x, workBits)) }
	return fits, whole(work[0]), whole(work[len(work)/2])
}

// usableWorkers are the workers on which some task of a kind fits between its job's bounds.
func usableWorkers(in *realtime.Instance, l *realtime.Lateness, kind model.TaskKind) []bool {
	usable, left := make([]bool, in.Workers), workersFor(in, kind)
	split := kind == model.Reduce && in.Resplit.Known
	last := int32(-1)
	for _, t := range lateTasks(in, kind) {
		j := in.JobOf(t)
		if l.Sure[j] || last >= 0 && in.JobOf(last) == j && !in.Given(t) && in.Alike(t, last) {
			continue
		}
		last = t
		length := l.End[kind][j] - l.Head[kind][j]
		left = slices.DeleteFunc(left, func(w int32) bool {
			usable[w] = usable[w] || split || in.Time(t, w) <= length
			return usable[w]
		})
	}
	return usable
}

// balancedPrices are prices for which the work of the tasks is large compared to the room of all slots. They solve the
// dual of dividing tasks among unrelated slots by multiplicative weights: the price of a slot that attracts more work
// than others rises. The best prices on the way are kept.
//
// Source: Plotkin, Shmoys, Tardos, Math. of OR 1995.
func balancedPrices(ctx context.Context, in *realtime.Instance, kind model.TaskKind, tasks []int32) []int64 {
	tasks = thinned(tasks, priceTasks)
	slots := make([]float64, in.Workers)
	for _, s := range in.SlotsFor(kind) {
		slots[in.WorkerOf[s]]++
	}
	price, best, most := make([]float64, in.Workers), make([]float64, in.Workers), -1.0
	time := make([][]float64, len(tasks))
	for i, t := range tasks {
		time[i] = make([]float64, in.Workers)
		for w := range time[i] {
			if slots[w] > 0 {
				time[i][w] = float64(in.Time(t, int32(w)))
				price[w] += float64(in.Least(t)+1) / (time[i][w] + 1) / float64(len(tasks))
			}
		}
	}
	load := make([]float64, in.Workers)
	for round := range priceRounds {
		if round > 0 && ctx.Err() != nil {
			break
		}
		clear(load)
		sum, room, heaviest := 0.0, 0.0, 0.0
		for i := range time {
			cheapest := -1
			for w, n := range slots {
				if n > 0 && (cheapest < 0 || price[w]*time[i][w] < price[cheapest]*time[i][cheapest]) {
					cheapest = w
				}
			}
			load[cheapest] += time[i][cheapest] / slots[cheapest]
			sum += price[cheapest] * time[i][cheapest]
		}
		for w, n := range slots {
			room += n * price[w]
			heaviest = max(heaviest, load[w])
		}
		if sum/room > most {
			most = sum / room
			copy(best, price)
		}
		for w := range price {
			price[w] *= 1 + load[w]/(heaviest+1)/math.Sqrt(float64(round+1))
		}
	}
	return wholePrices(best)
}
