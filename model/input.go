package model

import "iter"

// InputText is a workload as text, as files state it, for comparing two workloads.
type InputText struct {
	Scalars []InputScalar
	Tables  []InputTable
}

// InputScalar is a value outside the tables; Text is empty if it is absent.
type InputScalar struct{ Name, Text string }

// InputTable is a table of a workload.
type InputTable struct {
	Name string
	// Columns begin with those that identify a row, Keys of them.
	Columns []InputColumn
	Keys    int
	// Rows are the texts of one row after another, one per column; each is valid until the next. Iterating several times
	// is allowed.
	Rows iter.Seq[[]string]
}

// InputColumn is a column of a workload's table.
type InputColumn struct {
	Name    string
	Default string // what an absent value means; empty: nothing
}
