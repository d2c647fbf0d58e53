package diff

import (
	"cmp"
	"iter"
	"math/big"
	"slices"

	"mrsched/io/result"
	"mrsched/model"
)

// Columns of the table jobs.
const (
	jobsTable        = "jobs"
	columnJob        = "job"
	columnFirst      = "first_start"
	columnCompletion = "completion"
)

// Where shares and completions come from.
const (
	fromTable = "jobs.csv"
	fromRows  = "schedule.csv"
)

// Shares says what the jobs contribute to the objective.
type Shares struct {
	Of     string `json:"of"`     // the column, or what is added up
	Source string `json:"source"` // jobs.csv or schedule.csv
	// Sum is the sum of all changes, and Rest the remaining change of the objective: rounding of single costs, or an
	// objective that is not that of the schedule.
	Sum  model.Number `json:"sum"`
	Rest model.Number `json:"rest,omitempty"`
	// Gained, Lost and Unchanged count jobs that contribute less, more and as much as before.
	Gained    int `json:"gained"`
	Lost      int `json:"lost"`
	Unchanged int `json:"unchanged"`
}

// EndCounts counts jobs by when they end.
type EndCounts struct {
	Source    string `json:"source"`
	Earlier   int    `json:"earlier"`
	Later     int    `json:"later"`
	Unchanged int    `json:"unchanged"`
	// OnlyOld and OnlyNew count the jobs that one of two inputs does not have.
	OnlyOld int `json:"only_old,omitempty"`
	OnlyNew int `json:"only_new,omitempty"`
}

// JobChange is a job that differs or whose tasks moved.
type JobChange struct {
	Job   string   `json:"job"`
	Only  string   `json:"only,omitempty"` // "old" or "new": the other input does not have the job
	Moved int      `json:"moved_tasks"`
	Share *Numbers `json:"share,omitempty"`
	// Values are the differing columns of the table jobs; without the table first_start and completion.
	Values []Values `json:"values,omitempty"`

	share, completion big.Rat // by how much they changed
	at                int
}

// jobTally is a job in the rows of both schedules.
type jobTally struct {
	id    string
	sides [2]jobSide
	moved int
}

// jobSide is a job in the rows of one schedule.
type jobSide struct {
	rows        int
	first, last model.Time
	cost        total
	due         string
}

func (s *jobSide) row(r *result.Row, t *taskTally) {
	if s.rows == 0 || r.Start < s.first {
		s.first = r.Start
	}
	s.rows++
	s.last = max(s.last, r.End)
	s.cost.add(r.Columns.Text(t.cost))
	if t.due != "" {
		s.due = r.Columns.Text(t.due)
	}
}

// jobRecord is a job on one side. Unknown values are empty or nil.
type jobRecord struct {
	job         string
	names, text []string // columns and fields
	completion  *big.Rat
	share       *big.Rat
}

func (r *jobRecord) field(name string) string {
	if i := slices.Index(r.names, name); i >= 0 {
		return r.text[i]
	}
	return ""
}

// jobSource is where one side's records come from.
type jobSource struct {
	d      *Difference
	side   int
	tally  *taskTally
	of     model.Criterion // without a share if the objective is not a sum over jobs
	latest *big.Rat        // completion so far, of phases one after another
}

// records are the rows of a table of jobs.
func (s *jobSource) records(t model.ResultTable) iter.Seq[jobRecord] {
	return func(yield func(jobRecord) bool) {
		for row := range t.Rows {
			r := jobRecord{names: t.Columns, text: slices.Clone(row)}
			r.job = r.field(columnJob)
			r.completion = decimal(cmp.Or(r.field(s.d.about.Completion), r.field(columnCompletion)))
			r.share = s.share(&r)
			if !yield(r) {
				return
			}
		}
	}
}

