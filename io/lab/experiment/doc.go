// Package experiment measures the figures of four papers again and judges what the papers say about them. What comes in
// is the name of a figure and a size; a report.Figure goes out, with curves and claims. Read lab.go first. A paper is a
// table of figures with a function for each, which states curves and claims; docs/experiments.md explains the results.
//
// A figure asks the Lab for readings of scenarios (settings of a preset, parameters of a problem) under algorithms, by
// seed. The Lab draws a figure twice. The first time it gives placeholders and notes which runs the figure needs. Then
// it makes all runs, as many at once as there are threads.
package experiment
