// Package gather reads results, checks them again, and collects what a report page shows of them. What comes in are
// paths of results and perhaps their workload; a page.Document goes out. Read gather.go first.
package gather
