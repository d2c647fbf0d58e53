// Package multitenant schedules the jobs of users who share a cluster of racks: the policies of ShuffleWatcher and its
// baselines on a simulated network, plans that improve on them, and lower bounds. No policy can deadlock:
// docs/mathematics.md, section multitenant. What comes in is a multitenant.Instance; a schedule and prices go out. Read
// problem.go first: it has the table of algorithms; simulate.go runs the policies.
package multitenant
