package campaign

import (
	"bytes"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"mrsched/io/result"
	"mrsched/model"
)

// level is a part of a result and a way to corrupt it. It says what it did; empty if it could do nothing.
type level struct {
	name   string
	weight int
	change func(f *forger, x files, others []files) string
}

var levels = []level{
	{"row", 34, func(f *forger, x files, _ []files) string { return f.rows(x) }},
	{"table", 9, func(f *forger, x files, _ []files) string { return f.tables(x) }},
	{"result", 27, func(f *forger, x files, _ []files) string { return f.document(x) }},
	{"certificate", 18, func(f *forger, x files, _ []files) string { return f.certificate(x) }},
	{"file", 6, (*forger).file},
	{"lie", 6, (*forger).lie},
}

func (f *forger) corrupt(x files, others []files) string {
	total := 0
	for _, l := range levels {
		total += l.weight
	}
	at := f.r.IntN(total)
	for _, l := range levels {
		if at -= l.weight; at < 0 {
			if what := l.change(f, x, others); what != "" {
				return l.name + ": " + what
			}
			return ""
		}
	}
	return ""
}

const (
	taskColumn = iota
	jobColumn
	kindColumn
	machineColumn
	startColumn
	endColumn
	ownColumns
)

// rows corrupts schedule.csv.
func (f *forger) rows(x files) string {
	all := table(x[result.ScheduleFile])
	if len(all) < 2 {
		return ""
	}
	i, k := 1+f.r.IntN(len(all)-1), 1+f.r.IntN(len(all)-1)
	what := ""
	switch f.r.IntN(12) {
	case 0:
		all[i][machineColumn], all[k][machineColumn] = all[k][machineColumn], all[i][machineColumn]
		what = "machines swapped"
	case 1:
		all[i][machineColumn] = all[k][machineColumn]
		what = "another machine"
	case 2, 3:
		what = f.move(all, i)
	case 4:
		all = slices.Delete(all, i, i+1)
		what = "a row dropped"
	case 5:
		all = slices.Insert(all, k, slices.Clone(all[i]))
		what = "a row twice"
	case 6:
		all[i], all[k] = all[k], all[i]
		what = "rows swapped"
	case 7:
		f.cell(all, i, f.r.IntN(2))
		what = "an id"
	case 8:
		all[i][kindColumn] = pick(f.r, "map", "reduce", "Map", "", "shuffle")
		what = "a kind"
	case 9:
		if len(all[i]) <= ownColumns {
			return ""
		}
		f.cell(all, i, ownColumns+f.r.IntN(len(all[i])-ownColumns))
		what = "an own column"
	case 10: // both tasks where the other was
		for c := machineColumn; c < len(all[i]); c++ {
			all[i][c], all[k][c] = all[k][c], all[i][c]
		}
		what = "tasks exchanged"
	case 11:
		f.cell(all, f.r.IntN(len(all)), f.r.IntN(len(all[0])))
		what = "a cell"
	}
	x[result.ScheduleFile] = tableText(all)
	return what
}

// move shifts one row (both of its times, or one) or all rows.
func (f *forger) move(all [][]string, i int) string {
	by := pick(f.r, model.Time(1), -1, model.Second, -model.Second, model.Time(f.r.IntN(1e9)), -model.Time(f.r.IntN(1e9)),
		model.MaxTime)
	shift := func(i, column int) {
		if t, err := model.ParseSignedTime(all[i][column]); err == nil {
			all[i][column] = (t + by).String()
		}
	}
	switch f.r.IntN(6) {
	case 0:
		shift(i, startColumn)
		return "a start moved"
	case 1:
		shift(i, endColumn)
		return "an end moved"
	case 2:
		all[i][startColumn], all[i][endColumn] = all[i][endColumn], all[i][startColumn]
		return "start and end swapped"
	case 3:
		for k := 1; k < len(all); k++ {
			shift(k, startColumn)
			shift(k, endColumn)
		}
		return "all rows moved"
	}
	shift(i, startColumn)
	shift(i, endColumn)
	return "a row moved"
}

// tables corrupts one of the problem's own tables.
func (f *forger) tables(x files) string {
	names := x.tables()
	if len(names) == 0 {
		return ""
	}
	name := pick(f.r, names...)
	all := table(x[name])
	i := f.r.IntN(len(all))
	what := ""
	switch f.r.IntN(8) {
	case 0:
		delete(x, name)
		return "gone"
	case 1:
		x["more.csv"] = x[name]
		return "one more"
	case 2:
		all = slices.Delete(all, i, i+1)
		what = "a row dropped"
	case 3:
		all = slices.Insert(all, i, slices.Clone(all[f.r.IntN(len(all))]))
		what = "a row twice"
	case 4:
		k := f.r.IntN(len(all))
		all[i], all[k] = all[k], all[i]
		what = "rows swapped"
	default:
		if len(all) == 1 {
			return ""
		}
		f.cell(all, f.r.IntN(len(all)), f.r.IntN(len(all[0])))
		what = "a cell"
	}
	x[name] = tableText(all)
	return what
}

// document corrupts result.json; each of its keys is as likely as any other.
func (f *forger) document(x files) string {
	root := x.document()
	k := f.r.IntN(len(root.kids))
	what, key := "", strings.Trim(root.keys[k], `"`)
	if f.r.IntN(20) == 0 {
		what = f.scramble(root)
	} else {
		holder := &node{kind: '[', kids: []*node{root.kids[k]}}
		if what = f.scramble(holder); len(holder.kids) == 1 {
			root.kids[k] = holder.kids[0]
		} else { // the key itself went
			root.keys, root.kids = slices.Delete(root.keys, k, k+1), slices.Delete(root.kids, k, k+1)
		}
	}
	x[result.ResultFile] = root.indented()
	return key + ", " + what
}

