package main

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"mrsched/model"
)

const introduction = `# Scoreboard

How the default algorithms do on public benchmark sets. ` + "`make scoreboard BENCH=DIR`" + ` writes this page from the
sets that it finds in DIR; the repository does not contain them. Each result was checked as ` + "`mrsched check`" + ` does
before it counts: its schedule breaks no rule, and its bound was derived again in exact numbers. A run has one time limit
for bound and schedule together. Known values are those that come with a set; other solvers found them.

- *Threads*: how many a run used, of how many cores the machine had.
- *Reached*: schedules as good as the known value, or as the better end of an open one, or better.
- *Proven*: schedules as good as our own bound.
- The ratios are means: of our schedule to the known value, of our bound to the known value, and of our schedule to our
  bound.

`

// digits are the decimals of ratios; costs round up and bounds down.
const digits = 4

// mostListed is how many instances a section lists.
const mostListed = 40

// mean is a mean of ratios.
type mean struct {
	sum big.Rat
	n   int64
}

// add adds a/b; 0/0 counts as 1, and other ratios to 0 do not count.
func (m *mean) add(a, b *big.Rat) {
	one := big.NewRat(1, 1)
	switch {
	case b.Sign() > 0:
		m.sum.Add(&m.sum, one.Quo(a, b))
	case a.Sign() == 0:
		m.sum.Add(&m.sum, one)
	default:
		return
	}
	m.n++
}

func (m *mean) text(way model.Rounding) string {
	if m.n == 0 {
		return "–"
	}
	return model.FormatRat(new(big.Rat).Quo(&m.sum, big.NewRat(m.n, 1)), digits, way)
}

// score summarises the rows of one set under one limit.
type score struct {
	rows                        []*row
	known, reached, proven      int
	better                      int // than the known value
	toKnown, ofKnown, costBound mean
	wrong                       []string
}

func (s *score) take(r *row) {
	s.rows = append(s.rows, r)
	if r.Status == notChecked {
		s.wrong = append(s.wrong, fmt.Sprintf("%s %s: %s", r.Set, r.Instance.Name, r.Note))
		return
	}
	cost, bound, most := r.cost(), r.bound(), rat(r.Most)
	if most != nil {
		s.known++
		if cost != nil {
			s.toKnown.add(cost, most)
			if cost.Cmp(most) <= 0 {
				s.reached++
			}
			if cost.Cmp(most) < 0 {
				s.better++
			}
		}
		if bound != nil {
			s.ofKnown.add(bound, most)
		}
	}
	if cost != nil && bound != nil {
		s.costBound.add(cost, bound)
	}
	if r.proven() {
		s.proven++
	}
}

// line is the row of the table.
func (s *score) line() string {
	first := s.rows[0]
	reached := "–"
	if s.known > 0 {
		reached = fmt.Sprintf("%d of %d", s.reached, s.known)
	}
	if s.better > 0 {
		reached += fmt.Sprintf(", %d better", s.better)
	}
	return fmt.Sprintf("| `%s` | %d of %d | %s | %d of %d | %s | %s | %s | %d | %s |\n", first.Set, len(s.rows), first.Of,
		first.Limit, first.Threads, first.Cores, reached, s.toKnown.text(model.RoundUp), s.ofKnown.text(model.RoundDown),
		s.proven, s.costBound.text(model.RoundUp))
}

// open lists the instances that are not proven.
func (s *score) open() string {
	var text strings.Builder
	left := 0
	for _, r := range s.rows {
		if r.Status == notChecked || r.proven() {
			continue
		}
		if left++; left > mostListed {
			continue
		}
		known := cmp.Or(r.Most, "–")
		if r.Least != "" && r.Least != r.Most {
			known = r.Least + " … " + r.Most
		}
		f := r.Flat()
		fmt.Fprintf(&text, "| %s | %s | %s | %s | %s |\n", r.Instance.Name, known, cmp.Or(f.Objective, "–"),
			cmp.Or(f.LowerBound, "–"), cmp.Or(f.Method, "–"))
	}
	if left == 0 {
		return ""
	}
	more := ""
	if left > mostListed {
		more = fmt.Sprintf(", the first %d", mostListed)
	}
	return fmt.Sprintf("### `%s`, %s: %s not proven%s\n\n| instance | known | schedule | bound | by |\n%s%s\n",
		s.rows[0].Set, s.rows[0].Limit, model.Counted(left, "instance"), more, "|---|---|---|---|---|\n", text.String())
}

// scores groups rows by set, limit and threads, in the order of sets, then of rows.
func scores(rows []*row, name string) (list []*score) {
	for _, r := range rows {
		if r.Set != name {
			continue
		}
		i := slices.IndexFunc(list, func(s *score) bool {
			return s.rows[0].Limit == r.Limit && s.rows[0].Threads == r.Threads
		})
		if i < 0 {
			i = len(list)
			list = append(list, &score{})
		}
		list[i].take(r)
	}
	return list
}

// render is the document, and the results that are wrong.
func render(rows []*row) (text string, wrong []string) {
	var sources, table, details strings.Builder
	for _, s := range sets() {
		source := "no known values"
		if s.known != "" {
			source = "known values: " + s.known
		}
		list := scores(rows, s.name)
		if list == nil {
			source += "; not run"
		}
		fmt.Fprintf(&sources, "- `%s`: %s; %s.\n", s.name, s.what, source)
		for _, x := range list {
			table.WriteString(x.line())
			details.WriteString(x.open())
			wrong = append(wrong, x.wrong...)
		}
	}
	text = introduction + sources.String() + "\n| set | instances run | limit | threads | reached | schedule / known | " +
		"bound / known | proven | schedule / bound |\n|---|---|---|---|---|---|---|---|---|\n" + table.String()
	if len(wrong) > 0 {
		text += "\nWrong results:\n\n- " + strings.Join(wrong, "\n- ") + "\n"
	}
	if details.Len() > 0 {
		text += "\n## Instances that are not proven\n\n" + strings.TrimSuffix(details.String(), "\n")
	}
	return text, wrong
}
