package workload

import (
	"cmp"

	"mrsched/model"
)

// ParseTime reads seconds, or a time with its units such as 1h30m, as the columns of times do.
func ParseTime(text string) (model.Time, error) {
	decimal, _, _ := dimensions()["seconds"].plain(text)
	return model.ParseTime(cmp.Or(decimal, text))
}
