// Package realtime schedules jobs with deadlines and skewed data on unequal workers. It has the estimators, policies
// and partition assignments of DynamicShare, better ones, and bounds that hold for every schedule. What comes in is a
// realtime.Instance; a schedule and prices go out. Read algorithms.go first: it has the table of algorithms;
// simulate.go runs the policies.
//
// The paper's estimator has a weakness (solver/estimate): it expects a worker with one past run to take as long for
// every partition, whatever its size. One short run is enough for dp and the policies to give that worker nearly
// everything. The paper learns from every task that ends, so the error corrects itself; here the table history is all
// there is. `mrsched estimate` shows which runs an estimate comes from.
package realtime
