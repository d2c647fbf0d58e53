package instances

import (
	"fmt"
	"strconv"
	"strings"
)

// Weight classes of ShuffleWatcher's benchmarks, by what they shuffle for each byte read.
const (
	ShuffleHeavy  = "heavy"  // more than 1
	ShuffleMedium = "medium" // about 1
	ShuffleLight  = "light"  // less than 1
)

// Benchmark is one program of the PUMA suite.
type Benchmark struct {
	Name    string
	Class   string
	Percent float64 // of the jobs; ShuffleWatcher, Table 1
	// Ratio is how many bytes maps write per byte that they read.
	Ratio float64
	// MapSeconds is what a map computes for 64 MiB, ReduceSeconds a reduce for 10^6 bytes, start-up not counted.
	MapSeconds, ReduceSeconds float64
	// Cores and Gigabytes are what a task of either kind uses.
	Cores, Gigabytes float64
}

// Benchmarks are the programs of Table 1. Only names, classes and percentages are the paper's; the other numbers are
// chosen as follows.
//
// Ratio: what the programs write. terasort copies records of 100 bytes and adds the framing of each. self-join writes
// each line under its first items, ranked-inverted-index each count under its word, both with the parts that repeat.
// word-sequence-count makes a key of every three words in a row, so that each word is written three times, of which its
// combiner takes some back. adjacency-list writes each edge under both ends. inverted-index and term-vector write a
// posting or a host for each word of a text, once a document. wordcount's combiner leaves each word once a map; grep,
// classification and the histograms leave matches, cluster members or a handful of counters. With the shares and sizes
// of the paper three quarters and more of all shuffled bytes are then those of heavy jobs (its Table 3).
//
// Times: maps of these programs process some 1 to 4 MB per second on a virtual core of the time (m1.xlarge, Hadoop 1),
// that is 15 to 66 s a block: fast those that scan (grep, histogram-movies, terasort), slow those that take text apart
// or look into a line for single ratings. Two take 90 s: word-sequence-count, whose combiner sorts three words for each
// word, and classification, which compares each movie to all centroids. Reduces merge what they fetched and write it
// three times: 15 to 50 MB per second, slow where they join or sort postings.
//
// Cores and memory (for dominant shares): a node's four cores run six tasks at a time, or five cores eight, and, as in
// Hadoop 1, only slots limits them, so no task may use more than five eighths of a core: 0.6, and programs that
// scan or sort, which wait for disks half of the time, 0.3. Those that keep tables or sort buffers use from 1 to 2 GB.
func Benchmarks() []Benchmark {
	return []Benchmark{
		{"terasort", ShuffleHeavy, 5, 1.04, 30, 0.04, 0.3, 1.5},
		{"ranked-inverted-index", ShuffleHeavy, 10, 1.3, 36, 0.05, 0.3, 1.5},
		{"self-join", ShuffleHeavy, 10, 1.5, 30, 0.06, 0.3, 2},
		{"word-sequence-count", ShuffleHeavy, 10, 2.4, 90, 0.04, 0.6, 2},
		{"adjacency-list", ShuffleHeavy, 5, 2, 42, 0.06, 0.6, 2},
		{"inverted-index", ShuffleMedium, 10, 0.8, 66, 0.05, 0.6, 1.5},
		{"term-vector", ShuffleMedium, 10, 0.9, 66, 0.06, 0.6, 1.5},
		{"grep", ShuffleLight, 15, 0.001, 15, 0.02, 0.3, 0.5},
		{"wordcount", ShuffleLight, 10, 0.15, 54, 0.03, 0.6, 1},
		{"classification", ShuffleLight, 5, 0.01, 90, 0.02, 0.6, 1},
		{"histogram-movies", ShuffleLight, 5, 0.001, 21, 0.02, 0.3, 0.5},
		{"histogram-ratings", ShuffleLight, 5, 0.001, 60, 0.02, 0.6, 0.5},
	}
}

// benchmarkShares are the benchmarks' shares of the jobs for percentages of light, medium and heavy jobs such as
// "40/20/40": inside a class they stand to each other as in Table 1.
func benchmarkShares(mix string) ([]float64, error) {
	parts := strings.Split(mix, "/")
	var percent [3]float64
	sum := 0.0
	for k := range parts {
		v, err := strconv.ParseFloat(parts[k], 64)
		if err != nil || !(v >= 0 && v <= 100) || len(parts) != len(percent) {
			return nil, fmt.Errorf("mix %q", mix)
		}
		percent[k] = v
		sum += v
	}
	if sum < 99.99 || sum > 100.01 {
		return nil, fmt.Errorf("mix %q adds up to %g", mix, sum)
	}
	classes := map[string]float64{ShuffleLight: percent[0], ShuffleMedium: percent[1], ShuffleHeavy: percent[2]}
	total := map[string]float64{}
	for _, x := range Benchmarks() {
		total[x.Class] += x.Percent
	}
	var shares []float64
	for _, x := range Benchmarks() {
		shares = append(shares, classes[x.Class]*x.Percent/total[x.Class]/sum)
	}
	return shares, nil
}

// sizeBin is a range of input sizes in gigabytes (10^9 bytes) and the share of jobs in it.
type sizeBin struct{ from, to, share float64 }

// tableSizes is Table 2. The paper bounds its first and last range on one side only: from 10 MB, up to 1.5 TB, where
// the jobs of four hours read some 60 TB in all.
const tableSizes = "0.01-0.1:20,0.1-1:19,1-20:21,20-100:10,100-200:10,200-500:7,500-1000:8,1000-1500:5"

// sizeBins reads ranges and percentages as in tableSizes.
func sizeBins(text string) ([]sizeBin, error) {
	var bins []sizeBin
	sum := 0.0
	for part := range strings.SplitSeq(text, ",") {
		var b sizeBin
		edges, percent, _ := strings.Cut(part, ":")
		from, to, _ := strings.Cut(edges, "-")
		for _, x := range []struct {
			text string
			into *float64
		}{{from, &b.from}, {to, &b.to}, {percent, &b.share}} {
			v, err := strconv.ParseFloat(x.text, 64)
			if err != nil || !(v >= 0 && v <= 1e6) {
				return nil, fmt.Errorf("size range %q", part)
			}
			*x.into = v
		}
		if b.from <= 0 || b.to < b.from {
			return nil, fmt.Errorf("size range %q", part)
		}
		sum += b.share
		bins = append(bins, b)
	}
	if sum < 99.99 || sum > 100.01 {
		return nil, fmt.Errorf("size ranges %q of %g percent", text, sum)
	}
	for k := range bins {
		bins[k].share /= sum
	}
	return bins, nil
}
