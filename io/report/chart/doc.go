// Package chart draws charts as SVG: axes with ticks, legends, curves, stacked columns and rows of bars. What comes in
// is a chart as data; SVG goes out. Read plot.go first; layout.go and axis.go place what it draws.
//
// Colours and line styles are classes of svg.css. A chart is either a part of an HTML page, which brings the style and
// its light and dark themes, or a file with a style of its own. All text is escaped.
package chart
