package show

import (
	"cmp"
	"strings"
)

// Natural orders names so that m2 comes before m10: runs of digits compare by value.
func Natural(a, b string) int {
	for x, y := a, b; ; {
		dx, dy := digitsOf(x), digitsOf(y)
		switch {
		case x == "" || y == "":
			if c := cmp.Compare(len(x), len(y)); c != 0 {
				return c
			}
			return cmp.Compare(a, b) // such as m01 and m1
		case dx != "" && dy != "":
			vx, vy := strings.TrimLeft(dx, "0"), strings.TrimLeft(dy, "0")
			if c := cmp.Or(cmp.Compare(len(vx), len(vy)), cmp.Compare(vx, vy)); c != 0 {
				return c
			}
			x, y = x[len(dx):], y[len(dy):]
		case x[0] != y[0]:
			return cmp.Compare(x[0], y[0])
		default:
			x, y = x[1:], y[1:]
		}
	}
}

// digitsOf are the digits that a text begins with.
func digitsOf(s string) string {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return s[:n]
}
