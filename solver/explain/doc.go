// Package explain says why a task or job of a schedule is where and when it is, and what it would cost to move it.
//
// An explanation is a list of typed facts. Each has a kind, a subject (a task, a job), numbers and a short text, and
// answers one of five questions:
//
//   - when: what the start waits for, first what binds, then what would hold it next;
//   - where: what other machines take, and when they have room;
//   - prices: what the certificate of the lower bound says of it;
//   - alternatives: other places, the cheapest first, with the cost of the whole changed schedule;
//   - changes: what would have to change for an earlier start, or for a late job to be on time.
//
// A problem implements Problem on top of a Desk, which has the schedule's rows by machine and by job. The problem says
// what holds a row whatever the machines do (Holds), where it could run and when it would end there (Machines, End),
// and which rows wait for it (Next). From these the Desk derives the binding reason, the chain that leads to a job's
// end, the gaps on other machines, and moves: a row goes to another place, and the rows behind it start as much later
// as they have to, in their present order. A problem whose machines are no queues replaces Room or Moves.
//
// Read desk.go first, then when.go, where.go and moves.go; answer.go puts them together. io/explain prints.
package explain