// share is what a job contributes; nil: unknown.
func (s *jobSource) share(r *jobRecord) *big.Rat {
	switch s.of.Share {
	case model.ShareStated:
		return decimal(r.field(s.of.ShareColumn))
	case model.ShareLate:
		return decimal(cmp.Or(r.field(s.of.ShareColumn), "0"))
	case model.ShareCost:
		if j := s.tally.jobs[r.job]; j != nil {
			return j.sides[s.side].cost.value()
		}
	case model.ShareExtension: // by how much each job extends what came before it
		if r.completion != nil && r.completion.Cmp(s.latest) > 0 {
			share := difference(s.latest, r.completion)
			s.latest = r.completion
			return share
		}
	}
	return new(big.Rat)
}

// fromRows is the table jobs as far as the rows of a side's schedule tell it, in the order of its jobs.
func (s *jobSource) fromRows() model.ResultTable {
	t := model.ResultTable{Name: jobsTable, Columns: []string{columnJob, columnFirst, columnCompletion}}
	if s.of.Share == model.ShareLate {
		t.Columns = append(t.Columns, s.of.ShareColumn)
	}
	t.Rows = func(yield func([]string) bool) {
		for _, j := range s.tally.jobOrder {
			own := &j.sides[s.side]
			late := "0"
			if due := decimal(own.due); due != nil && secondsOf(own.last).Cmp(due) > 0 {
				late = "1"
			}
			row := []string{j.id, own.first.String(), own.last.String(), late}
			if own.rows > 0 && !yield(row[:len(t.Columns)]) {
				return
			}
		}
	}
	return t
}

// otherShare says that a column states shares of different objectives on both sides.
func (d *Difference) otherShare(column string) bool {
	return d.Objective != nil && d.Objective.OldName != "" &&
		slices.ContainsFunc(d.about.Criteria, func(c model.Criterion) bool {
			return c.ShareColumn == column && c.Share != model.ShareLate
		})
}

// additive is the objective if jobs add up to it, else one without shares. Of bare schedules, rows state their cost.
func (d *Difference) additive() model.Criterion {
	for _, c := range d.about.Criteria {
		if d.Objective != nil && d.Objective.Change != "" && d.Objective.Name == c.Name ||
			d.Compared == ComparedSchedules && c.Share == model.ShareCost {
			return c
		}
	}
	return model.Criterion{}
}

// contributions compares jobs, or servers if their loads make the objective.
func (d *Difference) contributions(before, after *result.Side, t *taskTally, keep int) {
	if d.about.Loads {
		d.servers(t, keep)
		return
	}
	a, b := &jobSource{d: d, side: 0, tally: t, of: d.additive(), latest: new(big.Rat)},
		&jobSource{d: d, side: 1, tally: t, of: d.additive(), latest: new(big.Rat)}
	was, had := jobTable(before)
	is, has := jobTable(after)
	source := fromTable
	if !had || !has {
		was, is, source = a.fromRows(), b.fromRows(), fromRows
	}
	if had != has {
		d.note("the %s result has no table jobs: when jobs start and end is taken from the rows of both",
			either(had, "new", "old"))
	}
	j := &jobJoin{d: d, tally: t, list: largest[JobChange]{keep: keep, order: byShare}, ends: EndCounts{Source: source}}
	if share := a.of.Share; share != model.NoShare && (source == fromTable || share != model.ShareStated) {
		j.shares = &Shares{Of: shareName(&a.of, t.cost), Source: source}
		if a.of.Share == model.ShareCost {
			j.shares.Source = fromRows
		}
	}
	pairs(a.records(was), b.records(is), func(r jobRecord) string { return r.job },
		func(r jobRecord) jobRecord { return r }, j.visit)
	j.finish()
}

func jobTable(s *result.Side) (model.ResultTable, bool) {
	t, ok := s.Table(jobsTable)
	return t, ok && slices.Contains(t.Columns, columnJob)
}

// shareName names what is added up.
func shareName(c *model.Criterion, cost string) string {
	switch {
	case c.Share == model.ShareExtension:
		return "phase"
	case c.Share == model.ShareCost:
		return cost
	}
	return c.ShareColumn
}

