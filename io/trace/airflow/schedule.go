package airflow

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"mrsched/model"
)

// presets are the names of schedules, with the minutes and hours of cron that they stand for.
var presets = map[string]string{"@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *",
	"@weekly": "0 0 * * 0", "@monthly": "0 0 1 * *", "@quarterly": "0 0 1 */3 *", "@yearly": "0 0 1 1 *",
	"@annually": "0 0 1 1 *"}

// cronOf is a schedule without quotes, or without what the REST API wraps it in.
func cronOf(schedule string) string {
	var wrapped struct {
		Value string `json:"value"`
	}
	if strings.HasPrefix(schedule, "{") && json.Unmarshal([]byte(schedule), &wrapped) == nil && wrapped.Value != "" {
		return wrapped.Value
	}
	if schedule = strings.Trim(schedule, `"`); schedule == "null" {
		return ""
	}
	return schedule
}

// timesOf are the minutes of the day of a schedule of cron, whatever its days; none: it has no times of day.
func timesOf(schedule string) (minutes []int64) {
	if cron, ok := presets[schedule]; ok {
		schedule = cron
	}
	f := strings.Fields(schedule)
	if len(f) != 5 {
		return nil
	}
	for _, hour := range field(f[1], 24) {
		for _, minute := range field(f[0], 60) {
			minutes = append(minutes, hour*60+minute)
		}
	}
	return minutes
}

// field are the numbers below end that a field of cron names, such as 7, 1-5, */15 or 2,14; none: it is no such field.
func field(text string, end int64) (list []int64) {
	for part := range strings.SplitSeq(text, ",") {
		span, every, stepped := strings.Cut(part, "/")
		from, to, ranged := strings.Cut(span, "-")
		first, last, step := int64(0), end-1, int64(1)
		var err1, err2, err3 error
		if from != "*" {
			first, err1 = strconv.ParseInt(from, 10, 8)
			if last = first; stepped {
				last = end - 1
			}
		}
		if ranged {
			last, err2 = strconv.ParseInt(to, 10, 8)
		}
		if stepped {
			step, err3 = strconv.ParseInt(every, 10, 8)
		}
		if err1 != nil || err2 != nil || err3 != nil || first < 0 || last >= end || step < 1 {
			return nil
		}
		for n := first; n <= last; n += step {
			list = append(list, n)
		}
	}
	return list
}

// release is when a DAG may start: the last time of its schedule, in UTC, before it began in the recorded night, and
// after an earlier run began. If there is none, the schedule has no times, or is in another zone, or somebody started
// the run: then it is released when it began. A DAG without a schedule is released at 0: what it waits for starts it.
func (im *importer) release(name string) model.Time {
	schedule, zero, began := cronOf(im.dags[name].schedule), im.zero(im.chosen), im.began(name)
	times := timesOf(schedule)
	switch {
	case schedule == "":
		if im.scheduled {
			im.mark(unscheduled, name)
		}
		return 0
	case began == 0 && len(times) != 1:
		im.mark(observed, name)
		return 0
	case began == 0:
		began = zero + day - 1
	}
	at := -ever
	for _, minute := range times {
		at = max(at, minute*60_000_000+day*floor(began-minute*60_000_000, day))
	}
	if at < zero-early || at <= im.began(im.dags[name].before) {
		im.mark(observed, name)
		return model.Time(max(0, began-zero))
	}
	if at > zero {
		im.count[released]++
	}
	return model.Time(max(0, at-zero))
}

// began is when the first task of a DAG, be it a sensor, began in the recorded night; 0: none did.
func (im *importer) began(name string) (at int64) {
	if im.dags[name] == nil {
		return 0
	}
	for _, s := range im.dags[name].stages {
		for _, u := range im.stages[s].units {
			for _, k := range im.units[u].tries {
				if t := &im.tries[k]; t.night == im.chosen && t.start > 0 && (at == 0 || t.start < at) {
					at = t.start
				}
			}
		}
	}
	return at
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
