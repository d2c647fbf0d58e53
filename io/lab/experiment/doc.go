// Package experiment measures the figures of four papers again and judges what the papers say about them. What comes in
// is the name of a figure and a size; a report.Figure goes out, with curves and claims. Read lab.go first. A paper is a
// table of figures with a function for each, which states curves and claims; docs/experiments.md explains the results.
//
// A figure asks the Lab for readings of scenarios (settings of a preset, parameters of a problem) under algorithms, by
// seed. Draw draws figures twice. First all of them get placeholders, and it notes which runs they need: one queue,
// made as many at once as there are threads. A figure is drawn again once its runs are made.
package experiment
