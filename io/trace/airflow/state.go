package airflow

import (
	"slices"
	"strconv"
	"strings"

	"mrsched/io/trace"
	"mrsched/model"
)

// State is the table of what a running night has done by a clock time, in the zone of the options' night or else in
// UTC: task, node, start and end in seconds from the beginning of the night, and what remains of tasks that run, as far
// as past tries say. The night is that of the options, or the last one. Left out are tasks that the workload lacks,
// which follows from nights before; notes name them.
//
// Errors: *model.InputError with every finding.
func State(files []trace.File, opt Options, at string) (rows [][]string, notes []string, err error) {
	im := newImporter(opt)
	im.check()
	for _, step := range []func(){func() { im.read(files) }, im.link, im.choose} {
		if im.b.Findings.Empty() {
			step()
		}
	}
	if err := im.b.Findings.Err(); err != nil {
		return nil, nil, err
	}
	night := int64(0)
	for k := 0; k < len(im.tries) && opt.Night == ""; k++ {
		night = max(night, im.tries[k].night)
	}
	if im.pick(night); im.b.Findings.Empty() {
		im.keep()
		im.count, im.names = [doubts]int{}, [doubts][]string{} // the import of the workload says the others
	}
	origin := im.origin // in its zone, if the options state one
	if opt.Night == "" {
		origin, _ = model.ParseOrigin(clock(im.zero(night)))
	}
	now, err := origin.Moment(at, model.Optional[model.Time]{})
	if err != nil {
		trace.Options{Found: &im.b.Findings}.Bad("the clock time "+strconv.Quote(at), "a time such as 02:00")
		return nil, nil, im.b.Findings.Err()
	}
	rows = [][]string{{"task", "node", "start", "end", "remaining"}}
	for u, k := range im.lastTries(night, im.zero(night)+int64(now)) {
		if k == model.None || im.stages[im.units[u].stage].sensor || im.tries[k].start == 0 {
			continue
		}
		t := &im.tries[k]
		start, end := model.Time(t.start-im.zero(night)), model.Time(t.end-im.zero(night))
		row := []string{im.units[u].id, t.host, start.String(), "", ""}
		switch elapsed := now - start; {
		case t.end > 0 && end <= now && t.state != "success":
			continue // it failed, and starts afresh
		case t.end > 0 && end <= now:
			row[3] = end.String()
		default:
			if times := im.good(&im.units[u], int64(elapsed)+1, k); len(times) > 0 {
				row[4] = (model.DurationOf(opt.Duration, times) - elapsed).String()
			}
		}
		if _, kept := slices.BinarySearch(im.kept, int32(u)); !kept {
			im.mark(unplanned, im.units[u].id)
			continue
		}
		rows = append(rows, row)
	}
	if len(rows) == 1 {
		im.b.Findings.Add(model.Finding{Code: model.CodeNothingLeft, What: "no task has begun by " + origin.Near(now) +
			" in the night that began at " + clock(im.zero(night)), Expected: "tasks with a start_date in that night",
			Hint: "--night says when the running night began"})
	}
	return rows, im.doubts(), im.b.Findings.Err()
}

// Parts are the files of a folder that may hold tables: CSV and JSON, plain or gzip.
func Parts(names []string) (list []string) {
	for _, name := range names {
		if plain := strings.TrimSuffix(name, ".gz"); strings.HasSuffix(plain, ".csv") || strings.HasSuffix(plain, ".json") {
			list = append(list, name)
		}
	}
	return list
}
