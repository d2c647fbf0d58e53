package batch

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"mrsched/io/trace"
	"mrsched/model"
)

// DefaultColumns are those of sacct's files without a header.
const DefaultColumns = "jobid,jobidraw,cluster,partition,qos,account,group,gid,user,uid,submit,eligible,start,end," +
	"elapsed,exitcode,state,nnodes,ncpus,reqcpus,reqmem,reqtres,alloctres,timelimit,nodelist,jobname"

// The columns that an import reads.
const (
	idColumn = iota
	clusterColumn
	partitionColumn
	userColumn
	submitColumn
	startColumn
	endColumn
	elapsedColumn
	stateColumn
	nodesColumn
	cpusColumn
	requestedColumn
	memoryColumn
	allocatedColumn
	columns
)

// columnNames are their names in lower case, the preferred one first.
var columnNames = strings.Split("jobid jobidraw,cluster,partition,user,submit,start,end,elapsed elapsedraw,state,"+
	"nnodes allocnodes,ncpus alloccpus,reqcpus,reqmem,alloctres", ",")

// slurm is a log that is being read.
type slurm struct {
	*trace.Words
	*importer
	place [columns]int   // of each column in the file; -1: it lacks it
	width int            // columns of a line; 0: not known yet
	free  bool           // the last column is not read, so that separators in it do not matter
	known map[string]int // rows by runs of jobs
}

// ImportSlurm reads what sacct --parsable2 prints; several files are parts of one log, plain or gzip. See run.
func ImportSlurm(files []File, opt Options) (*model.Workload, error) {
	return run("sacct", files, opt, func(im *importer) {
		f := &slurm{importer: im, known: map[string]int{}}
		im.dated = true
		for _, file := range files {
			f.Words, f.width = trace.NewWords(file, &im.b.Findings), 0
			f.Separator = '|'
			f.read()
		}
		several := slices.ContainsFunc(im.rows, func(r row) bool { return r.cluster != im.rows[0].cluster })
		for i := range im.rows {
			r := &im.rows[i]
			if r.partition = cmp.Or(r.partition, "none"); several { // their names may be the same
				r.id, r.partition = r.cluster+"/"+r.id, r.cluster+"/"+r.partition
			}
			im.countIf(running, r.state == "")
			im.countIf(incomplete, r.state != "" && r.state != "COMPLETED")
		}
	})
}

// read takes the lines of a file.
func (f *slurm) read() {
	for f.Next() {
		names := make([]string, f.Len())
		for i := range names {
			names[i] = f.Word(i)
		}
		header := isHeader(names)
		if header && f.opt.Columns != "" {
			trace.Options{Found: &f.b.Findings}.Bad("columns of a file that has a header", "one of the two")
			return
		}
		if !header {
			names = strings.Split(cmp.Or(f.opt.Columns, DefaultColumns), ",")
		}
		switch {
		case (header || f.width == 0) && !f.columns(names):
			return
		case header:
		case f.fits():
			f.lines++
			f.line()
		case f.lines == 0: // the file is of another format
			return
		}
	}
}

// plain is the name of a column without case and the width that sacct --format allows: JobName%30.
func plain(name string) string {
	name, _, _ = strings.Cut(name, "%")
	return strings.ToLower(strings.TrimSpace(name))
}

// columnOf is the place of a column among names; -1 if there is none.
func columnOf(names []string, column int) int {
	for known := range strings.FieldsSeq(columnNames[column]) {
		if i := slices.IndexFunc(names, func(name string) bool { return plain(name) == known }); i >= 0 {
			return i
		}
	}
	return -1
}

// isHeader says whether a line names columns, as the first one may, and others in files that were joined.
func isHeader(names []string) bool {
	known := 0
	for c := range columnNames {
		if columnOf(names, c) >= 0 {
			known++
		}
	}
	return known > 1 && columnOf(names, idColumn) >= 0
}

