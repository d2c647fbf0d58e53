// Package hta is the Hadoop task assignment problem's view of a workload: which server runs which map, given where the
// blocks lie; its objective, checker and certificates. Nothing here depends on how schedules or bounds are found. What
// comes in is a workload and a schedule or a certificate; an objective, a bound or violations go out. Read instance.go
// first.
//
// Model (Fischer, Su, Yin, SPAA 2010): m tasks, n servers, a placement ρ ⊆ tasks × servers. A task costs w_loc on a
// server that holds a replica of its block, else w_rem(r), r being the number of remote tasks in the whole assignment.
// The load of a server is the sum of its tasks' costs; the makespan is the largest load.
//
//	paper            code
//	m, n             Instance.Tasks, Instance.Servers
//	ρ                Instance.Replicas
//	w_loc, w_rem(r)  Cost.Local, Cost.Remote.At(r)
//	k^A, r^A         Loads.MostLocal, Loads.Remote
//
// Extension: with a cost for racks, a task that is remote but in the rack of a replica costs that.
//
// Differs from the paper: many tasks may read one block. Tasks are the maps of all jobs; releases and reduces do not
// matter. A map without a known replica is left out.
//
// Servers are the nodes of the topology with map slots; without a topology, the nodes that placements name. A server
// runs one map at a time, however many map slots it has. A replica on a node without map slots is on no server: a task
// all of whose replicas are on such nodes is never node-local. The paper excludes such tasks; Instance.Unheld counts
// them. Where racks count, a task is rack-local on the servers in the rack of any of its replicas, also of one on no
// server.
package hta
