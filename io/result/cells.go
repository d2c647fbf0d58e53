package result

import (
	"bytes"
	"encoding/csv"
	"errors"

	"mrsched/io/textpos"
	"mrsched/model"
)

// startColumn is where those with times begin.
const startColumn = 4

// badTime names the first cell of a schedule.csv that should hold a time and does not; nil: there is none.
func badTime(text []byte) error {
	c := csv.NewReader(bytes.NewReader(text))
	for row := 0; ; row++ {
		record, err := c.Read()
		if err != nil {
			return nil
		}
		for i, cell := range record[:min(len(record), len(common))] {
			if i < startColumn || row == 0 {
				continue
			}
			if _, err := model.ParseTime(cell); err != nil {
				line, column := c.FieldPos(i)
				at := model.Position{Line: int32(line), Column: int32(column)}
				f := textpos.NumberFinding(at, common[i], cell, err, "seconds, such as 204.5")
				what := f.What + "; expected " + f.Expected
				if f.Hint != "" {
					what += "; hint: " + f.Hint
				}
				return &located{at, errors.New(what)}
			}
		}
	}
}
