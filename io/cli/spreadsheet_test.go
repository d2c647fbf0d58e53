package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
)

// utf16Of is a text in UTF-16, with a byte order mark if mark is set.
func utf16Of(text string, big, mark bool) string {
	if mark {
		text = "\ufeff" + text
	}
	var b []byte
	for _, u := range utf16.Encode([]rune(text)) {
		if big {
			b = append(b, byte(u>>8), byte(u))
		} else {
			b = append(b, byte(u), byte(u>>8))
		}
	}
	return string(b)
}

const (
	goodJobs     = "id,release,weight\na,0,1\nb,60,2\n"
	goodTasks    = "id,job,kind,processing_time\na1,a,map,10\nb1,b,map,20\n"
	goodScalars  = `{"format":"mrsched-workload/1","problem":"msjo","machines":1}`
	goodDocument = `{"format":"mrsched-workload/1","problem":"msjo","machines":1,"jobs":[{"id":"a"}],` +
		`"tasks":[{"id":"a1","job":"a","kind":"map","processing_time":1}]}`
)

// mistakes are typical errors of spreadsheets and exports in a workload: a file and the finding that names the error.
var mistakes = []struct {
	name, file, text string
	says, hint       string // in the first line; empty: no finding
}{
	{"UTF-16 little", "jobs.csv", utf16Of(goodJobs, false, true),
		"F105 jobs.csv:1:1: the file is UTF-16 text",
		`save it as UTF-8: in a spreadsheet "CSV UTF-8", in a shell iconv -f UTF-16 -t UTF-8`},
	{"UTF-16 big", "jobs.csv", utf16Of(goodJobs, true, true),
		"F105 jobs.csv:1:1: the file is UTF-16 text",
		`save it as UTF-8: in a spreadsheet "CSV UTF-8", in a shell iconv -f UTF-16 -t UTF-8`},
	{"UTF-16 little, no mark", "jobs.csv", utf16Of(goodJobs, false, false),
		"F105 jobs.csv:1:1: the file is UTF-16 text",
		`save it as UTF-8: in a spreadsheet "CSV UTF-8", in a shell iconv -f UTF-16 -t UTF-8`},
	{"UTF-16 big, no mark", "jobs.csv", utf16Of(goodJobs, true, false),
		"F105 jobs.csv:1:1: the file is UTF-16 text",
		`save it as UTF-8: in a spreadsheet "CSV UTF-8", in a shell iconv -f UTF-16 -t UTF-8`},
	{"UTF-16 JSON", "w.json", utf16Of(goodDocument, false, true),
		"F105 w.json:1:1: the file is UTF-16 text",
		`save it as UTF-8: in a spreadsheet "CSV UTF-8", in a shell iconv -f UTF-16 -t UTF-8`},
	{"UTF-16 JSON, no mark", "w.json", utf16Of(goodDocument, false, false),
		"F105 w.json:1:1: the file is UTF-16 text",
		`save it as UTF-8: in a spreadsheet "CSV UTF-8", in a shell iconv -f UTF-16 -t UTF-8`},
	{"UTF-16 JSON big, no mark", "w.json", utf16Of(goodDocument, true, false),
		"F105 w.json:1:1: the file is UTF-16 text",
		`save it as UTF-8: in a spreadsheet "CSV UTF-8", in a shell iconv -f UTF-16 -t UTF-8`},
	{"UTF-16 scalars", "workload.json", utf16Of(goodScalars, false, true),
		"F105 workload.json:1:1: the file is UTF-16 text",
		`save it as UTF-8: in a spreadsheet "CSV UTF-8", in a shell iconv -f UTF-16 -t UTF-8`},
	{"UTF-8 mark", "jobs.csv", "\ufeff" + goodJobs, "", ""},
	{"UTF-8 mark JSON", "w.json", "\ufeff" + goodDocument, "", ""},
	{"latin1", "jobs.csv", "id,tenant\na,M\xfcller\nb,x\n",
		"F105 jobs.csv:2:4: byte 0xfc does not begin a valid UTF-8 sequence",
		`save it as UTF-8: in a spreadsheet "CSV UTF-8", in a shell iconv -f WINDOWS-1252 -t UTF-8, if that is its encoding`},
	{"capitals", "jobs.csv", "ID,Release,Weight\na,0,1\nb,60,2\n",
		`V207 jobs.csv:1:1: the header says "ID" instead of id (and 2 more like it)`,
		`write the first line as "id,release,weight"`},
	{"a name twice in two cases", "jobs.csv", "id,Weight,weight\na,1,2\n",
		`V207 jobs.csv:1:4: unknown column "Weight"`,
		`the header has "weight" too: delete one of the two columns, or skip this one with --allow-unknown`},
	{"underscores", "jobs.csv", "id,deadline\na,1_000\n", `V202 jobs.csv:2:3: deadline "1_000" is not a number`,
		"write digits alone: 1000"},
	{"minutes with a colon", "jobs.csv", "id,deadline\na,0:30\n",
		`V202 jobs.csv:2:3: deadline "0:30" is a clock time, and the workload has no origin`,
		"if it counts from the release, write how long, such as 0h30m or 0m30s; else say which clock time is time 0: " +
			`add "origin":"2026-11-23T22:00" (or "22:00") to workload.json, or to a JSON document before its tables`},
	{"a duration with a colon", "tasks.csv", "id,job,kind,processing_time\na1,a,map,2:55\nb1,b,map,1\n",
		`V202 tasks.csv:2:10: processing_time "2:55" is a clock time, and this is a duration`,
		"write how long it takes, such as 2h55m or 2m55s"},
	{"an origin without time", "workload.json", `{"format":"mrsched-workload/1","origin":"2026-11-23"}`,
		`V202 workload.json:1:41: origin "2026-11-23" is a date without a time of day`,
		"add the time, as in 2026-11-23T00:00"},
	{"another notation of dates", "jobs.csv", "id,release\na,23.11.2026\n",
		`V202 jobs.csv:2:3: release "23.11.2026" is a date without a time of day`, "add the time, as in 2026-11-23T00:00"},
	{"a row of sums", "tasks.csv", goodTasks + "Total,,,30\n", "V206 tasks.csv:4:7: job is missing or empty",
		"the row looks like a total: delete it"},
	{"a number as a kind", "tasks.csv", "id,job,kind\na1,a,10\nb1,b,map\n", `V205 tasks.csv:2:6: kind "10" is unknown`,
		"this is a number: are two headers swapped?"},
	{"a deadline before the release", "w.json", `{"format":"mrsched-workload/1","origin":"2026-11-22T22:00",` +
		`"jobs":[{"id":"a","release":"2026-11-22T23:00","deadline":"2026-11-22T22:30"}]}`,
		`V203 w.json:1:118: deadline "2026-11-22T22:30" is before the release of the job`,
		"the release is 2026-11-22 23:00:00"},
	{"capital ID in tasks", "tasks.csv", "Id,Job,Kind,Processing_Time\na1,a,map,10\nb1,b,map,20\n",
		`V207 tasks.csv:1:1: the header says "Id" instead of id (and 3 more like it)`,
		`write the first line as "id,job,kind,processing_time"`},
	{"spaces in names", "tasks.csv", "id,job,kind,Processing Time\na1,a,map,10\nb1,b,map,20\n",
		`V207 tasks.csv:1:13: the header says "Processing Time" instead of processing_time`,
		`write the first line as "id,job,kind,processing_time"`},
	{"camel case", "tasks.csv", "id,job,kind,processingTime\na1,a,map,10\nb1,b,map,20\n",
		`V207 tasks.csv:1:13: the header says "processingTime" instead of processing_time`,
		`write the first line as "id,job,kind,processing_time"`},
	{"hyphens", "tasks.csv", "id,job,kind,processing-time\na1,a,map,10\nb1,b,map,20\n",
		`V207 tasks.csv:1:13: the header says "processing-time" instead of processing_time`,
		`write the first line as "id,job,kind,processing_time"`},
	{"space after comma", "tasks.csv", "id, job, kind, processing_time\na1, a, map, 10\nb1, b, map, 20\n",
		`V207 tasks.csv:1:4: the header says " job" instead of job (and 2 more like it)`,
		`write the first line as "id,job,kind,processing_time"`},
	{"trailing space in name", "jobs.csv", "id ,release,weight\na,0,1\nb,60,2\n",
		`V207 jobs.csv:1:1: the header says "id " instead of id`,
		`write the first line as "id,release,weight"`},
	{"camel case JSON", "w.json", strings.Replace(goodDocument, "processing_time", "processingTime", 1),
		`V207 w.json:1:125: unknown key "processingTime"`,
		`did you mean "processing_time"?`},
	{"another word", "tasks.csv", "task_id,job_id,type,duration\na1,a,map,10\nb1,b,map,20\n",
		`F109 tasks.csv:1:1: the first line names no column of this table: "task_id,job_id,type,duration"`,
		"the first line names the columns: rename them, and delete lines above it: id is the task's name, unique among " +
			"all tasks; job is the id of the task's job; kind is map or reduce"},
	{"semicolons", "jobs.csv", strings.ReplaceAll(goodJobs, ",", ";"),
		`F109 jobs.csv:1:1: the header is one field, "id;release;weight"`,
		"separate columns with commas, and write decimals with a point"},
	{"semicolons, decimal commas", "tasks.csv", "id;job;kind;processing_time\na1;a;map;1,5\nb1;b;map;2,5\n",
		`F109 tasks.csv:1:1: the header is one field, "id;job;kind;processing_time"`,
		"separate columns with commas, and write decimals with a point"},
	{"tabs", "jobs.csv", strings.ReplaceAll(goodJobs, ",", "\t"),
		`F109 jobs.csv:1:1: the header is one field, "id\trelease\tweight"`,
		"separate columns with commas, and write decimals with a point"},
	{"bars", "jobs.csv", strings.ReplaceAll(goodJobs, ",", "|"),
		`F109 jobs.csv:1:1: the header is one field, "id|release|weight"`,
		"separate columns with commas, and write decimals with a point"},
	{"sep line", "jobs.csv", "sep=;\n" + strings.ReplaceAll(goodJobs, ",", ";"),
		`F109 jobs.csv:1:1: the header is one field, "sep=;"`,
		"separate columns with commas, and write decimals with a point"},
	{"decimal comma", "tasks.csv", "id,job,kind,processing_time\na1,a,map,\"1,5\"\nb1,b,map,20\n",
		`V202 tasks.csv:2:10: processing_time "1,5" is not a number`,
		"write a point before decimals, and no thousands separator"},
	{"thousands", "tasks.csv", "id,job,kind,processing_time\na1,a,map,\"1,234.5\"\nb1,b,map,20\n",
		`V202 tasks.csv:2:10: processing_time "1,234.5" is not a number`,
		"write a point before decimals, and no thousands separator"},
	{"thousands with spaces", "tasks.csv", "id,job,kind,processing_time\na1,a,map,1 234\nb1,b,map,20\n",
		`V202 tasks.csv:2:10: processing_time "1 234" is not a number`,
		"write a point before decimals, and no thousands separator"},
	{"clock time", "jobs.csv", "id,release\na,22:00\nb,22:10\n",
		`V202 jobs.csv:2:3: release "22:00" is a clock time, and the workload has no origin`,
		`say which clock time is time 0: add "origin":"2026-11-23T22:00" (or "22:00") to workload.json, or to a JSON ` +
			"document before its tables"},
	{"duration as clock", "tasks.csv", "id,job,kind,processing_time\na1,a,map,0:10:00\nb1,b,map,0:20:00\n",
		`V202 tasks.csv:2:10: processing_time "0:10:00" is a clock time, and this is a duration`,
		"write how long it takes, such as 0h10m00s"},
	{"date", "jobs.csv", "id,release\na,11/23/2026 22:00\nb,11/23/2026 22:10\n",
		`V202 jobs.csv:2:3: release "11/23/2026 22:00" is not a clock time that mrsched reads`,
		"write 22:30, 22:30:15 or 2026-11-23T22:30"},
	{"error cell", "tasks.csv", "id,job,kind,processing_time\na1,a,map,#VALUE!\nb1,b,map,20\n",
		`V202 tasks.csv:2:10: processing_time "#VALUE!" is not a number`,
		"this is an error of a spreadsheet: correct its formula"},
	{"scientific", "tasks.csv", "id,job,kind,processing_time\na1,a,map,1.2E+01\nb1,b,map,20\n",
		"warning: S422 tasks.csv:2:10: a spreadsheet may have rounded the processing_time 1.2E+01",
		"format the column as a number without decimals, not as general, and export it again"},
	{"currency", "tasks.csv", "id,job,kind,processing_time\na1,a,map,10 s\nb1,b,map,50%\n",
		`V202 tasks.csv:3:10: processing_time "50%" is not a number`,
		"leave the value out if it is unknown"},
	{"not known", "tasks.csv", "id,job,kind,processing_time\na1,a,map,N/A\nb1,b,map,20\n",
		`V202 tasks.csv:2:10: processing_time "N/A" is not a number`,
		"leave the value out if it is unknown"},
	{"capital kind", "tasks.csv", "id,job,kind,processing_time\na1,a,Map,10\nb1,b,MAP,20\n",
		`V205 tasks.csv:2:6: kind "Map" is unknown`,
		`did you mean "map"?`},
	{"trailing blank lines", "jobs.csv", goodJobs + "\n\n\n", "", ""},
	{"trailing lines of commas", "jobs.csv", goodJobs + ",,\n,,\n", "", ""},
	{"trailing columns", "jobs.csv", "id,release,weight,,\na,0,1,,\nb,60,2,,\n",
		"V207 jobs.csv:1:19: 2 columns without a name",
		"delete the empty columns, or the commas at the ends of lines"},
	{"title line", "jobs.csv", "Nightly jobs,,\nid,release,weight\na,0,1\nb,60,2\n",
		`F109 jobs.csv:1:1: the first line names no column of this table: "Nightly jobs,,"`,
		"the first line names the columns: rename them, and delete lines above it: id is the job's name, unique among jobs"},
	{"header only", "jobs.csv", "id,release,weight\n",
		`R302 tasks.csv:2:4: the table jobs has no rows, but 2 rows of tasks name jobs such as "a"`,
		"add the job or correct the name"},
	{"tasks header only", "tasks.csv", "id,job,kind,processing_time\n",
		"S401 tasks.csv: the workload has 2 jobs and 0 tasks",
		"fill the table tasks (in a folder, tasks.csv); jobs that state reduces need no rows in it"},
	{"no header", "jobs.csv", "a,0,1\nb,60,2\n",
		`F109 jobs.csv:1:1: the first line names no column of this table: "a,0,1"`,
		"the first line names the columns: rename them, and delete lines above it: id is the job's name, unique among jobs"},
	{"empty", "jobs.csv", "",
		"F109 jobs.csv: the file is empty",
		""},
	{"old Mac line ends", "jobs.csv", strings.ReplaceAll(goodJobs, "\n", "\r"),
		"F109 jobs.csv:1:12: the lines end with carriage returns alone",
		"save the file with line ends of Unix (LF) or Windows (CR LF)"},
	{"xlsx as CSV", "jobs.csv", "PK\x03\x04\x14\x00\x06\x00\x08\x00\x00\x00!\x00\xff\xfe",
		"F107 jobs.csv:1:1: the file is a ZIP archive or a workbook (.xlsx, .ods)",
		`save each sheet of a workbook as "CSV UTF-8", and unpack an archive; of compressed files, mrsched reads gzip`},
	{"xlsx beside", "jobs.xlsx", "PK\x03\x04\x14\x00\x06\x00\x08\x00\x00\x00!\x00\xff\xfe",
		"F108 DIR: the directory has no jobs.csv",
		`save each sheet of "jobs.xlsx" as "CSV UTF-8", named after its table`},
	{"xls as CSV", "jobs.csv", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00\x00",
		"F107 jobs.csv:1:1: the file is a workbook (.xls)",
		`save each sheet of a workbook as "CSV UTF-8", and unpack an archive; of compressed files, mrsched reads gzip`},
	{"HTML as CSV", "jobs.csv", "<!DOCTYPE html>\n<html><body>login</body></html>\n",
		"F109 jobs.csv:1:1: the file is an HTML or XML document",
		`export the table as "CSV UTF-8"`},
	{"array at top", "w.json", `[{"id":"a"}]`,
		"V201 w.json:1:1: the document is an array",
		`put the rows into an object with their tables: {"format":"mrsched-workload/1","jobs":[…],"tasks":[…]}`},
	{"JSON lines", "w.json", goodDocument + "\n" + goodDocument + "\n",
		"F103 w.json:1:147: something follows the document",
		"all tables are in one object; rows are not lines of their own"},
	{"lines of rows", "w.json", `{"id":"a1","job":"a","kind":"map","processing_time":1}` + "\n" +
		`{"id":"a2","job":"a","kind":"map","processing_time":1}` + "\n",
		"F107 w.json: this is a JSON document of another kind",
		"mrsched schema workload describes the document: all tables are in one object"},
	{"trailing comma", "w.json", strings.Replace(goodDocument, `"}]`, `"},]`, 1),
		"F103 w.json:1:80: invalid character ',' at start of value",
		"remove the comma before it"},
	{"single quotes", "w.json", strings.ReplaceAll(goodDocument, `"`, "'"),
		`F103 w.json:1:2: invalid character '\'' at start of value`,
		`write straight double quotes: "`},
	{"comment", "w.json", "// tonight\n" + goodDocument,
		"F103 w.json:1:1: invalid character '/' at start of value",
		"JSON has no comments: remove them"},
	{"curly quotes", "w.json", strings.ReplaceAll(goodDocument, `"`, "\u201c"),
		"F103 w.json:1:2: invalid character '“' at start of value",
		`write straight double quotes: "`},
	{"zip as JSON", "w.json", "PK\x03\x04\x14\x00\x06\x00",
		"F107 w.json:1:1: the file is a ZIP archive or a workbook (.xlsx, .ods)",
		`save each sheet of a workbook as "CSV UTF-8", and unpack an archive; of compressed files, mrsched reads gzip`},
}

