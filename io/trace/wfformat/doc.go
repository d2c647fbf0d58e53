// Package wfformat imports workflows in WfFormat, the JSON format of the WfCommons project, plain or gzip: version 1.5
// and later. Source of the format: wfcommons-schema.json and its README (github.com/wfcommons/WfFormat). Keys that are
// not in type raw are skipped unread, as the format allows any. A file is one job with exactly its precedence.
//
// docs/formats.md has the rules. Read document.go first, then link.go, which resolves references; import.go decides
// releases and enters jobs, nodes.go the stated machines.
package wfformat
