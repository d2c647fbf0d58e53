// Package reduceplace is the reduce placement problem's view of a workload: which reduce slots a job gets when it
// starts; its dynamics, objective, checker and certificates. Nothing here depends on how placements or bounds are
// found. What comes in is a workload and a schedule or a certificate; an objective, a bound or violations go out. Read
// instance.go first.
//
// Model (Tan, Meng, Meng, Zhang, INFOCOM 2013): r reduce slots, slot s costs H(s) per byte. Job i arrives with R_i
// reduce tasks, X_i bytes of intermediate data, X_i/R_i per task, and map work B_i. At most K jobs run at a time, in
// the order of their arrivals; those that run share the map capacity equally. A job holds R_i slots from its start
// until its map work is done. The fetching cost is Σ_i Σ_j x_ij·H(σ_i(j)), where x_ij is X_i/R_i or given per task.
//
//	paper      code
//	r, K       Instance.Slots, Instance.MaxRunning
//	H(s)       Instance.Cost, in rising order: slots are numbered by their cost
//	R_i        Instance.Reduces
//	x_ij       Instance.Data(task)
//	B_i        Instance.Work
//	σ_i(j)     Entry.Machine of task First[i]+j
//
// Starts and departures do not depend on where reduces are placed: a slot's cost makes nothing slower in this model. So
// they are computed once, from the workload alone (dynamics.go), and a placement is a choice of free slots at each
// start.
//
// Differs from the paper: a job that finds fewer than R_i slots free waits, and with it all later ones (the paper
// assumes K·max R ≤ r, under which that never happens). Times are whole microseconds, departures rounded up.
package reduceplace
