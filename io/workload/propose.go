package workload

import (
	"bufio"
	"encoding/csv"
	"os"
	"slices"
	"strings"

	"mrsched/io/textpos"
)

// recognised are, by table, pairs of a column and the plain names of columns of other programs that mean it; A+B is a
// key of two. A table's first pairs are what its rows need.
var recognised = []struct {
	table string
	needs int
	pairs []string
}{
	{"delays", 2, []string{"from dagid+upstreamtaskid from upstream", "to dagid+downstreamtaskid to downstream"}},
	{"dependencies", 2, []string{"job targetdagid job", "after sourcedagid after"}},
	{"unavailable", 3, []string{"node host hostname node machine server", "from from start startdate starttime begin",
		"until until end enddate endtime"}},
	{"tasks", 2, []string{"id dagid+taskid id taskid task jobid", "job dagid job workflow pipeline",
		"processing_time processingtime duration runtime elapsed seconds", "cpu cpu cores cpus ncpus vcpus",
		"memory_bytes memorybytes memory mem memgb memmb ramgb", "recorded_node hostname host node",
		"recorded_start startdate start starttime"}},
	{"topology", 2, []string{"id hostname host id node machine server", "cpu cpu cores cpus ncpus vcpus",
		"memory_bytes memorybytes memory mem ramgb memgb rammb memmb ram", "parent parent rack", "map_slots mapslots slots"}},
	{"eligible", 2, []string{"task dagid+taskid task taskid", "place pinnedhost place host hosts node"}},
	{"jobs", 2, []string{"id dagid id job jobid", "deadline deadline slaby sla due duedate", "weight weight priority"}},
}

// Propose is the command that imports a table of another program, if it recognises the names of its columns: those of
// the table of which it finds most.
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
	plain := make([]string, len(names))
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
		plain[i] = plainName(name)
	}
	best := 0
	for _, t := range recognised {
		var pairs []string
		for k, words := range t.pairs {
			fields := strings.Fields(words)
			source := sourceOf(fields[1:], names, plain)
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
			command = "mrsched import csv " + t.table + "=" + path + " --map " + strings.Join(pairs, ",") + " --into FOLDER"
		}
	}
	return command, best > 0
}

// sourceOf is the first of several plain names that a file has, as the file writes it; "" if it has none.
func sourceOf(words, names, plain []string) string {
	for _, word := range words {
		var list []string
		for part := range strings.SplitSeq(word, "+") {
			if i := slices.Index(plain, part); i >= 0 {
				list = append(list, names[i])
			}
		}
		if len(list) == strings.Count(word, "+")+1 {
			return strings.Join(list, ".")
		}
	}
	return ""
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
