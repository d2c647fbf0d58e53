package workload

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"mrsched/io/textpos"
	"mrsched/model"
)

// values converts the texts of one row and reports those that are invalid.
type values struct {
	findings *model.Findings
	columns  []column
	file     string
	at       func(column int) place
	shared   *interner   // copies texts out of a CSV record; nil if texts own their memory
	bad      []bool      // columns whose value is reported already; nil if none can be
	since    *model.Time // the release of the row, which its deadline counts from; nil if it has none
	origin   *origin
	lost     bool // the row lacks an id or a reference without which it cannot be kept
	total    bool // the row seems to hold sums
	badWord  bool // the row has an unknown word instead of one that the column knows
	table    model.Table
	warnings *[]model.Warning // of the intake
}

func (v *values) report(code model.Code, column, what, expected, hint string) {
	v.findings.Add(model.Finding{Code: code, Pos: v.at(find(v.columns, column)).in(v.file), What: what, Expected: expected,
		Hint: hint, Like: column})
}

// warn notes a valid value that is probably wrong: the first of each kind in a column, and how many more there are.
func (v *values) warn(code model.Code, column, what, expected, hint string) {
	name := string(v.table) + "." + column
	for i := range *v.warnings {
		if d := &(*v.warnings)[i]; d.Code == code && d.Columns[0] == name && d.Pos.File == v.file {
			d.More++
			return
		}
	}
	*v.warnings = append(*v.warnings, model.Warning{Columns: []string{name}, Finding: model.Finding{Code: code,
		Pos: v.at(find(v.columns, column)).in(v.file), What: what, Expected: expected, Hint: hint}})
}

// keep is a text that may outlive the record that it is part of.
func (v *values) keep(c *column, text string) string {
	switch {
	case v.shared == nil || c.borrowed:
		return text
	case c.name == "id": // rarely occurs twice
		return v.shared.copies.Of(text)
	}
	return v.shared.text(text)
}

// need reports an absent required value, without which the row is lost.
func (v *values) need(column, text string) string {
	if text == "" {
		v.missing(column)
		v.lost = true
	}
	return text
}

// missing reports an absent required value unless it was reported as wrong.
func (v *values) missing(column string) {
	if v.bad != nil && v.bad[find(v.columns, column)] {
		return
	}
	hint := ""
	if v.total {
		hint = model.TotalHint
	}
	v.report(model.CodeMissing, column, column+" is missing or empty", v.expects(column), hint)
}

func (v *values) expects(column string) string { return v.column(column).expects }

func (v *values) column(name string) *column { return &v.columns[find(v.columns, name)] }

// tooSmall reports a positive number that would be stored as 0.
func (v *values) tooSmall(column, text string, zero bool, hint string) {
	if zero && strings.ContainsAny(mantissa(text), "123456789") {
		v.report(model.CodeTooSmall, column, column+" "+text+" rounds to 0", "0 or at least 0.000001", hint)
	}
}

func mantissa(text string) string {
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		return text[:i]
	}
	return text
}

// parseCount reads a number that fits a dense index.
func parseCount(s string) (int64, error) {
	n, err := model.ParseBytes(s)
	if err == nil && n > maxCount {
		err = model.ErrOverflow
	}
	return int64(n), err
}

// notZero reports a number that must be above 0.
func (v *values) notZero(column string, zero bool, hint string) {
	if zero {
		v.report(model.CodeNegative, column, column+" is 0", v.expects(column), hint)
	}
}

// parseFloat reads a non-negative decimal; its errors are those of model.ParseFixed.
func parseFloat(s string) (float64, error) {
	if !isNumeric(s) { // hexadecimal, infinity: strconv knows them
		return 0, model.ErrNotANumber
	}
	x, err := strconv.ParseFloat(s, 64)
	switch {
	case errors.Is(err, strconv.ErrSyntax):
		return 0, model.ErrNotANumber
	case x < 0:
		return 0, model.ErrNegative
	case math.IsInf(x, 0):
		return 0, model.ErrOverflow
	case x == 0:
		return 0, nil // not -0
	}
	return x, nil
}

// number reads a number that may be absent, and reports one that cannot be read.
func number[T comparable](v *values, c *column, text string, parse func(string) (T, error)) model.Optional[T] {
	if text == "" {
		return model.Optional[T]{}
	}
	x, err := parse(text)
	if errors.Is(err, model.ErrNotANumber) {
		decimal, ok := v.decimal(c, text)
		if !ok {
			return model.Optional[T]{}
		}
		if decimal != "" {
			x, err = parse(decimal)
		}
	}
	if err != nil {
		v.badNumber(c, text, err)
		return model.Optional[T]{}
	}
	if x == *new(T) {
		plain := c.unit == "seconds" && (isNumeric(text) || model.LooksLikeClock(text))
		v.tooSmall(c.name, text, c.tiny != "" && !plain, c.tiny)
	}
	if v.shared != nil && shortened(text) && (c.unit == "bytes" || c.unit == "seconds") {
		v.warn(model.CodeRounded, c.name, fmt.Sprintf("a spreadsheet may have rounded the %s %s", c.name, text),
			"all digits", "format the column as a number without decimals, not as general, and export it again")
	}
	return model.Some(x)
}

