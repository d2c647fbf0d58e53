// Package diff says how two results, schedules or instances differ.
//
//	old, err := result.ReadSide("monday", "monday", descriptions) // a result in any form
//	d, err := diff.Results(old, new, diff.Keep)                   // a tree of changes, the largest first
//	err = d.WriteText(os.Stdout, false)                           // or WriteMarkdown, WriteBrief, WriteJSON
//
// Whatever is compared is joined by key (pairs.go): tasks, jobs, rows of tables, rows of the input. Read diff.go first,
// then sections.go, which is what people see of a Difference.
package diff
