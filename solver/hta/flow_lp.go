package hta

import (
	"context"
	"fmt"
	"math"
	"slices"

	"mrsched/model"
	"mrsched/solver"
	"mrsched/solver/flow"
	"mrsched/solver/lp"
	"mrsched/solver/lp/lpsolve"
)

const (
	// flowLPTasks is the number of tasks up to which `-a all` includes flow-lp: it takes a second there, and 14 s for
	// three times as many (BenchmarkFlowLP).
	flowLPTasks = 1000
	// integral is the distance from an integer that lp_solve's errors may cause.
	integral = 1e-6
)

// solveFlowLP is the flow-based algorithm with an LP instead of the maximum flow, solved again for τ = 1, 2, … until
// all tasks are local, or τ local tasks alone take longer than the best makespan.
//
// Algorithm 2 leaves open which maximum flow it continues with, and bal-assign ends at different makespans for
// different ones. So the LP is the published one with a preference among its optima (levelled). The numbers of local
// tasks then are those of flow, up to the order of the servers: flow must agree on ℓ(τ) for every τ.
//
// Guarantee: that of flow.   Complexity: one LP a threshold, of a column per replica and τ columns per server. Ties:
// the larger τ, as flow.   Source: Fischer, Su, Yin, SPAA 2010, Algorithm 2, with their remark that max-cover is a
// linear program.
func solveFlowLP(ctx context.Context, r *run, opt solver.Options) (*found, error) {
	var best []int32
	makespan, status := model.Time(math.MaxInt64), model.StatusLimit
	for tau := int32(1); ; tau++ {
		cover, err := r.coverLP(ctx, tau)
		if err != nil {
			return nil, err
		}
		if cover == nil {
			break
		}
		// The larger τ wins a tie: a limit above the makespan lets it end.
		server, made := r.extended(cover.Units, tau, max(makespan, makespan+1))
		if made <= makespan {
			best, makespan = server, made
		}
		if slices.Max(cover.Load) <= tau || model.Time(tau+1)*r.in.Cost.Local > makespan {
			status = model.StatusFeasible
			break
		}
		opt.Watch.Incumbent(makespan.Seconds(), flowLPName)
		opt.Report(int(tau), r.in.Tasks)
	}
	if best == nil { // the first LP was stopped
		return &found{server: r.roundRobin(r.order("first", 0)), status: status}, nil
	}
	return &found{server: best, status: status}, nil
}

// coverLP solves the LP for a threshold; nil if ctx ended first.
func (r *run) coverLP(ctx context.Context, tau int32) (*flow.SemiMatching, error) {
	s, err := lpsolve.NewSolver(r.levelled(tau))
	if err != nil {
		return nil, &solver.BackendError{Err: err}
	}
	defer s.Close()
	sol, err := s.Solve(ctx)
	switch {
	case err != nil:
		return nil, &solver.BackendError{Err: err}
	case sol.Status == lp.Timeout || sol.Status == lp.Aborted:
		return nil, nil
	case sol.Status != lp.Optimal:
		return nil, &solver.BackendError{Err: fmt.Errorf("max-cover for τ = %d is %v", tau, sol.Status)}
	}
	first, replica := r.in.ReplicaRows()
	c := &flow.SemiMatching{Units: make([]int32, len(replica)), Load: make([]int32, r.in.Servers)}
	for e, server := range replica {
		v := math.Round(sol.X[e])
		if math.Abs(sol.X[e]-v) > integral {
			return nil, &solver.BackendError{Err: fmt.Errorf("max-cover for τ = %d: %s = %v is no integer", tau,
				s.Model().ColName(lp.Col(e)), sol.X[e])}
		}
		c.Units[e] = int32(v)
		c.Load[server] += int32(v)
	}
	for b := range int32(r.in.Blocks) {
		rest := r.in.Readers(b)
		if first[b] == first[b+1] {
			continue
		}
		for e := first[b]; e < first[b+1]; e++ {
			rest -= c.Units[e]
		}
		c.Units[first[b]] += rest
		c.Load[replica[first[b]]] += rest
	}
	return c, nil
}

// levelled is the LP of max-cover with a preference for level loads: the k-th local task of a server costs
// (k−1)/(τ+1), less than any local task is worth. So its optima are the maximum flows that minimise a convex function
// of the loads. Loads of maximum flows are the bases of a polymatroid, in which such an optimum majorises no other
// base: sorted, its loads are those of min(balanced load, τ). The matrix is that of a network: vertices are integral.
func (r *run) levelled(tau int32) *lp.Model {
	m := r.maxCover(tau)
	size := make([]int32, r.in.Servers)
	_, replica := r.in.ReplicaRows()
	rows := make([][]lp.Entry, r.in.Servers)
	for e, s := range replica {
		rows[s] = append(rows[s], lp.Entry{Col: lp.Col(e), Coef: 1})
		_, most := m.Bounds(lp.Col(e))
		size[s] = min(tau, size[s]+int32(most))
	}
	for s, row := range rows {
		for k := range size[s] {
			row = append(row, lp.Entry{Col: m.AddCol("", -float64(k)/float64(tau+1), 0, 1), Coef: -1})
		}
		if len(row) > 0 {
			m.AddRow("", row, lp.LE, 0)
		}
	}
	return m
}
