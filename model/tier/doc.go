// Package tier says how many random cases tests try: few at every commit, many at night. Only tests import it. Read
// tier.go first.
package tier
