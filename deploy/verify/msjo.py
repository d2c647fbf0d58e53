"""msjo: jobs on identical machines; rules, objectives, guarantees, certificates."""
from fractions import Fraction
from itertools import accumulate, zip_longest
from math import gcd

import clauses
from model import COUNT, Counted, Graph, Model, mean, shown, table
from proofs import Steps, cells, fluid, refine
from replan import Plan
from values import INF, Row, decimal, need, rounded, text, us
from windows import BOUNDS, TOP, TWO_SIDED, Windows, pools_of, two_sided

HEAD = 'job:s weight:t release:t earliest:t first_start:t completion:t objective_share:o'
PAPER = 'Ling et al., JPDC 2016, Thm '
SETS = BOUNDS + 'denominator!:int terms:[{threshold!:time prices!:[int]}] inequality:str arcs:[int]'
PRICES = '{cell!:time shift!:int steps!:[int] own:[{job!:short from!:time steps:[int]}]}'
KINDS = {
    'twjct': {
        'midpoint-prices': ('cls-lp cnd-lp', SETS),
        'machine-prices': ('time-indexed job-flows', BOUNDS + 'machine!:' + PRICES),
        'completion-cases': ('job-cases', BOUNDS + 'cases!:case'),
        'two-sided-prices': ('job-alone two-sided', TWO_SIDED),
        'clauses': clauses.KIND},
    'twtct': {'completion-prices': ('task-lp-schulz task-lp-published job-alone task-preemptive', SETS)}}

class Problem(Model):
    known, letter, unit, identical = KINDS, 'm', 10 ** 12, True
    options = {'machines': COUNT, 'objective': 's(twjct|twtct)'}
    algorithms = ('coge mars mars-list best exact so-mars tmars tmars-list mares h-mares huwf hjwf stf htwf htwf-list '
                  'wspt-list fifo')

    def __init__(self, *args):
        super().__init__(*args)
        self.list_tasks()
        self.counted = int(self.params.get('machines', 0)) or self.work.scalars.machines
        self.ready(Counted(self.counted) if self.counted else [
            name for name, _ in self.work.slots('map_slots', 'reduce_slots')])
        self.m, self.n, self.goal = len(self.machines), len(self.tasks), self.params['objective']
        need(0 < self.m <= 10 ** 7 and all('processing_time' in t for t in self.tasks), 'machines, or processing_time')
        g = self.graph = Graph(self)
        steps = list(zip(g.job, self.tasks + [Row(weight=0)] * (g.steps - self.n)))      # with barriers
        self.weight = [j.weight for j in self.jobs]
        self.wt = [t.get('weight', self.weight[j]) for j, t in steps]
        self.p = self.length_of = [t.processing_time or 0 for _, t in steps]
        self.release = self.started = [
            max(self.jobs[j].release, t.release or 0) if u < self.n else 0 for u, (j, t) in enumerate(steps)]
        # One class of nodes with one resource.
        self.k, self.first, self.size, self.capacity, self.demand = 1, [0], [self.m], [(1,)], [(1,)] * self.n
        self.columns, self.nodes, self.class_of, self.groups = 1, range(self.m), [0] * self.m, []
        self.away = self.upper = [[]] * self.m
        self.allowed = self.over = self.begun = self.cut = ()
        self.due = [INF] * len(self.jobs)
        self.puk, self.fixed, self.absent = [[p] for p in self.p], {}, []
        free, self.plan = Windows(self), Plan(self)
        self.ends_alone = [free.b[j] for j in range(len(self.jobs))]
        ends, f = {u: start + self.p[u] for u, (_, start) in self.plan.frozen.items()}, self.plan.freeze
        self.release = [min(ends[u], f) if u in ends else max(r, f) if u < self.n else r
                        for u, r in enumerate(self.release)]
        self.p = [max(0, ends[u] - f) if u in ends else p for u, p in enumerate(self.p)]
        self.puk, self.free = [[p] for p in self.p], Windows(self)     # of the instance that certificates are about

    def length_on(self, u, i):
        return self.length_of[u]

    def length(self, u, i, far=None):
        return self.p[u]

    def runs(self, u, i):
        return True

    def reads(self, u):
        return False

    def earliest(self, u, h):
        """The earliest start and end of a task from a time on."""
        return h, h + self.p[u]

    def runs_at(self, u, i, start, standing):
        busy = max([s + self.p[v] for v, (k, s) in standing.items() if k == i], default=start)
        return 'its machine is busy until ' + us(busy) if busy > start else ''

    def rules(self, rows, rep):
        first = self.once(rows, rep)
        for t, r in first.items():
            p = self.length_of[t]
            rep.when(r.end - r.start != p, 'K604', '%s takes %s' % (self.names[t], us(p)))
            rep.when(r.start < self.started[t], 'K605', '%s is released at %s' % (self.names[t], us(self.started[t])))
        self.graph.waits(first, self.names, rep, 0)
        self.overlaps(rows, rep)
        self.plan.rules(rows, rep)

    def shares(self, rows, goal):
        """What each job adds to an objective, as integers."""
        if goal == 'twjct': return [w * c for w, c in zip(self.weight, self.ends(rows))]
        return [sum(self.wt[r.task] * r.end for r in rows if r.job == j) for j in range(len(self.jobs))]

    def objective(self, rows, goal=None):
        return self.goal, Fraction(sum(self.shares(rows, goal or self.goal)), 10 ** 12)

    def metrics(self, rows):
        c = self.ends(rows)
        used = Fraction(sum(r.end - r.start for r in rows), self.m * max(c)) if max(c) > 0 else None
        return {**self.plan.metrics(rows), **shown(
            t={'makespan': max(c)}, o={goal: self.objective(rows, goal)[1] for goal in ('twjct', 'twtct')},
            f={'mean_job_completion': mean(sum(c), len(c)), 'utilisation': used})}

    def derived_tables(self, rows):
        out = [(j.id, j.weight, j.release, *times, Fraction(share, 10 ** 12)) for j, share, *times in zip(
            self.jobs, self.shares(rows, self.goal), self.ends_alone, self.first_starts(rows), self.ends(rows))]
        return {'jobs': table(HEAD, out), **self.plan.tables(rows)}

    def grain(self):
        return gcd(*self.p, *self.release, *(d for _, _, d in self.graph.arcs))

    def rounding(self):
        return Fraction(self.grain() * gcd(*(self.wt[:self.n] if self.goal == 'twtct' else self.weight)), 10 ** 12)

    def uses(self):
        delayed = [t for t, j in zip(self.tasks, self.job_of) if t.kind == 'map' and j in self.graph.barrier]
        self.use(('topology.kind topology.map_slots topology.reduce_slots', not self.counted),
                 ('tasks.shuffle_delay', delayed), ('machines', 'machines' not in self.params))

    def guarantee(self):
        p, eps, low = self.params, decimal(self.params.get('epsilon', '0')), {}
        if self.algorithm == 'tmars' and self.goal == 'twtct': return '7', '0', PAPER + '5', 'none'
        first_order = p.get('lp') == 'first-order' or (self.n > 20000 or len(self.jobs) > 500) and (
            'auto', 'collapsed', 'peaks', 0) == (p.get('lp'), p.get('formulation'), p.get('separation'), eps)
        if self.algorithm != 'mars' or first_order: return None
        for a in reversed(self.graph.order):        # the least length of a task behind each step
            low[a] = min([INF] + [min(low[b], self.p[b] if b < self.n else INF) for b, _ in self.graph.out[a]])
        factor, *source = 3, PAPER + '3', 'no map is longer than a reduce of its job'
        if any(p > low[u] for u, p in enumerate(self.p)):
            factor, *source = (4, 'mrsched, solver/msjo: Thm 3 for general times', 'none (some task is longer than one '
                               'that must follow it, so factor 3 is not proven)')
        return text(Fraction(factor * 10 ** 6, rounded((1 - eps) * 10 ** 6)), 6, True), '0', *source

