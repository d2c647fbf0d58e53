"""The verdict: the steps of certificates.md in their order."""
import re
from collections import Counter
from contextlib import contextmanager
from fractions import Fraction
from importlib import import_module
from itertools import zip_longest

from model import COUNT, DECIMAL, DOUBLE, Run
from result import Result, form, read, take
from values import INF, Num, Wrong, clock_text, decimal, double_text, need, stamp, text, write_json
from workload import Workload

PROBLEMS = 'cluster', 'msjo', 'hta', 'reduceplace', 'realtime', 'multitenant'
PLAN = {'from': 's.+', 'freeze_until': DECIMAL, 'change_penalty': DECIMAL, 'change_tolerance': DECIMAL}
OPTIONS = {'iterations': COUNT, 'time_limit': DECIMAL, 'epsilon': DOUBLE, 'lp': 's.*', **PLAN}
# The largest numbers, in millionths.
MOST = {**dict.fromkeys(('time_limit', 'freeze_until', 'change_tolerance'), 2 ** 62 - 1), 'change_penalty': 2 ** 63 - 1,
        'epsilon': 990000, 'iterations': 10 ** 6 * (2 ** 40 - 1), 'machines': 10 ** 13, 'max-running-jobs': 10 ** 15,
        'partitions': 10 ** 14, 'deadline-factor': 10 ** 12, 'sketch-seed': 10 ** 24,
        'measure-from': 10 ** 18, 'measure-until': 10 ** 18}
BOUNDS = form('[{method!:str value!:num}]')

def algorithms(problem):
    return import_module(problem).Problem.algorithms.split() if problem in PROBLEMS else []

class Report:
    """The violations found so far, at most 20 of each code."""

    def __init__(self):
        self.found, self.count, self.notes, self.line = [], Counter(), [], ''

    def add(self, code, what):
        self.count[code] += 1
        if self.count[code] <= 20: self.found.append((code, what))

    def when(self, condition, code, what):
        """A violation if a condition holds."""
        if condition: self.add(code, what)

    def same(self, code, name, stated, derived):
        """A violation if two values differ."""
        self.when(stated != derived, code, f'{name}: stated {str(stated)[:150]}, derived {str(derived)[:150]}')

    @contextmanager
    def catch(self, code):
        """A violation if something inside is wrong, or cannot be computed."""
        try: yield
        except (ArithmeticError, LookupError, TypeError, ValueError) as e:
            self.add(code, str(e) if isinstance(e, Wrong) else '%s: %s' % (type(e).__name__, e))

def verdict(instance, path):
    """The report on a result."""
    rep, work = Report(), Workload(instance)
    res = Result(path, rep)
    m = None if res.stop else model_of(rep, work, res)
    if m: judge(rep, m, res)
    rep.notes += m.notes if m else []
    return rep

def model_of(rep, work, res):
    """Steps 4 to 8; None if one of them fails."""
    doc, params, m = res.doc, res.doc.parameters, None
    if doc.algorithm not in algorithms(doc.problem): return rep.add('K620', 'unknown problem or algorithm')
    kind = import_module(doc.problem).Problem
    if 'job' in params: return rep.add('K620', 'the result is of some jobs, as earlier versions solved them: solve again')
    wrong = wrong_parameters(params, kind, doc.algorithm == 'best' and kind.letter in 'mc')
    if wrong: return rep.add('K620', 'these parameters are wrong or absent: ' + ', '.join(dict.fromkeys(wrong)))
    if work.digest() != doc.instance.sha256: return rep.add('K610', 'the digest of the workload differs')
    with rep.catch('K620'):
        m = kind(work, doc.algorithm, params, res)
        m.origin = work.origin
        mine = {'name': work.scalars.name, 'origin': clock_text(*work.origin) if work.origin else '',
                'jobs': len(m.jobs), 'tasks': len(m.names), 'machines': len(m.machines)}
        for k in mine if doc.instance.name else list(mine)[1:]:
            rep.same('K610', 'instance.' + k, doc.instance[k], mine[k])
    return None if rep.count['K610'] else m

def wrong_parameters(params, kind, plans):
    """The names of parameters that are wrong, or absent; `plans` says whether the algorithm can plan again."""
    forms, again = {**OPTIONS, **kind.options}, set(PLAN) & set(params)
    texts = {k: ('n' if isinstance(v, Num) else 's') + v for k, v in params.items() if isinstance(v, str)}
    wrong = [k for k in params if not re.fullmatch(forms.get(k, 's.*|' + DOUBLE), texts.get(k, ''), re.A | re.S)]
    numbers = {k: decimal(x) for k, x in params.items() if isinstance(x, Num) and k not in wrong}
    wrong += [k for k, x in numbers.items() if x * 10 ** 6 > MOST.get(k, INF)]
    wrong += [k for k, x in params.items() if k not in OPTIONS and isinstance(x, Num) and re.search('[.e]', x) and
              x != double_text(float(x)).replace('e-0', 'e-')]
    wrong += [k for k, f in kind.options.items() if k not in params and f != COUNT]
    wrong += [] if {'iterations', 'time_limit'} & set(params) else ['iterations']
    return wrong + (list(PLAN) if again and (again < set(PLAN) or not plans) else [])

