// Package estimate predicts from past runs how long tasks will take on workers. What comes in are past runs and a task;
// a time goes out. Read estimate.go first.
//
// # The problem
//
// A past run says: a task of this class (say, a word count) and kind (map or reduce), with this many bytes of input, so
// many cores and so much memory, took so long on this worker. A new task of the class has known bytes, and perhaps
// known cores and memory. How long will it take on each worker, even on those where no such task has run?
//
// # Which runs count
//
// The best source that has runs (Source):
//
//  1. Runs of the task's class and kind on the worker itself.
//  2. Runs of its class and kind on all workers. Each counts with the time it would have taken on a worker of speed 1;
//     the result is divided by the worker's speed.
//  3. The mean of all runs of its class, of any kind, scaled in the same way.
//
// If a task does not state its cores or memory, the mean of the fullest bin of a histogram of past values is in
// (histogram.go): first of the runs on the worker, then of those on all workers.
//
// # How a time follows
//
// k-nearest-neighbour regression (knn.go): the k = ⌈n^{4/5}⌉ runs nearest to the task in bytes, cores and memory are
// averaged with Epanechnikov weights, which fall from the centre to 0 at the distance R of the farthest. Distances
// count bytes, and percent of the most cores and memory that a run needed, as in the paper, or features divided by
// their standard deviation. A list sorted by the feature that tells them apart best finds the neighbours
// (nearest.go).
//
// For example, runs over 1, 2 and 4 GB took 10, 20 and 40 s, and a new task has 2 GB. With n = 3, k is 3 and R is 2 GB.
// The runs lie at distances 1, 0 and 2; their weights are as ¾ : 1 : 0, and the estimate is (¾·10 + 20)/(1 + ¾) = 15.7
// s.
//
// A line (line.go): the non-negative least-squares line over bytes. It costs next to nothing per task, and serves jobs
// with very many tasks.
//
// Bytes are far larger numbers than percents, so that cores and memory decide only among tasks of about one size.
// Divided by their deviations they count as much as bytes; of 300 runs, the 96 nearest then spread over most sizes, and
// their mean is that of tasks of other sizes.
//
// A k-NN regression cannot predict beyond its runs: a worker with one past run is expected to take as long for every
// task, whatever its size. Such an estimate is as good as the history.
//
// # Outliers
//
// OutlierFactors (lof.go) is the Local Outlier Factor of numbers: how far a number lies from its neighbours, compared
// with how far they lie from theirs.
//
// # Units and complexity
//
// Times are in microseconds. Learning from n runs takes O(n log n), once per class, kind and worker, at the first
// query. With one feature a query looks at O(k + log n) points, with more at those that are near in the sorted one, at
// all n in the worst case. Answers are kept.
//
// # Sources
//
//   - DynamicShare: which runs count, k, and the use of outlier factors.
//   - Epanechnikov, Theory of Probability and its Applications 1969: the weights.
//   - Sturges, JASA 1926: the number of bins.
//   - Breunig, Kriegel, Ng, Sander, LOF, SIGMOD 2000.
package estimate