def proven(m, cert):
    """What a certificate proves."""
    if cert.kind == 'two-sided-prices': return two_sided(m, cert)
    if cert.kind == 'clauses': return clauses.value(m, cert)
    if cert.kind in ('machine-prices', 'completion-cases'): return cases(m, cert) / 10 ** 12
    need(cert.denominator > 0, 'denominator')
    total = midpoint(m, cert) if cert.kind == 'midpoint-prices' else completion(m, cert)
    return Fraction(total) / (2 * m.m * cert.denominator * 10 ** 12)

def terms_of(m, cert, k):
    """What each step pays, and Σ p q (2mτ + 2A + kp), A being the length of the tasks before in its term."""
    pay, total = [0] * m.graph.steps, 0
    for t in cert.terms:
        need(len(t.prices) == m.n and min(t.prices) >= 0 and 0 <= t.threshold <= 2 ** 60, 'threshold or prices')
        need(all(x == 0 or m.free.h[u] >= t.threshold for u, x in enumerate(t.prices)), 'a price before the threshold')
        a = 0
        for u in sorted(range(m.n), key=lambda u: -t.prices[u]):
            pay[u] += m.p[u] * t.prices[u]
            total += m.p[u] * t.prices[u] * (2 * m.m * t.threshold + 2 * a + k * m.p[u])
            a += m.p[u]
    return pay, total

def midpoint(m, cert):
    pay, total = terms_of(m, cert, m.m + 1)
    for j, (us, w) in enumerate(zip(m.members, m.weight)):
        c = m.free.b[j]
        need(sum(pay[u] for u in us) <= w * cert.denominator, 'a job pays more than its weight')
        total += 2 * m.m * (w * cert.denominator * c - sum(pay[u] * (c - m.free.tail[u]) for u in us))
    return total

