"""msjo: jobs on identical machines; rules, objectives, guarantees, certificates."""
from collections import Counter
from fractions import Fraction
from itertools import accumulate
from math import gcd

from model import COUNT, Counted, Graph, Model, mean, shown, table
from proofs import Steps, cells, fluid, refine
from replan import Plan
from result import loose
from values import INF, decimal, need, rounded, text, us

HEAD = 'job:s weight:t release:t earliest:t first_start:t completion:t objective_share:o'
PAPER = 'Ling et al., JPDC 2016, Thm '
BOUND = 'head!:time<=2^61 tail!:time<=2^61 count:int packing:{within!:time<=2^61 cut:time<=2^61 steps:int<2^63}'
NODES = '[{node!:int<steps %s} /node]' % BOUND
GROUPS = '[{node!:int<steps tasks!:[int<tasks /] prices!:[int<2^62]}]'
PRICES = '[int<2^62 *tasks]'
KEYS = {
    'denominator': 'int', 'terms': '[{threshold!:time<=2^60 prices!:[int<2^63 *tasks]}]', 'inequality': 'str',
    'arcs': '[int<2^63 *arcs]', 'cell?': 'time', 'shift?': 'int', 'steps?': '[int]',
    'own': '[{job!:short from!:time steps:[int]}]', 'cases': 'case', 'ends': NODES, 'starts': NODES,
    'alone': '[{job!:int<jobs %s refuted:{due!:time<=2^61 nodes!:int reversed:bool}} /job]' % BOUND, 'both': PRICES,
    'forward': PRICES, 'backward': PRICES, 'place': PRICES, 'before': GROUPS, 'after': GROUPS}

def keys(some, always=''):
    """The form of the keys of a kind; those of other kinds, but for cases, may be there in a loose form."""
    return ' '.join((k.strip('?') + '!' if k.strip('?') in always.split() else k) + ':' + (
        f if k.strip('?') in some.split() else loose(f)) for k, f in KEYS.items() if k != 'cases' or k in some.split())

