package campaign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The memory that one check may allocate in total: a constant and a multiple of the size of its input.
const (
	memoryBase   = 256 << 20
	memoryFactor = 4096
)

// TestMutations corrupts valid results of every problem at random. check must notice, whether or not the digests were
// computed again, unless the second checker accepts the corrupted result too.
func TestMutations(t *testing.T) {
	inProcesses(t, problems(), func(t *testing.T, problem string) {
		all := bases(t, problem, mutationInstances)
		c := &mutations{t: t, second: newSecond(t), problem: problem, bases: all, dir: filepath.Join(t.TempDir(), "r"), count: map[string]int{},
			forger: &forger{r: rand.New(rand.NewPCG(2016, uint64(len(problem)))), names: names(all)}}
		for c.tried < mutationsEach {
			c.one()
		}
		t.Logf("%d detected; %v", c.detected, c.count)
		Record(t, Row{"mutations " + problem, c.tried, c.missed})
	})
}

// names are texts that occur in results: ids, kinds, words, methods.
func names(all []base) []string {
	seen := map[string]bool{}
	for _, b := range all {
		for name, text := range b.files {
			if strings.HasSuffix(name, ".csv") {
				for _, cell := range slices.Concat(table(text)...) {
					seen[cell] = true
				}
			} else if root := parse(text); root != nil {
				root.leaves("", func(_ string, leaf *node) {
					if len(leaf.text) < 50 {
						seen[strings.Trim(leaf.text, `"`)] = true
					}
				})
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

type mutations struct {
	t       *testing.T
	second  *second
	problem string
	bases   []base
	dir     string
	*forger
	tried, detected, missed int
	count                   map[string]int // by what was done
}

// one corrupts a result and lets check judge it.
func (c *mutations) one() {
	b, x := pick(c.r, c.bases...), files{}
	var others []files
	for _, o := range c.bases {
		if o.group == b.group && o.dir != b.dir || c.r.IntN(10) == 0 {
			others = append(others, o.files)
		}
	}
	for name, text := range b.files {
		x[name] = bytes.Clone(text)
	}
	what, sealed := c.corrupt(x, others), c.r.IntN(2) == 0
	if sealed {
		x.reseal()
	}
	if what == "" || maps.EqualFunc(x, b.files, bytes.Equal) { // or only digests were wrong
		return
	}
	c.tried++
	c.count[what]++
	x.write(c.t, c.dir)
	c.judge(&b, x, fmt.Sprintf("%s (digests computed again: %t)", what, sealed))
}

// judge demands that check refuses the files, or that the second checker accepts them too.
func (c *mutations) judge(b *base, x files, what string) {
	o := run("check", b.instance, c.dir, "--json")
	limit := uint64(memoryBase)
	for _, text := range x {
		limit += memoryFactor * uint64(len(text))
	}
	miss := func(format string, args ...any) {
		c.missed++
		c.t.Errorf("%s of %s: %s: %s\nkept in %s", b.algorithm, filepath.Base(b.instance), what, fmt.Sprintf(format, args...),
			x.keep(c.t, fmt.Sprintf("missed/%s-%d", c.problem, c.missed)))
	}
	if o.allocated > limit {
		miss("check allocated %d bytes", o.allocated)
	}
	switch {
	case o.broken != "":
		miss("%s", o.broken)
	case o.code == exitViolation && told(o.stdout), o.code == exitUsage && o.stderr != "":
		c.detected++
	case o.code != exitDone:
		miss("check ends with %d: %s", o.code, o.stderr)
	default:
		if found := c.second.judge(b.instance, c.dir); len(found) > 0 {
			miss("check says ok; the second checker: %v", found)
		}
	}
}

// told says whether check printed a violation.
func told(stdout string) bool {
	var line struct {
		OK         bool
		Violations []struct{ Code, What string }
	}
	err := json.Unmarshal([]byte(stdout), &line)
	return err == nil && !line.OK && len(line.Violations) > 0 && line.Violations[0].Code != "" &&
		line.Violations[0].What != ""
}
