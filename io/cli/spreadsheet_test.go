package cli

import (
	"strings"
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

// mistakes are typical errors of spreadsheets and exports in a workload: a file of it. What mrsched says about each is
// in testdata/malformed/mistakes.txt.
var mistakes = []struct{ name, file, text string }{
	{"UTF-16 little", "jobs.csv", utf16Of(goodJobs, false, true)},
	{"UTF-16 big", "jobs.csv", utf16Of(goodJobs, true, true)},
	{"UTF-16 little, no mark", "jobs.csv", utf16Of(goodJobs, false, false)},
	{"UTF-16 big, no mark", "jobs.csv", utf16Of(goodJobs, true, false)},
	{"UTF-16 JSON", "w.json", utf16Of(goodDocument, false, true)},
	{"UTF-16 JSON, no mark", "w.json", utf16Of(goodDocument, false, false)},
	{"UTF-16 JSON big, no mark", "w.json", utf16Of(goodDocument, true, false)},
	{"UTF-16 scalars", "workload.json", utf16Of(goodScalars, false, true)},
	{"UTF-8 mark", "jobs.csv", "\ufeff" + goodJobs},
	{"UTF-8 mark JSON", "w.json", "\ufeff" + goodDocument},
	{"latin1", "jobs.csv", "id,tenant\na,M\xfcller\nb,x\n"},
	{"capitals", "jobs.csv", "ID,Release,Weight\na,0,1\nb,60,2\n"},
	{"a name twice in two cases", "jobs.csv", "id,Weight,weight\na,1,2\n"},
	{"underscores", "jobs.csv", "id,deadline\na,1_000\n"},
	{"a duration with a colon", "tasks.csv", "id,job,kind,processing_time\na1,a,map,2:55\nb1,b,map,1\n"},
	{"an origin without time", "workload.json", `{"format":"mrsched-workload/1","origin":"2026-11-23"}`},
	{"another notation of dates", "jobs.csv", "id,release\na,23.11.2026\n"},
	{"a row of sums", "tasks.csv", goodTasks + "Total,,,30\n"},
	{"a number as a kind", "tasks.csv", "id,job,kind\na1,a,10\nb1,b,map\n"},
	{"a deadline before the release", "w.json", `{"format":"mrsched-workload/1","origin":"2026-11-22T22:00",` +
		`"jobs":[{"id":"a","release":"2026-11-22T23:00","deadline":"2026-11-22T22:30"}]}`},
	{"spaces in names", "tasks.csv", "id,job,kind,Processing Time\na1,a,map,10\nb1,b,map,20\n"},
	{"camel case", "tasks.csv", "id,job,kind,processingTime\na1,a,map,10\nb1,b,map,20\n"},
	{"hyphens", "tasks.csv", "id,job,kind,processing-time\na1,a,map,10\nb1,b,map,20\n"},
	{"space after comma", "tasks.csv", "id, job, kind, processing_time\na1, a, map, 10\nb1, b, map, 20\n"},
	{"trailing space in name", "jobs.csv", "id ,release,weight\na,0,1\nb,60,2\n"},
	{"camel case JSON", "w.json", strings.Replace(goodDocument, "processing_time", "processingTime", 1)},
	{"another word", "tasks.csv", "task_id,job_id,type,duration\na1,a,map,10\nb1,b,map,20\n"},
	{"semicolons", "jobs.csv", strings.ReplaceAll(goodJobs, ",", ";")},
	{"semicolons, decimal commas", "tasks.csv", "id;job;kind;processing_time\na1;a;map;1,5\nb1;b;map;2,5\n"},
	{"tabs", "jobs.csv", strings.ReplaceAll(goodJobs, ",", "\t")},
	{"sep line", "jobs.csv", "sep=;\n" + strings.ReplaceAll(goodJobs, ",", ";")},
	{"decimal comma", "tasks.csv", "id,job,kind,processing_time\na1,a,map,\"1,5\"\nb1,b,map,20\n"},
	{"thousands", "tasks.csv", "id,job,kind,processing_time\na1,a,map,\"1,234.5\"\nb1,b,map,20\n"},
	{"thousands with spaces", "tasks.csv", "id,job,kind,processing_time\na1,a,map,1 234\nb1,b,map,20\n"},
	{"clock time", "jobs.csv", "id,release\na,22:00\nb,22:10\n"},
	{"duration as clock", "tasks.csv", "id,job,kind,processing_time\na1,a,map,0:10:00\nb1,b,map,0:20:00\n"},
	{"date", "jobs.csv", "id,release\na,11/23/2026 22:00\nb,11/23/2026 22:10\n"},
	{"error cell", "tasks.csv", "id,job,kind,processing_time\na1,a,map,#VALUE!\nb1,b,map,20\n"},
	{"scientific", "tasks.csv", "id,job,kind,processing_time\na1,a,map,1.2E+01\nb1,b,map,20\n"},
	{"currency", "tasks.csv", "id,job,kind,processing_time\na1,a,map,10 s\nb1,b,map,50%\n"},
	{"capital kind", "tasks.csv", "id,job,kind,processing_time\na1,a,Map,10\nb1,b,MAP,20\n"},
	{"trailing blank lines", "jobs.csv", goodJobs + "\n\n\n"},
	{"trailing lines of commas", "jobs.csv", goodJobs + ",,\n,,\n"},
	{"trailing columns", "jobs.csv", "id,release,weight,,\na,0,1,,\nb,60,2,,\n"},
	{"title line", "jobs.csv", "Nightly jobs,,\nid,release,weight\na,0,1\nb,60,2\n"},
	{"header only", "jobs.csv", "id,release,weight\n"},
	{"tasks header only", "tasks.csv", "id,job,kind,processing_time\n"},
	{"no header", "jobs.csv", "a,0,1\nb,60,2\n"},
	{"empty", "jobs.csv", ""},
	{"old Mac line ends", "jobs.csv", strings.ReplaceAll(goodJobs, "\n", "\r")},
	{"xlsx as CSV", "jobs.csv", "PK\x03\x04\x14\x00\x06\x00\x08\x00\x00\x00!\x00\xff\xfe"},
	{"xlsx beside", "jobs.xlsx", "PK\x03\x04\x14\x00\x06\x00\x08\x00\x00\x00!\x00\xff\xfe"},
	{"xls as CSV", "jobs.csv", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00\x00"},
	{"Parquet as CSV", "jobs.csv", "PAR1\x15\x04"},
	{"Parquet beside", "tasks.parquet", "PAR1\x15\x04"},
	{"Parquet as JSON", "w.json", "PAR1\x15\x04"},
	{"HTML as CSV", "jobs.csv", "<!DOCTYPE html>\n<html><body>login</body></html>\n"},
	{"array at top", "w.json", `[{"id":"a"}]`},
	{"JSON lines", "w.json", goodDocument + "\n" + goodDocument + "\n"},
	{"lines of rows", "w.json", `{"id":"a1","job":"a","kind":"map","processing_time":1}` + "\n" +
		`{"id":"a2","job":"a","kind":"map","processing_time":1}` + "\n"},
	{"trailing comma", "w.json", strings.Replace(goodDocument, `"}]`, `"},]`, 1)},
	{"single quotes", "w.json", strings.ReplaceAll(goodDocument, `"`, "'")},
	{"comment", "w.json", "// tonight\n" + goodDocument},
	{"curly quotes", "w.json", strings.ReplaceAll(goodDocument, `"`, "\u201c")},
	{"zip as JSON", "w.json", "PK\x03\x04\x14\x00\x06\x00"},
}
