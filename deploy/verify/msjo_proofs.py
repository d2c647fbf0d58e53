"""The certificates of msjo; times in microseconds, weights in millionths."""
from fractions import Fraction
from functools import reduce
from math import gcd

from forms import Prices, check_list, fluid, form, need, refine

BOUND = 'head:time! tail:time! count:int packing:{within:time! cut:time steps:int}'
REFUTED = 'refuted:{due:time! nodes:int! reversed:bool}'
GROUPS = '[{node:int! tasks:[int]! prices:[int]!}]'
KEYS = '''denominator:int terms:[{threshold:time! prices:[int]!}] inequality:str arcs:[int] cell:time@ shift:int@
    steps:[int]@ own:[{job:int! from:time! steps:[int]}] ends:[{node:int! BOUND}] starts:[{node:int! BOUND}]
    alone:[{job:int! BOUND REFUTED}] both:[int] forward:[int] backward:[int] place:[int] before:GROUPS after:GROUPS'''
KEYS = '{%s}' % KEYS.replace('BOUND', BOUND).replace('REFUTED', REFUTED).replace('GROUPS', GROUPS)
PLAIN, CELLS = form(KEYS.replace('@', '')), form(KEYS.replace('@', '!'))
KINDS = {'twjct': {'midpoint-prices': ('cls-lp cnd-lp cls-lp-heads', PLAIN),
                   'machine-prices': ('time-indexed job-flows', CELLS),
                   'two-sided-prices': ('job-alone job-search two-sided', PLAIN)},
         'twtct': {'completion-prices': ('task-lp-schulz task-lp-published', PLAIN),
                   'two-sided-task-prices': ('job-alone two-sided', PLAIN)}}

def value(m, cert):
    kind, d = cert['kind'], cert.get('denominator', 0)
    need(kind == 'machine-prices' or d > 0, 'denominator')
    total = {'midpoint-prices': midpoint, 'two-sided-prices': two_sided, 'machine-prices': machine,
             'completion-prices': completion, 'two-sided-task-prices': task_prices}[kind](m, cert)
    return Fraction(total) / (10 ** 12 if kind == 'machine-prices' else 2 * m.m * d * 10 ** 12)

def terms_of(m, cert):
    """Terms as (threshold, (task, price) by falling price), and what each task pays in units of price × length."""
    out, pay = [], [0] * m.n
    for t in cert.get('terms', []):
        q = check_list(t['prices'], m.n, 2 ** 63, 'prices of a term')
        need(0 <= t['threshold'] <= 2 ** 60, 'threshold')
        need(all(x == 0 or m.h[u] >= t['threshold'] for u, x in enumerate(q)), 'a price before the threshold')
        pay = [a + m.p[u] * x for u, (a, x) in enumerate(zip(pay, q))]
        out.append((t['threshold'], sorted(((u, x) for u, x in enumerate(q) if x and m.p[u]),
                                           key=lambda a: (-a[1], a[0]))))
    return out, pay

def terms_value(m, terms, one):
    """Σ p q one(task, threshold, A) over the terms, A being the length of the tasks before."""
    total = 0
    for tau, prices in terms:
        a = 0
        for u, q in prices:
            total += m.p[u] * q * one(u, tau, a)
            a += m.p[u]
    return total

def midpoint(m, cert):
    d, (terms, pay) = cert['denominator'], terms_of(m, cert)
    for j, ms in enumerate(m.members):
        need(sum(pay[u] for u in ms if u < m.n) <= m.wj[j] * d, 'a job pays more than its weight')
    return 2 * m.m * d * sum(w * c for w, c in zip(m.wj, m.c)) + terms_value(
        m, terms, lambda u, tau, a: m.m * (2 * tau - 2 * (m.c[m.job_of[u]] - m.tail[u]) + m.p[u]) + 2 * a + m.p[u])