// shortened says whether a number is written as spreadsheets show large ones: 5.37E+08.
func shortened(text string) bool {
	i := strings.IndexByte(text, 'E')
	return i > 0 && len(text) >= i+len("E+00") && text[i+1] == '+'
}

func (v *values) badNumber(c *column, text string, err error) {
	name := c.name
	code, what, expected, hint := model.CodeNumber, " is not a number", c.expects, ""
	switch {
	case errors.Is(err, model.ErrNegative):
		code, what, expected, hint = model.CodeNegative, " is negative", "0 or more", c.negative
		if c.above || c.least != "" {
			expected = c.expects
		}
	case errors.Is(err, model.ErrOverflow):
		code, what, expected = model.CodeOverflow, " is too large", "at most 1.7976931348623157e308"
		if c.most != "" {
			expected = "at most " + c.most
		}
		if c.unit != "" {
			hint = "the unit is " + c.unit
		}
	case thousands().MatchString(text) && (c.whole || strings.Count(text, ",") != 1): // else it may be a decimal comma
		hint = "write it without thousands separators: " + strings.NewReplacer(".", "", ",", "").Replace(text)
	case strings.Contains(text, "\r"):
		hint = "delete the carriage return, in a shell sed -i 's/\\r//g' " + path.Base(v.file)
	case text != strings.TrimSpace(text):
		hint = "remove the spaces"
	case c.whole && isDecimal(text) || c.amount(text):
		if what = " is not a whole number"; c.whole && oneGroup().MatchString(text) {
			hint = "if it means " + strings.Replace(text, ".", "", 1) + ", drop the point"
		}
	case strings.HasPrefix(text, "#"):
		hint = sheetHint
	case strings.Contains(text, ","), strings.ContainsAny(text, " '\u00a0\u202f") &&
		strings.Trim(text, "0123456789. '\u00a0\u202f") == "":
		hint = "write a point before decimals, and no thousands separator"
	case slices.Contains(kindWords, text):
		hint = "this is a kind: are two headers swapped?"
	case name == "weight":
		hint = "write a number: 10 counts ten times as much as 1"
	case !isDecimal(text) && !c.required:
		hint = "leave the value out if it is unknown"
	}
	shown := textpos.Quoted(text)
	if isNumeric(text) && len(text) <= textpos.MaxQuoted {
		shown = text
	}
	v.report(code, name, name+" "+shown+what, expected, hint)
}

// sheetHint is the hint for sheetErrors.
const sheetHint = "this is an error of a spreadsheet: correct its formula"

// sheetErrors are what spreadsheets write if a formula has no value.
var sheetErrors = []string{"#N/A", "#REF!", "#VALUE!", "#NAME?", "#DIV/0!", "#NULL!", "#NUM!"}

func sheetError(text string) bool {
	return strings.HasPrefix(text, "#") && slices.Contains(sheetErrors, strings.ToUpper(text))
}

// badText reports an error of a spreadsheet instead of a text. A row without its id or reference is lost.
func (v *values) badText(c *column, text string) {
	v.report(model.CodeNumber, c.name, c.name+" is "+textpos.Quoted(text), c.expects, sheetHint)
	v.lost = v.lost || c.required
}

// isNumeric says whether a text looks like a number, whatever its sign and size.
func isNumeric(text string) bool { return strings.Trim(text, "+-.0123456789eE") == "" }

func isDecimal(text string) bool {
	_, err := parseFloat(text)
	return err == nil
}

// word is the index of a text among the column's words.
func (v *values) word(c *column, text string) int {
	i := slices.Index(c.words, text)
	if i < 0 && text != "" {
		v.badWord = true
		v.report(model.CodeEnum, c.name, fmt.Sprintf("%s %s is unknown", c.name, textpos.Quoted(text)), wordList(c.words),
			cmp.Or(didYouMean(text, c.words), wordHint(text), c.advice))
	}
	return max(i, 0)
}

// kindWords are the kinds of tasks.
var kindWords = []string{"map", "reduce"}

// wordHint is the hint for a text that is none of the allowed words.
func wordHint(text string) string {
	switch {
	case sheetError(text):
		return sheetHint
	case isDecimal(text):
		return "this is a number: are two headers swapped?"
	}
	return ""
}

// maxInterned is how many texts an interner remembers.
const maxInterned = 1 << 13

// interner keeps one copy of frequent texts (job ids, nodes). It forgets, so a text may be copied twice, but memory is
// bounded.
type interner struct {
	known  map[string]string
	copies model.Copies
}

func newInterner() *interner { return &interner{known: map[string]string{}} }

// text and bytes are a copy of a text that shares no memory with it.
func (n *interner) text(s string) string {
	if kept, ok := n.known[s]; ok {
		return kept
	}
	return n.add(n.copies.Of(s))
}

func (n *interner) bytes(b []byte) string {
	if kept, ok := n.known[string(b)]; ok {
		return kept
	}
	return n.add(n.copies.OfBytes(b))
}

func (n *interner) add(kept string) string {
	if len(n.known) == maxInterned {
		clear(n.known)
	}
	n.known[kept] = kept
	return kept
}
