"""Windows of steps and jobs, which pools and stated bounds raise, and the two-sided prices (msjo and cluster)."""
from collections import Counter
from fractions import Fraction
from heapq import nlargest
from itertools import accumulate

from model import least_that
from proofs import Steps, fluid
from values import INF, group, need

TOP = 2 ** 61
SET = 'head!:time tail!:time pool!:short count:int'
# Ranges are not part of the form: they matter only to kinds that read the bounds.
BOUNDS = ('pools:[{resource!:short worth!:[int] group:int least:int steps:int}] '
          'ends:[{step!:short %s}] starts:[{step!:short %s}] '
          'alone:[{job!:short %s}] shift:int ' % (SET, SET, SET))
PRICES = '{pool:[[int<2^62]] latency:[int<2^62]}'
TWO_SIDED = BOUNDS + 'forward:%s groups:[{job!:int tasks:[int<tasks /] prices!:%s} /job]' % (PRICES, PRICES)

def share(d, c, w, least, k):
    """s_uk."""
    if d == 0 or w == 0 or c == INF or d > c or d < least: return 0
    x, rest = divmod((k + 1) * d, c)
    return w // (c // least) if least else w * d // c if not k else w * x // k if rest else w * x // (k + 1)

class Pool:
    """One resource of all nodes, or of a group, as one machine: shares, areas, and the speed."""

    def __init__(self, m, p):
        self.m, self.resource, self.least, self.worth, r = m, p.resource, p.least, p.worth, p.resource
        need(0 <= r and (p.group or r < m.columns), 'resource of a pool')
        need(len(p.worth) == m.k and min(p.worth) >= 0, 'worth of a pool')
        need(p.least >= 0 and 0 <= p.steps <= 1000 and not (p.least and p.steps), 'least or steps of a pool')
        need(sum(w * s for w, s in zip(p.worth, m.size)) <= 2 ** 60, 'worths too large')
        self.group, self.payer, self.size, caps = p.group, [*range(m.k)], m.size, [
            m.capacity[i][r] for i in m.first if not p.group]
        if p.group:
            need(0 < p.group <= len(m.groups) and m.groups[p.group - 1][0] == r, 'group of a pool')
            lead = [m.class_of[i] for i, up in enumerate(m.upper) if p.group - 1 in up][:1]
            need(lead and not any(w for k, w in enumerate(p.worth) if k != lead[0]), 'worth of a group')
            self.cap, self.size, self.payer = m.groups[p.group - 1][1], [1] * m.k, lead * m.k
            caps = [self.cap] * m.k
        takes = [m.part(u, p.group - 1) if p.group else m.demand[u][r] for u in range(m.n)]
        self.share = [[0 if p.group and not m.inside(u, i, p.group - 1) else share(
            takes[u], c, p.worth[k], p.least, p.steps) for i, (c, k) in enumerate(zip(caps, self.payer))]
                      for u in range(m.n)]
        self.area = [min((s * p for s, p in zip(self.share[u], m.puk[u]) if p >= 0 and u not in m.fixed and m.p[u]),
                         default=0) for u in range(m.n)]
        need(max(self.area) < TOP, 'area too large')
        self.speeds = self.speed(range(m.k))
        self.top = max(self.speeds.values)

    def speed(self, classes):
        """m(t) over some classes."""
        m = self.m
        gone = [(a, b, self.worth[k]) for k, a, b in m.absent if k in classes and not self.group]
        gone += [(s, s + m.length(u, i), self.share[u][m.class_of[i]]) for u, (i, s) in m.fixed.items()
                 if self.payer[m.class_of[i]] in classes and (self.group or u not in m.cut)]
        change = group([(0, sum(self.worth[k] * self.size[k] for k in classes))] + [
            y for a, b, x in gone if b > max(a, 0) and x for y in ((max(a, 0), -x), (b, x))], sum)
        at = sorted(t for t in change if t < INF)
        return Steps(at, list(accumulate(change[t] for t in at)))

def pools_of(m, cert):
    """The pools of a certificate."""
    need(len(cert.pools) <= 64, 'too many pools')
    return [Pool(m, p) for p in cert.pools]

