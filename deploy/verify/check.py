"""The verdict: the steps of certificates.md in their order."""
import re
from collections import Counter
from contextlib import contextmanager
from fractions import Fraction
from importlib import import_module

from model import Run
from result import Result, form, read, take
from values import Num, Wrong, clock_text, decimal, need, text, write_json
from workload import Workload

PROBLEMS = 'cluster', 'msjo', 'hta', 'reduceplace', 'realtime', 'multitenant'
OPTIONS = {'iterations': r'n0*[1-9]\d*', 'time_limit': 'n.+', 'job': 's.+', 'from': 's.+', 'freeze_until': 'n.+',
           'change_penalty': 'n.+', 'change_tolerance': 'n.+'}
BOUNDS = form('[{method!:str value!:num}]')

def algorithms(problem):
    return import_module(problem).Problem.algorithms.split() if problem in PROBLEMS else []

class Report:
    """The violations found so far, at most 20 of each code."""

    def __init__(self):
        self.found, self.count, self.notes, self.line = [], Counter(), [], ''

    def add(self, code, what):
        self.count[code] += 1
        if self.count[code] <= 20:
            self.found.append((code, what))

    def when(self, condition, code, what):
        """A violation if a condition holds."""
        if condition:
            self.add(code, what)

    def same(self, code, name, stated, derived):
        """A violation if two values differ."""
        self.when(stated != derived, code, f'{name}: stated {str(stated)[:150]}, derived {str(derived)[:150]}')

    @contextmanager
    def catch(self, code):
        """A violation if something inside is wrong."""
        try:
            yield
        except Wrong as e:
            self.add(code, str(e))

def verdict(instance, path):
    """The report on a result."""
    rep, work = Report(), Workload(instance)
    res = Result(path, rep)
    m = None if res.stop else model_of(rep, work, res)
    if m:
        judge(rep, m, res)
        rep.notes += m.notes
    return rep

def model_of(rep, work, res):
    """Steps 4 to 8; None if one of them fails."""
    doc, params, m = res.doc, res.doc.parameters, None
    if doc.algorithm not in algorithms(doc.problem):
        return rep.add('K620', 'unknown problem or algorithm')
    kind = import_module(doc.problem).Problem
    ids = set(params['job'].split(',')) if isinstance(params.get('job') or None, str) else set()
    if ids - {j.id for j in work.tables.jobs}:
        return rep.add('K610', 'the workload lacks a job of the parameter job')
    if ids:
        work.restrict(ids)
    texts, forms = {k: ('n' if isinstance(v, Num) else 's') + v for k, v in params.items() if isinstance(v, str)}, {
        **OPTIONS, **kind.options}
    bad = [k for k in params if not re.fullmatch(forms.get(k, '.*'), texts.get(k, '\n'), re.A | re.S)]
    if bad or not {'iterations', 'time_limit'} & set(params) or len(texts) < len(params):
        return rep.add('K620', 'parameters %s are out of range, or there is neither iterations nor time_limit' % bad)
    if work.digest() != doc.instance.sha256:
        return rep.add('K610', 'the digest of the workload differs')
    with rep.catch('K620'):
        m = kind(work, doc.algorithm, params, res)
        mine = {'name': work.scalars.name, 'origin': clock_text(*work.origin) if work.origin else '',
                'jobs': len(m.jobs), 'tasks': len(m.names), 'machines': len(m.machines)}
        for k in mine if doc.instance.name else list(mine)[1:]:
            rep.same('K610', 'instance.' + k, doc.instance[k], mine[k])
    return None if rep.count['K610'] else m

