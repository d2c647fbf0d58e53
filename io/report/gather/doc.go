// Package gather reads results, checks them again, and collects what a report page shows of them.
package gather
