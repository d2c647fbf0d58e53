#include "bridge.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <lpsolve/lp_lib.h>

struct mrs_lp {
	lprec *lp;
	atomic_int stop;
	int64_t polls, max_polls;
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
	// The dual simplex first, since most changes add rows, with Devex pricing: steepest edge is no faster on dense rows.
	set_scaling(lp, 0);
	set_pivoting(lp, PRICER_DEVEX | PRICE_ADAPTIVE);
	set_simplextype(lp, SIMPLEX_DUAL_PRIMAL);
	set_improve(lp, IMPROVE_DUALFEAS | IMPROVE_THETAGAP);
	set_maxpivot(lp, 250);
	return p;
}

mrs_lp *mrs_new(int cols)
{
	return adopt(make_lp(0, cols));
}

int mrs_read(const char *path, int mps, int *rows, int *cols, int *ints, double *optimum)
{
	char name[1] = "";
	int j, code;
	mrs_lp *p = adopt(mps ? read_freeMPS((char *)path, NEUTRAL) : read_LP((char *)path, NEUTRAL, name));

	if(p == NULL)
		return 0;
	*rows = get_Nrows(p->lp);
	*cols = get_Ncolumns(p->lp);
	*ints = 0;
	for(j = 1; j <= *cols; j++) {
		*ints += is_int(p->lp, j);
		set_int(p->lp, j, FALSE);
	}
	code = solve(p->lp);
	*optimum = get_objective(p->lp);
	mrs_free(p);
	return code == OPTIMAL;
}

void mrs_free(mrs_lp *p)
{
	delete_lp(p->lp);
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
	int *basis = malloc(sizeof(*basis) * ((size_t)m + 1));
	char *basic = calloc((size_t)m + 1, 1);

	if(basis == NULL || basic == NULL) {
		free(basis);
		free(basic);
		return -1;
	}
	valid = get_basis(p->lp, basis, FALSE);
	for(i = 1; valid && i <= m; i++)
		if(abs(basis[i]) <= m)
			basic[abs(basis[i])] = 1;
	for(i = 0; valid && i < n; i++)
		valid = basic[rows[i]];
	free(basis);
	free(basic);
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

int mrs_set_bounds(mrs_lp *p, int col, double lower, double upper) { return set_bounds(p->lp, col, lower, upper); }
int mrs_rows(mrs_lp *p) { return get_Nrows(p->lp); }

void mrs_rescue(mrs_lp *p)
{
	set_scaling(p->lp, SCALE_MEAN | SCALE_INTEGERS);
	set_pivoting(p->lp, PRICER_FIRSTINDEX | PRICE_ADAPTIVE);
	set_maxpivot(p->lp, 20);
}

void mrs_default_basis(mrs_lp *p) { default_basis(p->lp); }

int mrs_get_basis(mrs_lp *p, int *basis) { return get_basis(p->lp, basis, TRUE); }
int mrs_set_basis(mrs_lp *p, int *basis) { return set_basis(p->lp, basis, TRUE); }

int mrs_solve(mrs_lp *p, int64_t polls, int *exhausted)
{
	int code;

	p->polls = 0;
	p->max_polls = polls;
	code = solve(p->lp);
	*exhausted = polls > 0 && p->polls > polls;
	return code;
}

double mrs_objective(mrs_lp *p) { return get_objective(p->lp); }

int mrs_fetch(mrs_lp *p, double *x, double *dual)
{
	REAL *v = NULL, *d = NULL;
	int m = get_Nrows(p->lp);

	if(!get_ptr_variables(p->lp, &v) || v == NULL || !get_ptr_sensitivity_rhs(p->lp, &d, NULL, NULL) || d == NULL)
		return 0;
	memcpy(x, v, sizeof(*x) * (size_t)get_Ncolumns(p->lp));
	if(m > 0)
		memcpy(dual, d, sizeof(*d) * (size_t)m);
	return 1;
}

void mrs_version(int *major, int *minor, int *release, int *build)
{
	lp_solve_version(major, minor, release, build);
}
