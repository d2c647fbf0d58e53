// Package workload reads and writes workload documents: one JSON object, or a directory with a CSV file for each table.
// Read tables.go first, the table of columns, then read.go and write.go.
//
// One set of row structs (rows.go) holds every column's name, kind, unit and description in its tags. It drives the
// JSON reader and writer, the CSV reader and writer and the JSON Schema.
//
// Reading streams: a textpos.Reader unpacks gzip, checks UTF-8 and knows the line of every offset; JSON comes from
// textpos.Values and CSV from textpos.Records. Every row goes to the model.Builder as it is read. All findings of all
// files are returned as one *model.InputError. An error of syntax, encoding or compression ends the reading of that
// file only. If it lost rows that others may refer to, references are not checked, so that one mistake is not reported
// a hundred times.
//
// Positions are file:line:column. Lines and columns count from 1, columns count bytes, a byte order mark does not
// count, and positions in a .gz file are those of the unpacked text.
//
// Writing is deterministic: one row per line, columns in the order of rows.go, no absent values, numbers as the
// shortest decimal that reads back as the same value.
package workload
