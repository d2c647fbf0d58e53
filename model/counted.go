package model

import "fmt"

// Plural is a noun after a number: "slot" after 1, "slots" after any other. It handles regular nouns only.
func Plural[N int | int32 | int64](n N, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// Are is "is" or "are" after a number.
func Are[N int | int32 | int64](n N) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// Counted is a number and what it counts: "1 slot", "2 slots".
func Counted[N int | int32 | int64](n N, noun string) string {
	return fmt.Sprintf("%d %s", n, Plural(n, noun))
}