def set_bound(m, b, tasks, h, path):
    """SET(bound, h, path) over the tasks of a job."""
    head, tail, k = b['head'], b['tail'], b.get('count', 0)
    need(0 <= head <= 2 ** 61 and 0 <= tail <= 2 ** 61, 'head or tail')
    p = sorted((m.p[u] for u in tasks if u < m.n and h[u] >= head and path[u] >= max(tail, 0)), reverse=True)
    if 'packing' in b:
        big, cut, steps = (b['packing'].get(x, 0) for x in ('within', 'cut', 'steps'))
        need(0 <= big <= 2 ** 61 and 0 <= cut <= big // 2 and not k, 'packing')
        need(0 <= steps * max(1, big) < 2 ** 63 - 1, 'steps of a packing')
        total = 0
        for q in p:
            q = 0 if q < cut else big if q > big - cut and q else q
            total += q if not steps or not big else steps * q if (steps + 1) * q % big == 0 else \
                (steps + 1) * q // big * big
        need(p and p[0] > big or total > m.m * max(1, steps) * big, 'the packing may fit')
        return head + tail + big + 1
    if k:
        need(k > 0 and len(p) >= k * m.m + 1, 'count')
        return head + tail + sum(p[k * m.m - k:k * m.m + 1])
    return head + -(-sum(p) // m.m) + tail if p else 0

def longest(m, arcs, order, node, own=True):
    """Longest paths along `arcs` from the ends of steps to a node, with its length or not; −1 without a path."""
    path = [-1] * m.graph.steps
    path[node] = 0
    for v in order:
        for w, d in arcs[v]:
            if path[w] >= 0:
                path[v] = max(path[v], d + path[w] + (m.p[w] if own or w != node else 0))
    return path

def rising(bounds, key, top):
    """The bounds by node or job, which must rise."""
    at = [b[key] for b in bounds]
    need(at == sorted(set(at)) and all(0 <= x < top for x in at), key + 's must rise')
    return dict(zip(at, bounds))

def raised(m, release, into, out, turn, bounds):
    """Heads in the graph, or in the one with all arcs turned round, raised by the bounds on nodes."""
    h, by = list(release), rising(bounds, 'node', m.graph.steps)
    for u in m.graph.order[::turn]:
        h[u] = max([h[u]] + [h[a] + m.p[a] + d for a, d in into[u]])
        if u in by:
            ms = m.members[m.graph.job[u]][::-turn]
            h[u] = max(h[u], set_bound(m, by[u], ms, h, longest(m, out, ms, u)) - m.p[u])
    return h

def windows(m, cert):
    """Raised heads and tails, and B_j."""
    g = m.graph
    h = raised(m, m.release, g.into, g.out, 1, cert.get('ends', []))
    tail = raised(m, [0] * g.steps, g.out, g.into, -1, cert.get('starts', []))
    b = [max([m.c[j]] + [h[s] + m.p[s] + tail[s] for s in ms]) for j, ms in enumerate(m.members)]
    for j, x in rising(cert.get('alone', []), 'job', len(b)).items():
        b[j] = max(b[j], refuted(m, j, x) if 'refuted' in x else set_bound(m, x, m.members[j], h, tail))
    return h, tail, b

def refuted(m, j, x):
    """The bound of a job that a search refutes."""
    r, ms = x['refuted'], m.members[j]
    need(x['head'] == 0 and x['tail'] == 0 and not x.get('count') and 'packing' not in x, 'refuted with a set')
    need(0 <= r['due'] <= 2 ** 61 and r['nodes'] > 0 and sum(s < m.n for s in ms) <= 256, 'due, nodes or tasks')
    numbers = [y for s in ms for y in (m.p[s], m.release[s])] + [d for s in ms for _, d in m.graph.out[s]]
    g, found = max(1, reduce(gcd, numbers, 0)), Search(m, ms, r['due']).run()
    need(found is not True, 'the job can end by ' + str(r['due']))
    m.notes.append('the claim for job %d was %s' % (
        j, 'taken as it is: the search was not finished' if found is None else 'proven by a search of another kind'))
    return (r['due'] // g + 1) * g

class Search:
    """Whether a job can end by a time with all machines to itself; it need not be the search of mrsched."""

    def __init__(self, m, members, due):
        self.m, self.left, self.seen, self.order = m, 200000, set(), members
        self.tasks = [s for s in members if s < m.n]
        self.latest = {s: due - m.tail[s] - m.p[s] for s in members}

    def run(self):
        """True, False, or None if the search takes too long."""
        if any(self.m.h[s] > x for s, x in self.latest.items()):
            return False
        try:
            return self.go({}, [0] * min(self.m.m, len(self.tasks)), 0)
        except TimeoutError:
            return None

    def ready(self, u, start):
        """When a step may start; infinite if a step before it has not been placed."""
        m, t = self.m, self.m.release[u]
        for a, d in m.graph.into[u]:
            t = max(t, d + (self.ready(a, start) if a >= m.n else start.get(a, float('inf')) + m.p[a]))
        return t

    def energy(self, start, free, floor):
        """Whether the machines have room for what must end by each latest end."""
        work = 0
        for end, p in sorted((self.latest[s] + self.m.p[s], self.m.p[s]) for s in self.tasks if s not in start):
            work += p
            if work > sum(max(0, end - max(f, floor)) for f in free):
                return False
        return True

    def go(self, start, free, floor):
        """Places one more task, none before `floor`; `free` says when machines are."""
        m, self.left = self.m, self.left - 1
        if self.left < 0:
            raise TimeoutError
        floor, options = max(floor, free[0]), []
        for u in self.tasks:
            if u not in start:
                s = max(floor, self.ready(u, start))
                if floor > self.latest[u] or self.latest[u] < s < float('inf'):
                    return False
                options.append((s, self.latest[u], u))
        if not options:
            return True
        late = [(u, max(floor, start[u] + m.p[u])) for u in start if any(b not in start for b, _ in m.graph.out[u])]
        state = frozenset(start), tuple(max(f, floor) for f in free), tuple(sorted(late))
        if state in self.seen or not self.energy(start, free, floor):
            return False
        limit, tried = min(s + max(1, m.p[u]) for s, _, u in options), set()
        for s, _, u in sorted(options):
            same = m.p[u], m.tail[u], s, tuple(m.graph.out[u]), tuple(m.graph.into[u])
            if s < limit and same not in tried:
                tried.add(same)
                rest = sorted(free[1:] + [s + m.p[u]]) if m.p[u] else free
                if self.go({**start, u: s}, rest, s):
                    return True
        self.seen.add(state)
        return False

def numbers(cert, key, n, always=False):
    """A list of n prices 0 ≤ q < 2^62, or zeros."""
    return check_list(cert.get(key, []), n, 2 ** 62, key) if always or cert.get(key) else [0] * n

def two_sided(m, cert):
    n, (h, tail, b) = m.n, windows(m, cert)
    need(len([k for k in ('both', 'forward', 'backward') if cert.get(k)]) in (0, 3), 'one list of prices is missing')
    both, fore, back = (numbers(cert, k, n) for k in ('both', 'forward', 'backward'))
    rest, t = [w * cert['denominator'] for w in m.wj], 0
    for u in range(n):
        rest[m.job_of[u]] -= m.p[u] * (both[u] + fore[u] + back[u])
        t += m.p[u] * (back[u] * (2 * h[u] + m.p[u]) + fore[u] * (2 * tail[u] + m.p[u]))
    need(min(rest) >= 0, 'a job pays more than its weight')
    t = m.m * (t + sum(2 * r * x for r, x in zip(rest, b)))
    t += fluid([(h[u], m.p[u], both[u] + fore[u]) for u in range(n)], [(0, m.m)])[1]
    return t + sum(fluid([(tail[u], m.p[u], both[u] + back[u]) for u in ms if u < n], [(0, m.m)])[1]
                   for ms in m.members)

def own_prices(m, cert):
    """By job the steps of its own prices as (from, ν, λ + ν); and the largest of these prices."""
    by, top, last, steps = {}, 0, (0, -1), cert['steps']
    for x in cert.get('own', []):
        q, at = x.get('steps', []), (x['job'], x['from'])
        need(last < at and at[0] < len(m.jobs) and at[1] >= 0 and len(q) <= len(steps), 'own prices')
        q = check_list(q, len(q), 2 ** 63, 'own prices') + [0] * (len(steps) - len(q))
        by.setdefault(at[0], []).append((at[1], Prices(cert['cell'], q), Prices(
            cert['cell'], [a + b for a, b in zip(steps, q)])))
        last, top = at, max([top] + q)
    return by, top

def machine(m, cert):
    cell, s, steps, (h, tail, b) = cert['cell'], cert['shift'], cert['steps'], windows(m, cert)
    need(cell > 0 and -62 <= s <= 62 and steps and len(steps) * cell <= 2 ** 60, 'cells')
    price, total = Prices(cell, check_list(steps, len(steps), 2 ** 63, 'prices')), 0
    (own, top), entries = own_prices(m, cert), m.graph.steps + len(cert.get('own', []))
    need(m.m * top * price.end < 2 ** 61, 'own prices too large')
    for j, ms in enumerate(m.members):
        tasks, mine = [u for u in ms if u < m.n and m.p[u] > 0], [(-1, Prices(cell, [0]), price)] + own.get(j, [])
        need((max(steps) + top) * max(price.end, sum(m.p[u] for u in tasks)) < 2 ** 61, 'prices too large')
        last, w = max(b[j], price.end + max(tail[u] + m.p[u] for u in ms)), m.wj[j]
        need((w * last).bit_length() + s <= 61 and last // cell + 3 <= 10 ** 7, 'weights too large')
        need((last // cell + 3) * entries <= 2 ** 31, 'too many cells')

        def low(c):
            _, nu, both = [x for x in mine if x[0] <= c][-1]
            return sum(both.least(m.p[u], h[u], c - tail[u] - m.p[u]) for u in tasks) - m.m * nu.upto(c)
        total += refine(b[j], last, cell, low, lambda t: w * t << s if s >= 0 else w * t >> -s,
                        8000000 // m.graph.steps, [f for f, _, _ in mine[1:]])
    return Fraction(total - m.m * price.upto(price.end)) / Fraction(2) ** s

def arcs_of(m, cert):
    """The rests W_u D − in + out, and Σ f (delay + p), f being the multipliers of arcs."""
    f = numbers(cert, 'arcs', len(m.graph.arcs), cert['kind'] == 'completion-prices')
    rest, t = [w * cert['denominator'] for w in m.wt], 0
    for x, (a, b, delay) in zip(f, m.graph.arcs):
        rest[b] -= 10 ** 6 * x
        rest[a] += 10 ** 6 * x
        t += 10 ** 6 * x * (delay + m.p[b])
    return rest, t

def completion(m, cert):
    schulz = cert.get('inequality', 'schulz') == 'schulz'
    need(schulz or cert['inequality'] == 'published', 'inequality')
    (rest, t), (terms, pay) = arcs_of(m, cert), terms_of(m, cert)
    rest = [r - x for r, x in zip(rest, pay + [0] * len(rest))]
    need(min(rest) >= 0, 'a task pays more than its weight')
    t = 2 * m.m * (t + sum(r * (h + p) for r, h, p in zip(rest, m.h, m.p)))
    return t + terms_value(m, terms, lambda u, tau, a: m.m * (2 * tau + m.p[u]) + 2 * a + m.p[u] if schulz else
                           2 * m.m * tau + 2 * a + 2 * m.p[u])

def task_prices(m, cert):
    n, g = m.n, m.graph
    h, (rest, t), place = windows(m, {'ends': cert.get('ends', [])})[0], arcs_of(m, cert), numbers(cert, 'place', m.n)
    squares, flow = 0, fluid([(h[u], m.p[u], place[u]) for u in range(n)], [(0, m.m)])[1]
    for u, q in enumerate(place):
        rest[u] -= m.p[u] * q
        squares += m.p[u] ** 2 * q
    for side, sign in (('before', 1), ('after', -1)):
        for x in cert.get(side, []):
            node, us, q = x['node'], x['tasks'], check_list(x['prices'], len(x['tasks']), 2 ** 62, 'prices of a group')
            need(0 <= node < g.steps and sorted(set(us)) == us and all(0 <= u < n and u != node for u in us), 'group')
            path = longest(m, g.out, g.order[::-1], node) if sign > 0 else longest(m, g.into, g.order, node, False)
            need(all(path[u] >= 0 for u in us), 'a task of a group without a path')
            for u, y in zip(us, q):
                rest[node] -= sign * m.p[u] * y
                rest[u] += sign * m.p[u] * y
                squares -= sign * m.p[u] ** 2 * y
            flow += fluid([(path[u], m.p[u], y) for u, y in zip(us, q)], [(0, m.m)])[1]
    need(min(rest) >= 0, 'a step pays more than it has')
    return 2 * m.m * (t + sum(r * (a + p) for r, a, p in zip(rest, h, m.p))) + m.m * squares + flow
