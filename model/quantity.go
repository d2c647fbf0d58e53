package model

// Unit says what a number in a result counts, so that tables can show it in the units that people read. Files hold the
// exact number.
type Unit int

// The units of numbers in results.
const (
	UnitNone            Unit = iota // a plain number, or a text
	UnitSeconds                     // a duration
	UnitMoment                      // a point in time, in seconds
	UnitWeightedSeconds             // weight × seconds
	UnitBytes
	UnitByteCost // bytes × cost per byte
	UnitRatio    // to a lower bound
	UnitShare    // a part of a whole, from 0 to 1
	UnitPercent  // the same, from 0 to 100
)

// Quantity is a criterion, a metric or a column of results.
type Quantity struct {
	Name string
	Unit Unit
	// About says in plain words what the name stands for, if the name alone does not; tables print it as their legend.
	About string
}

// Quantities makes several quantities of one unit, whose names say enough.
func Quantities(unit Unit, names ...string) []Quantity {
	list := make([]Quantity, len(names))
	for i, name := range names {
		list[i] = Quantity{Name: name, Unit: unit}
	}
	return list
}

// commonQuantities are the columns that every schedule.csv has.
var commonQuantities = Quantities(UnitMoment, "start", "end")