def judge(rep, m, res):
    """Steps 9 to 16."""
    doc, rows, bound, objective, before = res.doc, None, None, None, len(rep.found)
    if res.rows is not None:
        rows = read_rows(rep, m, res)
        m.rules(rows, rep)
        objective = m.objective(rows)
    if res.certificate is not None:
        with rep.catch('K618'):
            cert = read(res.certificate, doc.problem, m.known.get(m.goal, m.known), m.sizes())
            m.method, proven = cert.method, Fraction(import_module(doc.problem).proven(m, cert))
            need(cert.value == str(proven), 'the value is %s' % proven)
            unit = m.rounding() if proven > 0 else 0
            bound = -(-proven // unit) * unit if unit else max(proven, m.least)
    if objective and bound is not None and objective[1] < bound:
        return rep.add('K612', f'the objective {objective[2]} is below the bound {text(bound)}')
    m.uses()
    rep.same('K631', 'inputs.unused', (doc.inputs or {}).get('unused', []), m.work.unused(m.letter, m.used))
    search = derived(rep, doc, m, rows, objective, bound)
    mine = rows is not None and m.derived_tables(rows) or {}
    for n in sorted(set(mine) | set(res.tables)):
        pairs = zip(res.tables.get(n, []), mine.get(n, []))
        rep.when(mine.get(n) != res.tables.get(n), 'K628', n + ' differs: %s' % (next(
            (p for p in pairs if p[0] != p[1]), 'its rows'),))
    if len(rep.found) == before and rows is not None:
        m.facts(rows, (doc.metrics or {}).get('run', {}), rep)
    if search and doc.algorithm == 'exact' and len(rep.found) == before:
        rep.notes.append('the search that proves `optimal` was not repeated')
    elif search:
        rep.add('K619', 'the status is not optimal')
    rep.line = f'{doc.problem}, {doc.algorithm}, {doc.status}, ' + ' '.join(objective[::2] if objective else ()) + \
        ', bound ' + ('none' if bound is None else text(bound))

def read_rows(rep, m, res):
    """Step 9: each row alone."""
    rows, last, own = [], -1, m.own.split()
    rep.when(res.rows and res.own != own, 'K609', f'own columns are {res.own}, not {own}')
    for at, r in enumerate(res.rows):
        t, k, here = m.index.get(r.task), m.machines.get(r.machine), 'row %d: ' % (at + 1)
        if t is None:
            rep.add('K608', here + 'no such task')
            continue
        rep.when((r.job, r.kind) != (m.jobs[m.job_of[t]].id, m.kind_of[t]), 'K609', here + 'another job or kind')
        rep.when(t < last, 'K609', here + 'not in the order of the tasks')
        last = t
        if k is None:
            rep.add('K603', here + 'no such machine')
            continue
        rows.append(Run(t, k, r.start, r.end, at, m.job_of[t], m.kind_of[t], r.task))
        cells = m.cells(rows[-1]) if own and res.own == own else None
        if cells is not None:
            rep.same('K609', here + 'own columns', [r[c] for c in own], cells)
    return rows

def derived(rep, doc, m, rows, objective, bound):
    """Step 14: objective, bound, ratio, guarantee, status, metrics; whether a search might prove the status."""
    both = objective and bound is not None
    rep.same('K611', 'objective', doc.objective, objective and dict(zip(('name', 'value'), objective[::2])))
    rep.same('K612', 'lower_bound', doc.lower_bound, None if bound is None else {
        'value': text(bound), 'method': m.method, 'verified': True})
    rep.same('K613', 'ratio', doc.ratio, text(objective[1] / bound, 6, True) if both and bound > 0 else None)
    metrics, stated = m.metrics(rows) if objective else {}, doc.metrics or {}
    optimal = both and objective[1] + m.penalty == bound
    status = 'optimal' if optimal else 'limit' if doc.status == 'limit' else 'feasible' if objective else 'bound'
    if doc.guarantee is not None:
        g = m.guarantee() if both and doc.status != 'limit' else None
        if g:
            g = dict(zip(('factor', 'additive', 'source', 'preconditions'), g + ('',)), preconditions_met=True)
            proven = objective[1] <= decimal(g['factor']) * bound + decimal(g['additive'])
            g['verdict'] = 'proven' if proven else 'violated' if optimal else 'unknown'
        rep.same('K614', 'guarantee', doc.guarantee, g)
    for k in sorted(set(stated) | set(metrics)):
        if k == 'bounds':
            with rep.catch('K615'):
                some = take(stated[k], BOUNDS)[0]
                need(bound is not None and len({x.method for x in some}) == len(some) and all(
                    re.fullmatch(r'\d+(\.\d{1,6})?', x.value) and decimal(x.value) <= decimal(text(bound))
                    for x in some), 'metrics.bounds')
        elif k != 'run':
            v = stated.get(k)
            rep.same('K615', 'metrics.' + k, None if v is None else write_json(v), metrics.get(k))
    search = (doc.status, status) == ('optimal', 'feasible')
    rep.when(doc.status != status and not search, 'K619', f'status: stated {doc.status}, derived {status}')
    return search
