package alibaba

import "strings"

// maxDigits bounds the number of a task, so that it fits an int32.
const maxDigits = 9

// parseName takes a task's name apart: its own number, and those of the tasks that it waits for, which it appends to
// waits. ok is false for a name of another form.
func parseName(name string, waits []int32) (number int32, _ []int32, ok bool) {
	if head, stage, found := strings.Cut(name, "_Stg"); found && allDigits(stage) {
		name = head
	}
	name = strings.TrimRight(name, "_")
	head, rest, more := strings.Cut(name, "_")
	letters := strings.TrimRight(head, "0123456789")
	number, ok = parseNumber(head[len(letters):])
	if !ok || letters == "" || !allLetters(letters) {
		return 0, waits, false
	}
	first := len(waits)
	for more {
		var part string
		part, rest, more = strings.Cut(rest, "_")
		n, ok := parseNumber(part)
		if !ok {
			return 0, waits[:first], false
		}
		waits = append(waits, n)
	}
	return number, waits, true
}

func parseNumber(digits string) (n int32, ok bool) {
	if digits == "" || len(digits) > maxDigits || !allDigits(digits) {
		return 0, false
	}
	for _, c := range []byte(digits) {
		n = n*10 + int32(c-'0')
	}
	return n, true
}

func allDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

func allLetters(s string) bool {
	for _, c := range []byte(s) {
		if (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}