KINDS = {
    'twjct': {
        'midpoint-prices': ('cls-lp cnd-lp cls-lp-heads', keys('denominator terms')),
        'machine-prices': ('time-indexed job-flows', keys(
            'ends starts alone cell shift steps own', 'cell shift steps')),
        'completion-cases': ('job-cases', keys('ends starts alone cases', 'cases')),
        'two-sided-prices': ('job-alone job-search two-sided', keys(
            'denominator ends starts alone both forward backward'))},
    'twtct': {
        'completion-prices': ('task-lp-schulz task-lp-published', keys('denominator inequality terms arcs')),
        'two-sided-task-prices': ('job-alone two-sided', keys('denominator arcs ends place before after'))}}

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
        none, self.speed, self.members = [0] * (g.steps - self.n), Steps([0], [self.m]), g.members
        self.p = self.length = [t.processing_time or 0 for t in self.tasks] + none
        self.release = self.started = [max(self.jobs[j].release, t.release or 0) for j, t in zip(
            g.job, self.tasks)] + [self.jobs[j].release for j in g.job[self.n:]]
        self.wj = [j.weight for j in self.jobs]
        self.wt = [t.get('weight', self.wj[j]) for j, t in zip(g.job, self.tasks)] + none
        self.paths()
        self.earliest = self.c
        self.plan = Plan(self)
        ends, f = {u: start + self.p[u] for u, (_, start) in self.plan.frozen.items()}, self.plan.freeze
        self.release = [min(ends[u], f) if u in ends else r if u >= self.n else max(r, f)
                        for u, r in enumerate(self.release)]
        self.p = [max(0, ends[u] - f) if u in ends else p for u, p in enumerate(self.p)]
        self.paths()

    def paths(self):
        """h, L and c of the instance that certificates are about."""
        self.h, self.tail = raised(self, self.release), raised(self, [0] * self.graph.steps, turned=True)
        self.c = [max(self.h[s] + self.p[s] + self.tail[s] for s in ms) for ms in self.members]

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
        if goal == 'twjct':
            return [w * c for w, c in zip(self.wj, self.ends(rows))]
        return [sum(self.wt[r.task] * r.end for r in rows if r.job == j) for j in range(len(self.jobs))]

    def objective(self, rows, goal=None):
        return self.goal, Fraction(sum(self.shares(rows, goal or self.goal)), 10 ** 12)

    def metrics(self, rows):
        c, used = self.ends(rows), sum(r.end - r.start for r in rows)
        return {**self.plan.metrics(rows), **shown(
            t={'makespan': max(c)}, o={goal: self.objective(rows, goal)[1] for goal in ('twjct', 'twtct')},
            f={'mean_job_completion': mean(sum(c), len(c)),
               'utilisation': Fraction(used, self.m * max(c)) if max(c) > 0 else None})}

    def derived_tables(self, rows):
        share = [Fraction(x, 10 ** 12) for x in self.shares(rows, self.goal)]
        ids, release = [j.id for j in self.jobs], [j.release for j in self.jobs]
        out = zip(ids, self.wj, release, self.earliest, self.first_starts(rows), self.ends(rows), share)
        return {'jobs': table(HEAD, out), **self.plan.tables(rows)}

    def rounding(self):
        g = gcd(*self.p, *self.release, *(d for _, _, d in self.graph.arcs))
        v = gcd(*(self.wt[:self.n] if self.goal == 'twtct' else self.wj))
        return Fraction(g * v, 10 ** 12)

    def uses(self):
        delayed = [t for t, j in zip(self.tasks, self.job_of) if t.kind == 'map' and j in self.graph.barrier]
        self.use(('topology.kind topology.map_slots topology.reduce_slots', not self.counted),
                 ('tasks.shuffle_delay', delayed), ('machines', 'machines' not in self.params))

    def guarantee(self):
        p, eps, behind, longer = self.params, decimal(self.params.get('epsilon', '0')), {}, False
        if self.algorithm == 'tmars' and self.goal == 'twtct':
            return '7', '0', PAPER + '5', 'none'
        large = self.n > 20000 or len(self.jobs) > 500
        loose = p.get('formulation') == 'collapsed' and eps == 0 and p.get('separation') == 'peaks'
        if self.algorithm != 'mars' or p.get('lp') == 'first-order' or p.get('lp') == 'auto' and large and loose:
            return None
        for a in reversed(self.graph.order):
            behind[a] = min([x for b, _ in self.graph.out[a] for x in (behind[b], self.p[b] if b < self.n else None)
                             if x is not None], default=None)
            longer = longer or a < self.n and behind[a] is not None and self.p[a] > behind[a]
        factor = text(Fraction((4 if longer else 3) * 10 ** 6, rounded((1 - eps) * 10 ** 6)), 6, True)
        return (factor, '0') + (('mrsched, solver/msjo: Thm 3 for general times', 'none (some task is longer than one '
                                 'that must follow it, so factor 3 is not proven)') if longer else
                                (PAPER + '3', 'no map is longer than a reduce of its job'))

def proven(m, cert):
    """What a certificate proves."""
    absent = [cert[k] is None for k in ('cell', 'shift', 'steps')]
    need(not any(absent) or all(absent) and not cert.own, 'cell, shift or steps is missing')
    if cert.kind in ('machine-prices', 'completion-cases'):
        return cases(m, cert) / 10 ** 12
    need(cert.denominator > 0, 'denominator')
    total = {'midpoint-prices': midpoint, 'two-sided-prices': two_sided, 'completion-prices': completion,
             'two-sided-task-prices': task_prices}[cert.kind](m, cert)
    return Fraction(total) / (2 * m.m * cert.denominator * 10 ** 12)

def terms_of(m, cert, one):
    """What each step pays, and Σ p q one(task, threshold, A), A being the length of the tasks before in its term."""
    pay, total = [0] * m.graph.steps, 0
    for t in cert.terms:
        need(all(x == 0 or m.h[u] >= t.threshold for u, x in enumerate(t.prices)), 'a price before the threshold')
        a = 0
        for u in sorted(range(m.n), key=lambda u: (-t.prices[u], u)):
            pay[u] += m.p[u] * t.prices[u]
            total += m.p[u] * t.prices[u] * one(u, t.threshold, a)
            a += m.p[u]
    return pay, total

def flow(m, path, prices):
    """FLUID of (task, price) with a path for each task."""
    return m.m * sum(fluid([(path[u], m.p[u], q) for u, q in prices], m.speed))

def midpoint(m, cert):
    pay, total = terms_of(m, cert, lambda u, tau, a: m.m * (
        2 * tau - 2 * (m.c[m.job_of[u]] - m.tail[u]) + m.p[u]) + 2 * a + m.p[u])
    for j, ms in enumerate(m.members):
        need(sum(pay[u] for u in ms) <= m.wj[j] * cert.denominator, 'a job pays more than its weight')
    return 2 * m.m * cert.denominator * sum(w * c for w, c in zip(m.wj, m.c)) + total

