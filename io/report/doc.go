// Package report turns measurements into what people read: curves as CSV and SVG, and claims of the literature beside
// our figures, each with a verdict, as JSON. What comes in is a Figure; files go out. Read figure.go first.
//
// What is written depends on the measurements alone: equal figures are equal bytes.
package report
