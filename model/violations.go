package model

import "fmt"

// maxViolations is how many violations of one code Violations keeps.
const maxViolations = 20

// Violations collects the violations of a schedule, the first of each code.
type Violations struct {
	count map[Code]int
	list  []Violation
}

// Add adds a violation.
func (v *Violations) Add(code Code, format string, args ...any) {
	if v.count == nil {
		v.count = map[Code]int{}
	}
	if v.count[code]++; v.count[code] <= maxViolations {
		v.list = append(v.list, Violation{Code: code, What: fmt.Sprintf(format, args...)})
	}
}

// List lists them in the order of Add.
func (v *Violations) List() []Violation { return v.list }
