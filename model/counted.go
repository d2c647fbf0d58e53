package model

import "fmt"

// Plural is a noun as it stands behind a number: "slot" behind 1, "slots" behind any other. Nouns that do not take an s
// are not for it.
func Plural[N int | int32 | int64](n N, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// Are is the verb behind a number of things.
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
