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

// inJobs reads a document with one job, whose column has the value, and an origin if one is given.
func inJobs(column, value, origin string) (*model.Workload, error) {
	if origin != "" {
		origin = fmt.Sprintf(`"origin":%q,`, origin)
	}
	return ReadBytes([]byte(fmt.Sprintf(`{"format":%q,%s"jobs":[{"id":"a","reduces":1,%s%q:%s}]}`, Format, origin,
		map[bool]string{true: `"release":5400,`}[column == "deadline"], column, value)), "w.json", Options{})
}

// TestUnits (finding 16) reads numbers with units, in JSON and in CSV.
func TestUnits(t *testing.T) {
	for _, c := range []struct{ column, text, plain string }{
		{"map_work", "90s", "90"}, {"map_work", "3m", "180"}, {"map_work", "3min", "180"}, {"map_work", "1h30m", "5400"},
		{"map_work", "1h 30m 15s", "5415"}, {"map_work", "250ms", "0.25"}, {"map_work", "2d", "172800"},
		{"map_work", "1.5h", "5400"}, {"map_work", "1h0.5m", "3630"}, {"map_work", ".5s", "0.5"},
		{"map_work", "90 S", "90"}, {"map_work", "3H", "10800"}, {"map_work", "1.5 Hours", "5400"},
		{"map_work", "1w", "604800"}, {"map_work", "7µs", "0.000007"}, {"map_work", "7μs", "0.000007"},
		{"map_work", "1500ns", "0.000002"}, {"map_work", "1499ns", "0.000001"}, {"map_work", "0.1ms", "0.0001"},
		{"map_work", "0s", "0"},
		{"intermediate_bytes", "40GB", "40000000000"}, {"intermediate_bytes", "64GiB", "68719476736"},
		{"intermediate_bytes", "500MB", "500000000"}, {"intermediate_bytes", "12kB", "12000"},
		{"intermediate_bytes", "12KB", "12000"}, {"intermediate_bytes", "40gb", "40000000000"},
		{"intermediate_bytes", "40 GB", "40000000000"}, {"intermediate_bytes", "64Mi", "67108864"},
		{"intermediate_bytes", "1.5kB", "1500"}, {"intermediate_bytes", "0.5KiB", "512"}, {"intermediate_bytes", "7B", "7"},
		{"intermediate_bytes", "7 bytes", "7"}, {"intermediate_bytes", "7EiB", "8070450532247928832"},
		{"map_bytes_per_s", "125MB/s", "125000000"}, {"map_bytes_per_s", "1Gbit/s", "125000000"},
		{"map_bytes_per_s", "10Gbps", "1250000000"}, {"map_bytes_per_s", "10gbps", "1250000000"},
		{"map_bytes_per_s", "64 MiB/s", "67108864"}, {"map_bytes_per_s", "1bit/s", "0.125"},
		{"map_bytes_per_s", "125MB/sec", "125000000"}, {"map_bytes_per_s", "100 Mbits/s", "12500000"},
	} {
		plain, err := inJobs(c.column, c.plain, "")
		if err != nil {
			t.Fatal(err)
		}
		united, err := inJobs(c.column, `"`+c.text+`"`, "")
		if err != nil || Digest(united) != Digest(plain) {
			t.Errorf("JSON: %s is not %s: %v", c.text, c.plain, err)
		}
		csv, err := readJobs(t, "id,reduces,"+c.column+"\na,1,"+c.text+"\n", "")
		if err != nil || Digest(csv) != Digest(plain) {
			t.Errorf("CSV: %s is not %s: %v", c.text, c.plain, err)
		}
	}
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

// TestNotUnits requires a finding with a code and a remedy for ambiguous or wrong units.
func TestNotUnits(t *testing.T) {
	for _, c := range []struct{ column, text, code, says string }{
		{"map_work", "3M", "V202", "write 3m for minutes"}, {"map_work", "3MS", "V202", "write 3ms for milliseconds"},
		{"map_work", "3y", "V202", "units are ms, s, m, h and d"}, {"map_work", "1h30", "V202", "unit after each number"},
		{"map_work", "30m1h", "V202", "largest unit first"}, {"map_work", "1m1m", "V202", "largest unit first"},
		{"map_work", "1.5h30m", "V202", "one number with a unit"}, {"map_work", "3m ", "V202", "remove the spaces"},
		{"map_work", "-3m", "V203", "0 or more"}, {"map_work", "999999999999999d", "V204", "is too large"},
		{"map_work", "3GB", "V202", "units are ms, s, m, h and d"}, {"map_work", "22:30", "V202", "is a clock time, and"},
		{"map_work", "1e3s", "V202", "without an exponent"}, {"map_work", "400ns", "V209", "whole microseconds"},
		{"map_work", "12", "V201", "write it without quotes"},
		{"map_work", "", "V201", "write it without quotes"}, {"map_work", "soon", "V202", "leave the value out"},
		{"map_work", strings.Repeat("9", 70) + "s", "V202", "is not a number"},
		{"intermediate_bytes", "40G", "V202", "write 40GB for powers of 1000 or 40GiB for powers of 1024"},
		{"intermediate_bytes", "128m", "V202", "write 128MB for powers of 1000 or 128MiB"},
		{"intermediate_bytes", "1b", "V202", "b is the symbol of bits: write 1B for bytes"},
		{"intermediate_bytes", "5Gb", "V202", "write 5GB for bytes"}, {"intermediate_bytes", "5kb", "V202", "write 5kB"},
		{"intermediate_bytes", "5Mib", "V202", "write 5MiB"}, {"intermediate_bytes", "5s", "V202", "units are B, kB"},
		{"intermediate_bytes", "0.5B", "V202", "not a whole number"}, {"intermediate_bytes", "8EiB", "V204", "too large"},
		{"intermediate_bytes", "1GB1MB", "V202", "not one number with a unit"},
		{"map_bytes_per_s", "1Gb/s", "V202", "write 1GB/s for bytes or 1Gbit/s for bits per second"},
		{"map_bytes_per_s", "1GBps", "V202", "write 1GB/s for bytes or 1Gbit/s"},
		{"map_bytes_per_s", "125MB", "V202", "write 125MB/s for bytes or 125Mbit/s"},
		{"map_bytes_per_s", "125M", "V202", "write 125MB/s"}, {"map_bytes_per_s", "0MB/s", "V203", "above 0"},
		{"map_bytes_per_s", "1Gbit/min", "V202", "units are B/s"},
		{"weight", "3m", "V201", "write it without quotes"}, {"weight", "3", "V201", "write it without quotes"},
	} {
		_, err := inJobs(c.column, `"`+c.text+`"`, "")
		oneFinding(t, c.column+" "+c.text, err, c.code, c.says)
	}
}

// oneFinding demands one finding with a code and a text.
func oneFinding(t *testing.T, what string, err error, code, says string) {
	t.Helper()
	input, ok := errors.AsType[*model.InputError](err)
	if !ok || len(input.Findings) != 1 || string(input.Findings[0].Code) != code ||
		!strings.Contains(err.Error(), says) {
		t.Errorf("%s: %v, want one %s with %q", what, err, code, says)
	}
}

// TestClock (finding 16) reads clock times, whose meaning follows from the origin and, for deadlines, from the release.
func TestClock(t *testing.T) {
	for _, c := range []struct{ origin, column, text, plain string }{
		{"22:00", "release", "22:00", "0"}, {"22:00", "release", "22:30:15.25", "1815.25"},
		{"22:00", "release", "06:00", "28800"}, {"22:00", "release", "21:59:59", "86399"},
		{"2026-11-23T22:00", "release", "6:00", "28800"}, {"2026-11-23T22:00", "release", "2026-11-24T06:00", "28800"},
		{"2026-11-23 22:00:00", "release", "2026-11-25 22:00", "172800"},
		{"2026-11-23T22:00+01:00", "release", "2026-11-23T21:30Z", "1800"},
		{"2026-11-23T22:00+01:00", "release", "2026-11-23T22:30", "1800"},
		{"2026-11-23T22:00Z", "release", "2026-11-23T18:30-0400", "1800"},
		{"2028-02-28T12:00", "release", "2028-03-01T12:00", "172800"},
		{"1969-12-31T23:00", "release", "00:30", "5400"},
		{"22:00", "recorded_completion", "23:00", "3600"},
		// Released at 23:30.
		{"22:00", "deadline", "06:00", "23400"}, {"22:00", "deadline", "23:30", "86400"},
		{"22:00", "deadline", "23:00", "84600"}, {"2026-11-23T22:00", "deadline", "2026-11-23T23:31", "60"},
		{"22:00", "deadline", "1h", "3600"},
	} {
		plain, err := inJobs(c.column, c.plain, c.origin)
		if err != nil {
			t.Fatal(err)
		}
		if clock, err := inJobs(c.column, `"`+c.text+`"`, c.origin); err != nil || Digest(clock) != Digest(plain) {
			t.Errorf("%s after %s is not %s: %v", c.text, c.origin, c.plain, err)
		}
		if csv, err := readJobs(t, "id,reduces,release,"+c.column+"\na,1,5400,"+c.text+"\n", c.origin); c.column ==
			"deadline" && (err != nil || Digest(csv) != Digest(plain)) {
			t.Errorf("CSV: %s after %s is not %s: %v", c.text, c.origin, c.plain, err)
		}
	}
}

// TestNotClock demands a finding with a remedy for clock times without a meaning.
func TestNotClock(t *testing.T) {
	for _, c := range []struct{ origin, column, text, code, says string }{
		{"", "release", "22:00", "V202", `add "origin":"2026-11-23T22:00"`},
		{"", "deadline", "2026-11-24T06:00", "V202", `hint: say which clock time is time 0: add "origin":`},
		{"22:00", "release", "24:00", "V202", "midnight is 00:00"}, {"22:00", "release", "10:60", "V202", "no time of day"},
		{"22:00", "release", "2026-11-24T06:00", "V202", "give the origin a date, too"},
		{"2026-11-23T22:00", "release", "2026-11-23T21:59", "V203", "is before the origin 2026-11-23T22:00:00"},
		{"2026-11-23T22:00", "release", "2026-02-30T21:59", "V202", "a date that does not exist"},
		{"2026-11-23T22:00", "release", "2026-11-24T06:00Z", "V202", "give the origin its offset, too"},
		{"2026-11-23T22:00Z", "release", "06:00Z", "V202", "add the date"},
		{"2026-11-23T22:00", "release", "24/11/2026 06:00", "V202", "write 22:30, 22:30:15 or 2026-11-23T22:30"},
		{"2026-11-23T22:00", "release", "2026-11-24", "V202", "add the time, as in 2026-11-24T00:00"},
		{"2026-11-23T22:00", "release", "10:30 PM", "V202", "write 22:30"},
		{"2026-11-23T22:00", "release", "10 pm", "V202", "write 22:30"},
		{"2026-11-23T22:00", "deadline", "2026-11-23T23:00", "V203", "is before the release of the job"},
		{"22:00:00.5", "release", "1", "V202", "whole second"}, {"tonight", "release", "22:00", "V202", "write 22:30"},
		{"22:00", "weight", "22:00", "V201", "without quotes"}, {"22:00", "map_work", "22:00", "V202", "such as 22h00m or " +
			"22m00s"},
	} {
		text := `"` + c.text + `"`
		if c.text == "1" {
			text = c.text
		}
		_, err := inJobs(c.column, text, c.origin)
		oneFinding(t, c.origin+" "+c.column+" "+c.text, err, c.code, c.says)
	}
	_, err := readJobs(t, "id,reduces,release\na,1,22:00\nb,1,23:00\n", "")
	oneFinding(t, "many clock times", err, "V202", "jobs.csv:2:5")
}

// TestOrigin keeps the origin, which is part of the digest as the name is, in one spelling.
func TestOrigin(t *testing.T) {
	without, err := inJobs("release", "0", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][]string{{"22:00", "22:00:00"}, {"2026-11-23 22:00", "2026-11-23T22:00:00"},
		{"2026-11-23T6:00:00-0330", "2026-11-23T06:00:00-03:30"}, {"2026-11-23T22:00Z", "2026-11-23T22:00:00Z"}} {
		a, err := inJobs("release", "0", c[0])
		if err != nil {
			t.Fatal(err)
		}
		b, err := inJobs("release", "0", c[1])
		if err != nil || Digest(a) != Digest(b) || Digest(a) == Digest(without) || a.Origin.String() != c[1] {
			t.Errorf("%s is kept as %s, want %s (%v)", c[0], a.Origin, c[1], err)
		}
	}
	part, err := without.Restrict([]string{"a"})
	if err != nil || part.Origin.Known() {
		t.Errorf("origin %v, %v", part.Origin, err)
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
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]model.Time{"90": 90, "1m30s": 90, "22:01:30": 90, "22:00": 86400, "06:00": 28800} {
		if at, err := ParseMoment(text, origin); err != nil || at != want*model.Second {
			t.Errorf("%s: %s, %v; want %d", text, at, err, want)
		}
	}
	if _, err := ParseMoment("06:00", model.Origin{}); err == nil || !strings.Contains(err.Error(), "no origin") {
		t.Error("a clock time without an origin:", err)
	}
}
