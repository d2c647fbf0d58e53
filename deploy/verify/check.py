"""The verdict: the steps of certificates.md in their order."""
import re
from collections import Counter, namedtuple
from fractions import Fraction
from importlib import import_module

from forms import Wrong, form, need, read, take
from result import Result
from values import Num, Unreadable, clock_text, decimal, text, write_json
from workload import Workload

CLASSES = {'cluster': 'Cluster', 'msjo': 'Msjo', 'hta': 'Hta', 'reduceplace': 'ReducePlace', 'realtime': 'RealTime',
           'multitenant': 'MultiTenant'}
POSITIVE = r'n0*[1-9]\d*'
OPTIONS = {'iterations': POSITIVE, 'time_limit': 'n.+', 'job': 's.+', 'from': 's.+', 'freeze_until': 'n.+',
           'change_penalty': 'n.+', 'change_tolerance': 'n.+'}
BOUNDS = form('[{method:str! value:num!}]')
Row = namedtuple('Row', 'task machine start end at')     # of the schedule, if its task and machine exist

def kind_of(problem):
    return getattr(import_module(problem), CLASSES[problem]) if problem in CLASSES else None

def algorithms(problem):
    return kind_of(problem).algorithms.split()

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
        if stated != derived:
            self.add(code, '%s: stated %s, derived %s' % (name, str(stated)[:150], str(derived)[:150]))

def verdict(instance, path):
    """The report on a result."""
    rep, work, res = Report(), Workload(instance), Result(path)
    for code, what in res.bad:
        rep.add(code, what)
    if not res.stop:
        m = model_of(rep, work, res)
        if m:
            judge(rep, m, res)
            rep.notes += m.notes
    return rep

def model_of(rep, work, res):
    """Steps 4 to 8; None if one of them fails."""
    doc, problem = res.doc, res.doc['problem']
    kind = kind_of(problem)
    if not kind or doc['algorithm'] not in algorithms(problem):
        return rep.add('K620', 'unknown problem or algorithm')
    params = doc['parameters']
    ids = params['job'].split(',') if isinstance(params.get('job'), str) else []
    if set(ids) - {j['id'] for j in work.tables['jobs']}:
        return rep.add('K610', 'the workload lacks a job of the parameter job')
    if ids:
        work.restrict(ids)
    bad = [] if {'iterations', 'time_limit'} & set(params) else ['neither iterations nor time_limit']
    for name, v in params.items():
        t = isinstance(v, str) and ('n' if isinstance(v, Num) else 's') + v
        if not t or not re.fullmatch({**OPTIONS, **kind.options}.get(name, '.*'), t, re.A | re.S):
            bad.append('the parameter %s is out of range' % name)
    if bad:
        return rep.add('K620', '; '.join(bad))
    stated = doc['instance']
    if work.digest() != stated['sha256']:
        return rep.add('K610', 'the digest of the workload differs')
    try:
        m = kind(work, doc['algorithm'], params, res)
    except Wrong as e:
        return rep.add('K620', str(e))
    mine = {'name': work.scalars.get('name'), 'origin': work.origin and clock_text(work.origin),
            'jobs': len(m.jobs), 'tasks': len(m.names), 'machines': len(m.machines)}
    for k, v in mine.items():
        if k != 'name' or k in stated:
            rep.same('K610', 'instance.' + k, str(stated.get(k)), str(v))
    return None if rep.count['K610'] else m

def judge(rep, m, res):
    """Steps 9 to 16."""
    doc, rows, bound, objective, before = res.doc, None, None, None, len(rep.found)
    if res.rows is not None:
        rows = read_rows(rep, m, res)
        m.rules(rows, rep)
        objective = m.objective(rows)
    if res.certificate is not None:
        try:
            cert = read(res.certificate, doc['problem'], m.kinds())
            m.method, proven = cert['method'], Fraction(m.proven(cert))
            need(cert['value'] == str(proven), 'the value is %s' % proven)
            bound = m.round_up(proven)
        except Wrong as e:
            rep.add('K618', str(e))
    if objective and bound is not None and objective[1] < bound:
        return rep.add('K612', 'the objective %s is below the bound %s' % (objective[2], text(bound)))
    stated, mine = doc.get('inputs', {}).get('unused', []), m.work.unused(m.letter, m.uses())
    if stated != mine:
        rep.add('K631', 'only stated %s, only derived %s' % (set(stated) - set(mine), set(mine) - set(stated)))
    derived(rep, doc, m, rows, objective, bound)
    mine = m.derived_tables(rows) if rows is not None else {}
    for n in sorted(set(mine) | set(res.tables)):
        if mine.get(n) != res.tables.get(n):
            pairs = zip(res.tables.get(n, []), mine.get(n, []))
            rep.add('K628', 'the table %s differs: %s' % (n, next((p for p in pairs if p[0] != p[1]), 'its rows')))
    if len(rep.found) == before and rows is not None:
        m.facts(rows, doc.get('metrics', {}).get('run', {}), rep)
    search = rep.search and doc['algorithm'] == 'exact'
    if search and len(rep.found) == before:
        rep.notes.append('the search that proves `optimal` was not repeated')
    elif rep.search:
        rep.add('K619', rep.search)
    line = [doc[k] for k in ('problem', 'algorithm', 'status')] + ['%s %s' % (objective or ('', 0, ''))[::2]]
    rep.line = ', '.join(line + ['bound %s' % ('none' if bound is None else text(bound))])

