package workload

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strings"

	"mrsched/io/textpos"
)

// recognised are, by table, pairs of a column and the plain names of columns of other programs that mean it, without
// their units; A+B is a key of two, =TEXT a text in every row. A table's first pairs are what its rows need.
var recognised = []struct {
	table string
	needs int
	pairs []string
}{
	{"delays", 2, []string{"from dagid+upstreamtaskid from upstream after predecessor predecessors",
		"to dagid+downstreamtaskid to downstream task"}},
	{"dependencies", 2, []string{"job targetdagid job jobname", "after sourcedagid after dependson waitsfor"}},
	{"unavailable", 3, []string{"node host hostname node machine server", "from from start startdate starttime begin",
		"until until to end enddate endtime"}},
	{"tasks", 2, []string{"id dagid+taskid id taskid task taskname jobid", "job dagid job jobname workflow pipeline",
		"processing_time processingtime duration runtime elapsed time seconds minutes hours",
		"cpu cpu cores cpus ncpus vcpus", "memory_bytes memorybytes memory mem ram", "recorded_node hostname host node",
		"recorded_start startdate start starttime"}},
	{"topology", 2, []string{"id hostname host id node machine server", "cpu cpu cores cpus ncpus vcpus",
		"memory_bytes memorybytes memory mem ram", "parent parent rack", "map_slots mapslots slots"}},
	{"eligible", 2, []string{"task dagid+taskid task taskid", "place pinnedhost place host hosts node"}},
	{"jobs", 2, []string{"id dagid id job jobname jobid", "deadline deadline slaby sla due dueby duedate",
		"release release earlieststart", "weight weight priority"}},
	{"demands", 3, []string{"task dagid+taskid task taskid", "resource resource licence license pool",
		"amount amount count"}},
	{"capacities", 3, []string{"resource resource licence license pool", "amount amount total count seats slots",
		"node node host machine =root"}},
}

// Propose is the command that imports a table of another program, if it recognises the names of its columns: those of
// the table of which it finds most. A file with the columns of the table that it is named after, however spelled, needs
// none.
func Propose(path string) (command string, ok bool) {
	f, err := os.Open(path)
	if err != nil {
		return "", false
	}
	defer f.Close() // it was only read
	_, text, comma := beginning(MappedFile{Name: path, Text: f})
	r := csv.NewReader(text)
	r.Comma = comma
	names, err := r.Read()
	if err != nil {
		return "", false
	}
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
	}
	return propose(path, names)
}

// propose is Propose for a header.
func propose(path string, names []string) (command string, ok bool) {
	for _, t := range tables {
		if textpos.Stem(path, gzSuffix, csvSuffix) == t.tableName() &&
			!slices.ContainsFunc(t.tableColumns(), func(c column) bool { return c.lacked(names) }) {
			return "", false
		}
	}
	best := 0
	for _, t := range recognised {
		var pairs []string
		for k, words := range t.pairs {
			fields := strings.Fields(words)
			source := sourceOf(fields[1:], names)
			if source == "" && k < t.needs {
				pairs = nil
				break
			}
			if source != "" {
				pairs = append(pairs, fields[0]+"="+source)
			}
		}
		if len(pairs) > best {
			best = len(pairs)
			command = fmt.Sprintf("mrsched import csv %s=%s --map %q --into FOLDER", t.table, path, strings.Join(pairs, ","))
		}
	}
	return command, best > 0
}

// sourceOf is the first of several plain names that a file has, with its unit or not, as the file writes it; "" if it
// has none.
func sourceOf(words, names []string) string {
	for _, word := range words {
		if strings.HasPrefix(word, "=") {
			return word
		}
		var list []string
		for part := range strings.SplitSeq(word, "+") {
			named := func(name string) bool { return plainName(name) == part || stem(name) == part }
			if i := slices.IndexFunc(names, named); i >= 0 {
				list = append(list, names[i])
			}
		}
		if len(list) == strings.Count(word, "+")+1 {
			return strings.Join(list, ".")
		}
	}
	return ""
}

// stem is a plain name without the unit at its end.
func stem(name string) string {
	for quantity := range dimensions() {
		if unit, doubt := unitOf(name, quantity); unit+doubt != "" {
			return strings.TrimSuffix(plainName(name), plainName(unit+doubt))
		}
	}
	return plainName(name)
}

// delimiter is the one of several characters that a line has most of; a comma if it has none.
func delimiter(line string) rune {
	best := ','
	for _, c := range ";\t|" {
		if strings.Count(line, string(c)) > strings.Count(line, string(best)) {
			best = c
		}
	}
	return best
}

// beginning prepares to read a file, and tells what is between its columns.
func beginning(f MappedFile) (*textpos.Reader, *bufio.Reader, rune) {
	in := textpos.NewReader(f.Text, f.Name)
	text := bufio.NewReaderSize(in, maxGap)
	head, _ := text.Peek(maxGap / 2) // an error comes again
	line, _, _ := strings.Cut(string(head), "\n")
	return in, text, delimiter(line)
}
