package airflow

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"mrsched/model"
)

// cronOf is a schedule without quotes, or without what the REST API wraps it in.
func cronOf(schedule string) string {
	var wrapped struct {
		Value string `json:"value"`
	}
	if json.Unmarshal([]byte(schedule), &wrapped) == nil && wrapped.Value != "" {
		return wrapped.Value
	}
	return strings.TrimPrefix(strings.Trim(schedule, `"`), "null")
}

// minuteOf is the minute of the day of a schedule of cron such as 30 23 * * *, whatever its days;
// false: it has none, or several.
func minuteOf(schedule string) (int64, bool) {
	if schedule == "@daily" || schedule == "@midnight" {
		return 0, true
	}
	f := strings.Fields(schedule)
	if len(f) != 5 {
		return 0, false
	}
	minute, err1 := strconv.ParseUint(f[0], 10, 6)
	hour, err2 := strconv.ParseUint(f[1], 10, 5)
	return int64(hour*60 + minute), err1 == nil && err2 == nil && minute < 60 && hour < 24
}

// release is when a DAG may start: the time of its schedule before it began in the recorded night, and after an earlier
// run began. The date of a run that the schedule began shows that time of day in UTC, whatever zone the DAG is in. If
// there is none, because the schedule has no single time or somebody started the run, then the DAG is released when it
// began. A DAG without a schedule is released at 0: what it waits for starts it.
func (im *importer) release(name string) model.Time {
	d, zero := im.dags[name], im.zero(im.chosen)
	before := im.dags[d.before]
	schedule := cronOf(d.schedule)
	minute, once := minuteOf(schedule)
	own, _, _ := strings.Cut(name, "#")
	const quarter = 15 // zones differ by quarters of an hour; by other times if the schedule has changed
	if date := im.planned[own] / 60_000_000; date > 0 && (date-minute)%quarter == 0 {
		minute = date % (24 * 60)
	}
	at := minute*60_000_000 + (d.began-minute*60_000_000)/day*day
	switch {
	case schedule == "":
		if im.scheduled {
			im.mark(unscheduled, name)
		}
		return 0
	case !once || at < zero-early || before != nil && at <= before.began:
		im.mark(observed, name)
		at = d.began
	case at > zero:
		im.count[released]++
	}
	return im.since(at)
}

// some are the first of some names, each once.
func some(names []string) string {
	const most = 5
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}
