package workload

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"mrsched/io/textpos"
)

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
