// Package diff says how two results, schedules or instances differ.
//
//	old, err := result.ReadSide("monday", "monday", descriptions) // a result in any form
//	d, err := diff.Results(old, new, diff.Keep)                   // sections of changes, the largest first
//	err = d.WriteText(os.Stdout, false)                           // or WriteMarkdown, WriteBrief, WriteJSON
//
// Whatever has rows is joined by key (join.go): tasks, and the tables of inputs. Read tree.go first: it is what all
// forms print.
package diff
