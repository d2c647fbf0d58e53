// Package trace is the skeleton of the importers. An importer is a package below it: it describes its format and
// returns a model.Workload. Here are the parts: files (File); lines of fields (NewRecords), of words (Words) and of
// numbers (Matrix); JSON documents (Document); checks of options (Options); what is doubtful, counted, with one text
// each (Doubt); notes; names (Numbering); precedence (Graph, EnterWaits); and Build, which runs the steps while
// nothing is wrong. No importer depends on another. Read Build in trace.go
// first, then a short importer, such as bench.
package trace
