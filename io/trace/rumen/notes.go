package rumen

import (
	"mrsched/io/trace"
	"mrsched/model"
)

// What an import counts; doubts has the words.
const (
	skippedFailed = iota
	includedFailed
	droppedEmpty
	repeatedJobs
	setupTasks
	otherAttempts
	unknownSubmit
	impossible
	fromJob
	fromTrace
	unknownShuffle
	unknownPriority
	outsideReplicas
	movedHosts
	nowhereReplicas
	repeatedReplicas
	withoutBlock
	unknownIntermediate
	runsWithoutTime
	runsWithoutName
	runsWithoutBytes
)

var doubts = [...]trace.Doubt{
	skippedFailed:  {Noun: "FAILED or KILLED job", Text: "{is|are} left out"},
	includedFailed: {Noun: "FAILED or KILLED job", Text: "{is|are} imported like any other"},
	droppedEmpty:   {Noun: "job", Text: "without maps and reduces {is|are} left out"},
	repeatedJobs: {Noun: "job", Text: "with {the id of an earlier job is|ids of earlier jobs are} renamed: .2, .3, … " +
		"follows {its id|their ids} and those of {its|their} tasks"},
	setupTasks:    {Noun: "setup or cleanup task", Text: "{is|are} left out"},
	otherAttempts: {Noun: "failed, killed or superfluous attempt", Text: "{is|are} left out"},
	unknownSubmit: {Noun: "job", Text: "without a recorded submission {is|are} released at time 0"},
	impossible: {Noun: "number", Text: "{is|are} replaced, as {it|they} cannot be: negative or too large, before the " +
		"start, of a task that took longer than its job, or of a job that was a year away from its tasks"},
	fromJob: {Noun: "task", Text: "without a recorded duration {takes its|take their} job's median"},
	fromTrace: {Noun: "task", Text: "of {a job|jobs} without any recorded duration of that kind {takes|take} the " +
		"trace's median"},
	unknownShuffle:  {Noun: "job", Text: "without a recorded shuffle {has|have} no shuffle delay"},
	unknownPriority: {Noun: "job", Text: "without a known priority {is|are} weighed as NORMAL"},
	outsideReplicas: {Noun: "replica", Text: "on {a host|hosts} outside the topology {is|are} dropped"},
	movedHosts:      {Noun: "host", Text: "that the trace names in several racks {stays|stay} in the first"},
	nowhereReplicas: {Noun: "replica", Text: "without a host {is|are} dropped"},
	repeatedReplicas: {Noun: "replica", Text: "on {a host that holds|hosts that hold} the block already {is|are} " +
		"dropped"},
	withoutBlock: {Noun: "map", Text: "without known replicas {reads|read} no block"},
	unknownIntermediate: {Noun: "job", Text: "{has|have} unknown intermediate bytes, as not every map's output is " +
		"recorded"},
	runsWithoutTime:  {Noun: "task", Text: "without a recorded duration {leaves no past run|leave no past runs}"},
	runsWithoutName:  {Noun: "attempt", Text: "without a host or class {leaves no past run|leave no past runs}"},
	runsWithoutBytes: {Noun: "past run", Text: "without recorded bytes {counts|count} as having read none"},
}

// notes says what was imported and assumed.
func (im *importer) notes() (notes trace.Notes) {
	count := func(from, to int) { notes.Doubts(doubts[from:to], im.count[from:to]) }
	notes.Add("imported from a Rumen trace of %s", model.Counted(im.objects, "job"))
	count(skippedFailed, unknownSubmit)
	im.origin.Note(&notes)
	count(unknownSubmit, unknownPriority)
	notes.Add("priorities weigh 5 (VERY_HIGH), 4, 3 (NORMAL), 2 and 1 (VERY_LOW)")
	count(unknownPriority, outsideReplicas)
	im.noteNodes(&notes)
	count(movedHosts, runsWithoutTime)
	if im.opt.History {
		notes.Add("%s: a job's class is its name, else its user, else its queue; a reduce's time begins when its shuffle "+
			"ends", model.Counted(im.runs, "past run"))
		count(runsWithoutTime, len(doubts))
	}
	return notes
}

func (im *importer) noteNodes(notes *trace.Notes) {
	hosts, racks := 0, 0
	for _, n := range im.nodes {
		switch n.row.Kind {
		case model.HostNode:
			hosts++
		case model.RackNode:
			racks++
		}
	}
	slots := model.Counted(im.opt.MapSlots, "map slot") + " and " + model.Counted(im.opt.ReduceSlots, "reduce slot")
	where := "without racks"
	if racks > 0 {
		where = "in " + model.Counted(racks, "rack")
	}
	switch {
	case im.stated:
		notes.Add("each of the topology's %s is given %s", model.Counted(hosts, "host"), slots)
	case hosts == 0:
		notes.Add("no topology was given (--topology FILE), and the trace names no host: there are no nodes")
	default:
		notes.Add("no topology was given (--topology FILE): the trace names %s %s; every host gets %s",
			model.Counted(hosts, "host"), where, slots)
	}
	if !im.stated {
		im.count[outsideReplicas], im.count[nowhereReplicas] = 0, im.count[outsideReplicas]
	}
	notes.Doubts(doubts[outsideReplicas:movedHosts], im.count[outsideReplicas:movedHosts])
	if im.count[outsideReplicas] > 0 && im.count[withoutBlock] == im.maps {
		notes.Add("no host of the topology holds any replica: it may be the topology of another trace")
	}
}