// certificate corrupts certificate.json: a number, a list, or all numbers by one factor.
func (f *forger) certificate(x files) string {
	root := parse(x[result.CertificateFile])
	if root == nil {
		return ""
	}
	what := ""
	switch f.r.IntN(8) {
	case 0: // all prices, and what they are divided by
		factor := big.NewRat(pick(f.r, int64(2), 3, 5), pick(f.r, int64(1), 1, 2))
		root.leaves("", func(path string, leaf *node) {
			if strings.Contains(path, "rices") || strings.Contains(path, "denominator") || strings.Contains(path, "arcs") ||
				strings.Contains(path, "steps") || strings.Contains(path, "levels") {
				f.scale(leaf, factor)
			}
		})
		what = "prices scaled"
	case 1, 2, 3, 4: // any number
		var numbers []*node
		root.leaves("", func(_ string, leaf *node) {
			if leaf.isNumber() {
				numbers = append(numbers, leaf)
			}
		})
		if len(numbers) == 0 {
			return ""
		}
		leaf := pick(f.r, numbers...)
		leaf.text = f.number(leaf.text)
		what = "a number"
	default:
		what = f.scramble(root)
	}
	x[result.CertificateFile] = append(root.compact(), '\n')
	return what
}

// file damages a file or replaces it by that of another result.
func (f *forger) file(x files, others []files) string {
	names := slices.Concat([]string{result.ResultFile, result.CertificateFile, result.ScheduleFile}, x.tables())
	name := pick(f.r, names...)
	text, ok := x[name]
	if !ok || len(text) == 0 {
		return ""
	}
	switch f.r.IntN(6) {
	case 0:
		delete(x, name)
		return "gone"
	case 1:
		x[name] = text[:f.r.IntN(len(text))]
		return "cut off"
	case 2:
		text = bytes.Clone(text)
		text[f.r.IntN(len(text))] ^= 1 << f.r.IntN(8)
		x[name] = text
		return "a bit"
	case 3:
		x[name] = slices.Concat([]byte(pick(f.r, "\xef\xbb\xbf", " ", "\n", "")), text,
			[]byte(pick(f.r, "\n", " ", "x", "{}")))
		return "more text"
	}
	other, ok := pick(f.r, others...)[name]
	if !ok {
		return ""
	}
	x[name] = other
	return "of another result"
}

// lie changes several numbers so that they agree with each other.
func (f *forger) lie(x files, _ []files) string {
	root, certificate := x.document(), parse(x[result.CertificateFile])
	objective, bound := root.get("objective", "value"), root.get("lower_bound", "value")
	switch f.r.IntN(5) {
	case 0: // a smaller objective
		if objective == nil {
			return ""
		}
		is := objective.text
		now := f.number(is)
		f.everywhere(x, root, is, now)
		f.ratio(root)
		x[result.ResultFile] = root.indented()
		return "another objective everywhere"
	case 1, 2: // a higher bound, perhaps the objective itself
		if bound == nil || certificate == nil {
			return ""
		}
		now := f.number(bound.text)
		if objective != nil && f.r.IntN(2) == 0 {
			now = objective.text
			root.set("status", `"optimal"`)
		}
		v, ok := new(big.Rat).SetString(now)
		if !ok || now == bound.text || len(now) > 100 {
			return ""
		}
		f.replace(root.get("metrics", "bounds"), bound.text, now)
		bound.text = now
		certificate.set("value", `"`+v.RatString()+`"`)
		f.ratio(root)
		x[result.CertificateFile] = append(certificate.compact(), '\n')
		x[result.ResultFile] = root.indented()
		return "another bound everywhere"
	case 3: // another name of the method
		if bound == nil || certificate == nil {
			return ""
		}
		is, now := root.get("lower_bound", "method").text, fmt.Sprintf("%q", f.word("method"))
		f.replace(root, is, now)
		f.replace(certificate, is, now)
		x[result.CertificateFile] = append(certificate.compact(), '\n')
		x[result.ResultFile] = root.indented()
		return "another method everywhere"
	}
	// Add a guarantee that the algorithm does not give, or remove it.
	g := root.get("guarantee")
	if g == nil {
		return ""
	}
	g.set(pick(f.r, "factor", "additive"), pick(f.r, "1", "0", "1.5"))
	g.set("verdict", pick(f.r, `"proven"`, `"unknown"`, `"violated"`))
	x[result.ResultFile] = root.indented()
	return "another guarantee"
}

// replace changes every leaf with a certain text.
func (f *forger) replace(top *node, is, now string) {
	if top != nil {
		top.leaves("", func(_ string, leaf *node) {
			if leaf.text == is {
				leaf.text = now
			}
		})
	}
}

// everywhere changes a number in result.json and the tables.
func (f *forger) everywhere(x files, root *node, is, now string) {
	for _, part := range []string{"objective", "metrics"} {
		f.replace(root.get(part), is, now)
	}
	for _, name := range x.tables() {
		all := table(x[name])
		for _, row := range all {
			for k := range row {
				if row[k] == is {
					row[k] = now
				}
			}
		}
		x[name] = tableText(all)
	}
}

// ratio computes the stated ratio from the stated numbers.
func (f *forger) ratio(root *node) {
	text := func(part string) string {
		if v := root.get(part, "value"); v != nil {
			return v.text
		}
		return ""
	}
	a, ok := new(big.Rat).SetString(text("objective"))
	b, ok2 := new(big.Rat).SetString(text("lower_bound"))
	if ok && ok2 && root.get("ratio") != nil && b.Sign() > 0 && len(text("objective")) < 100 &&
		len(text("lower_bound")) < 100 {
		root.set("ratio", string(model.Ratio(a, b)))
	}
}
