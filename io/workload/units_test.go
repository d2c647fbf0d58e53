package workload

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"pgregory.net/rapid"

	"mrsched/model"
)

// In documents and tables with deadlines, jobs are released at a time.
const columnDeadline, released = "deadline", "5400"

// inJobs reads a document with one job, whose column has the value, and an origin if one is given.
func inJobs(column, value, origin string) (*model.Workload, error) {
	if origin != "" {
		origin = fmt.Sprintf(`"origin":%q,`, origin)
	}
	return ReadBytes([]byte(fmt.Sprintf(`{"format":%q,%s"jobs":[{"id":"a","reduces":1,%s%q:%s}]}`, Format, origin,
		map[bool]string{true: `"release":` + released + ","}[column == columnDeadline], column, value)), "w.json", Options{})
}

// equalTexts reads values of a column in JSON and in CSV; in a row, the first is a plain number, which others equal.
func equalTexts(t *testing.T, column, origin string, rows ...string) {
	t.Helper()
	for _, row := range rows {
		texts := strings.Split(row, "|")
		plain, err := inJobs(column, texts[0], origin)
		try(t, err)
		for _, text := range texts[1:] {
			w, err := inJobs(column, `"`+text+`"`, origin)
			if err != nil || Digest(w) != Digest(plain) {
				t.Errorf("JSON: %s after %s is not %s: %v", text, origin, texts[0], err)
			}
			head, values := "id,reduces,"+column, "\na,1,"+text
			if column == columnDeadline {
				head, values = head+",release", values+","+released
			}
			w, err = readJobs(t, head+values+"\n", origin)
			if err != nil || Digest(w) != Digest(plain) {
				t.Errorf("CSV: %s after %s is not %s: %v", text, origin, texts[0], err)
			}
		}
	}
}

// TestUnits (finding 16) reads numbers with units, in JSON and in CSV.
func TestUnits(t *testing.T) {
	equalTexts(t, "map_work", "", "90|90s|90 S", "180|3m|3min", "5400|1h30m|1.5h|1.5 Hours", "5415|1h 30m 15s",
		"0.25|250ms", "172800|2d", "3630|1h0.5m", "0.5|.5s", "10800|3H", "604800|1w", "0.000007|7µs|7μs",
		"0.000002|1500ns", "0.000001|1499ns", "0.0001|0.1ms", "0|0s")
	equalTexts(t, "intermediate_bytes", "", "40000000000|40GB|40gb|40 GB", "68719476736|64GiB", "500000000|500MB",
		"12000|12kB|12KB", "67108864|64Mi", "1500|1.5kB", "512|0.5KiB", "7|7B|7 bytes", "8070450532247928832|7EiB")
	equalTexts(t, "map_bytes_per_s", "", "125000000|125MB/s|1Gbit/s|125MB/sec", "1250000000|10Gbps|10gbps",
		"67108864|64 MiB/s", "0.125|1bit/s", "12500000|100 Mbits/s")
}

// readJobs reads a directory with a table jobs.
func readJobs(t *testing.T, jobs, origin string) (*model.Workload, error) {
	t.Helper()
	scalars := fmt.Sprintf(`{"format":%q`, Format)
	if origin != "" {
		scalars += fmt.Sprintf(`,"origin":%q`, origin)
	}
	files := fstest.MapFS{"jobs.csv": {Data: []byte(jobs)}, "workload.json": {Data: []byte(scalars + "}")}}
	return readDirectory(files, "w", Options{})
}

