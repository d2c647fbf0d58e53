package result

import (
	"math/big"
	"slices"

	"mrsched/model"
)

// RankingRow summarises an algorithm over the instances of a comparison, for one objective of one problem.
type RankingRow struct {
	Problem   string       `json:"problem"`
	Name      string       `json:"objective_name"`
	Algorithm string       `json:"algorithm"`
	Instances int          `json:"instances"`            // for which it made a schedule
	Best      int          `json:"best"`                 // where no algorithm was cheaper
	Judged    int          `json:"judged"`               // with a ratio
	MeanRatio model.Number `json:"mean_ratio,omitempty"` // over these, rounded up
	// WorstRatio is the largest, WorstInstance the first instance that has it.
	WorstRatio    model.Number `json:"worst_ratio,omitempty"`
	WorstInstance string       `json:"worst_instance,omitempty"`
}

// Rank compares the algorithms over all instances, in the order of their first rows.
func Rank(rows []BatchRow) (list []RankingRow) {
	type instance struct{ path, problem, objective string }
	least := map[instance]*big.Rat{}
	each := func(visit func(r *BatchRow, of instance, objective *big.Rat)) {
		for k := range rows {
			r := &rows[k]
			if objective, ok := r.Objective.Rat(); ok {
				visit(r, instance{r.Instance, r.Problem, r.Name}, objective)
			}
		}
	}
	each(func(_ *BatchRow, of instance, objective *big.Rat) {
		if low, ok := least[of]; !ok || objective.Cmp(low) < 0 {
			least[of] = objective
		}
	})
	var sums, worst []*big.Rat
	each(func(r *BatchRow, of instance, objective *big.Rat) {
		at := slices.IndexFunc(list, func(x RankingRow) bool {
			return x.Problem == r.Problem && x.Name == r.Name && x.Algorithm == r.Algorithm
		})
		if at < 0 {
			at = len(list)
			list = append(list, RankingRow{Problem: r.Problem, Name: r.Name, Algorithm: r.Algorithm})
			sums, worst = append(sums, new(big.Rat)), append(worst, new(big.Rat))
		}
		x := &list[at]
		if x.Instances++; objective.Cmp(least[of]) == 0 {
			x.Best++
		}
		ratio, ok := r.Ratio.Rat()
		if !ok {
			return
		}
		x.Judged++
		if sums[at].Add(sums[at], ratio); ratio.Cmp(worst[at]) > 0 {
			worst[at], x.WorstRatio, x.WorstInstance = ratio, r.Ratio, r.Instance
		}
	})
	for k := range list {
		if n := int64(list[k].Judged); n > 0 {
			mean := sums[k].Quo(sums[k], new(big.Rat).SetInt64(n))
			list[k].MeanRatio = model.Number(model.FormatRat(mean, model.RatioDigits, model.RoundUp))
		}
	}
	return list
}
