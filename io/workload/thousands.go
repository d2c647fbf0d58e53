package workload

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"mrsched/io/textpos"
	"mrsched/model"
)

// grouped collects evidence whether points in the numbers of a CSV column may separate thousands.
type grouped struct {
	rows    int  // numbers such as 1.200: three decimals, and no 0 before the point
	zeros   int  // of these end in 0: programs that leave out zeros write none
	digits  int  // most digits that they have before the point
	others  int  // other numbers above 0 with at most two decimals, as far as they are noted
	least   int  // fewest digits of these before the point
	decimal bool // another number has at least three decimals: the point is a decimal point
	text    string
	at      place
}

// group notes a number of a column that holds times or sizes.
func (v *values) group(c *column, text string) {
	if v.groups == nil {
		v.groups = make([]grouped, len(v.columns))
	}
	i := find(v.columns, c.name)
	g := &v.groups[i]
	whole, decimals, point := strings.Cut(text, ".")
	switch unit := c.unit; {
	case unit == "" || unit == "cores": // people state halves of these
	case g.decimal || !point && g.others > 1 && len(whole) >= g.least: // nothing new
	case whole == "0" && !point || strings.Trim(text, ".0123456789") != "":
	case !point || len(decimals) < 3:
		if g.others++; g.others == 1 {
			g.least = len(whole)
		}
		g.least = min(g.least, len(whole))
	case len(decimals) != 3 || whole == "" || whole[0] == '0' || len(whole) > 3:
		g.decimal = true
	default:
		if g.rows++; g.rows == 1 {
			g.text, g.at = strings.Clone(text), v.at(i)
		}
		if decimals[2] == '0' {
			g.zeros++
		}
		g.digits = max(g.digits, len(whole))
	}
}

// warnGroups warns of columns whose numbers all look grouped and are small, or in which other numbers are a hundred
// times as large.
func (v *values) warnGroups() {
	for i := range v.groups {
		g := &v.groups[i]
		all := g.rows > 1 && g.others == 0 && g.digits == 1
		some := g.zeros == g.rows && g.others > 1 && g.least >= g.digits+2
		if g.zeros == 0 || g.decimal || !all && !some {
			continue
		}
		c := v.columns[i].name
		*v.warnings = append(*v.warnings, model.Warning{Columns: []string{string(v.table) + "." + c},
			Finding: model.Finding{Code: model.CodeThousands, Pos: g.at.in(v.file), More: g.rows - 1,
				What:     fmt.Sprintf("%s %s is %s", c, g.text, strings.TrimRight(strings.TrimRight(g.text, "0"), ".")),
				Expected: "a point before decimals, and no thousands separator",
				Hint:     "if it means " + strings.ReplaceAll(g.text, ".", "") + ", drop the point"}})
	}
}

// thousands matches numbers in groups of three digits.
var thousands = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\d{1,3}([.,]\d{3}){2,}$|^\d{1,3},\d{3}$`)
})

// oneGroup matches a number that may be in thousands, with a point between.
var oneGroup = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[1-9]\d{0,2}\.\d{3}$`) })

// splitThousands is the hint for a row with too many fields of which two may be one number; "" if none may.
func splitThousands(fields []string) string {
	digits := func(s string, least int) bool {
		return len(s) >= least && len(s) <= 3 && strings.Trim(s, "0123456789") == ""
	}
	for k := range fields[1:] {
		if whole, rest := fields[k], fields[k+1]; digits(whole, 1) && whole[0] != '0' && digits(rest, 3) {
			return fmt.Sprintf("if %s is one number, write it without thousands separators: %s",
				textpos.Quoted(whole+","+rest), whole+rest)
		}
	}
	return ""
}
