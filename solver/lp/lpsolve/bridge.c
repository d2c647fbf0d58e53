#include "bridge.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <lpsolve/lp_lib.h>

struct mrs_lp {
	lprec *lp;
	atomic_int stop;
	int64_t polls, max_polls;
	int *basis; // scratch of mrs_del_rows
	int basis_cap;
};

static int __WINAPI poll_stop(lprec *lp, void *handle)
{
	(void)lp;
	mrs_lp *p = handle;
	p->polls++;
	if(p->max_polls > 0 && p->polls > p->max_polls)
		return TRUE;
	return atomic_load_explicit(&p->stop, memory_order_relaxed) ? TRUE : FALSE;
}

static void __WINAPI swallow(lprec *lp, void *handle, char *text)
{
	(void)lp;
	(void)handle;
	(void)text;
}

// adopt wraps lp, which it owns from then on, and sets what differs from lp_solve's defaults.
static mrs_lp *adopt(lprec *lp)
{
	mrs_lp *p;

	if(lp == NULL)
		return NULL;
	p = calloc(1, sizeof(*p));
	if(p == NULL) {
		delete_lp(lp);
		return NULL;
	}
	p->lp = lp;
	atomic_init(&p->stop, 0);
	set_verbose(lp, NEUTRAL);
	put_logfunc(lp, swallow, NULL);
	put_abortfunc(lp, poll_stop, p);
	// Row and column numbers must stay what the caller thinks they are.
	set_presolve(lp, PRESOLVE_NONE, 0);
	// Anti-degeneracy perturbs bounds by rand() seeded from the clock: results would differ from run to run.
	set_anti_degen(lp, ANTIDEGEN_NONE);
	// Else columns with a negative lower bound and a positive upper one are split in two, which loses the duals.
	set_negrange(lp, -DEF_INFINITE);
	// With the default limit of 1 lp_solve infers a least improvement from the objective's coefficients, wrongly: it then
	// takes worse solutions for optimal (one small MIP in 20 000; one in 50 with continuous columns in the objective).
	set_solutionlimit(lp, 0);
	return p;
}

mrs_lp *mrs_new(int rows, int cols)
{
	return adopt(make_lp(rows, cols));
}

mrs_lp *mrs_read(const char *path, int format)
{
	char name[1] = "";

	switch(format) {
	case 0:
		return adopt(read_LP((char *)path, NEUTRAL, name));
	case 1:
		return adopt(read_MPS((char *)path, NEUTRAL));
	case 2:
		return adopt(read_freeMPS((char *)path, NEUTRAL));
	}
	return NULL;
}

void mrs_free(mrs_lp *p)
{
	delete_lp(p->lp);
	free(p->basis);
	free(p);
}

void mrs_stop(mrs_lp *p, int on)
{
	atomic_store_explicit(&p->stop, on, memory_order_relaxed);
}

int mrs_add_rows(mrs_lp *p, int n, const int64_t *start, int *col, double *val, const int *type, const double *rhs, int initial)
{
	int i, added = 0, none = 1;
	double zero = 0;

	// Row entry mode appends in constant time, but only before anything else has been done to the matrix.
	if(initial && !set_add_rowmode(p->lp, TRUE))
		return 0;
	for(i = 0; i < n; i++) {
		int count = (int)(start[i + 1] - start[i]);
		// An empty row needs valid pointers all the same: lp_solve looks at the first element.
		double *v = count > 0 ? val + start[i] : &zero;
		int *c = count > 0 ? col + start[i] : &none;
		if(!add_constraintex(p->lp, count, v, c, type[i], rhs[i]))
			break;
		added++;
	}
	if(initial && !set_add_rowmode(p->lp, FALSE))
		return 0;
	return added;
}

