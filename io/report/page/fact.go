package page

import "strings"

// fact is a name and a value; the note stands below.
type fact struct{ Name, Value, Note string }

// Widths of numbers in ems of the tiles' font that page.css fits into a tile, by shrinking them, and into one of twice
// the width.
const (
	tileWidth      = 10
	smallWidth     = 13
	doubleWidth    = 22
	narrowestWidth = 40
)

// Class says how a tile shows its value: a number is never broken, but smaller, or in a tile of twice the width. Text,
// and numbers that nobody reads, break anywhere.
func (f fact) Class() string {
	switch w := numberWidth(f.Value); {
	case w == 0 || w > narrowestWidth:
		return ""
	case w <= tileWidth:
		return "number"
	case w <= smallWidth:
		return "number small"
	case w <= doubleWidth:
		return "number double"
	}
	return "number least"
}

// numberWidth is about how wide a number with its unit is, in ems of a wide font; 0 if it is none.
func numberWidth(s string) float64 {
	const digit, other = 0.7, 0.35
	w := 0.0
	for _, r := range strings.TrimSuffix(s, " s") {
		switch {
		case '0' <= r && r <= '9', r == '−':
			w += digit
		case r == '.', r == '\u202f':
			w += other
		default:
			return 0
		}
	}
	if strings.HasSuffix(s, " s") {
		w += digit + other
	}
	return w
}