// TestNotUnits requires a finding with its code, and with a remedy, for ambiguous or wrong units.
func TestNotUnits(t *testing.T) {
	for _, c := range []struct{ column, code, remedy, texts string }{
		{"map_work", "V202", "write 3m for minutes", "3M"}, {"map_work", "V202", "write 3ms", "3MS"},
		{"map_work", "V202", "units are ms, s, m, h and d", "3y|3GB"}, {"map_work", "V202", "after each number", "1h30"},
		{"map_work", "V202", "largest unit first", "30m1h|1m1m"}, {"map_work", "V202", "one number", "1.5h30m"},
		{"map_work", "V202", "remove the spaces", "3m "}, {"map_work", "V203", "0 or more", "-3m"},
		{"map_work", "V204", "", "999999999999999d"}, {"map_work", "V202", "clock time", "22:30"},
		{"map_work", "V202", "without an exponent", "1e3s"}, {"map_work", "V209", "", "400ns"},
		{"map_work", "V201", "without quotes", "12|"}, {"map_work", "V202", "leave the value out", "soon"},
		{"map_work", "V202", "", strings.Repeat("9", 70) + "s"},
		{"intermediate_bytes", "V202", "GB for powers of 1000 or 40GiB for powers of 1024", "40G"},
		{"intermediate_bytes", "V202", "MB for powers of 1000 or 128MiB", "128m"},
		{"intermediate_bytes", "V202", "write 1B for bytes", "1b"}, {"intermediate_bytes", "V202", "write 5GB", "5Gb"},
		{"intermediate_bytes", "V202", "write 5kB", "5kb"}, {"intermediate_bytes", "V202", "write 5MiB", "5Mib"},
		{"intermediate_bytes", "V202", "units are B, kB", "5s"}, {"intermediate_bytes", "V202", "whole", "0.5B"},
		{"intermediate_bytes", "V204", "", "8EiB"}, {"intermediate_bytes", "V202", "one number", "1GB1MB"},
		{"map_bytes_per_s", "V202", "write 1GB/s for bytes or 1Gbit/s", "1Gb/s|1GBps"},
		{"map_bytes_per_s", "V202", "write 125MB/s", "125MB|125M"}, {"map_bytes_per_s", "V203", "above 0", "0MB/s"},
		{"map_bytes_per_s", "V202", "units are B/s", "1Gbit/min"}, {"weight", "V201", "without quotes", "3m|3"},
	} {
		for text := range strings.SplitSeq(c.texts, "|") {
			_, err := inJobs(c.column, `"`+text+`"`, "")
			oneFinding(t, c.column+" "+text, err, c.code, c.remedy)
		}
	}
}

// oneFinding demands one finding with a code and a text.
func oneFinding(t *testing.T, what string, err error, code, says string) {
	t.Helper()
	if list := findings(err); len(list) != 1 || string(list[0].Code) != code || !strings.Contains(err.Error(), says) {
		t.Errorf("%s: %v, want one %s with %q", what, err, code, says)
	}
}

// findings are those of an InputError; other errors have none.
func findings(err error) []model.Finding {
	if input, ok := errors.AsType[*model.InputError](err); ok {
		return input.Findings
	}
	return nil
}

// TestClock (finding 16) reads clock times, whose meaning follows from the origin and, for deadlines, from the release,
// which is at 23:30.
func TestClock(t *testing.T) {
	const bare, dated, offset = "22:00", "2026-11-23T22:00", "2026-11-23T22:00+01:00"
	for origin, rows := range map[string][]string{
		bare:                  {"0|22:00", "1815.25|22:30:15.25", "28800|06:00", "86399|21:59:59"},
		dated:                 {"28800|6:00|2026-11-24T06:00"},
		"2026-11-23 22:00:00": {"172800|2026-11-25 22:00"},
		offset:                {"1800|2026-11-23T21:30Z|2026-11-23T22:30"},
		"2026-11-23T22:00Z":   {"1800|2026-11-23T18:30-0400"},
		"2028-02-28T12:00":    {"172800|2028-03-01T12:00"},
		"1969-12-31T23:00":    {"5400|00:30"},
	} {
		equalTexts(t, "release", origin, rows...)
	}
	equalTexts(t, "recorded_completion", bare, "3600|23:00")
	equalTexts(t, columnDeadline, bare, "23400|06:00", "86400|23:30", "84600|23:00", "3600|1h")
	equalTexts(t, columnDeadline, dated, "60|2026-11-23T23:31")
}