def judge(rep, m, res):
    """Steps 9 to 16."""
    doc, rows, name, value, bound, before = res.doc, None, None, None, None, len(rep.found)
    if res.rows is not None:
        rows = read_rows(rep, m, res)
        m.rules(rows, rep)
        name, value = m.objective(rows)
    if res.certificate is not None:
        with rep.catch('K618'):
            cert = read(res.certificate, doc.problem, m.known.get(m.goal, m.known), m.sizes())
            m.method, proven = cert.method, Fraction(import_module(doc.problem).proven(m, cert))
            need(cert.value == str(proven), 'the value is %s' % proven)
            unit = m.rounding() if proven > 0 else 0
            bound = -(-proven // unit) * unit if unit else max(proven, m.least)
            if m.less: bound = max(bound - m.less, 0)
    if None not in (value, bound) and value < bound:
        return rep.add('K612', f'the objective {text(value, 12)} is below the bound {text(bound)}')
    m.uses()
    unused = m.work.unused(m.letter, m.used)
    rep.same('K631', 'inputs', doc.inputs, {'unused': unused} if unused else None)
    rep.same('K611', 'objective', doc.objective, name and {'name': name, 'value': text(value, 12)})
    search = derived(rep, doc, m, rows, value, bound)
    mine = rows is not None and m.derived_tables(rows) or {}
    for n in sorted(set(mine) | set(res.tables)):
        for stated, own in zip_longest(res.tables.get(n, []), mine.get(n, [])):
            rep.same('K628', 'a row of the table ' + n, stated, own)
    run = (doc.metrics or {}).get('run')
    run = run if isinstance(run, dict) else {}
    nodes = isinstance(run.get('nodes'), Num) and re.fullmatch(r'[1-9]\d{0,8}', run['nodes'], re.A)
    if search and doc.algorithm == 'exact' and len(rep.found) == before and nodes and int(nodes[0]) <= 10 ** 8:
        rep.notes.append('the search that proves `optimal` was not repeated')
    else:
        rep.when(search, 'K619', 'the status is not optimal')
    if len(rep.found) == before and rows is not None:
        m.facts(rows, run, bound, rep)
    found = f'{name} {text(value, 12)}, ' if name else ''
    bound = 'none' if bound is None else text(bound)
    rep.line = f'{doc.problem}, {doc.algorithm}, {doc.status}, {found}bound {bound}'

def read_rows(rep, m, res):
    """Step 9: each row alone."""
    rows, last, own = [], -1, m.own.split()
    rep.when(res.rows and res.own != own, 'K609', f'own columns are {res.own}, not {own}')
    for at, r in enumerate(res.rows):
        t, k, here = m.index.get(r.task), m.machines.get(r.machine), 'row %d: ' % (at + 1)
        rep.when(t is None, 'K608', here + 'no such task')
        if t is None: continue
        rep.when((r.job, r.kind) != (m.jobs[m.job_of[t]].id, m.kind_of[t]), 'K609', here + 'another job or kind')
        rep.when(t < last, 'K609', here + 'not in the order of the tasks')
        rep.when(k is None, 'K603', here + 'no such machine')
        if res.clocks:
            for c in ('start', 'end'): rep.same('K609', here + c, r[c + '_time'], stamp(m.origin, r[c]))
        last = t
        if k is None: continue
        rows.append(Run(t, k, r.start, r.end, at, m.job_of[t], m.kind_of[t], r.task))
        cells = m.cells(rows[-1]) if own and res.own == own else None
        if cells is not None: rep.same('K609', here + 'own columns', [r[c] for c in own], cells)
    return rows

def derived(rep, doc, m, rows, value, bound):
    """Step 14: bound, ratio, guarantee, status, metrics; whether a search might prove the status."""
    both = None not in (value, bound)
    rep.same('K612', 'lower_bound', doc.lower_bound, None if bound is None else {
        'value': text(bound), 'method': m.method, 'verified': True})
    rep.same('K613', 'ratio', doc.ratio, text(value / bound, 6, True) if both and bound > 0 else None)
    metrics, stated = {} if rows is None else m.metrics(rows), doc.metrics or {}
    optimal = both and value + m.penalty == bound
    status = 'optimal' if optimal else 'limit' if doc.status == 'limit' else 'bound' if rows is None else 'feasible'
    if doc.guarantee is not None:
        g = m.guarantee() if both and doc.status != 'limit' else None
        if g:
            g = dict(zip(('factor', 'additive', 'source', 'preconditions'), g + ('',)), preconditions_met=True)
            proven = value <= decimal(g['factor']) * bound + decimal(g['additive'])
            g['verdict'] = 'proven' if proven else 'violated' if optimal else 'unknown'
        rep.same('K614', 'guarantee', doc.guarantee, g)
    for k in sorted(set(stated) | set(metrics)):
        if k == 'bounds':
            with rep.catch('K615'):
                some = take(stated[k], BOUNDS)[0]
                need(bound is not None and len({x.method for x in some}) == len(some), 'metrics.bounds')
                for x in some:
                    need(0 <= decimal(x.value) <= decimal(text(bound)), 'metrics.bounds is not from 0 to the bound')
                    need(x.value == text(decimal(x.value)), 'metrics.bounds is written in another way')
        elif k != 'run':
            rep.same('K615', 'metrics.' + k, write_json(stated[k]) if k in stated else None, metrics.get(k))
    search = (doc.status, status) == ('optimal', 'feasible')
    rep.when(doc.status != status and not search, 'K619', f'status: stated {doc.status}, derived {status}')
    return search
