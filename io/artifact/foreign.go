package artifact

import (
	"slices"
	"strings"
)

// byHand is what to do with files that nothing imports.
const byHand = "write it as a workload, whose tables mrsched schema workload describes"

// readable is what to do with a trace that nothing imports.
const readable = "import reads traces of the formats rumen, swim, alibaba, spark and wfformat; or " + byHand

// foreign are the kinds of files of other programs that nothing imports, and what can be read instead.
func foreign() []look {
	const history = "Rumen's TraceBuilder makes a trace of such files: mrsched import rumen TRACE --topology TOPOLOGY"
	return []look{
		{"", "a workload of YARN's scheduler load simulator (SLS)", "SLS makes such files of Rumen traces, which can be " +
			"read: mrsched import rumen TRACE", func(t string) bool {
			return strings.HasPrefix(strings.TrimLeft(t, "[ \t\r\n"), "{") && mentions(t, "am.type", "job.start.ms",
				"job.tasks", "container.host")
		}, nil},
		{"", "a job history of Hadoop (.jhist)", history, func(t string) bool {
			return strings.HasPrefix(t, "Avro-Json") || strings.HasPrefix(t, "Avro-Binary") ||
				strings.HasPrefix(t, `Meta VERSION="`)
		}, nil},
		{"", "a log in the Standard Workload Format (SWF)", readable, standardWorkload, nil},
		{"", "accounting data of Slurm (sacct)", readable, accounting, nil},
		{"", "a table of Google's cluster traces", readable, func(t string) bool {
			return mentions(t, "collection_id", "instance_index") || googleRow(strings.Split(firstLine(t), ","))
		}, nil},
	}
}

// standardWorkload says whether a text begins as a log in the Standard Workload Format: with comments after semicolons,
// or with a line of 18 numbers.
func standardWorkload(text string) bool {
	const fields = 18
	f := strings.Fields(firstLine(text))
	return strings.HasPrefix(text, ";") ||
		len(f) == fields && !slices.ContainsFunc(f, func(s string) bool { return !numeric(s) })
}

// accounting says whether a text begins as sacct prints it: with titles, as JSON, or with fields between bars, among
// them the times of a job.
func accounting(text string) bool {
	line := firstLine(text)
	if isJSON(text) {
		return mentions(text, "slurm", "Slurm")
	}
	if strings.HasPrefix(line, "JobID") {
		return true
	}
	const few, date = 6, "2006-01-02T15:04:05"
	f := strings.Split(line, "|")
	return len(f) >= few && slices.ContainsFunc(f, func(s string) bool {
		return len(s) == len(date) && s[4] == '-' && s[7] == '-' && s[10] == 'T' && s[13] == ':'
	})
}

// googleRow says whether a line is one of a table of Google's cluster traces: of the trace of 2019 by the titles of its
// columns, of that of 2011 by their number and by the types of the first ones, which are times and ids of jobs, tasks
// and machines.
func googleRow(f []string) bool {
	if slices.Contains(f, "collection_id") || slices.Contains(f, "job ID") {
		return true
	}
	are := func(columns ...int) bool {
		return !slices.ContainsFunc(columns, func(k int) bool { return strings.Trim(f[k], "0123456789") != "" || f[k] == "" })
	}
	long := func(k int) bool { return len(f[k]) >= 9 } // in microseconds, from the 600th second on
	switch len(f) {
	case 8: // job_events: time, missing, job, event, user, class, name, logical name
		return are(0, 2, 3, 5) && !numeric(f[6])
	case 13: // task_events: time, missing, job, index, machine, event, user, class, priority, …
		return are(0, 2, 3, 5, 7, 8) && !numeric(f[6])
	case 19, 20: // task_usage: start, end, job, index, machine, …
		return are(0, 1, 2, 3, 4) && long(0) && long(1)
	}
	return false
}