int mrs_del_rows(mrs_lp *p, int n, const int *rows)
{
	int i, valid, m = get_Nrows(p->lp);
	char *nonbasic = NULL;

	if(p->basis_cap < m + 1) {
		int *b = realloc(p->basis, sizeof(*b) * (size_t)(m + 1));
		if(b == NULL)
			return -1;
		p->basis = b;
		p->basis_cap = m + 1;
	}
	valid = get_basis(p->lp, p->basis, FALSE);
	if(valid) {
		nonbasic = malloc((size_t)m + 1);
		if(nonbasic == NULL)
			return -1;
		memset(nonbasic, 1, (size_t)m + 1);
		for(i = 1; i <= m; i++) {
			int k = abs(p->basis[i]);
			if(k <= m)
				nonbasic[k] = 0;
		}
		for(i = 0; i < n && valid; i++)
			valid = !nonbasic[rows[i]];
		free(nonbasic);
	}
	for(i = 0; i < n; i++)
		if(!del_constraint(p->lp, rows[i]))
			return 0;
	return valid ? 1 : 2;
}

int mrs_set_costs(mrs_lp *p, double *cost)
{
	cost[0] = 0;
	return set_obj_fn(p->lp, cost);
}

int mrs_set_cost(mrs_lp *p, int col, double cost) { return set_obj(p->lp, col, cost); }
int mrs_set_bounds(mrs_lp *p, int col, double lower, double upper) { return set_bounds(p->lp, col, lower, upper); }
int mrs_set_int(mrs_lp *p, int col, int on) { return set_int(p->lp, col, on ? TRUE : FALSE); }
int mrs_is_int(mrs_lp *p, int col) { return is_int(p->lp, col); }

int mrs_is_maximize(mrs_lp *p) { return is_maxim(p->lp); }

void mrs_get_bounds(mrs_lp *p, int col, double *lower, double *upper)
{
	*lower = get_lowbo(p->lp, col);
	*upper = get_upbo(p->lp, col);
}

double mrs_get_cost(mrs_lp *p, int col) { return get_mat(p->lp, 0, col); }

void mrs_get_relation(mrs_lp *p, int row, int *type, double *rhs)
{
	*type = get_constr_type(p->lp, row);
	*rhs = get_rh(p->lp, row);
}

char *mrs_get_name(mrs_lp *p, int row, int col)
{
	return row < 0 ? get_col_name(p->lp, col) : get_row_name(p->lp, row);
}

int mrs_rows(mrs_lp *p) { return get_Nrows(p->lp); }
int mrs_cols(mrs_lp *p) { return get_Ncolumns(p->lp); }
int64_t mrs_nonzeros(mrs_lp *p) { return get_nonzeros(p->lp); }

void mrs_get_tuning(mrs_lp *p, mrs_tuning *t)
{
	t->scaling = get_scaling(p->lp);
	t->scale_loops = get_scalelimit(p->lp);
	t->pivoting = get_pivoting(p->lp);
	t->simplex = get_simplextype(p->lp);
	t->improve = get_improve(p->lp);
	t->max_pivots = get_maxpivot(p->lp);
	t->floor_first = get_bb_floorfirst(p->lp);
	t->bb_rule = get_bb_rule(p->lp);
	t->abs_gap = get_mip_gap(p->lp, TRUE);
	t->rel_gap = get_mip_gap(p->lp, FALSE);
}

void mrs_set_tuning(mrs_lp *p, const mrs_tuning *t)
{
	// A new mode does not undo the factors of the old one.
	if(get_scaling(p->lp) != t->scaling)
		unscale(p->lp);
	set_scaling(p->lp, t->scaling);
	set_scalelimit(p->lp, t->scale_loops);
	set_pivoting(p->lp, t->pivoting);
	set_simplextype(p->lp, t->simplex);
	set_improve(p->lp, t->improve);
	set_maxpivot(p->lp, t->max_pivots);
	set_bb_floorfirst(p->lp, t->floor_first);
	set_bb_rule(p->lp, t->bb_rule);
	set_mip_gap(p->lp, TRUE, t->abs_gap);
	set_mip_gap(p->lp, FALSE, t->rel_gap);
}