// TestSpreadsheets (finding 23): each mistake gives one finding, which names it and says what to do.
func TestSpreadsheets(t *testing.T) {
	for _, c := range mistakes {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			files := map[string]string{"jobs.csv": goodJobs, "tasks.csv": goodTasks, "workload.json": goodScalars}
			path := dir
			if c.file == "w.json" {
				files, path = map[string]string{}, filepath.Join(dir, c.file)
			}
			if c.file == "jobs.xlsx" {
				delete(files, "jobs.csv")
			}
			files[c.file] = c.text
			for name, text := range files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			var out, errs bytes.Buffer
			code := Main([]string{"mrsched", "solve", path, "--quiet"}, nil, &out, &errs)
			got := strings.ReplaceAll(strings.TrimSuffix(errs.String(), "\n"), dir+string(filepath.Separator), "")
			first, _, _ := strings.Cut(got, "\n")
			what, rest, _ := strings.Cut(first, "; expected ")
			_, hint, _ := strings.Cut(rest, "; hint: ")
			what = strings.ReplaceAll(what, dir, "DIR")
			if what != c.says || hint != c.hint || (code == 0) != (c.says == "" || strings.HasPrefix(c.says, "warning: ")) {
				t.Errorf("exit %d, %q, hint %q", code, what, hint)
			}
			if n := strings.Count(got, "\n"); n > 1 { // two bad rows at most
				t.Errorf("%d more lines:\n%s", n, got)
			}
		})
	}
}
