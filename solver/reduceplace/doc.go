// Package reduceplace places reduces: the policies of Tan, Meng, Meng, Zhang, INFOCOM 2013, better ones, and a bound
// that no placement can beat. What comes in is a reduceplace.Instance; a slot for each reduce and prices go out. Read
// problem.go first: it has the table of algorithms.
package reduceplace
