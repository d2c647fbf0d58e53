// Package bound drives the search for lower bounds: several bounds one after the other under a time limit, mirror
// ascent and the volume algorithm. It knows no problem. What comes in is a function of prices; the best prices found go
// out. Read bound.go first.
package bound