void mrs_default_basis(mrs_lp *p) { default_basis(p->lp); }

int mrs_get_basis(mrs_lp *p, int *basis) { return get_basis(p->lp, basis, TRUE); }
int mrs_set_basis(mrs_lp *p, int *basis) { return set_basis(p->lp, basis, TRUE); }

int mrs_solve(mrs_lp *p, int64_t polls, int64_t *iterations, int *exhausted)
{
	int code;

	p->polls = 0;
	p->max_polls = polls;
	code = solve(p->lp);
	*iterations = (int64_t)get_total_iter(p->lp);
	*exhausted = polls > 0 && p->polls > polls;
	return code;
}

int mrs_solution_count(mrs_lp *p) { return get_solutioncount(p->lp); }

int mrs_fetch(mrs_lp *p, double *objective, double *x)
{
	REAL *v = NULL;

	*objective = get_objective(p->lp);
	if(x == NULL)
		return 1;
	if(!get_ptr_variables(p->lp, &v) || v == NULL)
		return 0;
	memcpy(x, v, sizeof(*x) * (size_t)get_Ncolumns(p->lp));
	return 1;
}

// reduced_tol is the relative reduced cost that counts as different from 0: a thousand times lp_solve's own tolerance.
static const double reduced_tol = 1e-6;

static double magnitude(double v) { return v < 0 ? -v : v; }

// inside tells whether x is clearly between the bounds of a column.
static int inside(lprec *lp, int col, double x)
{
	double lower = get_lowbo(lp, col), upper = get_upbo(lp, col), tol = 1e-6 * (1 + magnitude(x));

	return x > lower + tol && x < upper - tol;
}

int mrs_fetch_duals(mrs_lp *p, const double *x, double *dual, double *reduced)
{
	lprec *lp = p->lp;
	REAL *d = NULL, *val;
	int i, j, k, n = get_Ncolumns(lp), m = get_Nrows(lp), *row, ok = 1;

	if(!get_ptr_sensitivity_rhs(lp, &d, NULL, NULL) || d == NULL)
		return 0;
	if(m > 0)
		memcpy(dual, d, sizeof(*d) * (size_t)m);
	if(reduced == NULL)
		return 1;
	// The reduced costs behind the duals have the wrong sign for columns that lp_solve has flipped.
	val = malloc(sizeof(*val) * ((size_t)m + 1));
	row = malloc(sizeof(*row) * ((size_t)m + 1));
	if(val == NULL || row == NULL)
		ok = 0;
	for(j = 1; ok && j <= n; j++) {
		double c = get_mat(lp, 0, j), r = c, scale = 1 + magnitude(c);
		k = get_columnex(lp, j, val, row);
		if(k < 0)
			ok = 0;
		for(i = 0; i < k; i++)
			if(row[i] > 0) {
				double t = val[i] * dual[row[i] - 1];
				r -= t;
				if(magnitude(t) > scale)
					scale = magnitude(t);
			}
		reduced[j - 1] = r;
		if(magnitude(r) > reduced_tol * scale && inside(lp, j, x[j - 1]))
			ok = 0;
	}
	free(val);
	free(row);
	return ok;
}

int mrs_improves(mrs_lp *p, const double *reduced)
{
	double sign = is_maxim(p->lp) ? -1 : 1;
	int j;

	for(j = 1; j <= get_Ncolumns(p->lp); j++) {
		double c = get_mat(p->lp, 0, j);
		double d = sign * reduced[j - 1] / (1 + magnitude(c));
		if((d > reduced_tol && get_lowbo(p->lp, j) <= -DEF_INFINITE) || (d < -reduced_tol && get_upbo(p->lp, j) >= DEF_INFINITE))
			return 1;
	}
	return 0;
}

void mrs_version(int *major, int *minor, int *release, int *build)
{
	lp_solve_version(major, minor, release, build);
}
