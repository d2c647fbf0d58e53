"""msjo: jobs on identical machines; rules, objectives, guarantees, certificates."""
from collections import Counter
from fractions import Fraction
from itertools import accumulate, count, zip_longest
from math import gcd

from model import COUNT, Counted, Graph, Model, mean, shown, table
from proofs import Steps, cells, fluid, refine
from replan import Plan
from result import loose
from values import INF, Row, decimal, need, rounded, text, us

HEAD = 'job:s weight:t release:t earliest:t first_start:t completion:t objective_share:o'
PAPER = 'Ling et al., JPDC 2016, Thm '
BOUND = 'head!:time<=2^61 tail!:time<=2^61 count:int packing:{within!:time<=2^61 cut:time<=2^61 steps:int<2^63}'
KEYS = {
    'denominator': 'int', 'terms': '[{threshold!:time<=2^60 prices!:[int<2^63 *tasks]}]', 'inequality': 'str',
    'arcs': '[int<2^63 *arcs]', 'cell?': 'time', 'shift?': 'int', 'steps?': '[int]',
    'own': '[{job!:short from!:time steps:[int]}]', 'cases': 'case',
    'ends starts': '[{node!:int<steps %s} /node]' % BOUND,
    'alone': '[{job!:int<jobs %s refuted:{due!:time<=2^61 nodes!:int reversed:bool}} /job]' % BOUND,
    'both forward backward': '[int<2^62 *tasks]'}

def keys(some):
    """The form of the keys of a kind, ! always there; those of other kinds, but for cases, may be in a loose form."""
    some = {k.strip('!'): k for k in some.split()}
    return ' '.join(some.get(k.strip('?'), k) + ':' + (f if k.strip('?') in some else loose(f))
                    for names, f in KEYS.items() for k in names.split() if k != 'cases' or k in some)

KINDS = {
    'twjct': {
        'midpoint-prices': ('cls-lp cnd-lp', keys('denominator terms')),
        'machine-prices': ('time-indexed job-flows', keys('ends starts alone cell! shift! steps! own')),
        'completion-cases': ('job-cases', keys('ends starts alone cases!')),
        'two-sided-prices': ('job-alone job-search two-sided', keys(
            'denominator ends starts alone both forward backward'))},
    'twtct': {
        'completion-prices': ('task-lp-schulz task-lp-published job-alone task-preemptive',
                              keys('denominator inequality terms arcs ends'))}}

class Problem(Model):
    known, letter = KINDS, 'm'
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
        self.speed, self.members, self.wj = Steps([0], [self.m]), g.members, [j.weight for j in self.jobs]
        steps = list(zip(g.job, self.tasks + [Row(weight=0, release=-INF)] * (g.steps - self.n)))    # with barriers
        self.wt = [t.get('weight', self.wj[j]) for j, t in steps]
        self.p = self.length = [t.processing_time or 0 for _, t in steps]
        self.release = self.started = [max(self.jobs[j].release, t.release or 0) for j, t in steps]
        self.earliest, self.plan = windows(self)[2], Plan(self)
        ends, f = {u: start + self.p[u] for u, (_, start) in self.plan.frozen.items()}, self.plan.freeze
        self.release = [min(ends[u], f) if u in ends else max(r, f) if u < self.n else r
                        for u, r in enumerate(self.release)]
        self.p = [max(0, ends[u] - f) if u in ends else p for u, p in enumerate(self.p)]
        self.h, self.tail, self.c = windows(self)       # of the instance that certificates are about

    def sizes(self):
        return {'arcs': len(self.graph.arcs), 'steps': self.graph.steps, **super().sizes()}

    def length_on(self, u, i):
        return self.length[u]

    def runs_at(self, u, i, start, standing):
        busy = max([s + self.p[v] for v, (k, s) in standing.items() if k == i], default=start)
        return 'its machine is busy until ' + us(busy) if busy > start else ''

    def rules(self, rows, rep):
        first = self.once(rows, rep)
        for t, r in first.items():
            rep.when(r.end - r.start != self.length[t], 'K604', '%s takes %s' % (self.names[t], us(self.length[t])))
            rep.when(r.start < self.started[t], 'K605', '%s is released at %s' % (self.names[t], us(self.started[t])))
        self.graph.waits(first, self.names, rep, 0)
        self.overlaps(rows, rep)
        self.plan.rules(rows, rep)

    def shares(self, rows, goal):
        """What each job adds to an objective, as integers."""
        if goal == 'twjct': return [w * c for w, c in zip(self.wj, self.ends(rows))]
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
            self.jobs, self.shares(rows, self.goal), self.earliest, self.first_starts(rows), self.ends(rows))]
        return {'jobs': table(HEAD, out), **self.plan.tables(rows)}

    def rounding(self):
        g = gcd(*self.p, *self.release, *(d for _, _, d in self.graph.arcs))
        return Fraction(g * gcd(*(self.wt[:self.n] if self.goal == 'twtct' else self.wj)), 10 ** 12)

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
    absent = [cert[k] is None for k in ('cell', 'shift', 'steps')]
    need(not any(absent) or all(absent) and not cert.own, 'cell, shift or steps is missing')
    if cert.kind in ('machine-prices', 'completion-cases'): return cases(m, cert) / 10 ** 12
    need(cert.denominator > 0, 'denominator')
    total = {'midpoint-prices': midpoint, 'two-sided-prices': two_sided, 'completion-prices': completion}[cert.kind](m, cert)
    return Fraction(total) / (2 * m.m * cert.denominator * 10 ** 12)