// columns takes the names of the columns; false if some are missing, which is a finding.
func (f *slurm) columns(names []string) bool {
	for len(names) > 0 && plain(names[len(names)-1]) == "" { // --parsable ends lines with a separator
		names = names[:len(names)-1]
	}
	f.width, f.free = len(names), true
	for c := range f.place {
		f.place[c] = columnOf(names, c)
		f.free = f.free && f.place[c] != f.width-1
	}
	has := func(column int) bool { return f.place[column] >= 0 }
	if has(idColumn) && (has(submitColumn) || has(startColumn)) &&
		(has(elapsedColumn) || has(startColumn) && has(endColumn)) {
		return true
	}
	f.Report(model.CodeMissing, f.Line(), "columns are missing", "JobID, Elapsed and Submit at least",
		"sacct -P --format=JobID,Partition,User,Submit,Start,End,Elapsed,State,NNodes,NCPUS,ReqMem,JobName")
	return false
}

// fits says whether the line has the columns of the header; if not, it is a finding.
func (f *slurm) fits() bool {
	more := f.Len() - f.width
	if more == 0 || more > 0 && f.free || more == 1 && f.Word(f.width) == "" {
		return true
	}
	hint := "keep sacct's header, or name the columns with --columns; if | is part of a name, let JobName be the last"
	if f.Len() == 1 {
		hint = "separate columns by |: sacct --parsable2"
	}
	f.Report(model.CodeRowShape, f.Line(), "the line has "+model.Counted(f.Len(), "column"),
		fmt.Sprintf("%d, as the columns named", f.width), hint)
	return false
}

// text is the text of a column in the line; "" if there is none.
func (f *slurm) text(column int) string {
	if f.place[column] < 0 {
		return ""
	}
	return strings.TrimSpace(f.Word(f.place[column]))
}

// bad reports the text of a column.
func (f *slurm) bad(column int, expected string) {
	name, _, _ := strings.Cut(columnNames[column], " ")
	f.Report(model.CodeNumber, f.At(f.place[column]), fmt.Sprintf("%s is %.40q", name, f.text(column)), expected,
		"is the order of the columns right?")
}

// line takes the line of a job that ran; steps and jobs that never ran are counted.
func (f *slurm) line() {
	r := row{id: f.text(idColumn), partition: f.text(partitionColumn), user: f.text(userColumn),
		cluster: f.text(clusterColumn), at: f.Line()}
	switch {
	case r.id == "" || len(r.id) > trace.MaxID:
		f.bad(idColumn, fmt.Sprintf("the id of a job, of at most %d bytes", trace.MaxID))
		return
	case strings.Contains(r.id, "."):
		f.count[steps]++
		return
	case !f.times(&r):
		f.count[idle]++
		return
	}
	r.state, _, _ = strings.Cut(cmp.Or(f.text(stateColumn), "COMPLETED"), " ") // CANCELLED by 1000
	if end := f.text(endColumn); end != "" && absent(end) {
		r.state = ""
	}
	f.amounts(&r)
	run := fmt.Sprintf("%s|%s|%d", r.cluster, r.id, r.start)
	k, twice := f.known[run]
	if twice { // an earlier export may have seen the job under way
		if f.count[seen]++; f.rows[k].elapsed < r.elapsed {
			f.rows[k] = r
		}
		return
	}
	f.known[run] = len(f.rows)
	first, _, list := strings.Cut(r.partition, ",")
	r.partition = first
	f.countIf(several, list)
	f.countIf(array, strings.Contains(r.id, "_["))
	f.countIf(component, strings.Contains(r.id, "+"))
	f.rows = append(f.rows, r)
}

// absent says whether a text stands for a time that there is not.
func absent(text string) bool {
	return slices.Contains([]string{"", "unknown", "none", "n/a", "none assigned"}, strings.ToLower(text))
}

// times reads when the job came, began and ended; false if it did not run. Where a clock that is put back shows a time
// twice, the one counts that fits the elapsed time.
func (f *slurm) times(r *row) bool {
	start, started := f.time(startColumn)
	end, ended := f.time(endColumn)
	submit, submitted := f.time(submitColumn)
	elapsed, stated := parseElapsed(f.text(elapsedColumn))
	if f.place[elapsedColumn] < 0 && started && ended {
		elapsed = trace.Since(start, end)
	} else if text := f.text(elapsedColumn); !stated && !absent(text) && text != "INVALID" {
		f.bad(elapsedColumn, "[D-]HH:MM:SS, or seconds")
	}
	if elapsed <= 0 || !started && !submitted {
		return false
	}
	if lasts := time.Duration(elapsed) * time.Microsecond; started && ended {
		is := func(a, b time.Time) bool { return a.Add(lasts).Equal(b) }
		if twin := trace.Twin(start); is(twin, end) || is(twin, trace.Twin(end)) {
			start = twin
		} else {
			f.countIf(suspended, !is(start, end) && !is(start, trace.Twin(end)))
		}
	}
	if submitted && started && submit.After(start) {
		submit = trace.Twin(submit)
	}
	f.countIf(unsubmitted, !submitted)
	f.countIf(early, submitted && started && submit.After(start))
	if !submitted || started && submit.After(start) {
		submit = start
	}
	r.submit, r.elapsed, r.started = model.Time(submit.UnixMicro()), elapsed, started
	if started {
		r.start = model.Time(start.UnixMicro())
	}
	return true
}

