package campaign

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// plan asks how many nodes an instance of cluster needs, and plans the best result of msjo or cluster again; check must
// accept both.
func (n *numbers) plan(k int, w, dir string, flags []string) {
	if n.problem != "msjo" && n.problem != "cluster" {
		return
	}
	r := rand.New(rand.NewPCG(uint64(k), 8))
	span := pick(r, "1", "1..2", "7")
	sizes := append([]string{"size", "--nodes", span}, flags...)
	if out := dir + "-sizes"; n.problem == "cluster" && n.ended(w, out, sizes) {
		found, err := filepath.Glob(filepath.Join(out, "*.instance.json"))
		noError(n.t, err)
		if len(found) == 0 {
			n.unfit(w, sizes, 1+strings.Count(span, ".."))
		}
		for _, instance := range found {
			n.verified(w, sizes, instance, strings.TrimSuffix(instance, "instance.json")+"result.json")
		}
	}
	earlier := filepath.Join(dir, "best")
	if _, err := os.Stat(filepath.Join(earlier, "schedule.csv")); err != nil {
		return // it was refused
	}
	again := append([]string{"solve", "--from", earlier, "--freeze-until", pick(r, "0", "0.000001", "2.5", "1000000000"),
		"--change-penalty", pick(r, "0", "0.000001", "1000000")}, flags...)
	n.solve(w, dir+"-again", again)
}

// unfit demands a reason for each of count sizes, none of which has a schedule.
func (n *numbers) unfit(w string, sizes []string, count int) {
	o := run(slices.Concat(sizes, []string{w, "--iterations", "20", "--threads", "1"})...)
	reasons := reason.FindAllString(o.stdout, -1)
	if len(reasons) != count && !strings.Contains(o.stdout, " or fewer: ") {
		n.miss(w, "%q: %d of %d sizes without a schedule have a reason: %s", sizes, len(reasons), count, o.stdout)
	}
}

// reason matches a line that says why a size, or all up to it, has no schedule.
var reason = regexp.MustCompile(`(?m)^[0-9]+ (node|machine)s?( or fewer)?: \S`)

// amounts matches a number of an event log.
var amounts = regexp.MustCompile(`("[A-Z][A-Za-z ]*":)(\d+)`)

// spark imports the event log of an application after some of its numbers have become extreme, and solves it.
func (n *numbers) spark(k int) {
	log, err := os.ReadFile("../../../testdata/spark/app.json")
	noError(n.t, err)
	pool := []string{"0", "1", "1699999999999", "4611686018427", "1152921504606846976", "9223372036854775807"}
	r := rand.New(rand.NewPCG(uint64(k), 77))
	path := filepath.Join(n.dir, fmt.Sprintf("log%d.json", k))
	left := 1 + r.IntN(4) // numbers to change
	places := len(amounts.FindAll(log, -1))
	text := amounts.ReplaceAllFunc(log, func(was []byte) []byte {
		places--
		if r.IntN(places+1) >= left {
			return was
		}
		left--
		return append(amounts.FindSubmatch(was)[1], pick(r, pool...)...)
	})
	noError(n.t, os.WriteFile(path, text, 0o600))
	w := filepath.Join(n.dir, fmt.Sprintf("w%d.json", k))
	o := run(append([]string{"import", "spark", path, "-o", w, "-q"}, pick(r, nil, []string{"--jobs", "free"})...)...)
	if !n.served(path, []string{"import", "spark"}, o) {
		return
	}
	if dir := strings.TrimSuffix(w, ".json"); n.solve(w, dir, []string{"compare", "-a", "all"}) {
		n.inspect(w, dir)
		n.plan(k, w, dir, nil)
	}
}
