package result

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mrsched/model"
)

// dated is the result of implied with an origin: in its night, clocks in Berlin go from 03:00 to 02:00.
func dated(t *testing.T, view model.View) (*model.Workload, *Bundle) {
	t.Helper()
	w, b := implied(t, view)
	origin, err := model.ParseOrigin("2026-10-24T22:00[Europe/Berlin]")
	try(t, err)
	w.Origin = origin
	b.Result.Instance.Origin = origin.String()
	s := &model.Schedule{Entries: []model.Entry{
		{Task: 0, Machine: 1, Start: 4 * 3600 * model.Second, End: 5 * 3600 * model.Second},
		{Task: 1, Machine: 0, End: model.Second / 2}}}
	b.Result.Metrics = nil
	try(t, Derive(b.Result, view, s, nil, Promise{}, false))
	return w, sealed(t, New(b.Result, view, s, nil))
}

// TestClockTimes: schedules of an instance with an origin have clock times, and Verify derives them again. It accepts a
// result of a version that wrote none.
func TestClockTimes(t *testing.T) {
	const first, last = "2026-10-25T02:00:00+02:00", "2026-10-25T02:00:00+01:00"
	for _, view := range []model.View{slotView{}, columnsView{}} {
		w, b := dated(t, view)
		dir := readBack(t, w, view, b)
		if got := allRows(good(t, dir))[0]; got.StartTime != first || got.EndTime != last {
			t.Errorf("%T: %+v", view, got)
		}
		if text := string(oneLine(t, b)); !strings.Contains(text, `"end":18000,"start_time":"`+first+`","end_time":"`) {
			t.Errorf("%T: %s", view, text)
		}
		wrong := directory(t, b, [3]string{ScheduleFile, last, first})
		forged, found, err := Read(wrong)
		try(t, err)
		if got := codes(append(found, forged.Verify(w, strings.Repeat("0", 64), view, Promise{})...)); !slices.Equal(got,
			[]model.Code{model.CodeFileDigest, model.CodeRowContradicts}) {
			t.Errorf("%T: forged: %v", view, got)
		}
		_, found, err = Read(directory(t, b, [3]string{ScheduleFile, first, ""}))
		if err != nil || !strings.Contains(fmt.Sprint(found), "other columns than the first") &&
			!strings.Contains(fmt.Sprint(found), "not as mrsched writes it") {
			t.Errorf("%T: a cell less: %v %v", view, err, found)
		}
		old := allRows(b)
		for k := range old {
			old[k].StartTime, old[k].EndTime = "", ""
		}
		b.Rows, b.unsealed = RowsOf(old), true
		readBack(t, w, view, sealed(t, b))
		_, b = dated(t, view)
		var all model.Violations
		Schedule(view, b.Rows.judged(model.Origin{}, &all))
		if got := codes(all.List()); len(got) != 2 || got[0] != model.CodeRowContradicts {
			t.Errorf("%T: clock times without an origin: %v", view, got)
		}
	}
}