// time reads a clock time; false if it is absent, or after a finding.
func (f *slurm) time(column int) (time.Time, bool) {
	text := f.text(column)
	if absent(text) {
		return time.Time{}, false
	}
	t, ok := f.clock.Parse(text)
	if !ok {
		f.bad(column, "a time such as 2026-11-23T22:00:00, or Unknown")
	}
	return t, ok
}

// parseElapsed reads [D-]HH:MM:SS, MM:SS or seconds.
func parseElapsed(text string) (sum model.Time, ok bool) {
	days, rest, long := strings.Cut(text, "-")
	if !long {
		days, rest = "0", text
	}
	parts := strings.Split(rest, ":")
	if len(parts) > 3 || long && len(parts) < 3 {
		return 0, false
	}
	units := []model.Time{model.DaySeconds, 3600, 60, 1}
	for i, part := range append([]string{days}, parts...) {
		unit := units[0]
		if i > 0 {
			unit = units[3-len(parts)+i]
		}
		v, err := model.ParseTime(part)
		if err != nil || v > math.MaxInt32*model.Second {
			return 0, false
		}
		sum += v * unit
	}
	return sum, true
}

// amounts reads what a job had: the sum over its nodes.
func (f *slurm) amounts(r *row) {
	tres := map[string]string{}
	for pair := range strings.SplitSeq(f.text(allocatedColumn), ",") {
		key, value, _ := strings.Cut(pair, "=")
		tres[key] = value
	}
	allocated, _ := strconv.ParseInt(tres["cpu"], 10, 32)
	if r.cpus = cmp.Or(f.number(cpusColumn), allocated); r.cpus == 0 {
		f.count[cpuless]++
		r.cpus = cmp.Or(f.number(requestedColumn), 1)
	}
	text := f.text(memoryColumn)
	bytes, ok := parseMemory(tres["mem"], 1, 1)
	if !ok && text != "" {
		if bytes, ok = parseMemory(text, max(1, f.number(nodesColumn)), r.cpus); !ok {
			f.bad(memoryColumn, "an amount such as 4G, 3000Mc (for each CPU) or 8Gn (for each node)")
		}
	}
	r.memory = model.Optional[model.Bytes]{Value: bytes, Known: bytes > 0} // 0 is all that the nodes have
}

// number is a whole number of a column; 0 if it is absent, or after a finding.
func (f *slurm) number(column int) int64 {
	text := f.text(column)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 {
		f.bad(column, fmt.Sprintf("from 0 to %d", math.MaxInt32))
	}
	return max(0, n)
}

// parseMemory reads an amount of memory: 4G in all, 3000Mc for each CPU, 8Gn for each node. Some versions of sacct
// print what is for each CPU as megabytes plus 2^31 or 2^63.
func parseMemory(text string, nodes, cpus int64) (model.Bytes, bool) {
	times := int64(1)
	switch {
	case strings.HasSuffix(text, "n"):
		times = nodes
	case strings.HasSuffix(text, "c"):
		times = cpus
	}
	text, scale := strings.TrimRight(text, "nc"), 2
	if i := strings.IndexAny(text, "KMGTP"); i >= 0 && i == len(text)-1 {
		scale = 1 + strings.IndexByte("KMGTP", text[i])
		text = text[:i]
	}
	for _, mark := range []uint64{1 << 63, 1 << 31} {
		if n, err := strconv.ParseUint(text, 10, 64); err == nil && scale == 2 && n >= mark {
			text, times = strconv.FormatUint(n-mark, 10), cpus
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	bytes := math.Round(v * math.Pow(1024, float64(scale)) * float64(times))
	return model.Bytes(bytes), err == nil && bytes >= 0 && bytes < 1<<62
}