// TestNotClock demands a finding with a remedy for clock times without a meaning.
func TestNotClock(t *testing.T) {
	const dated = "2026-11-23T22:00"
	for _, c := range []struct{ origin, column, text, code, says string }{
		{"", "release", "22:00", "V202", `add "origin":"2026-11-23T22:00"`},
		{"", "deadline", "2026-11-24T06:00", "V202", `add "origin":`},
		{"22:00", "release", "24:00", "V202", "midnight is 00:00"}, {"22:00", "release", "10:60", "V202", "no time of day"},
		{"22:00", "release", "2026-11-24T06:00", "V202", "give the origin a date, too"},
		{dated, "release", "2026-11-23T21:59", "V203", "is before the origin"},
		{dated, "release", "2026-02-30T21:59", "V202", "does not exist"},
		{dated, "release", "2026-11-24T06:00Z", "V202", "give the origin its offset, too"},
		{dated + "Z", "release", "06:00Z", "V202", "add the date"},
		{dated, "release", "24/11/2026 06:00", "V202", "write 22:30"},
		{dated, "release", "2026-11-24", "V202", "add the time, as in 2026-11-24T00:00"},
		{dated, "release", "10:30 PM", "V202", "write 22:30"}, {dated, "release", "10 pm", "V202", "write 22:30"},
		{dated, "deadline", "2026-11-23T23:00", "V203", "is before the release of the job"},
		{"22:00:00.5", "release", "22:00", "V202", "whole second"}, {"tonight", "release", "22:00", "V202", "write 22:30"},
		{"22:00", "weight", "22:00", "V201", "without quotes"}, {"22:00", "map_work", "22:00", "V202", "22h00m or 22m00s"},
	} {
		_, err := inJobs(c.column, `"`+c.text+`"`, c.origin)
		oneFinding(t, c.origin+" "+c.column+" "+c.text, err, c.code, c.says)
	}
	_, err := readJobs(t, "id,reduces,release\na,1,22:00\nb,1,23:00\n", "")
	oneFinding(t, "many clock times", err, "V202", "jobs.csv:2:5")
}

// TestOrigin keeps the origin, which is part of the digest as the name is, in one spelling.
func TestOrigin(t *testing.T) {
	without, err := inJobs("release", "0", "")
	try(t, err)
	for _, c := range [][]string{{"22:00", "22:00:00"}, {"2026-11-23 22:00", "2026-11-23T22:00:00"},
		{"2026-11-23T6:00:00-0330", "2026-11-23T06:00:00-03:30"}, {"2026-11-23T22:00Z", "2026-11-23T22:00:00Z"}} {
		a, err := inJobs("release", "0", c[0])
		try(t, err)
		b, err := inJobs("release", "0", c[1])
		if err != nil || Digest(a) != Digest(b) || Digest(a) == Digest(without) || a.Origin.String() != c[1] {
			t.Errorf("%s is kept as %s, want %s (%v)", c[0], a.Origin, c[1], err)
		}
	}
}

// TestUnitsAreExact compares durations with exact arithmetic in microseconds.
func TestUnitsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, h, m := rapid.Int64Range(0, 1e6).Draw(t, "d"), rapid.Int64Range(0, 99).Draw(t, "h"),
			rapid.Int64Range(0, 99).Draw(t, "m")
		micros := rapid.Int64Range(0, 1e12).Draw(t, "s")
		text := fmt.Sprintf("%dd%dh%dm%d.%06ds", d, h, m, micros/1e6, micros%1e6)
		w, err := inJobs("map_work", `"`+text+`"`, "")
		want := model.Time(((d*24+h)*60+m)*60)*model.Second + model.Time(micros)
		if err != nil || w.Jobs[0].MapWork != model.Some(want) {
			t.Fatalf("%s: %v, %v, want %v", text, w, err, want)
		}
	})
}

// TestParseDuration: limits and moments of flags have one rule. 22:00 is time 0 here, and so means the next day.
func TestParseDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{"10": 10 * time.Second, "0.5": time.Second / 2, "10s": 10 * time.Second,
		"2h30m": 150 * time.Minute, "5min": 5 * time.Minute, "1ns": 1, "1e3": 1000 * time.Second} {
		if d, err := ParseDuration(text); err != nil || d != want {
			t.Errorf("%s: %s, %v; want %s", text, d, err, want)
		}
	}
	for _, text := range []string{"", "s", "-1s", "-1", "5x", "1e30", "10 000", "0x10", "1h2h"} {
		if d, err := ParseDuration(text); err == nil {
			t.Errorf("%q: %s", text, d)
		}
	}
	origin, err := model.ParseOrigin("22:00")
	try(t, err)
	after := model.Some(model.Time(0))
	for text, want := range map[string]model.Time{"90": 90, "1m30s": 90, "22:01:30": 90, "22:00": 86400, "06:00": 28800} {
		if at, err := ParseMoment(text, origin, after); err != nil || at != want*model.Second {
			t.Errorf("%s: %s, %v; want %d", text, at, err, want)
		}
	}
	if _, err := ParseMoment("06:00", model.Origin{}, after); err == nil || !strings.Contains(err.Error(), "no origin") {
		t.Error("a clock time without an origin:", err)
	}
}
