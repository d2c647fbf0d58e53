package proof

import (
	"encoding/binary"
	"errors"
	"slices"
)

// Kind is the kind of a hint.
type Kind uint8

// The kinds of hints.
const (
	ByClause Kind = iota // an earlier step
	ByArc
	ByTable
	ByEnergy
	BySum
	kinds
)

// Hint raises a side of a window, or leaves a window empty.
type Hint struct {
	Kind Kind
	// At is the step's number, or −1 − a choice; 2·arc, plus 1 if it is followed backwards; the limit; the sum.
	At int
	// From and Until are the interval of a limit's rule. To is the literal that a rule makes true. Without one its side
	// is None.
	From, Until int64
	To          Literal
}

// None says that there is no literal.
const None = -1

// Step is a step of the log.
type Step struct {
	Clause []Literal
	Hints  []Hint
	Gone   []int // steps that no later one needs
}

// Log is a list of steps, as bytes. The zero value is an empty log.
type Log struct {
	bytes []byte
	at    []int // by step: where it begins
}

// Steps is the number of steps.
func (l *Log) Steps() int { return len(l.at) }

// All are the bytes of all steps.
func (l *Log) All() []byte { return l.bytes }

// Size is the log's size in bytes.
func (l *Log) Size() int { return len(l.bytes) }

// Add appends a step. It returns its number.
func (l *Log) Add(clause []Literal, hints []Hint) int {
	return l.add(Step{Clause: clause, Hints: hints})
}

// add writes numbers as varints: lists after their lengths, times with signs, steps relative to this one. The choices
// stand before the first step, the first one last.
func (l *Log) add(s Step) int {
	n := len(l.at)
	l.at = append(l.at, len(l.bytes))
	b := binary.AppendUvarint(l.bytes, uint64(len(s.Clause)))
	for _, x := range s.Clause {
		b = appendLiteral(b, x)
	}
	b = binary.AppendUvarint(b, uint64(len(s.Hints)))
	for _, h := range s.Hints {
		at := h.At
		if h.Kind == ByClause {
			at = n - at
		}
		b = binary.AppendUvarint(b, uint64(at)*uint64(kinds)+uint64(h.Kind))
		if h.Kind == ByTable || h.Kind == ByEnergy {
			b = binary.AppendVarint(b, h.From)
			b = binary.AppendUvarint(b, uint64(h.Until-h.From))
		}
		if h.Kind >= ByTable {
			b = appendLiteral(b, h.To)
		}
	}
	b = binary.AppendUvarint(b, uint64(len(s.Gone)))
	for _, k := range s.Gone {
		b = binary.AppendUvarint(b, uint64(n-k))
	}
	l.bytes = b
	return n
}

// appendLiteral writes a literal; none is the side 0 before all others.
func appendLiteral(b []byte, l Literal) []byte {
	if b = binary.AppendUvarint(b, uint64(l.Side+1)); l.Side == None {
		return b
	}
	return binary.AppendVarint(b, l.T)
}

// reader reads the steps of a log in order.
type reader struct {
	rest []byte
	n    int // the number of the next step
	bad  bool
	step Step
}

var errEncoding = errors.New("it is cut, or not as mrsched writes it")

func (r *reader) unsigned(most uint64) uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 || v > most {
		r.bad = true
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *reader) signed() int64 {
	v, n := binary.Varint(r.rest)
	if n <= 0 || v > MaxTime || v < -MaxTime {
		r.bad = true
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// maxItems bounds the lists of a step, so that a short log takes little memory.
const maxItems = 1 << 20

// length reads the length of a list.
func (r *reader) length() int { return int(r.unsigned(maxItems)) }

func (r *reader) literal() Literal {
	l := Literal{Side: int32(r.unsigned(1<<30)) - 1}
	if l.Side != None {
		l.T = r.signed()
	}
	return l
}

// next reads a step into r.step. It returns false at the end, or if the log is bad.
func (r *reader) next() bool {
	if len(r.rest) == 0 {
		return false
	}
	s := &r.step
	s.Clause, s.Hints, s.Gone = s.Clause[:0], s.Hints[:0], s.Gone[:0]
	for range r.length() {
		s.Clause = append(s.Clause, r.literal())
	}
	for n := r.length(); n > 0 && !r.bad; n-- {
		code := r.unsigned(1 << 40)
		h := Hint{Kind: Kind(code % uint64(kinds)), At: int(code / uint64(kinds)), To: Literal{Side: None}}
		if h.Kind == ByClause {
			h.At = r.n - h.At
		}
		if h.Kind == ByTable || h.Kind == ByEnergy {
			h.From = r.signed()
			h.Until = h.From + int64(r.unsigned(MaxTime))
		}
		if h.Kind >= ByTable {
			h.To = r.literal()
		}
		s.Hints = append(s.Hints, h)
	}
	for range r.length() {
		s.Gone = append(s.Gone, r.n-int(r.unsigned(uint64(r.n))))
	}
	r.n++
	return !r.bad
}

// Steps is the number of steps of a log that Check accepts.
func Steps(log []byte) int {
	r := reader{rest: log}
	for r.next() {
	}
	return r.n
}

// Bytes are the log's bytes without the steps that the claim does not need: those with one or no literal and what they
// rest on stay. Steps say which ones are needed no more.
func (l *Log) Bytes() []byte {
	var out Log
	l.copy(&out, l.needed(nil))
	return out.bytes
}

// Trim takes out the steps that the claim does not need, and some further steps do not, in place. It returns the new
// numbers of steps.
func (l *Log) Trim(further []int) (number []int) {
	last := l.needed(further)
	for k := range last {
		if last[k] > 0 {
			last[k] = len(last)
		}
	}
	out := Log{l.bytes[:0], l.at[:0]} // which never overtakes l: its steps are nearer to each other
	number = l.copy(&out, last)
	*l = out
	return number
}

// read goes to a step.
func (r *reader) read(l *Log, k int) *Step {
	r.rest, r.n = l.bytes[l.at[k]:], k
	r.next()
	return &r.step
}

// needed finds the last step that needs each one; 0: none does. Steps with one or no literal and the further ones are
// needed after the last.
func (l *Log) needed(further []int) (last []int) {
	var r reader
	last = make([]int, len(l.at))
	for _, k := range further {
		last[k] = len(last)
	}
	for k := len(last) - 1; k >= 0; k-- {
		s := r.read(l, k)
		if len(s.Clause) <= 1 {
			last[k] = len(last)
		}
		if last[k] == 0 {
			continue
		}
		for _, h := range s.Hints {
			if h.Kind == ByClause && h.At >= 0 && last[h.At] == 0 {
				last[h.At] = k
			}
		}
	}
	return last
}

// copy writes the steps that are needed, and where each is the last time. It returns their new numbers.
func (l *Log) copy(out *Log, last []int) (number []int) {
	var r reader
	gone := make(map[int][]int)
	number = make([]int, len(last))
	for k := range last {
		if last[k] == 0 {
			continue
		}
		s := r.read(l, k)
		for i, h := range s.Hints {
			if h.Kind == ByClause && h.At >= 0 {
				s.Hints[i].At = number[h.At]
			}
		}
		for _, i := range gone[k] {
			s.Gone = append(s.Gone, number[i])
		}
		delete(gone, k)
		slices.Sort(s.Gone)
		s.Gone = s.Gone[:min(len(s.Gone), maxItems)]
		number[k] = out.add(*s)
		if last[k] < len(last) {
			gone[last[k]] = append(gone[last[k]], k)
		}
	}
	return number
}
