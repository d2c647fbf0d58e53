package diff

import "slices"

// verdicts are how a comparison can end, what needs attention first.
var verdicts = []string{VerdictWorse, "another input", "different", VerdictBetter, "the same"}

// InWords is the whole comparison in one or two words, and their rank among the verdicts.
func (d *Difference) InWords() (words string, rank int) {
	words = d.verdict()
	return words, slices.Index(verdicts, words)
}
