// The calls that lpsolve makes into C: a thin layer over lp_lib.h that moves whole arrays at a time and hides its types
// and macros from cgo. Row and column indices are lp_solve's own, one-based. Functions return 1 for success and 0 for
// failure unless stated otherwise.
#ifndef MRS_BRIDGE_H
#define MRS_BRIDGE_H

#include <stdint.h>

typedef struct mrs_lp mrs_lp;

// mrs_new returns NULL when out of memory.
mrs_lp *mrs_new(int rows, int cols);

// mrs_read returns NULL when the file cannot be read or parsed. format: 0 lp-format, 1 fixed MPS, 2 free MPS.
mrs_lp *mrs_read(const char *path, int format);

void mrs_free(mrs_lp *p);

// mrs_stop sets or clears the flag that makes a running mrs_solve return. It is the one call that may come from another
// thread while mrs_solve runs.
void mrs_stop(mrs_lp *p, int on);

// mrs_add_rows appends n rows. Row i has the entries start[i] .. start[i+1]-1 of col and val, both sorted in place.
// Returns the number of rows added; fewer than n is a failure.
int mrs_add_rows(mrs_lp *p, int n, const int64_t *start, int *col, double *val, const int *type, const double *rhs, int initial);

// mrs_del_rows deletes the n rows listed in descending order and reports whether the last basis is still one: a deleted
// row that was tight takes a basic column with it. Returns 1 with a valid basis, 2 without, 0 on failure, -1 without
// memory.
int mrs_del_rows(mrs_lp *p, int n, const int *rows);

int mrs_set_costs(mrs_lp *p, double *cost); // cost[1..cols]; cost[0] is ignored
int mrs_set_cost(mrs_lp *p, int col, double cost);
int mrs_set_bounds(mrs_lp *p, int col, double lower, double upper);
int mrs_set_int(mrs_lp *p, int col, int on);
char *mrs_get_name(mrs_lp *p, int row, int col); // row < 0: of a column
int mrs_is_int(mrs_lp *p, int col);
int mrs_is_maximize(mrs_lp *p);
void mrs_get_bounds(mrs_lp *p, int col, double *lower, double *upper);
double mrs_get_cost(mrs_lp *p, int col);
void mrs_get_relation(mrs_lp *p, int row, int *type, double *rhs);

int mrs_rows(mrs_lp *p);
int mrs_cols(mrs_lp *p);
int64_t mrs_nonzeros(mrs_lp *p);

typedef struct {
	int scaling, pivoting, simplex, improve, max_pivots, floor_first, bb_rule;
	double abs_gap, rel_gap, scale_loops;
} mrs_tuning;

void mrs_get_tuning(mrs_lp *p, mrs_tuning *t);
void mrs_set_tuning(mrs_lp *p, const mrs_tuning *t);
void mrs_default_basis(mrs_lp *p);

// A basis has 1 + rows + cols elements: element 0 is unused, then come the basic variables, rows before columns, then the
// others; negative means at the lower bound. mrs_get_basis returns 0 if there is none.
int mrs_get_basis(mrs_lp *p, int *basis);
int mrs_set_basis(mrs_lp *p, int *basis);

// mrs_solve returns lp_solve's own code. polls <= 0 means no limit; lp_solve polls about once an iteration, and exhausted tells
// whether it was stopped for having done so too often. There is no limit of time: lp_solve's is read from the clock of the wall,
// which somebody may set.
int mrs_solve(mrs_lp *p, int64_t polls, int64_t *iterations, int *exhausted);

int mrs_solution_count(mrs_lp *p);

// mrs_fetch copies the last solution: x has cols elements, or is NULL.
int mrs_fetch(mrs_lp *p, double *objective, double *x);

// mrs_fetch_duals copies the shadow prices of the rows and computes the reduced costs of the columns from them. x is the
// solution. Returns 0 if there are none or they contradict x: lp_solve loses them when it has split a free column. Without
// reduced that is not checked.
int mrs_fetch_duals(mrs_lp *p, const double *x, double *dual, double *reduced);

// mrs_improves tells whether a reduced cost says that the objective improves for ever: an "optimum" that is none.
int mrs_improves(mrs_lp *p, const double *reduced);

void mrs_version(int *major, int *minor, int *release, int *build);

#endif