def tails(m, together):
    """Longest paths from ends of steps to the end of their job, or all together; −1 at barriers without one."""
    keep, ends = {*range(m.n), *m.graph.closing.values()}, {}
    for steps in [m.graph.order] if together else m.graph.members:
        ends.update(m.graph.walk(lambda s, came: m.p[s] + (came or 0) if s in keep else came, steps, True))
    return {s: -1 if x is None else x - m.p[s] for s, x in ends.items()}

class Windows:
    """Heads h, ends e and tails of steps, and bounds b on the ends of jobs; without a certificate nothing is raised."""

    def __init__(self, m, cert=None, pools=()):
        self.m, self.pools, self.tail, self.all, self.b = m, pools, tails(m, False), tails(m, True), {}
        ends, starts, alone = (cert.ends, cert.starts, cert.alone) if cert else ((), (), ())
        rising = all(x.job < y.job for x, y in zip(alone, alone[1:]))
        need(rising and all(-1 <= x.job < len(m.jobs) for x in alone), 'jobs of alone')
        self.alone = {x.job: x for x in alone}
        if starts:
            need(m.identical, 'starts without identical machines')
            self.tail = self.raised(starts, True)[0]
        self.h, self.e = self.raised(ends)
        self.b[-1] = max(self.set(self.alone.get(-1), range(m.n), self.h, self.all), *map(self.job, range(len(m.jobs))))

    def raised(self, bounds, turned=False):
        """Heads and ends that bounds on steps raise; turned, tails, with the graph turned round."""
        m, g, h, e, by = self.m, self.m.graph, {}, {}, {x.step: x for x in bounds}
        need(all(x.step < y.step for x, y in zip(bounds, bounds[1:])), 'the order of bounds of steps')
        need(all(0 <= s < g.steps and s not in m.fixed for s in by), 'a bound of no step, or of a fixed task')
        size = Counter(g.job + [g.job[a] for a, _, _ in g.arcs]) if by else {}   # what paths to a step visit
        need(sum(size[g.job[s]] for s in by) <= 2 ** 28 + 4 * sum(size.values()), 'paths to steps take too long')

        def end(s, came):
            j = g.job[s]
            if turned: h[s], e[s] = came or 0, (came or 0) + m.p[s]
            elif s in m.fixed: h[s], e[s] = m.fixed[s][1], m.fixed[s][1] + m.p[s]
            else:
                h[s] = max(m.release[s], came or 0, self.job(j, h, e) if g.closing.get(j) == s else 0)
                h[s], e[s] = m.earliest(s, h[s]) if s < m.n else (h[s], h[s])
            if s in by:
                e[s] = max(e[s], self.set(by[s], m.members[j], h, self.longest(s, turned)))
                if s >= m.n or m.identical: h[s] = max(h[s], e[s] - m.p[s])
            return e[s]
        g.walk(end, turned=turned)
        return h, e

    def longest(self, step, turned):
        """Longest paths from the ends of steps of its job to the end of a step; turned, from its start to theirs."""
        m = self.m
        paths = m.graph.walk(lambda s, came: m.p[s] if s == step else None if came is None else came + m.p[s],
                             m.graph.members[m.graph.job[step]], not turned)
        return {s: x - m.p[s] if s != step else 0 for s, x in paths.items() if x is not None}

    def job(self, j, h=None, e=None):
        """B_j; `h` and `e` are those of the steps before its end."""
        if j not in self.b:
            x, ms, h, e = self.alone.get(j), self.m.members[j], h or self.h, e or self.e
            self.b[j] = max(self.set(x, ms, h, self.tail),
                            *(e[u] + self.tail[u] for u in ms))
        return self.b[j]

    def set(self, x, tasks, h, path):
        """SET: the end that a set of tasks proves, 0 without one."""
        if not x: return 0
        need(0 <= x.head <= TOP and 0 <= x.tail <= TOP and 0 <= x.pool < len(self.pools), 'head, tail or pool of a set')
        m, pool = self.m, self.pools[x.pool]
        us = [u for u in tasks if path.get(u, -1) >= x.tail and h[u] >= x.head]
        if x.count: return x.head + x.tail + self.lanes(x, pool, us)
        a, points = sum(pool.area[u] for u in us), [x.head, *(t for t in pool.speeds.at if t > x.head), TOP]
        t = next((least_that(lambda t: pool.speeds.between(x.head, t) >= a, low, high)
                  for low, high in zip(points, points[1:]) if pool.speeds.between(x.head, high) >= a), x.head)
        return t + x.tail if a else 0

    def lanes(self, x, pool, us):
        """How long tasks take at least in lanes, by their number."""
        m, r, k = self.m, pool.resource, x.count
        need(pool.least > 0 and k >= 0, 'count')
        us = [u for u in us if u not in m.fixed and m.p[u] > 0 and m.demand[u][r] >= pool.least and (
            not pool.group or pool.area[u])]
        lanes = min(len(us), pool.cap // pool.least if pool.group else sum(
            size * (min(m.capacity[i][r], len(us) * pool.least) // pool.least)
            for c, (i, size) in enumerate(zip(m.first, m.size)) if any(m.puk[u][c] >= 0 for u in us)))
        need(lanes > 0 and len(us) >= k * lanes + 1, 'too few tasks to count')
        return sum(nlargest(k * lanes + 1, (m.p[u] for u in us))[-k - 1:])

