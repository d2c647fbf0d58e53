// The calls that lpsolve makes into C: a thin layer over lp_lib.h that moves whole arrays at a time and hides its types
// and macros from cgo. Row and column indices are lp_solve's own, one-based. Functions return 1 for success and 0 for
// failure unless stated otherwise.
#ifndef MRS_BRIDGE_H
#define MRS_BRIDGE_H

#include <stdint.h>

typedef struct mrs_lp mrs_lp;

// mrs_new returns NULL when out of memory.
mrs_lp *mrs_new(int cols);

// mrs_read, for tests of written files, reads one (mps: free MPS, else lp-format) and solves it without the condition
// that columns are integer.
int mrs_read(const char *path, int mps, int *rows, int *cols, int *ints, double *optimum);

void mrs_free(mrs_lp *p);

// mrs_stop sets or clears the flag that makes a running mrs_solve return. It is the one call that may come from another
// thread while mrs_solve runs.
void mrs_stop(mrs_lp *p, int on);

// mrs_add_rows appends n rows. Row i has the entries start[i] .. start[i+1]-1 of col and val, both sorted in place.
// Returns the number of rows added; fewer than n is a failure. initial: nothing else was done to the matrix before.
int mrs_add_rows(mrs_lp *p, int n, const int64_t *start, int *col, double *val, const int *type, const double *rhs, int initial);

// mrs_del_rows deletes the n rows listed in descending order and reports whether the last basis is still one: a deleted
// row that was tight takes a basic column with it. Returns 1 with a valid basis, 2 without, 0 on failure, -1 without
// memory.
int mrs_del_rows(mrs_lp *p, int n, const int *rows);

int mrs_set_costs(mrs_lp *p, double *cost); // cost[1..cols]; cost[0] is ignored
int mrs_set_bounds(mrs_lp *p, int col, double lower, double upper);

int mrs_rows(mrs_lp *p);

// mrs_rescue sets other scaling and pivot rules than those of mrs_new. Wrong pivots are what most trouble comes from;
// the first index fails least often, but takes the most iterations.
void mrs_rescue(mrs_lp *p);

void mrs_default_basis(mrs_lp *p);

// A basis has 1 + rows + cols elements: element 0 is unused, then come the basic variables, rows before columns, then the
// others; negative means at the lower bound. mrs_get_basis returns 0 if there is none.
int mrs_get_basis(mrs_lp *p, int *basis);
int mrs_set_basis(mrs_lp *p, int *basis);

// mrs_solve returns lp_solve's own code. polls <= 0 means no limit; lp_solve polls about once an iteration, and exhausted tells
// whether it was stopped for having done so too often. There is no limit of time: lp_solve's is read from the clock of the wall,
// which somebody may set.
int mrs_solve(mrs_lp *p, int64_t polls, int *exhausted);

double mrs_objective(mrs_lp *p);

// mrs_fetch copies the last solution and the shadow prices of the rows. Returns 0 if there are none.
int mrs_fetch(mrs_lp *p, double *x, double *dual);

void mrs_version(int *major, int *minor, int *release, int *build);

#endif
