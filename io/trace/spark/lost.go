package spark

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"mrsched/io/trace"
	"mrsched/model"
)

// gaps are the parts of a rolling log that are not there, as text, and how many; the parts are in order.
func gaps(files []File) (text string, count int64) {
	var list []string
	next := int64(1)
	for i, f := range files {
		n, ok := partNumber(path.Base(f.Name))
		if !ok {
			return "", 0
		}
		if i > 0 || n > 0 && !isCompact(f.Name) {
			switch missing := n - next; {
			case missing == 1:
				list = append(list, strconv.FormatInt(next, 10))
			case missing > 1:
				list = append(list, fmt.Sprintf("%d to %d", next, n-1))
			}
			count += max(0, n-next)
		}
		next = n + 1
	}
	return strings.Join(list, ", "), count
}

// complete says whether each task of an attempt of a stage must have succeeded: the stage was completed, or it has no
// end in the log and was the last attempt of a job that succeeded or of an application that ended.
func (im *importer) complete(k int32) bool {
	r := &im.runs[k]
	if r.completed || r.failed {
		return r.completed
	}
	runs := im.stages[r.stage].runs
	j := &im.jobs[r.job]
	return runs[len(runs)-1] == k && (j.succeeded || j.done == unknown && im.ended)
}

// started counts the attempts of tasks that began.
func (g *eventLog) started() (n int) {
	for i := range g.runs {
		n += int(g.runs[i].started)
	}
	return n
}

// lost counts tasks whose ends are not in the log.
type lost struct {
	stages         []string // "2 of 4 tasks of stage 0"
	tasks, of      int64    // of these stages
	ended          int      // others that started, in an application that ended
	twins, running int      // attempts without an end: of tasks that succeeded; while the log ended
}

// findLost compares the ends of tasks with what else the log says.
func (im *importer) findLost() (x lost) {
	for i := range im.runs {
		k := int32(i)
		r := &im.runs[k]
		size := r.size
		if size == unknown && r.attempt == 0 {
			size = im.stages[r.stage].tasks
		}
		open := max(0, int(r.started)-int(r.ended))
		missing := int64(0)
		if im.complete(k) && size > int64(r.success) {
			missing = max(0, size-int64(r.success)-im.covered(k))
		}
		if missing > 0 {
			name := strconv.FormatInt(im.stages[r.stage].id, 10)
			if r.attempt > 0 {
				name += "." + strconv.FormatInt(r.attempt, 10)
			}
			x.stages = append(x.stages, fmt.Sprintf("%d of %d tasks of stage %s", missing, size, name))
			x.tasks, x.of = x.tasks+missing, x.of+size
		}
		switch open = max(0, open-int(missing)); {
		case !im.ended:
			x.running += open
		case im.complete(k) && size != unknown:
			x.twins += open
		default:
			x.ended += open
		}
	}
	return x
}

// covered counts the partitions that other attempts of a retried stage completed while an attempt ran, and it did not:
// Spark does not run these again.
func (im *importer) covered(run int32) (n int64) {
	r := &im.runs[run]
	seen := map[int32]bool{unknown: false}
	ends := im.retried[r.stage]
	for _, own := range []bool{true, false} {
		for _, k := range ends {
			e := &im.ends[k]
			switch {
			case !e.success || (e.run == run) != own:
			case own:
				seen[e.partition] = e.partition != unknown
			case k >= r.begun && k < r.over && !seen[e.partition]:
				seen[e.partition] = e.partition != unknown
				n++
			}
		}
	}
	return n
}

// verb is the form of a verb for a number of things.
func verb(n int64, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// noteLost is about events that the log lacks.
func (im *importer) noteLost(notes *trace.Notes, files []File, x *lost) {
	if text, n := gaps(files); n == 1 {
		notes.Lack("part %s of the rolling log is missing", text)
	} else if n > 1 {
		notes.Lack("%d parts of the rolling log are missing: %s", n, text)
	}
	const most = 3 // stages that are named
	switch n := len(x.stages); {
	case n == 1:
		notes.Lack("%s %s no end in the log", x.stages[0], verb(x.tasks, "has", "have"))
	case n > most:
		notes.Lack("%d of %d tasks of %d stages have no end in the log, such as %s", x.tasks, x.of, n,
			strings.Join(x.stages[:most], ", "))
	case n > 1:
		notes.Lack("%d of %d tasks of %d stages have no end in the log: %s", x.tasks, x.of, n,
			strings.Join(x.stages, ", "))
	}
	if x.ended > 0 {
		notes.Lack("%s started and never ended, although the application ended", model.Counted(x.ended, "task"))
	}
	if n := im.left.jobEnds; n > 0 {
		notes.Lack("%s %s without a start in the log", model.Counted(n, "job"), verb(int64(n), "ends", "end"))
	}
}
