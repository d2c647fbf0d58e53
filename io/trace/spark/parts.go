package spark

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Names of the parts of a rolling log.
const (
	rolling = "events_"  // events_1_APPLICATION.zstd, events_2_…
	dated   = "eventlog" // eventlog-2021-06-14--20-00.gz, …, and the last one, eventlog
	compact = ".compact"
)

// Parts picks the parts of a log among the files of a directory and puts them in order. It knows Spark's rolling logs,
// whose parts are numbered, and those of which the older parts are dated and the last is not. Everything else, such as
// the empty appstatus_…, is no part.
func Parts(names []string) []string {
	var numbered, others []string
	for _, name := range names {
		switch _, ok := partNumber(name); {
		case ok:
			numbered = append(numbered, name)
		case name == dated || strings.HasPrefix(name, dated+"-") || strings.HasPrefix(name, dated+"."):
			others = append(others, name)
		}
	}
	if len(numbered) > 0 {
		return InOrder(numbered)
	}
	return InOrder(others)
}

// InOrder puts files in the order of their parts if all of them are parts, as a shell lists events_10 before events_2;
// else it keeps their order. A compacted part replaces those up to its number.
func InOrder(files []string) []string {
	files = slices.Clone(files)
	numbers := make(map[string]int64, len(files))
	replaced := int64(-1)
	for _, f := range files {
		n, ok := partNumber(path.Base(f))
		if !ok {
			if !slices.ContainsFunc(files, func(f string) bool { return !strings.HasPrefix(path.Base(f), dated) }) {
				slices.SortStableFunc(files, func(a, b string) int { return cmp.Compare(datedKey(a), datedKey(b)) })
			}
			return files
		}
		numbers[f] = n
		if isCompact(f) {
			replaced = max(replaced, n)
		}
	}
	files = slices.DeleteFunc(files, func(f string) bool {
		return numbers[f] < replaced || numbers[f] == replaced && !isCompact(f)
	})
	slices.SortStableFunc(files, func(a, b string) int { return cmp.Compare(numbers[a], numbers[b]) })
	return files
}

func isCompact(file string) bool { return strings.HasSuffix(file, compact) }

// datedKey sorts the part without a date last.
func datedKey(file string) string {
	name := path.Base(file)
	if strings.HasPrefix(name, dated+"-") {
		return name
	}
	return dated + "~"
}

// partNumber is the number of a part of a rolling log.
func partNumber(name string) (int64, bool) {
	rest, ok := strings.CutPrefix(name, rolling)
	digits, _, more := strings.Cut(rest, "_")
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, ok && more && err == nil && n >= 0
}

// gaps are the parts of a rolling log that are not there, as text, and how many; the parts are in order.
func gaps(files []string) (text string, count int64) {
	var list []string
	next := int64(1)
	for i, f := range files {
		n, ok := partNumber(path.Base(f))
		if !ok {
			return "", 0
		}
		if i > 0 || n > 0 && !isCompact(f) {
			switch missing := n - next; {
			case missing == 1:
				list = append(list, strconv.FormatInt(next, 10))
			case missing > 1:
				list = append(list, fmt.Sprintf("%d to %d", next, n-1))
			}
			count += max(0, n-next)
		}
		next = n + 1
	}
	return strings.Join(list, ", "), count
}
