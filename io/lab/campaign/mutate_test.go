package campaign

import (
	"bytes"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"mrsched/io/result"
	"mrsched/model"
)

// levels are parts of a result and ways to corrupt them, each as often as it stands here. They say what they did; empty
// if they could do nothing.
var levels = []func(f *forger, x files, others []files) string{(*forger).rows, (*forger).rows, (*forger).rows,
	(*forger).rows, (*forger).document, (*forger).document, (*forger).document, (*forger).certificate,
	(*forger).certificate, (*forger).certificate, (*forger).file, (*forger).claims}

func (f *forger) corrupt(x files, others []files) string { return pick(f.r, levels...)(f, x, others) }

// The columns of schedule.csv.
const (
	taskColumn = iota
	jobColumn
	kindColumn
	machineColumn
	startColumn
	endColumn
	ownColumns
)

// rows corrupts a table; most often schedule.csv.
func (f *forger) rows(x files, _ []files) string {
	name := pick(f.r, append(x.tables(), result.ScheduleFile, result.ScheduleFile)...)
	all := table(x[name])
	if len(all) < 2 {
		return ""
	}
	i, k := 1+f.r.IntN(len(all)-1), 1+f.r.IntN(len(all)-1)
	what := ""
	switch f.r.IntN(7) {
	case 0:
		all = slices.Delete(all, i, i+1)
		what = "a row dropped"
	case 1:
		all = slices.Insert(all, k, slices.Clone(all[i]))
		what = "a row twice"
	case 2:
		all[i], all[k] = all[k], all[i]
		what = "rows swapped"
	case 3: // from one column on
		for c := f.r.IntN(len(all[i])); c < len(all[i]); c++ {
			all[i][c], all[k][c] = all[k][c], all[i][c]
		}
		what = "parts of rows exchanged"
	case 4:
		if name != result.ScheduleFile {
			return ""
		}
		by := pick(f.r, model.Time(1), -1, model.Second, -model.Second, model.Time(f.r.IntN(1e9)), model.MaxTime)
		for _, column := range []int{startColumn, endColumn} {
			if t, err := model.ParseSignedTime(all[i][column]); err == nil {
				all[i][column] = (t + by).String()
			}
		}
		what = "a row moved"
	default:
		f.cell(all, f.r.IntN(len(all)), f.r.IntN(len(all[0])))
		what = "a cell"
	}
	x[name] = tableText(all)
	return "table: " + what
}

// document corrupts result.json; each of its keys is as likely as any other.
func (f *forger) document(x files, _ []files) string {
	root := x.document()
	at := pick(f.r, append(slices.Clone(root.kids), root)...)
	what := f.scramble(at)
	x[result.ResultFile] = root.indented()
	return "result: " + what
}

// priced matches the paths of all prices in certificates, and of what they are divided by.
var priced = regexp.MustCompile(`rices|denominator|arcs|steps|levels`)

// certificate corrupts certificate.json: a number, anything, or all prices by one factor.
func (f *forger) certificate(x files, _ []files) string {
	root, what := parse(x[result.CertificateFile]), "a number"
	if root == nil {
		return ""
	}
	var numbers []*node
	root.leaves("", func(_ string, leaf *node) {
		if leaf.isNumber() {
			numbers = append(numbers, leaf)
		}
	})
	switch k := f.r.IntN(8); {
	case k == 0:
		f.scale(root, priced.MatchString)
		what = "prices scaled"
	case k < 5 && len(numbers) > 0:
		leaf := pick(f.r, numbers...)
		leaf.text = f.number(leaf.text)
	default:
		what = f.scramble(root)
	}
	x[result.CertificateFile] = append(root.compact(), '\n')
	return "certificate: " + what
}

// file damages a file or replaces it by that of another result.
func (f *forger) file(x files, others []files) string {
	name := pick(f.r, append(x.tables(), result.ResultFile, result.CertificateFile)...)
	text := x[name]
	if len(text) == 0 {
		return ""
	}
	switch other, ok := pick(f.r, others...)[name]; f.r.IntN(6) {
	case 0:
		delete(x, name)
		return "file: gone"
	case 1:
		x[name] = text[:f.r.IntN(len(text))]
		return "file: cut off"
	case 2:
		x[name] = bytes.Clone(text)
		x[name][f.r.IntN(len(text))] ^= 1 << f.r.IntN(8)
		return "file: a bit"
	case 3:
		x[name] = slices.Concat([]byte(pick(f.r, "\xef\xbb\xbf", " ", "\n", "")), text,
			[]byte(pick(f.r, "\n", " ", "x", "{}")))
		return "file: more text"
	case 4:
		x["more.csv"] = text
		return "file: one more"
	default:
		if ok {
			x[name] = other
		}
		return "file: of another result"
	}
}

// claims changes several claims so that they agree with each other: the objective everywhere, the bound with its
// certificate, perhaps up to the objective itself, the name of the method, or the guarantee.
func (f *forger) claims(x files, _ []files) string {
	root, certificate := x.document(), parse(x[result.CertificateFile])
	objective, bound := root.get("objective", "value"), root.get("lower_bound", "value")
	what := ""
	switch k := f.r.IntN(4); {
	case k == 0 && objective != nil:
		f.everywhere(x, root, objective.text, f.number(objective.text))
		what = "another objective"
	case k == 1 && bound != nil && certificate != nil:
		now := f.number(bound.text)
		if objective != nil && f.r.IntN(2) == 0 {
			now = objective.text
			root.set("status", `"optimal"`)
		}
		v, ok := new(big.Rat).SetString(now)
		if !ok || len(now) > 100 {
			return ""
		}
		replace(root.get("metrics", "bounds"), bound.text, now)
		bound.text = now
		certificate.set("value", `"`+v.RatString()+`"`)
		what = "another bound"
	case k == 2 && bound != nil && certificate != nil:
		is, now := root.get("lower_bound", "method").text, fmt.Sprintf("%q", f.word("method"))
		replace(root, is, now)
		replace(certificate, is, now)
		what = "another method"
	case k == 3 && root.get("guarantee") != nil:
		g := root.get("guarantee")
		g.set(pick(f.r, "factor", "additive"), pick(f.r, "1", "0", "1.5"))
		g.set("verdict", pick(f.r, `"proven"`, `"unknown"`, `"violated"`))
		what = "another guarantee"
	default:
		return ""
	}
	if certificate != nil {
		x[result.CertificateFile] = append(certificate.compact(), '\n')
	}
	ratio(root)
	x[result.ResultFile] = root.indented()
	return "claims: " + what
}

// replace changes every leaf with a certain text.
func replace(top *node, is, now string) {
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
	replace(root.get("objective"), is, now)
	replace(root.get("metrics"), is, now)
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
func ratio(root *node) {
	var v [2]*big.Rat
	for k, part := range []string{"objective", "lower_bound"} {
		x := root.get(part, "value")
		if x == nil || len(x.text) > 100 || strings.Contains(x.text, "e") {
			return
		}
		v[k], _ = new(big.Rat).SetString(x.text)
	}
	if v[0] != nil && v[1] != nil && v[1].Sign() > 0 && root.get("ratio") != nil {
		root.set("ratio", string(model.Ratio(v[0], v[1])))
	}
}
