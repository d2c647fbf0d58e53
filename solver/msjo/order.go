package msjo

import (
	"mrsched/model/msjo"
	"mrsched/solver/list"
)

// graph is the instance in the form of package list; it shares the instance's arrays.
func graph(in *msjo.Instance) *list.Graph {
	return &list.Graph{Tasks: in.Tasks, Processing: in.Processing, Earliest: in.Earliest,
		SuccFirst: in.SuccFirst, SuccNode: in.SuccNode, SuccDelay: in.SuccDelay, Preds: in.Preds}
}

// ranks inverts an order: the place of every task in it.
func ranks(order []int32) []int32 {
	rank := make([]int32, len(order))
	for k, u := range order {
		rank[u] = int32(k)
	}
	return rank
}
