package batch

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"mrsched/io/trace"
	"mrsched/model"
)

// The fields of a line of the Standard Workload Format, version 2; the others are not read.
const (
	numberField    = 0
	submitField    = 1
	waitField      = 2
	runField       = 3
	procsField     = 4
	requestedField = 7
	statusField    = 10
	userField      = 11
	precedingField = 16
	thinkField     = 17
	swfFields      = 18
)

// The first and the last status of lines about a part of a job's run, which another line sums up.
const firstPart, lastPart = 2, 4

// ImportSWF reads a log in the Standard Workload Format, plain or gzip. See run.
func ImportSWF(file File, opt Options) (*model.Workload, error) {
	return run("SWF", []File{file}, opt, func(im *importer) {
		f := &swf{Words: trace.NewWords(file, &im.b.Findings), importer: im, whole: map[string]bool{}}
		f.Comment, f.Remark = ';', f.remark
		for f.Next() {
			if n := f.Len(); n == swfFields {
				im.lines++
				f.line()
			} else if f.Shape(f.At(0), fmt.Sprintf("the line has length %d", n),
				fmt.Sprintf("%d numbers, of which -1 is unknown; comments begin with ;", swfFields)); im.lines == 0 {
				return // the file is of another format
			}
		}
		for _, r := range f.partial {
			if f.whole[r.id] {
				im.count[parts]++
			} else {
				im.rows = append(im.rows, r)
			}
		}
		if f.settle(); im.dated && im.zone == nil {
			im.zone = time.UTC
		}
	})
}

// swf is a log that is being read.
type swf struct {
	*trace.Words
	*importer
	partial []row           // lines about parts of runs
	whole   map[string]bool // jobs that have another line
	begin   int64           // of the log, in seconds since 1970
	waited  bool            // some job states a waiting time above 0
}

// remark takes a comment, such as "MaxProcs: 128 (two cabinets)".
func (f *swf) remark(text string) {
	key, value, _ := strings.Cut(text, ":")
	value = strings.TrimSpace(value)
	first, _, _ := strings.Cut(value, " ")
	n, err := strconv.ParseInt(first, 10, 32)
	switch key = strings.TrimSpace(key); {
	case key == "TimeZoneString" && value != "" && value != "Local":
		if zone, err := time.LoadLocation(value); err == nil {
			f.zone = zone
		}
	case err != nil:
	case n > 0 && (key == "MaxProcs" || key == "MaxNodes" && f.procs == 0):
		f.procs = n
	case key == "UnixStartTime" && n > 0:
		f.begin, f.dated = n, true
	case key == "TimeZone" && f.zone == nil && n > -model.DaySeconds && n < model.DaySeconds:
		f.zone = time.FixedZone("", int(n))
	}
}

// line takes the line of a job that ran.
func (f *swf) line() {
	r := row{id: f.name(numberField), user: f.name(userField), preceding: f.name(precedingField), partition: "machine",
		think: f.number(thinkField).Value, elapsed: f.number(runField).Value, at: f.Line()}
	submit, wait, status := f.number(submitField), f.number(waitField), f.number(statusField).Value/model.Second
	procs := f.number(procsField).Value / model.Second
	if procs == 0 {
		procs = f.number(requestedField).Value / model.Second
	}
	f.waited = f.waited || wait.Value > 0
	r.submit, r.start, r.started = submit.Value, submit.Value+wait.Value, wait.Known
	r.cpus = int64(max(1, procs))
	switch {
	case r.id == "":
		f.Report(model.CodeMissing, f.At(numberField), "the job number is unknown", "a whole number", "")
	case r.elapsed == 0 || !submit.Known:
		f.count[idle]++
		return
	case procs > math.MaxInt32:
		f.Report(model.CodeOverflow, f.At(procsField), fmt.Sprintf("%d processors", procs),
			fmt.Sprintf("at most %d", math.MaxInt32), "")
	}
	f.countIf(cpuless, procs == 0)
	if status >= firstPart && status <= lastPart {
		f.partial = append(f.partial, r)
		return
	}
	if f.whole[r.id] {
		f.Report(model.CodeDuplicate, f.At(numberField), fmt.Sprintf("job %s is there twice", r.id), "unique numbers", "")
	}
	f.whole[r.id] = true
	f.rows = append(f.rows, r)
}

// settle counts times from 1970, and takes submissions for starts if no job waited.
func (f *swf) settle() {
	for i := range f.rows {
		r := &f.rows[i]
		r.started = r.started || !f.waited
		r.submit += model.Time(f.begin) * model.Second
		r.start += model.Time(f.begin) * model.Second
	}
}

// name is a number as a name; "" if it is unknown, or after a finding.
func (f *swf) name(field int) string {
	if v := f.number(field); v.Known {
		return v.Value.String()
	}
	return ""
}

// number is a number of six decimals; unknown if the file says so by -1, or after a finding.
func (f *swf) number(field int) model.Optional[model.Time] {
	text := f.Word(field)
	if v, err := strconv.ParseFloat(text, 64); err == nil && v == trace.Unknown {
		return model.Optional[model.Time]{}
	}
	v, err := model.ParseTime(text)
	if err == nil && v > model.MaxTime/4 {
		err = model.ErrOverflow
	}
	if err != nil {
		f.Bad(field, fmt.Sprintf("number %d of the line", field+1), err, "0 or more; -1 is unknown")
	}
	return model.Optional[model.Time]{Value: v, Known: err == nil}
}
