// Package rumen imports job traces of Apache Rumen, which it extracts from Hadoop's job history, with the topology that
// it writes beside a trace. A trace is a sequence of JSON objects, one for each job, and is read job by job. A negative
// number (Rumen writes -1) or null means "unknown", and so does one that is too large. Names are stored as regular
// expressions, in which a backslash protects the next character; the hostName of an attempt is /rack/host.
//
// docs/formats.md has the rules. The median of an even number of values is the lower of the two in the middle, so that
// it was measured. Read trace.go first, what is read and kept; times.go decides which times are believed, topology.go
// and hosts.go which nodes there are, emit.go what is entered, and notes.go counts what is assumed.
package rumen
