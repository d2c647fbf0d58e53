// Package show writes numbers, names and guarantees the way all tables of mrsched show them. What comes in are cells;
// text, CSV or JSON lines go out. Read table.go first.
package show
