package model

// Sources are the columns, as TABLE.COLUMN, from which an instance took values. An instance notes those whose use
// depends on the workload and the options.
type Sources map[string]bool

// Take notes columns.
func (s *Sources) Take(columns ...string) {
	if *s == nil {
		*s = Sources{}
	}
	for _, c := range columns {
		if !(*s)[c] {
			(*s)[c] = true
		}
	}
}

// Takes says whether the instance took values from a column.
func (s Sources) Takes(column string) bool { return s[column] }
