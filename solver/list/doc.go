// Package list places tasks on identical machines: in a given order, by rank without idling, or on assigned machines.
// It knows machines, ready times and precedence with delays; it does not depend on any problem. What comes in are
// lengths, ready times and an order; starts and machines go out. Read list.go.
package list