def between(m, w, j):
    """The D_i that exist: longest paths from the ends of jobs to the end of job j."""
    g, d = m.graph, {j: 0}
    for s in reversed(g.order):        # each opening barrier after those of the jobs that wait for its job
        b = g.job[s]
        if b in d and g.opening.get(b) == s and w.tail[s] >= 0:
            for a, delay in g.into[s]: d[g.job[a]] = max(d.get(g.job[a], -1), delay + w.tail[s] + d[b])
    return d

def pay_set(m, x, tasks, path, pools, speed):
    """What the tasks of a set of prices pay, and what it earns."""
    paid, t = Counter(), 0
    if not x: return paid, t
    need(len(x.pool) <= len(pools), 'prices of too many pools')
    need(all(len(q) in (0, len(tasks)) for q in x.pool + [x.latency]), 'a list of prices')
    for pool, q in zip(pools, x.pool):
        for u, y in zip(tasks, q): paid[u] += y * pool.area[u]
        t += fluid([(path[u], pool.area[u], y) for u, y in zip(tasks, q)], speed(pool))
    for u, y in zip(tasks, x.latency):
        need(not (y and u in m.fixed), 'a fixed task pays')
        paid[u] += y * m.p[u]
        t += y * m.p[u] * (2 * path[u] + m.p[u])
    return paid, t

def two_sided(m, cert):
    """The value of two-sided prices."""
    pools = pools_of(m, cert)
    s, goal, t, visits, paid, y, w = cert.shift, m.goal, 0, 0, Counter(), Counter(), Windows(m, cert, pools)
    need(0 <= s <= 200, 'shift')
    target = {-1: 1} if goal == 'makespan' else {
        j: x * (goal == 'twjct' or goal == 'tardiness' and m.due[j] < INF) for j, x in enumerate(m.weight)}
    for g in cert.groups:
        need(target.get(g.job, 0) > 0, 'job of a group')
        us, path = g.tasks or (range(m.n) if g.job < 0 else m.members[g.job]), w.all
        if g.job >= 0:
            d = between(m, w, g.job) if g.tasks else {g.job: 0}
            need(all(m.job_of[u] in d for u in us), 'no path to the job')
            path = {u: w.tail[u] + d[m.job_of[u]] for u in us}
            visits += len(d) - 1
        visits += len(us)
        need(visits <= 64 * (m.n + len(m.jobs)), 'too many tasks and jobs in groups')
        got, earned = pay_set(m, g.prices, us, path, pools, lambda p: Steps([0], [p.top]))
        t, y[g.job] = t + earned, sum(got.values())
        for u, x in got.items(): paid[u] += x
    got, earned = pay_set(m, cert.forward, range(m.n), w.h, pools, lambda p: p.speeds)
    need(all(x <= paid[u] for u, x in got.items()), 'a task pays more forward than it has')
    t += earned + sum(2 * x << s for j, x in enumerate(m.weight) if goal == 'late' and w.b[j] > m.due[j])
    for j, x in target.items():
        d, rest = m.due[j] if goal == 'tardiness' else 0, (x << s) - y[j]
        need(rest >= 0, 'a job pays more than its weight')
        t += 2 * rest * max(0, w.b[j] - d) - 2 * y[j] * d if x else 0
    return Fraction(t, 2 ** (s + 1) * m.unit)
