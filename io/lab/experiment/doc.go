// Package experiment measures the figures of the papers again: for each a preset, an axis, the algorithms, and the
// claims with the published figure beside ours. A Lab makes every measurement once; figures share what they measure.
package experiment
