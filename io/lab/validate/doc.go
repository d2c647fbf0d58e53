// Package validate tests the algorithms of a problem on random small instances: every bound and guarantee against the
// exact optimum, or, if no exact method is known, against the best schedule found. What comes in is a problem with its
// parameters; a report goes out. Read validate.go first.
package validate
