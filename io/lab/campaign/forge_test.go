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

// tables are the problem's own tables among the files.
func (f files) tables() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if strings.HasSuffix(name, ".csv") && name != result.ScheduleFile {
			names = append(names, name)
		}
	}
	return names
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
		return hex.EncodeToString(s[:])
	}
	var parts, own []string
	for _, name := range []string{result.ScheduleFile, result.CertificateFile} {
		if _, ok := f[name]; ok {
			parts = append(parts, fmt.Sprintf("%q:%q", name, sum(name)))
		}
	}
	for _, name := range f.tables() {
		own = append(own, fmt.Sprintf("%q:%q", name, sum(name)))
	}
	if len(own) > 0 {
		parts = append(parts, `"tables":{`+strings.Join(own, ",")+"}")
	}
	if x := root.get("sha256"); x != nil {
		*x = *parse([]byte("{" + strings.Join(parts, ",") + "}"))
	}
	f.sign(root)
}

// sign adds the digest of result.json itself, if it still is a result.
func (f files) sign(root *node) {
	var r model.Result
	d := json.NewDecoder(bytes.NewReader(root.compact()))
	d.UseNumber()
	if d.Decode(&r) == nil {
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

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// number replaces a number by another one.
func (f *forger) number(text string) string {
	v, ok := new(big.Rat).SetString(text)
	if !ok {
		return "0"
	}
	places := 0
	if k := strings.IndexByte(text, '.'); k >= 0 {
		places = len(text) - k - 1
	}
	unit := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil))
	print := func(x *big.Rat) string {
		s := x.FloatString(places)
		if places > 0 {
			s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
		}
		return s
	}
	switch f.r.IntN(12) {
	case 0:
		return print(v.Add(v, unit))
	case 1:
		return print(v.Sub(v, unit))
	case 2:
		return print(v.Mul(v, big.NewRat(2, 1)))
	case 3:
		return print(v.Mul(v, big.NewRat(1, 2)))
	case 4:
		return print(v.Add(v, big.NewRat(int64(1+f.r.IntN(100)), 1)))
	case 5:
		return print(v.Neg(v))
	case 6:
		return pick(f.r, "0", "1", "-1", "2")
	case 7:
		return pick(f.r, "9223372036854775807", "9223372036854775808", "4611686018427387903", "1152921504606846976",
			"-9223372036854775808")
	case 8:
		return pick(f.r, "1e400", "1e-400", "0.0000001", "1e3", "-0", "1e99999999")
	case 9:
		return print(v.Mul(v, big.NewRat(int64(900+f.r.IntN(200)), 1000)))
	case 10:
		return text + "0"
	}
	digits := []byte(text)
	k := f.r.IntN(len(digits))
	if digits[k] >= '0' && digits[k] <= '9' {
		digits[k] = byte('0' + f.r.IntN(10))
	}
	return string(digits)
}

// word replaces a text by another one, without quotes.
func (f *forger) word(text string) string {
	if above, below, ok := strings.Cut(text, "/"); ok && f.r.IntN(3) > 0 { // a rational
		if f.r.IntN(2) == 0 {
			return f.number(above) + "/" + below
		}
		return above + "/" + f.number(below)
	}
	switch f.r.IntN(7) {
	case 0:
		return ""
	case 1:
		return text + pick(f.r, "x", " ", "1", "é", "<b>")
	case 2, 3, 4:
		return pick(f.r, f.names...)
	case 5:
		if _, err := fmt.Sscanf(text, "%d", new(int)); err == nil {
			return f.number(text)
		}
	}
	b := []byte(text)
	if len(b) == 0 {
		return "x"
	}
	b[f.r.IntN(len(b))] = byte('a' + f.r.IntN(26))
	return string(b)
}

// scramble changes something below a JSON value and says what.
func (f *forger) scramble(top *node) string {
	parent, k, at := top.descend(f.r)
	switch {
	case at.isNumber():
		if f.r.IntN(10) == 0 {
			at.text = pick(f.r, "null", `"`+at.text+`"`, "true", "[]", "{}")
			return "a number of another type"
		}
		at.text = f.number(at.text)
		return "a number"
	case at.kind == 0 && at.text[0] == '"':
		if f.r.IntN(10) == 0 {
			at.text = pick(f.r, "null", "1", "true", "[]", "{}")
			return "a text of another type"
		}
		at.text = fmt.Sprintf("%q", f.word(strings.Trim(at.text, `"`)))
		return "a text"
	case at.kind == 0:
		at.text = pick(f.r, "true", "false", "null", "1")
		return "a truth value"
	}
	n := len(at.kids)
	if n == 0 || f.r.IntN(12) == 0 {
		*at = node{text: pick(f.r, "null", "1", `"x"`, "[]", "{}")}
		return "a list or object replaced"
	}
	i, j := f.r.IntN(n), f.r.IntN(n)
	switch f.r.IntN(8) {
	case 0, 1:
		at.kids = slices.Delete(at.kids, i, i+1)
		if at.kind == '{' {
			at.keys = slices.Delete(at.keys, i, i+1)
		}
		return "a part cut out"
	case 2:
		at.kids = slices.Insert(at.kids, i, at.kids[j].clone())
		if at.kind == '{' {
			at.keys = slices.Insert(at.keys, i, at.keys[j])
		}
		return "a part twice"
	case 3:
		at.kids[i], at.kids[j] = at.kids[j], at.kids[i]
		return "parts swapped"
	case 4:
		if at.kind == '[' {
			at.kids = at.kids[:i]
			return "a list cut"
		}
		at.keys[i] = fmt.Sprintf("%q", f.word(strings.Trim(at.keys[i], `"`)))
		return "a key renamed"
	case 5:
		if at.kind == '{' {
			at.keys, at.kids = append(at.keys, fmt.Sprintf("%q", f.word("x"))),
				append(at.kids, &node{text: pick(f.r, "1", `"x"`, "null")})
			return "a key added"
		}
		at.kids = append(at.kids, at.kids[i].clone())
		return "a list grown"
	case 6:
		factor := big.NewRat(pick(f.r, int64(2), 3, 10, 1), pick(f.r, int64(1), 2))
		at.leaves("", func(_ string, leaf *node) { f.scale(leaf, factor) })
		return "numbers scaled"
	}
	if parent != nil && parent.kind == '[' && len(parent.kids) > 1 {
		o := f.r.IntN(len(parent.kids))
		parent.kids[k], parent.kids[o] = parent.kids[o], parent.kids[k]
		return "parts swapped"
	}
	slices.Reverse(at.kids)
	return "parts reversed"
}

// scale multiplies a number.
func (f *forger) scale(leaf *node, factor *big.Rat) {
	v, ok := new(big.Rat).SetString(leaf.text)
	if !leaf.isNumber() || !ok {
		return
	}
	v.Mul(v, factor)
	if v.IsInt() {
		leaf.text = v.Num().String()
		return
	}
	leaf.text = strings.TrimRight(v.FloatString(6), "0")
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

// cell changes one cell of some rows.
func (f *forger) cell(rows [][]string, i, k int) {
	text := rows[i][k]
	switch _, isNumber := new(big.Rat).SetString(text); {
	case f.r.IntN(4) == 0: // that of another row
		rows[i][k] = rows[1+f.r.IntN(len(rows)-1)][k]
	case isNumber:
		rows[i][k] = f.number(text)
	default:
		rows[i][k] = f.word(text)
	}
}
