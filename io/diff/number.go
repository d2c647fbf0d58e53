package diff

import (
	"encoding/json"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"mrsched/io/show"
	"mrsched/model"
)

// Numbers is a number on both sides; change is new − old, exactly.
type Numbers struct {
	Old    model.Number `json:"old,omitempty"`
	New    model.Number `json:"new,omitempty"`
	Change model.Number `json:"change,omitempty"`
}

// decimalText matches the numbers that are subtracted. Longer exponents could fill the memory.
var decimalText = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$`)

// maxDecimal is the length of the longest number that is subtracted.
const maxDecimal = 1000

// decimal is the exact value of a decimal number; nil if the text is not one.
func decimal(text string) *big.Rat {
	if len(text) > maxDecimal || !decimalText.MatchString(text) {
		return nil
	}
	r, _ := new(big.Rat).SetString(text)
	return r
}

// exactText prints a number with finitely many decimals as JSON does; nil gives no text.
func exactText(r *big.Rat) model.Number {
	if r == nil {
		return ""
	}
	digits, _ := r.FloatPrec()
	return model.Number(r.FloatString(digits))
}

// numbersOf are two numbers and their difference; nil is unknown.
func numbersOf(old, new *big.Rat) Numbers {
	n := Numbers{Old: exactText(old), New: exactText(new)}
	if old != nil && new != nil {
		n.Change = exactText(difference(old, new))
	}
	return n
}

func difference(old, later *big.Rat) *big.Rat { return new(big.Rat).Sub(later, old) }

func counts(old, new int) Numbers {
	return Numbers{Old: model.Number(strconv.Itoa(old)), New: model.Number(strconv.Itoa(new)),
		Change: model.Number(strconv.Itoa(new - old))}
}

func secondsOf(t model.Time) *big.Rat { return big.NewRat(int64(t), int64(model.Second)) }

// printed are two numbers as files state them.
func printed(old, new model.Number) Numbers {
	n := Numbers{Old: old, New: new}
	if a, b := decimal(string(old)), decimal(string(new)); a != nil && b != nil {
		n.Change = exactText(difference(a, b))
	}
	return n
}

// changed says whether two numbers differ, or only one side has one.
func (n Numbers) changed() bool {
	if n.Change != "" {
		return decimal(string(n.Change)).Sign() != 0
	}
	return n.Old != n.New
}

// valuesOf are two JSON texts; differ says whether they differ. Numbers are compared by value.
func valuesOf(name string, old, new json.RawMessage) (v Values, differ bool) {
	v = Values{Name: name, Old: old, New: new}
	if n := printed(model.Number(old), model.Number(new)); n.Change != "" {
		v.Change = n.Change
		return v, n.changed()
	}
	return v, string(old) != string(new)
}

// cellText is a field of a table as JSON: a number if it is one, nothing if it is empty.
func cellText(text string) json.RawMessage {
	if text == "" {
		return nil
	}
	if r := decimal(text); r != nil {
		return json.RawMessage(exactText(r))
	}
	return json.RawMessage(show.JSONText(text))
}

// total adds up decimal numbers exactly. Almost all are whole millionths that fit into a word.
type total struct {
	micro int64
	more  *big.Rat // nil: nothing
}

// add adds a text if it is a number.
func (t *total) add(text string) {
	if text == "" || text == "0" {
		return
	}
	if micro, ok := microOf(text); ok {
		t.addMicro(micro)
	} else if r := decimal(text); r != nil {
		t.addRat(r)
	}
}

func (t *total) addRat(r *big.Rat) {
	if t.more == nil {
		t.more = new(big.Rat)
	}
	t.more.Add(t.more, r)
}

func (t *total) addMicro(v int64) {
	sum := t.micro + v
	if (sum < t.micro) != (v < 0) { // it overflows
		t.addRat(t.rat(t.micro))
		sum = v
	}
	t.micro = sum
}

func (*total) rat(micro int64) *big.Rat { return big.NewRat(micro, int64(model.Second)) }

func (t *total) value() *big.Rat {
	v := t.rat(t.micro)
	if t.more != nil {
		v.Add(v, t.more)
	}
	return v
}

// microOf reads a number of at most six decimals as millionths.
func microOf(text string) (int64, bool) {
	if point := strings.IndexByte(text, '.'); point >= 0 && len(text)-point > model.ValueDigits+1 ||
		strings.ContainsAny(text, "eE") {
		return 0, false
	}
	v, err := model.ParseFixed(text, model.ValueDigits)
	return v, err == nil
}