def cases(m, cert):
    """The least value of all cases that count; prices without cases are a case without limits."""
    w = Windows(m, cert, pools_of(m, cert))
    values, work, ends = [], 0, [max(w.tail[u] + m.p[u] for u in ms) for ms in m.graph.members]
    for at, (x, spans) in enumerate(leaves(cert.cases or cert.machine, [(w.b[j], INF) for j in range(len(m.jobs))])):
        need(at < 64, 'more than 64 cases')
        if any(begin > until for begin, until in spans): continue
        n, own = len(x.steps), [(y.job, y['from']) for y in x.own]
        need(x.cell > 0 and -62 <= x.shift <= 62 and n and n * x.cell <= 2 ** 60 and min(x.steps) >= 0, 'cells')
        need(own == sorted(set(own)) and all(0 <= j < len(m.jobs) and f >= 0 for j, f in own), 'jobs of own prices')
        need(all(len(y.steps) <= n and min(y.steps, default=0) >= 0 for y in x.own), 'own prices')
        last = [max(begin, n * x.cell + t) for (begin, _), t in zip(spans, ends)]
        size = max(last) // x.cell + 3
        work += size * (m.graph.steps + len(x.own))
        need(size <= 10 ** 7 and work <= 2 ** 31, 'too many cells')
        values.append(machine(m, x, w, spans, last))
    return min(values)

def leaves(x, spans):
    """The cases with prices, each with the first and last completion of each job that it stands for."""
    if 'at' not in x:
        yield x, spans
        return
    j, t, (begin, until) = x.job, x.at, spans[x.job]
    yield from leaves(x.until, spans[:j] + [(begin, min(until, t))] + spans[j + 1:])
    yield from leaves(x['from'], spans[:j] + [(max(begin, t), until)] + spans[j + 1:])

def machine(m, x, windows, spans, lasts):
    """The value of prices of machine time in millionths of microseconds; `spans` are B and Z of each job."""
    cell, s, steps, h, tail = x.cell, x.shift, x.steps, windows.h, windows.tail
    total, horizon, top = -m.m * cell * sum(steps), cell * len(steps), max([0] + [q for y in x.own for q in y.steps])
    need(m.m * top * horizon < 2 ** 61, 'own prices too large')
    free = -1, cells(cell, []), cells(cell, steps)
    for j, (us, w, (begin, until), last) in enumerate(zip(m.members, m.weight, spans, lasts)):
        tasks, own = [u for u in us if m.p[u] > 0], [(y['from'], y.steps) for y in x.own if y.job == j]
        need((max(steps) + top) * max(horizon, sum(m.p[u] for u in tasks)) < 2 ** 61, 'prices too large')
        need(not w * last or (w * last).bit_length() + s <= 61, 'weights too large')
        borders = [f for f, _ in own if f <= until] + [until + 1] * (until < INF)
        mine = [free] + [(f, cells(cell, nu), cells(cell, [*map(sum, zip_longest(steps, nu, fillvalue=0))]))
                         for f, nu in own]

        def low(c):
            _, nu, both = [y for y in mine if y[0] <= c][-1]
            return sum(both.least(m.p[u], h[u], c - tail[u] - m.p[u]) for u in tasks) - m.m * nu.upto(c)
        total += refine(begin, min(last, until), cell, low, lambda t: w * t << s if s >= 0 else w * t >> -s,
                        8000000 // m.graph.steps, borders)
    return Fraction(total) / Fraction(2) ** s

def completion(m, cert):
    preemptive, arcs, h = cert.inequality == 'preemptive', m.graph.arcs, m.free.h
    need(preemptive or cert.inequality in ('', 'schulz', 'published') and not cert.ends, 'inequality')
    need(len(cert.arcs) == len(arcs) or preemptive and not cert.arcs, 'arcs')
    need(min(cert.arcs, default=0) >= 0, 'a negative multiplier')
    pay, total = terms_of(m, cert, 2 if cert.inequality == 'published' else m.m + 1)
    if preemptive:
        h = Windows(m, cert, pools_of(m, cert)).h
        total = m.m * (sum(p * x for p, x in zip(m.p, pay)) + sum(fluid(
            [(h[u], m.p[u], q) for u, q in enumerate(t.prices)], Steps([0], [m.m])) for t in cert.terms))
    rest = [w * cert.denominator - x for w, x in zip(m.wt, pay)]
    for f, (a, b, delay) in zip(cert.arcs, arcs):
        rest[b] -= 10 ** 6 * f
        rest[a] += 10 ** 6 * f
        total += 2 * m.m * 10 ** 6 * f * (delay + m.p[b])
    need(min(rest) >= 0, 'a step pays more than it has')
    return total + 2 * m.m * sum(r * (h[u] + m.p[u]) for u, r in enumerate(rest))
