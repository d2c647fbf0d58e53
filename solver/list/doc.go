// Package list places tasks on identical machines: in a given order, or never idle by rank. It knows
// machines, ready times and precedence with delays; it knows no problem.
package list