def read_rows(rep, m, res):
    """Step 9: each row alone."""
    rows, last, own = [], -1, list(m.own)
    if res.rows and res.own != own:
        rep.add('K609', 'own columns are %s, not %s' % (res.own, own))
        own = None
    for at, r in enumerate(res.rows):
        t, k, here = m.index.get(r['task']), m.machines.get(r['machine']), 'row %d: ' % (at + 1)
        if t is None:
            rep.add('K608', here + 'no such task')
            continue
        if (r['job'], r['kind']) != (m.jobs[m.job_of[t]]['id'], m.kind_of[t]):
            rep.add('K609', here + 'another job or kind')
        rep.when(t < last, 'K609', here + 'not in the order of the tasks')
        last = t
        if k is None:
            rep.add('K603', here + 'no such machine')
            continue
        rows.append(Row(t, k, r['start'], r['end'], at))
        cells = m.cells(rows[-1]) if own else None
        if cells is not None and [r[c] for c in own] != cells:
            rep.add('K609', '%sown columns %s, not %s' % (here, [r[c] for c in own], cells))
    return rows

def derived(rep, doc, m, rows, objective, bound):
    """Step 14: objective, bound, ratio, guarantee, status, metrics."""
    stated = doc.get('objective')
    rep.same('K611', 'objective', stated and (stated['name'], stated['value']), objective and objective[::2])
    stated = doc.get('lower_bound')
    rep.same('K612', 'lower_bound', stated and (stated['value'], stated['method'], stated['verified']),
             None if bound is None else (text(bound), m.method, True))
    positive = objective and bound is not None and bound > 0
    rep.same('K613', 'ratio', doc.get('ratio'), text(objective[1] / bound, 6, True) if positive else None)
    status = 'limit' if doc['status'] == 'limit' else 'feasible' if objective else 'bound'
    metrics = m.metrics(rows) if objective else {}
    if objective and bound is not None and objective[1] + m.penalty == bound:
        status = 'optimal'
    if 'guarantee' in doc:
        g = m.guarantee() if objective and bound is not None and doc['status'] != 'limit' else None
        if g:
            factor, additive, source, preconditions = g
            proven = objective[1] <= decimal(factor) * bound + decimal(additive)
            g = {'factor': factor, 'additive': additive, 'source': source, 'preconditions': preconditions,
                 'preconditions_met': True, 'verdict': 'proven' if proven else 'violated' if status == 'optimal'
                 else 'unknown'}
            g = {k: v for k, v in g.items() if v != ''}
        rep.same('K614', 'guarantee', doc['guarantee'], g)
    for k in sorted(set(doc.get('metrics', {})) | set(metrics)):
        v = doc.get('metrics', {}).get(k)
        if k == 'bounds' and not bounds_hold(v, bound):
            rep.add('K615', 'metrics.bounds')
        elif k not in ('bounds', 'run'):
            rep.same('K615', 'metrics.' + k, None if v is None else write_json(v), metrics.get(k))
    rep.search = ''
    if doc['status'] != status:
        what = 'status: stated %s, derived %s' % (doc['status'], status)
        if (doc['status'], status) == ('optimal', 'feasible'):
            rep.search = what
        else:
            rep.add('K619', what)

def bounds_hold(v, bound):
    """Whether the list of bounds in the metrics may stand."""
    try:
        some, _ = take(v, BOUNDS)
        return bound is not None and len({x['method'] for x in some}) == len(some) and all(
            re.fullmatch(r'\d+(\.\d{1,6})?', x['value']) and decimal(x['value']) <= decimal(text(bound)) for x in some)
    except (Wrong, Unreadable):
        return False
