package campaign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sort"
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
		f := familyOf(problem)
		all := f.bases(t)
		c := &mutations{t: t, problem: f.problem, bases: all, dir: filepath.Join(t.TempDir(), "r"),
			levels: map[string]int{}}
		c.forger = &forger{r: rand.New(rand.NewPCG(2016, uint64(len(f.problem)))), names: names(all)}
		for c.tried < mutationsEach {
			c.one()
		}
		c.report()
	})
}

// names are texts that occur in results: ids, kinds, words, methods.
func names(all []base) []string {
	seen := map[string]bool{}
	for _, b := range all {
		for name, text := range b.files {
			if strings.HasSuffix(name, ".csv") {
				for _, row := range table(text) {
					for _, cell := range row {
						seen[cell] = true
					}
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
	problem string
	bases   []base
	dir     string
	*forger
	tried, detected, sealed, spared, missed int
	levels                                  map[string]int
}

func (c *mutations) one() {
	b := pick(c.r, c.bases...)
	var others []files
	for _, o := range c.bases {
		if o.group == b.group && o.dir != b.dir || c.r.IntN(10) == 0 {
			others = append(others, o.files)
		}
	}
	x := files{}
	for name, text := range b.files {
		x[name] = bytes.Clone(text)
	}
	what := c.corrupt(x, others)
	if what == "" || maps.EqualFunc(x, b.files, bytes.Equal) {
		return
	}
	sealed := c.r.IntN(2) == 0
	if sealed {
		x.reseal()
		if maps.EqualFunc(x, b.files, bytes.Equal) {
			return // only digests were wrong
		}
		c.sealed++
	}
	c.tried++
	c.levels[what]++
	x.write(c.t, c.dir)
	o := run("check", b.instance, c.dir, "--json")
	size := uint64(0)
	for _, text := range x {
		size += uint64(len(text))
	}
	if limit := memoryBase + memoryFactor*size; o.allocated > limit {
		c.miss(&b, x, what, fmt.Sprintf("check allocated %d bytes for files of %d", o.allocated, size))
	}
	switch {
	case o.broken != "":
		c.miss(&b, x, what, o.broken)
	case o.code == exitViolation && told(o.stdout), o.code == exitUsage && o.stderr != "":
		c.detected++
	case o.code != exitDone:
		c.miss(&b, x, what, fmt.Sprintf("check ends with %d: %s", o.code, o.stderr))
	default:
		if err := harmless(b.instance, c.dir); err != nil {
			c.miss(&b, x, what, fmt.Sprintf("check says ok (digests computed again: %t); %v", sealed, err))
			return
		}
		c.spared++
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

func (c *mutations) miss(b *base, x files, what, why string) {
	c.missed++
	c.t.Errorf("%s of %s: %s: %s\nkept in %s", b.algorithm, filepath.Base(b.instance), what, why,
		x.keep(c.t, fmt.Sprintf("missed/%s-%d", c.problem, c.missed)))
}

func (c *mutations) report() {
	text := fmt.Sprintf("corruptions of %d results, %d with digests computed again: %d detected, %d correct by the "+
		"second checker too", len(c.bases), c.sealed, c.detected, c.spared)
	Record(c.t, Row{Name: "mutations " + c.problem, Command: "make mutations", Tried: c.tried, Found: c.missed,
		Text: text})
	kinds := slices.Collect(maps.Keys(c.levels))
	sort.Slice(kinds, func(i, k int) bool {
		return c.levels[kinds[i]] > c.levels[kinds[k]] || c.levels[kinds[i]] == c.levels[kinds[k]] && kinds[i] < kinds[k]
	})
	for _, k := range kinds {
		c.t.Logf("%6d %s", c.levels[k], k)
	}
}
