package lp

import (
	"strconv"
	"strings"
)

// maxName is the longest name written. lp_solve's MPS reader keeps fields in 256-byte buffers.
const maxName = 200

// keywords are names, in lower case, that one of the two formats, or a popular reader of it, treats specially.
var keywords = map[string]bool{
	"int": true, "integer": true, "bin": true, "binary": true, "sec": true, "sin": true, "sos": true, "sos1": true,
	"sos2": true, "sets": true, "free": true, "semi": true, "semis": true, "min": true, "max": true, "minimise": true,
	"minimize": true, "maximise": true, "maximize": true, "inf": true, "infinity": true, "infinite": true, "st": true,
	"marker": true, "rhs": true, "bnd": true, "bound": true, "bounds": true, "ranges": true, "range": true, "nan": true,
}

// uniqueNames makes n names legal in the lp-format and in free MPS, distinct, and the same on every run.
//
// The first of equal legal names stays. In others every character outside [A-Za-z0-9_.] becomes '_'; a name that does
// not begin with a letter, looks like an exponent or is a keyword gets the prefix and '_' before it; repetitions get
// _2, _3, … An empty name becomes the prefix and its one-based index. Names in reserved are not used.
func uniqueNames(n int, name func(int) string, prefix string, reserved ...string) []string {
	used := make(map[string]bool, n+len(reserved))
	for _, r := range reserved {
		used[r] = true
	}
	out := make([]string, n)
	for i := range n {
		if s := name(i); legal(s) && !used[s] {
			out[i] = s
			used[s] = true
		}
	}
	next := map[string]int{}
	for i := range n {
		if out[i] != "" {
			continue
		}
		base := clean(name(i), prefix, i)
		s := base
		for used[s] {
			k := max(next[base], 1) + 1
			next[base] = k
			s = base + "_" + strconv.Itoa(k)
		}
		out[i] = s
		used[s] = true
	}
	return out
}

func legalByte(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '_' || c == '.'
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

func legal(s string) bool {
	if s == "" || len(s) > maxName || !isLetter(s[0]) || confusing(s) {
		return false
	}
	return !strings.ContainsFunc(s, func(c rune) bool { return c > '~' || !legalByte(byte(c)) })
}

// confusing reports names that a lexer may take for a keyword or, after a number, for its exponent.
func confusing(s string) bool {
	if (s[0] == 'e' || s[0] == 'E') && (len(s) == 1 || isDigit(s[1])) {
		return true
	}
	return keywords[strings.Map(func(c rune) rune {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		return c
	}, s)]
}

func clean(s, prefix string, index int) string {
	if s == "" {
		return prefix + strconv.Itoa(index+1)
	}
	b := []byte(s)
	if !isLetter(s[0]) || confusing(s) {
		b = []byte(prefix + "_" + s)
	}
	for i, c := range b {
		if !legalByte(c) {
			b[i] = '_'
		}
	}
	return string(b[:min(len(b), maxName-12)]) // room for the suffix that makes it unique
}
