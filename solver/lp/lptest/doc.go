// Package lptest is the conformance suite of LP backends: every lp.Backend must pass [Run].
//
// It checks outcomes by theory and not against another solver: optima by lp.CheckKKT, which proves them, integer optima
// by feasibility and a value known from enumeration, warm starts by agreement with a cold solve. Sign conventions are
// those of package lp.
package lptest