def terms_of(m, cert, k):
    """What each step pays, and Σ p q (2mτ + 2A + kp), A being the length of the tasks before in its term."""
    pay, total = [0] * m.graph.steps, 0
    for t in cert.terms:
        need(all(x == 0 or m.h[u] >= t.threshold for u, x in enumerate(t.prices)), 'a price before the threshold')
        a = 0
        for u in sorted(range(m.n), key=lambda u: -t.prices[u]):
            pay[u] += m.p[u] * t.prices[u]
            total += m.p[u] * t.prices[u] * (2 * m.m * t.threshold + 2 * a + k * m.p[u])
            a += m.p[u]
    return pay, total

def midpoint(m, cert):
    pay, total = terms_of(m, cert, m.m + 1)
    for ms, w, c in zip(m.members, m.wj, m.c):
        need(sum(pay[u] for u in ms) <= w * cert.denominator, 'a job pays more than its weight')
        total += 2 * m.m * (w * cert.denominator * c - sum(pay[u] * (c - m.tail[u]) for u in ms))
    return total

def flow(m, path, prices):
    """FLUID of (task, price) with a path for each task."""
    return m.m * sum(fluid([(path[u], m.p[u], q) for u, q in prices], m.speed))

def set_bound(m, b, tasks, h, path):
    """SET(bound, h, path) over the tasks of a job; those without a path do not count."""
    head, tail, k = b.head, b.tail, b.count
    p = sorted((m.p[u] for u in tasks if u < m.n and path.get(u, -1) >= tail and h[u] >= head), reverse=True)
    if b.packing:
        big, cut, steps = b.packing.values()
        need(cut <= big // 2 and (steps + 1) * max(1, big) < 2 ** 63, 'packing')
        cuts = [0 if q < cut else big if q > big - cut and q else q for q in p]
        total = sum(q * max(1, steps) if not steps or (steps + 1) * q % max(1, big) == 0 else
                    (steps + 1) * q // big * big for q in cuts)
        need(any(q > big for q in p) or total > m.m * max(1, steps) * big, 'the packing may fit')
        return head + tail + big + 1
    if k:
        need(k > 0 and len(p) >= k * m.m + 1, 'count')
        return head + tail + sum(p[k * m.m - k:k * m.m + 1])
    return head + -(-sum(p) // m.m) + tail if p else 0

def longest(m, node, turned):
    """Longest paths from the ends of steps to a node, with its length; turned, from it to their starts."""
    steps = m.graph.walk(lambda s, came: m.p[s] if s == node else None if came is None else came + m.p[s],
                         m.members[m.graph.job[node]], not turned)
    return {s: x - m.p[s] if s != node else 0 for s, x in steps.items() if x is not None}

def raised(m, bounds, turned=False):
    """Heads, or tails with all arcs turned round, perhaps raised by bounds on nodes."""
    h, by, job = {}, {b.node: b for b in bounds}, m.graph.job
    size = Counter(job + [job[a] for a, _, _ in m.graph.arcs])      # what the search from a node visits, by job
    need(sum(size[job[x.node]] for x in bounds) <= 2 ** 28 + 4 * sum(size.values()), 'searches from nodes take too long')

    def end(s, came):
        h[s] = max(0 if turned else m.release[s], came or 0)
        if s in by:
            h[s] = max(h[s], set_bound(m, by[s], m.members[m.graph.job[s]], h, longest(m, s, turned)) - m.p[s])
        return h[s] + m.p[s]
    m.graph.walk(end, turned=turned)
    return h

def windows(m, ends=(), starts=(), alone=()):
    """WINDOWS: heads and tails, perhaps raised, and B_j, which is c_j if nothing is raised and no job is `alone`."""
    h, tail = raised(m, ends), raised(m, starts, True)
    b = [max(h[s] + m.p[s] + tail[s] for s in ms) for ms in m.members]
    work = sum(min(x.refuted.nodes, 2 ** 28) * m.job_of.count(x.job) for x in alone if x.refuted)
    need(work <= 2 ** 28, 'the searches that refute take too long')
    for x in alone:
        b[x.job] = max(b[x.job], refuted(m, x) if x.refuted else set_bound(m, x, m.members[x.job], h, tail))
    return h, tail, b

def refuted(m, x):
    """The bound of a job that a search refutes; it need not be the search of mrsched."""
    r, ms = x.refuted, m.members[x.job]
    need(x.head == 0 and x.tail == 0 and not x.count and not x.packing, 'refuted with a set')
    need(r.nodes > 0 and sum(s < m.n for s in ms) <= 256, 'nodes or tasks')
    g = max(1, gcd(*(y for s in ms for y in (m.p[s], m.release[s], *(d for _, d in m.graph.out[s])))))
    try:
        need(not can_end(m, ms, r.due), 'the job can end by %d' % r.due)
        m.notes.append('the claim for job %d was proven by a search of another kind' % x.job)
    except TimeoutError:
        m.notes.append('the claim for job %d was taken as it is: the search was not finished' % x.job)
    return (r.due // g + 1) * g

def can_end(m, members, due):
    """Whether a job can end by a time with all machines to itself; TimeoutError if the search takes too long."""
    p, tasks, seen, nodes = m.p, [s for s in members if s < m.n], set(), count()
    latest = {s: due - m.tail[s] - p[s] for s in members}

    def go(start, free, floor):
        """Places one more task, none before `floor`; `free` says when machines are."""
        ready, floor, left = {}, max(floor, free[0]), [u for u in tasks if u not in start]
        if next(nodes) >= 200000: raise TimeoutError

        def end(s, came):
            ready[s] = max(m.release[s], came or 0)
            return ready[s] if s >= m.n else start[s] + p[s] if s in start else INF
        m.graph.walk(end, members)
        options = sorted((max(floor, ready[u]), latest[u], u) for u in left)
        if not options or any(floor > end or end < s < INF for s, end, _ in options):
            return not options
        late = [(u, max(floor, start[u] + p[u])) for u in start if any(b not in start for b, _ in m.graph.out[u])]
        free = [max(f, floor) for f in free]
        state = frozenset(start), tuple(free), tuple(sorted(late))
        ends, lengths = zip(*sorted((latest[u] + p[u], p[u]) for u in left))
        full = any(work > sum(max(0, end - f) for f in free) for end, work in zip(ends, accumulate(lengths)))
        if state in seen or full: return False
        seen.add(state)
        limit = min(s + max(1, p[u]) for s, _, u in options)
        # Of equal tasks only the first one is tried.
        first = {(s, p[u], m.tail[u], tuple(m.graph.out[u]), tuple(m.graph.into[u])): (s, end, u)
                 for s, end, u in reversed(options) if s < limit}
        return any(go({**start, u: s}, sorted(free[1:] + [s + p[u]]) if p[u] else free, s)
                   for s, _, u in sorted(first.values()))
    return all(m.h[s] <= x for s, x in latest.items()) and go({}, [0] * min(m.m, len(tasks)), 0)

def two_sided(m, cert):
    h, tail, b = windows(m, cert.ends, cert.starts, cert.alone)
    need(len({bool(x) for x in (cert.both, cert.forward, cert.backward)}) == 1, 'one list of prices is missing')
    both, fore, back = (x or [0] * m.n for x in (cert.both, cert.forward, cert.backward))
    jobs = [[u for u in ms if u < m.n] for ms in m.members]
    rest = [w * cert.denominator - sum(m.p[u] * (both[u] + fore[u] + back[u]) for u in us) for w, us in zip(m.wj, jobs)]
    need(min(rest) >= 0, 'a job pays more than its weight')
    t = sum(p * (back[u] * (2 * h[u] + p) + fore[u] * (2 * tail[u] + p)) for u, p in enumerate(m.p[:m.n]))
    t = m.m * (t + sum(2 * r * x for r, x in zip(rest, b))) + flow(m, h, ((u, both[u] + fore[u]) for u in range(m.n)))
    return t + sum(flow(m, tail, ((u, both[u] + back[u]) for u in us)) for us in jobs)

def cases(m, cert):
    """The least value of all cases that count; prices without cases are a case without limits."""
    h, tail, b = windows(m, cert.ends, cert.starts, cert.alone)
    values, work, ends = [], 0, [max(tail[u] + m.p[u] for u in ms) for ms in m.members]
    for at, (x, spans) in enumerate(leaves(cert.cases or cert, [(begin, INF) for begin in b])):
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
        values.append(machine(m, x, h, tail, spans, last))
    return min(values)

def leaves(x, spans):
    """The cases with prices, each with the first and last completion of each job that it stands for."""
    if 'at' not in x:
        yield x, spans
        return
    j, t, (begin, until) = x.job, x.at, spans[x.job]
    yield from leaves(x.until, spans[:j] + [(begin, min(until, t))] + spans[j + 1:])
    yield from leaves(x['from'], spans[:j] + [(max(begin, t), until)] + spans[j + 1:])

def machine(m, x, h, tail, spans, lasts):
    """The value of prices of machine time in millionths of microseconds; `spans` are B and Z of each job."""
    cell, s, steps = x.cell, x.shift, x.steps
    total, horizon, top = -m.m * cell * sum(steps), cell * len(steps), max([0] + [q for y in x.own for q in y.steps])
    need(m.m * top * horizon < 2 ** 61, 'own prices too large')
    for j, (ms, w, (begin, until), last) in enumerate(zip(m.members, m.wj, spans, lasts)):
        tasks, own = [u for u in ms if u < m.n and m.p[u] > 0], [(y['from'], y.steps) for y in x.own if y.job == j]
        need((max(steps) + top) * max(horizon, sum(m.p[u] for u in tasks)) < 2 ** 61, 'prices too large')
        need(not w * last or (w * last).bit_length() + s <= 61, 'weights too large')
        borders = [f for f, _ in own if f <= until] + [until + 1] * (until < INF)
        mine = [(f, cells(cell, nu), cells(cell, [*map(sum, zip_longest(steps, nu, fillvalue=0))]))
                for f, nu in [(-1, []), *own]]

        def low(c):
            _, nu, both = [y for y in mine if y[0] <= c][-1]
            return sum(both.least(m.p[u], h[u], c - tail[u] - m.p[u]) for u in tasks) - m.m * nu.upto(c)
        total += refine(begin, min(last, until), cell, low, lambda t: w * t << s if s >= 0 else w * t >> -s,
                        8000000 // m.graph.steps, borders)
    return Fraction(total) / Fraction(2) ** s

def task_rests(m, cert, h, pay):
    """2m (10^6 Σ f (delay + p) + Σ rest (h + p)); the rest of each step is W D − in + out less what it pays."""
    rest, t = [w * cert.denominator - x for w, x in zip(m.wt, pay)], 0
    for f, (a, b, delay) in zip(cert.arcs, m.graph.arcs):
        rest[b] -= 10 ** 6 * f
        rest[a] += 10 ** 6 * f
        t += 10 ** 6 * f * (delay + m.p[b])
    need(min(rest) >= 0, 'a step pays more than it has')
    return 2 * m.m * (t + sum(r * (h[u] + m.p[u]) for u, r in enumerate(rest)))

def completion(m, cert):
    fluid, arcs = cert.inequality == 'preemptive', len(m.graph.arcs)
    need(fluid or cert.inequality in ('', 'schulz', 'published') and not cert.ends, 'inequality')
    need(len(cert.arcs) == arcs or fluid and not cert.arcs, 'arcs')
    pay, total = terms_of(m, cert, 2 if cert.inequality == 'published' else m.m + 1)
    if not fluid: return task_rests(m, cert, m.h, pay) + total
    h = raised(m, cert.ends)
    total = sum(flow(m, h, enumerate(t.prices)) for t in cert.terms) + m.m * sum(p * x for p, x in zip(m.p, pay))
    return task_rests(m, cert, h, pay) + total