// byShare orders jobs by how much their shares changed, then their completions, then how many tasks moved.
func byShare(a, b JobChange) int {
	return cmp.Or(b.share.Cmp(&a.share), b.completion.Cmp(&a.completion), cmp.Compare(b.Moved, a.Moved),
		cmp.Compare(a.at, b.at), cmp.Compare(a.Job, b.Job))
}

// jobJoin compares the records of both sides.
type jobJoin struct {
	d       *Difference
	tally   *taskTally
	list    largest[JobChange]
	ends    EndCounts
	shares  *Shares
	sum     big.Rat
	unknown bool // a share is
	last    [2]topmost
}

func (j *jobJoin) visit(old, new *jobRecord, at int) {
	c, differs := JobChange{at: at}, old == nil || new == nil
	names := []string(nil)
	for side, r := range [2]*jobRecord{old, new} {
		if r == nil {
			continue
		}
		c.Job = r.job
		if r.completion != nil {
			j.last[side].add(r.completion, r.job)
		}
		for _, name := range r.names {
			if name != columnJob && !slices.Contains(names, name) && !j.d.otherShare(name) {
				names = append(names, name)
			}
		}
	}
	if t := j.tally.jobs[c.Job]; t != nil {
		c.Moved = t.moved
	}
	was, is := orNone(old), orNone(new)
	for _, name := range names {
		if a, b := was.field(name), is.field(name); a != b {
			v, _ := valuesOf(name, cellText(a), cellText(b))
			c.Values, differs = append(c.Values, v), true
		}
	}
	if j.d.Input != nil && (old == nil || new == nil) {
		c.Only = either(new == nil, "old", "new")
	}
	j.count(&c, was, is)
	if differs || c.Moved > 0 || c.share.Sign() != 0 { // a slot may cost more than before
		j.d.jobs++
		if j.list.wants(c) {
			j.list.add(c)
		}
	}
}

func orNone(r *jobRecord) *jobRecord {
	if r == nil {
		return &jobRecord{}
	}
	return r
}

// count compares completions and shares; a job contributes nothing on a side that lacks it.
func (j *jobJoin) count(c *JobChange, was, is *jobRecord) {
	if was.completion != nil && is.completion != nil {
		c.completion.Sub(is.completion, was.completion)
		*[...]*int{&j.ends.Earlier, &j.ends.Unchanged, &j.ends.Later}[c.completion.Sign()+1]++
		c.completion.Abs(&c.completion)
	}
	switch c.Only {
	case "old":
		j.ends.OnlyOld++
	case "new":
		j.ends.OnlyNew++
	}
	if j.shares == nil {
		return
	}
	a, b := shareOf(was), shareOf(is)
	if a == nil || b == nil {
		j.unknown = true
		return
	}
	n := numbersOf(a, b)
	c.Share = &n
	c.share.Sub(b, a)
	j.sum.Add(&j.sum, &c.share)
	if c.Only == "" {
		*[...]*int{&j.shares.Gained, &j.shares.Unchanged, &j.shares.Lost}[c.share.Sign()+1]++
	}
	c.share.Abs(&c.share)
}

func shareOf(r *jobRecord) *big.Rat {
	if r.job == "" && r.names == nil {
		return new(big.Rat)
	}
	return r.share
}

// finish fills in the totals of all records.
func (j *jobJoin) finish() {
	d := j.d
	d.Jobs = j.list.sorted()
	if n := j.ends; n.Earlier+n.Later+n.Unchanged+n.OnlyOld+n.OnlyNew > 0 {
		d.Ends = &n
	}
	if o := d.Objective; o != nil && o.changed() && slices.ContainsFunc(d.about.Criteria, func(c model.Criterion) bool {
		return c.Name == o.Name && c.Last
	}) {
		d.Decides = decided(columnJob, j.last)
	}
	switch {
	case j.shares == nil:
	case j.unknown:
		d.note("what jobs contribute to %s is not known of all of them", d.Objective.Name)
	default:
		d.Shares = j.shares
		d.Shares.Sum = exactText(&j.sum)
		if d.Objective != nil {
			d.Shares.Rest = exactText(new(big.Rat).Sub(decimal(string(d.Objective.Change)), &j.sum))
		}
	}
}
