// Package show writes numbers, names and guarantees the way all tables of mrsched show them.
package show
