package campaign

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"

	"mrsched/io/result"
	"mrsched/model"
)

// files are the files of a result's directory, by name.
type files map[string][]byte

// tables are the names of the tables among the files: schedule.csv and the problem's own.
func (f files) tables() []string {
	isNone := func(name string) bool { return !strings.HasSuffix(name, ".csv") }
	return slices.DeleteFunc(slices.Sorted(maps.Keys(f)), isNone)
}

// document is result.json; nil if it is no longer a JSON object.
func (f files) document() *node {
	root := parse(f[result.ResultFile])
	if root == nil || root.kind != '{' {
		return nil
	}
	return root
}

// reseal computes every digest again, as a forger would.
func (f files) reseal() {
	root := f.document()
	if root == nil {
		return
	}
	sum := func(name string) string {
		s := sha256.Sum256(f[name])
		return fmt.Sprintf("%q:%q", name, hex.EncodeToString(s[:]))
	}
	var parts, own []string
	for _, name := range append(f.tables(), result.CertificateFile) {
		switch _, ok := f[name]; {
		case name == result.ScheduleFile, name == result.CertificateFile && ok:
			parts = append(parts, sum(name))
		case ok:
			own = append(own, sum(name))
		}
	}
	if len(own) > 0 {
		parts = append(parts, `"tables":{`+strings.Join(own, ",")+"}")
	}
	if x := root.get("sha256"); x != nil {
		*x = *parse([]byte("{" + strings.Join(parts, ",") + "}"))
	}
	var r model.Result
	d := json.NewDecoder(bytes.NewReader(root.compact()))
	d.UseNumber()
	if d.Decode(&r) == nil { // it still is a result
		if digest, err := result.Digest(&r); err == nil {
			root.set("digest", `"`+digest+`"`)
		}
	}
	f[result.ResultFile] = root.indented()
}

type forger struct {
	r     *rand.Rand
	names []string // names that stand in some result
}

func rat(v int64) *big.Rat { return big.NewRat(v, 1) }

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// number replaces a number by another one, most often with as many decimals.
func (f *forger) number(text string) string {
	v, ok := new(big.Rat).SetString(text)
	if !ok || f.r.IntN(4) == 0 {
		return pick(f.r, "0", "1", "-1", "9223372036854775807", "9223372036854775808", "1e400", "1e-400", "0.0000001", "-0",
			"1e99999999", text+"0")
	}
	_, decimals, _ := strings.Cut(text, ".")
	unit := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(len(decimals))), nil))
	if f.r.IntN(2) == 0 {
		v.Add(v, pick(f.r, unit, new(big.Rat).Neg(unit), rat(int64(1+f.r.IntN(100)))))
	} else {
		v.Mul(v, pick(f.r, rat(2), rat(-1), big.NewRat(1, 2), big.NewRat(int64(900+f.r.IntN(200)), 1000)))
	}
	now := v.FloatString(len(decimals))
	if decimals != "" {
		now = strings.TrimRight(strings.TrimRight(now, "0"), ".")
	}
	return now
}

// word replaces a text by another one, without quotes.
func (f *forger) word(text string) string {
	if above, below, ok := strings.Cut(text, "/"); ok && f.r.IntN(3) > 0 { // a rational
		return pick(f.r, f.number(above)+"/"+below, above+"/"+f.number(below))
	}
	if _, err := fmt.Sscanf(text, "%d", new(int)); err == nil && f.r.IntN(5) == 0 {
		return f.number(text)
	}
	return pick(f.r, "", text+pick(f.r, "x", " ", "1", "é", "<b>"), pick(f.r, f.names...), pick(f.r, f.names...))
}

// leaf replaces a leaf by another one, seldom of another type.
func (f *forger) leaf(at *node) {
	switch {
	case f.r.IntN(10) == 0:
		at.text = pick(f.r, "null", "true", "false", "1", fmt.Sprintf("%q", at.text), "[]", "{}")
	case at.isNumber():
		at.text = f.number(at.text)
	case at.text[0] == '"':
		at.text = fmt.Sprintf("%q", f.word(strings.Trim(at.text, `"`)))
	default:
		at.text = pick(f.r, "true", "false", "null", "1")
	}
}

// scramble changes something below a JSON value and says what.
func (f *forger) scramble(top *node) string {
	_, _, at := top.descend(f.r)
	n := len(at.kids)
	switch {
	case at.kind == 0:
		f.leaf(at)
		return "a leaf"
	case n == 0 || f.r.IntN(12) == 0:
		*at = node{text: pick(f.r, "null", "1", `"x"`, "[]", "{}")}
		return "a list or object replaced"
	}
	i, j := f.r.IntN(n), f.r.IntN(n)
	switch f.r.IntN(6) {
	case 0:
		at.kids = slices.Delete(at.kids, i, i+1)
		if at.kind == '{' {
			at.keys = slices.Delete(at.keys, i, i+1)
		}
		return "a part cut out"
	case 1:
		at.kids = slices.Insert(at.kids, i, at.kids[j].clone())
		if at.kind == '{' {
			at.keys = slices.Insert(at.keys, i, pick(f.r, at.keys[j], fmt.Sprintf("%q", f.word("x"))))
		}
		return "a part more"
	case 2:
		at.kids[i], at.kids[j] = at.kids[j], at.kids[i]
		return "parts swapped"
	case 3:
		if at.kind == '{' {
			at.keys[i] = fmt.Sprintf("%q", f.word(strings.Trim(at.keys[i], `"`)))
			return "a key renamed"
		}
		at.kids = at.kids[:i]
		return "a list cut"
	case 4:
		f.scale(at, func(string) bool { return true })
		return "numbers scaled"
	}
	slices.Reverse(at.kids)
	return "parts reversed"
}

// scale multiplies the numbers below a value, of some paths, by one factor.
func (f *forger) scale(top *node, is func(path string) bool) {
	factor := big.NewRat(pick(f.r, int64(2), 3, 5, 10), pick(f.r, int64(1), 1, 2))
	top.leaves("", func(path string, leaf *node) {
		v, ok := new(big.Rat).SetString(leaf.text)
		if !leaf.isNumber() || !ok || !is(path) {
			return
		}
		if v.Mul(v, factor); v.IsInt() {
			leaf.text = v.Num().String()
		} else {
			leaf.text = strings.TrimRight(v.FloatString(6), "0")
		}
	})
}

func table(text []byte) [][]string {
	c := csv.NewReader(bytes.NewReader(text))
	c.FieldsPerRecord = -1
	rows, err := c.ReadAll()
	if err != nil {
		return nil
	}
	return rows
}

func tableText(rows [][]string) []byte {
	var b bytes.Buffer
	c := csv.NewWriter(&b)
	_ = c.WriteAll(rows) // to memory
	return b.Bytes()
}

// cell changes one cell of a table.
func (f *forger) cell(rows [][]string, i, k int) {
	text := rows[i][k]
	switch _, isNumber := new(big.Rat).SetString(text); {
	case f.r.IntN(4) == 0: // that of another row
		rows[i][k] = rows[f.r.IntN(len(rows))][k]
	case isNumber:
		rows[i][k] = f.number(text)
	default:
		rows[i][k] = f.word(text)
	}
}