def set_bound(m, b, tasks, h, path):
    """SET(bound, h, path) over the tasks of a job; those without a path do not count."""
    head, tail, k = b.head, b.tail, b.count
    p = sorted((m.p[u] for u in tasks if u < m.n and path.get(u) is not None and h[u] >= head and path[u] >= tail),
               reverse=True)
    if b.packing:
        big, cut, steps = b.packing.values()
        need(cut <= big // 2 and steps * max(1, big) < 2 ** 63 - 1, 'packing')
        total = 0
        for q in p:
            q = 0 if q < cut else big if q > big - cut and q else q
            exact = not steps or not big or (steps + 1) * q % big == 0
            total += q * max(1, steps) if exact else (steps + 1) * q // big * big
        need(p and p[0] > big or total > m.m * max(1, steps) * big, 'the packing may fit')
        return head + tail + big + 1
    if k:
        need(k > 0 and len(p) >= k * m.m + 1, 'count')
        return head + tail + sum(p[k * m.m - k:k * m.m + 1])
    return head + -(-sum(p) // m.m) + tail if p else 0

def longest(m, node, turned, own=True):
    """Longest paths from the ends of steps to a node, with its length or not; turned, from it to their starts."""
    steps = m.graph.walk(lambda s, came: m.p[s] * own if s == node else None if came is None else came + m.p[s],
                         m.members[m.graph.job[node]], not turned)
    return {s: x - m.p[s] if s != node else 0 for s, x in steps.items() if x is not None}

def visit(m, nodes):
    """Limits the searches from nodes, each of which visits all steps and arcs of a job."""
    size, job = Counter(m.graph.job), m.graph.job
    size.update(job[a] for a, _, _ in m.graph.arcs)
    limit = 2 ** 28 + 4 * (m.graph.steps + len(m.graph.arcs))
    need(sum(size[job[x.node]] for x in nodes) <= limit, 'the searches from nodes take too long')

def raised(m, release, bounds=(), turned=False):
    """Heads, or tails with all arcs turned round, perhaps raised by bounds on nodes."""
    h, by = {}, {b.node: b for b in bounds}
    visit(m, bounds)

    def end(s, came):
        h[s] = max(release[s], came or 0)
        if s in by:
            h[s] = max(h[s], set_bound(m, by[s], m.members[m.graph.job[s]], h, longest(m, s, turned)) - m.p[s])
        return h[s] + m.p[s]
    m.graph.walk(end, turned=turned)
    return h

def windows(m, cert):
    """Raised heads and tails, and B_j."""
    h, tail = raised(m, m.release, cert.ends), raised(m, [0] * m.graph.steps, cert.starts, True)
    work = sum(min(x.refuted.nodes, 2 ** 28) * m.job_of.count(x.job) for x in cert.alone if x.refuted)
    need(work <= 2 ** 28, 'the searches that refute take too long')
    b = [max([m.c[j]] + [h[s] + m.p[s] + tail[s] for s in ms]) for j, ms in enumerate(m.members)]
    for x in cert.alone:
        j = x.job
        b[j] = max(b[j], refuted(m, j, x) if x.refuted else set_bound(m, x, m.members[j], h, tail))
    return h, tail, b

def refuted(m, j, x):
    """The bound of a job that a search refutes; it need not be the search of mrsched."""
    r, ms = x.refuted, m.members[j]
    need(x.head == 0 and x.tail == 0 and not x.count and not x.packing, 'refuted with a set')
    need(r.nodes > 0 and sum(s < m.n for s in ms) <= 256, 'nodes or tasks')
    g = max(1, gcd(*(y for s in ms for y in (m.p[s], m.release[s], *(d for _, d in m.graph.out[s])))))
    try:
        need(not Search(m, ms, r.due).run(), 'the job can end by %d' % r.due)
        m.notes.append('the claim for job %d was proven by a search of another kind' % j)
    except TimeoutError:
        m.notes.append('the claim for job %d was taken as it is: the search was not finished' % j)
    return (r.due // g + 1) * g

class Search:
    """Whether a job can end by a time with all machines to itself."""

    def __init__(self, m, members, due):
        self.m, self.left, self.seen, self.members = m, 200000, set(), members
        self.tasks = [s for s in members if s < m.n]
        self.latest = {s: due - m.tail[s] - m.p[s] for s in members}

    def run(self):
        """Whether it can; TimeoutError if the search takes too long."""
        possible = all(self.m.h[s] <= x for s, x in self.latest.items())
        return possible and self.go({}, [0] * min(self.m.m, len(self.tasks)), 0)

    def go(self, start, free, floor):
        """Places one more task, none before `floor`; `free` says when machines are."""
        m, p, latest, ready, self.left = self.m, self.m.p, self.latest, {}, self.left - 1
        if self.left < 0:
            raise TimeoutError

        def end(s, came):
            ready[s] = max(m.release[s], came or 0)
            return ready[s] if s >= m.n else start[s] + p[s] if s in start else INF
        m.graph.walk(end, self.members)
        floor, left = max(floor, free[0]), [u for u in self.tasks if u not in start]
        options = sorted((max(floor, ready[u]), latest[u], u) for u in left)
        if not options or any(floor > end or end < s < INF for s, end, _ in options):
            return not options
        late = [(u, max(floor, start[u] + p[u])) for u in start if any(b not in start for b, _ in m.graph.out[u])]
        state = frozenset(start), tuple(max(f, floor) for f in free), tuple(sorted(late))
        ends = sorted((latest[u] + p[u], p[u]) for u in left)
        full = any(work > sum(max(0, end - f) for f in state[1]) for (end, _), work in zip(
            ends, accumulate(q for _, q in ends)))
        if state in self.seen or full:
            return False
        limit, tried = min(s + max(1, p[u]) for s, _, u in options), set()
        for s, _, u in options:
            same = p[u], m.tail[u], s, tuple(m.graph.out[u]), tuple(m.graph.into[u])
            if s < limit and same not in tried:
                tried.add(same)
                if self.go({**start, u: s}, sorted(free[1:] + [s + p[u]]) if p[u] else free, s):
                    return True
        self.seen.add(state)
        return False

def two_sided(m, cert):
    h, tail, b = windows(m, cert)
    need(len({bool(x) for x in (cert.both, cert.forward, cert.backward)}) == 1, 'one list of prices is missing')
    both, fore, back = (x or [0] * m.n for x in (cert.both, cert.forward, cert.backward))
    rest, t = [w * cert.denominator for w in m.wj], 0
    for u in range(m.n):
        rest[m.job_of[u]] -= m.p[u] * (both[u] + fore[u] + back[u])
        t += m.p[u] * (back[u] * (2 * h[u] + m.p[u]) + fore[u] * (2 * tail[u] + m.p[u]))
    need(min(rest) >= 0, 'a job pays more than its weight')
    t = m.m * (t + sum(2 * r * x for r, x in zip(rest, b))) + flow(m, h, ((u, both[u] + fore[u]) for u in range(m.n)))
    return t + sum(flow(m, tail, ((u, both[u] + back[u]) for u in ms if u < m.n)) for ms in m.members)

def cases(m, cert):
    """The least value of all cases that count; prices without cases are a case without limits."""
    (h, tail, b), values, work = windows(m, cert), [], 0
    for n, (x, begin, until) in enumerate(leaves(cert.cases or cert, [0] * len(m.jobs), [INF] * len(m.jobs))):
        need(n < 64, 'more than 64 cases')
        begin = list(map(max, begin, b))
        if all(a <= z for a, z in zip(begin, until)):
            check_prices(m, x)
            ends = [max(tail[u] + m.p[u] for u in ms) for ms in m.members]
            last = [max(a, len(x.steps) * x.cell + t) for a, t in zip(begin, ends)]
            work += (max(last) // x.cell + 3) * (m.graph.steps + len(x.own))
            need(max(last) // x.cell + 3 <= 10 ** 7 and work <= 2 ** 31, 'too many cells')
            values.append(machine(m, x, h, tail, zip(begin, last, until)))
    return min(values)

def leaves(x, begin, until):
    """The cases with prices, each with the completions between which it puts each job."""
    if 'at' not in x:
        yield x, begin, until
        return
    j, t = x.job, x.at
    yield from leaves(x.until, begin, until[:j] + [min(until[j], t)] + until[j + 1:])
    yield from leaves(x['from'], begin[:j] + [max(begin[j], t)] + begin[j + 1:], until)

def check_prices(m, x):
    """Limits of prices of cells, and of own prices."""
    n, keys = len(x.steps), [(y.job, y['from']) for y in x.own]
    need(x.cell > 0 and -62 <= x.shift <= 62 and n and n * x.cell <= 2 ** 60 and min(x.steps) >= 0, 'cells')
    need(keys == sorted(set(keys)) and all(0 <= j < len(m.jobs) and f >= 0 for j, f in keys), 'jobs of own prices')
    need(all(len(y.steps) <= n and min(y.steps, default=0) >= 0 for y in x.own), 'own prices')

def machine(m, x, h, tail, spans):
    """The value of prices of machine time in millionths of microseconds; of each job `begin`, `last` and Z."""
    cell, s, steps = x.cell, x.shift, x.steps
    total, horizon, top = -m.m * cell * sum(steps), cell * len(steps), max([0] + [q for y in x.own for q in y.steps])
    need(m.m * top * horizon < 2 ** 61, 'own prices too large')
    for j, (ms, w, (begin, last, until)) in enumerate(zip(m.members, m.wj, spans)):
        tasks, mine = [u for u in ms if u < m.n and m.p[u] > 0], [(-1, cells(cell, [0]), cells(cell, steps))]
        for y in x.own:
            if y.job == j:
                q = y.steps + [0] * (len(steps) - len(y.steps))
                mine.append((y['from'], cells(cell, q), cells(cell, [a + b for a, b in zip(steps, q)])))
        need((max(steps) + top) * max(horizon, sum(m.p[u] for u in tasks)) < 2 ** 61, 'prices too large')
        need((w * last).bit_length() + s <= 61, 'weights too large')
        borders = [f for f, _, _ in mine[1:] if f <= until] + [until + 1] * (until < INF)

        def low(c):
            _, nu, both = [y for y in mine if y[0] <= c][-1]
            return sum(both.least(m.p[u], h[u], c - tail[u] - m.p[u]) for u in tasks) - m.m * nu.upto(c)
        total += refine(begin, min(last, until), cell, low, lambda t: w * t << s if s >= 0 else w * t >> -s,
                        8000000 // m.graph.steps, borders)
    return Fraction(total) / Fraction(2) ** s

def arcs_of(m, cert):
    """The rests W_u D − in + out, and Σ f (delay + p), f being the multipliers of arcs."""
    rest, t = [w * cert.denominator for w in m.wt], 0
    for x, (a, b, delay) in zip(cert.arcs, m.graph.arcs):
        rest[b] -= 10 ** 6 * x
        rest[a] += 10 ** 6 * x
        t += 10 ** 6 * x * (delay + m.p[b])
    return rest, t

def completion(m, cert):
    schulz, (rest, t) = cert.inequality in ('', 'schulz'), arcs_of(m, cert)
    need((schulz or cert.inequality == 'published') and len(cert.arcs) == len(m.graph.arcs), 'inequality or arcs')
    pay, total = terms_of(m, cert, lambda u, tau, a: m.m * (2 * tau + m.p[u]) + 2 * a + m.p[u] if schulz else
                          2 * m.m * tau + 2 * a + 2 * m.p[u])
    rest = [r - x for r, x in zip(rest, pay)]
    need(min(rest) >= 0, 'a task pays more than its weight')
    return 2 * m.m * (t + sum(r * (m.h[u] + m.p[u]) for u, r in enumerate(rest))) + total

def task_prices(m, cert):
    h, (rest, t), place = raised(m, m.release, cert.ends), arcs_of(m, cert), cert.place or [0] * m.n
    squares, earned = 0, flow(m, h, enumerate(place))
    visit(m, cert.before + cert.after)
    for u, q in enumerate(place):
        rest[u] -= m.p[u] * q
        squares += m.p[u] ** 2 * q
    for x, sign in [(x, 1) for x in cert.before] + [(x, -1) for x in cert.after]:
        path = longest(m, x.node, sign < 0, sign > 0)
        need(len(x.tasks) == len(x.prices) and set(x.tasks) <= set(path) - {x.node}, 'a task of a group')
        for u, y in zip(x.tasks, x.prices):
            rest[x.node] -= sign * m.p[u] * y
            rest[u] += sign * m.p[u] * y
            squares -= sign * m.p[u] ** 2 * y
        earned += flow(m, path, zip(x.tasks, x.prices))
    need(min(rest) >= 0, 'a step pays more than it has')
    return 2 * m.m * (t + sum(r * (h[u] + m.p[u]) for u, r in enumerate(rest))) + m.m * squares + earned
