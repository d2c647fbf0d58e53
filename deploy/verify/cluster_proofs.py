"""The certificates of cluster: pools, windows, two-sided prices, prices of cells and of jobs."""
from collections import Counter
from fractions import Fraction
from functools import lru_cache
from heapq import nlargest
from itertools import accumulate, chain, repeat
from math import floor, gcd

import shave
from model import least_that
from proofs import Steps, cells, fluid, numbers, refine
from result import loose
from values import INF, group, need

TOP = 2 ** 61
POOLS = 'pools:[{resource!:int<resources worth!:[int<2^63 *classes] least:int<2^63 steps:int<=1000}] '
ALONE = 'alone:[{job!:short head!:time<=2^61 tail!:time<=2^61 pool!:short count:int} /job] shift:int '
SET = '{pool:[[int<2^62]] latency:[int<2^62]}'
KINDS = {
    'two-sided-prices': ('job-alone two-sided', POOLS + ALONE + 'forward:%s groups:[{job!:int tasks:[int<tasks /] '
                         'prices:%s} /job]' % (SET, SET)),
    'cell-prices': ('time-indexed', POOLS + ALONE + 'cell!:time steps!:[[[int<2^63]]]'),
    'job-prices': ('job-prices', loose(POOLS + ALONE) + 'prices!:[int<2^63 *jobs]'),
    'refuted-end': ('shaving', POOLS + loose(ALONE) + 'due!:time<=2^61 work!:int<=3000000000')}

def proven(m, cert):
    """What a certificate proves."""
    if cert.kind == 'job-prices': return job_prices(m, cert)
    need(len(cert.pools) <= 64, 'too many pools')
    value = {'two-sided-prices': two_sided, 'cell-prices': cell_prices, 'refuted-end': shave.value}[cert.kind]
    return value(m, cert, [Pool(m, p) for p in cert.pools])

def share(d, c, w, least, k):
    """s_uk."""
    if d == 0 or w == 0 or c == INF or d > c or d < least: return 0
    x, rest = divmod((k + 1) * d, c)
    return w // (c // least) if least else w * d // c if not k else w * x // k if rest else w * x // (k + 1)

class Pool:
    """One resource of all nodes as one machine: shares, areas, and the speed."""

    def __init__(self, m, p):
        self.m, self.resource, self.least, self.worth, r = m, p.resource, p.least, p.worth, p.resource
        need(not (p.least and p.steps), 'pool')
        need(sum(w * s for w, s in zip(p.worth, m.size)) <= 2 ** 60, 'worths too large')
        self.share = [[share(m.demand[u][r], m.capacity[i][r], w, p.least, p.steps) for i, w in zip(m.first, p.worth)]
                      for u in range(m.n)]
        self.area = [min((s * p for s, p in zip(self.share[u], m.puk[u]) if p >= 0 and u not in m.fixed and m.p[u]),
                         default=0) for u in range(m.n)]
        need(max(self.area) < TOP, 'area too large')
        self.speeds = self.speed(range(m.k))
        self.top = max(self.speeds.values)

    def speed(self, classes):
        """m(t) over some classes."""
        m = self.m
        gone = [(a, b, self.worth[k]) for i, k in enumerate(m.class_of) if k in classes for a, b in m.away[i]]
        gone += [(s, s + m.length(u, i), self.share[u][m.class_of[i]]) for u, (i, s) in m.fixed.items()
                 if m.class_of[i] in classes]
        change = group([(0, sum(self.worth[k] * m.size[k] for k in classes))] + [
            y for a, b, x in gone if b > max(a, 0) for y in ((max(a, 0), -x), (b, x))], sum)
        at = sorted(t for t, x in change.items() if t < INF and (t == 0 or x))
        return Steps(at, list(accumulate(change[t] for t in at)))

class Windows:
    """Tails, earliest starts and ends, and bounds on the ends of jobs."""

    def __init__(self, m, cert, pools):
        self.m, self.pools, self.tail, self.all = m, pools, m.tails(False), m.tails(True)
        self.alone, self.h, self.e, self.b = {x.job: x for x in cert.alone}, {}, {}, {}
        need(all(-1 <= j < len(m.jobs) for j in self.alone), 'jobs')
        m.graph.walk(self.step)
        self.b[-1] = max(self.set(self.alone.get(-1), range(m.n), self.all), *map(self.job, range(len(m.jobs))))

    def step(self, s, came):
        """h and e of a step."""
        m, g, j = self.m, self.m.graph, self.m.graph.job[s]
        h = m.fixed[s][1] if s in m.fixed else max(m.release[s], came or 0, self.job(j) if g.closing.get(j) == s else 0)
        nodes = {(m.length(s, i), tuple(m.away[i])) for i in m.where[s]} if s < m.n and s not in m.fixed else ()
        starts = [(present(h, p, away), p) for p, away in nodes]
        self.h[s], self.e[s] = map(min, zip(*[(t, t + p) for t, p in starts if t < INF] or [(h, h + m.p[s])]))
        return self.e[s]

    def job(self, j):
        """B_j."""
        if j not in self.b:
            ms = self.m.members[j]
            self.b[j] = max(self.set(self.alone.get(j), ms, self.tail), *(self.e[u] + self.tail[u] for u in ms))
        return self.b[j]

    def set(self, x, tasks, path):
        """The bound of a row of `alone`, 0 without one."""
        if not x: return 0
        m, k, head = self.m, x.count, x.head
        need(0 <= x.pool < len(self.pools) and k >= 0, 'pool or count of alone')
        pool = self.pools[x.pool]
        us, r = [u for u in tasks if self.h[u] >= head and path[u] >= x.tail], pool.resource
        if not k:
            a, points = sum(pool.area[u] for u in us), [head, *(t for t in pool.speeds.at if t > head), TOP]
            t = next((least_that(lambda t: pool.speeds.between(head, t) >= a, low, high)
                      for low, high in zip(points, points[1:]) if pool.speeds.between(head, high) >= a), TOP)
            return (t if t < TOP else head) + x.tail if a else 0
        need(pool.least > 0, 'count needs least')
        us = [u for u in us if u not in m.fixed and m.p[u] > 0 and m.demand[u][r] >= pool.least]
        lines = min(len(us), sum(size * (min(m.capacity[i][r], len(us) * pool.least) // pool.least) for c, (i, size) in
                                 enumerate(zip(m.first, m.size)) if any(m.puk[u][c] >= 0 for u in us)))
        need(lines > 0 and len(us) >= k * lines + 1, 'too few tasks to count')
        return head + x.tail + sum(nlargest(k * lines + 1, (m.p[u] for u in us))[-k - 1:])

def present(t, p, away):
    """The first time, at or after t, from which on a node is available for p; infinite if there is none."""
    for a, b in away: t = b if p and a < t + p and b > t else t
    return t

def between(m, w, j):
    """The D_i that exist: longest paths from the ends of jobs to the end of job j."""
    d = {j: 0}
    for a, b, delay in chain.from_iterable(repeat(m.deps, len(m.jobs))):
        if b in d and w.tail[m.graph.opening[b]] >= 0 and a != j:
            d[a] = max(d.get(a, -1), delay + w.tail[m.graph.opening[b]] + d[b])
    return d

def pay_set(m, x, tasks, path, pools, speed):
    """What the tasks of a set of prices pay, and what it earns."""
    paid, t = Counter(), 0
    if not x: return paid, t
    need(len(x.pool) <= len(pools), 'prices of too many pools')
    need(all(len(q) in (0, len(tasks)) for q in x.pool + [x.latency]), 'a list of prices')
    for pool, q in zip(pools, x.pool):
        paid.update({u: y * pool.area[u] for u, y in zip(tasks, q)})
        t += sum(map(floor, fluid([(path[u], pool.area[u], y) for u, y in zip(tasks, q)], speed(pool))))
    pays = {u: y * m.p[u] for u, y in zip(tasks, x.latency)}
    need(not any(y and u in m.fixed for u, y in zip(tasks, x.latency)), 'a fixed task pays')
    paid.update(pays)
    return paid, t + sum(y * (2 * path[u] + m.p[u]) for u, y in pays.items())

def two_sided(m, cert, pools):
    s, goal, t, visits, paid, y, w = cert.shift, m.goal, 0, 0, Counter(), Counter(), Windows(m, cert, pools)
    need(0 <= s <= 200, 'shift')
    target = {-1: 1} if goal == 'makespan' else {
        j: x * (goal == 'twjct' or goal == 'tardiness' and m.due[j] < INF) for j, x in enumerate(m.weight)}
    for g in cert.groups:
        need(target.get(g.job, 0) > 0, 'job of a group')
        us, path = g.tasks or (range(m.n) if g.job < 0 else m.members[g.job]), w.all
        if g.job >= 0:
            d = between(m, w, g.job)
            need(all(m.job_of[u] in d for u in us), 'no path to the job')
            path = {u: w.tail[u] + d[m.job_of[u]] for u in us}
            visits += (len(d) - 1) * bool(g.tasks)
        visits += len(us)
        need(visits <= 64 * (m.n + len(m.jobs)), 'too many tasks and jobs in groups')
        got, earned = pay_set(m, g.prices, us, path, pools, lambda p: Steps([0], [p.top]))
        t, y[g.job] = t + earned, sum(got.values())
        paid.update(got)
    got, earned = pay_set(m, cert.forward, range(m.n), w.h, pools, lambda p: p.speeds)
    need(all(x <= paid[u] for u, x in got.items()), 'a task pays more forward than it has')
    t += earned + sum(2 * x << s for j, x in enumerate(m.weight) if goal == 'late' and w.b[j] > m.due[j])
    for j, x in target.items():
        d, rest = m.due[j] if goal == 'tardiness' else 0, (x << s) - y[j]
        need(rest >= 0, 'a job pays more than its weight')
        t += 2 * rest * max(0, w.b[j] - d) - 2 * y[j] * d if x else 0
    return Fraction(t, 2 ** (s + 1) * m.unit)

def cell_prices(m, cert, pools):
    s, cell, steps, total, w = cert.shift, cert.cell, cert.steps, 0, Windows(m, cert, pools)
    need(-60 <= s <= 60 and cell > 0 and 0 < len(steps) <= len(pools) and all(len(r) == m.k for r in steps), 'cells')
    n = len(steps[0][0])
    need(1 <= n <= 2 ** 60 // cell and len(steps) * m.k * (n + m.n + 1) <= 5 * 10 ** 7, 'too many cells')
    jobs, tau = ({-1: range(m.n)}, w.all) if m.goal == 'makespan' else (dict(enumerate(m.members)), w.tail)
    jobs = {j: [u for u in us if u not in m.fixed and m.p[u] > 0] for j, us in jobs.items()}
    last = max([*w.b.values(), *(n * cell + m.p[u] + w.all[u] for u in range(m.n))]) + 2 * cell
    need((max(1, *m.weight) * last).bit_length() + max(s, -59) <= 61, 'weights too large')
    for pool, r in zip(pools, steps):
        share = [max((x for x, p in zip(*two) if p >= 0), default=0) for two in zip(pool.share, m.puk)]
        share = min(2 ** 60, max(sum(share[u] for u in us) for us in jobs.values()))
        for k, prices in enumerate(r):
            need(sum(prices) * cell * max(1, share) * len(steps) <= TOP, 'prices too large')
            speed = pool.speed([k])
            total -= sum(x * speed.between(c * cell, (c + 1) * cell) for c, x in enumerate(numbers(prices, n, INF)))

    @lru_cache(maxsize=None)
    def paying(k, shares):
        return cells(cell, [sum(r[k][c] * x for r, x in zip(steps, shares)) for c in range(n)])

    def price(u, k):
        return paying(k, tuple(p.share[u][k] for p in pools[:len(steps)]))
    total += sum(one_job(m, j, us, w, tau, price, n * cell, cell, s) for j, us in jobs.items())
    return Fraction(total, m.unit) / Fraction(2) ** s

def one_job(m, j, us, w, tau, price, end, cell, s):
    """E_j."""
    goal, b, (weight, due) = m.goal, w.b[j], (1, INF) if j < 0 else (m.weight[j], m.due[j])
    kinds = [(u, [(k, p) for k, p in enumerate(m.puk[u]) if p >= 0]) for u in us]

    def cost(c):
        x = {'late': weight * (c > due), 'tardiness': weight * max(0, c - due)}.get(goal, weight * c)
        return x << s if s >= 0 else x >> -s

    def low(c):
        return sum(min(price(u, k).least(p, w.h[u], c - tau[u] - p) for k, p in ks) for u, ks in kinds)
    if not us or weight == 0 or goal in ('late', 'tardiness') and due == INF: return cost(b)
    if len(us) == 1:
        (u, ks), h = kinds[0], w.h[us[0]]
        return min(price(u, k).between(x, x + p) + cost(max(b, x + p + tau[u])) for k, p in ks for x in {
            *price(u, k).starts(p, h), max(h, end), b - p - tau[u], due - p - tau[u]} if h <= x < INF)
    if goal == 'late': return min(cost(due + 1), low(due)) if due >= b else cost(b)
    begin = max(b, due) if goal == 'tardiness' else b
    return refine(begin, max([begin] + [end + m.p[u] + tau[u] for u in us]), cell, low, cost)

def job_prices(m, cert):
    s, prices, n = cert.shift, cert.prices, len(m.jobs)
    need(m.goal == 'twjct' and not m.fixed and all(len(x) == 1 for x in m.members), 'not for this instance')
    need(0 <= s <= 61, 'shift')
    v, g = gcd(*m.weight) or 1, gcd(*(x for row in m.puk for x in row if x >= 0)) or 1
    total, sums = sum(prices), []
    for k in range(m.k):
        on = [u for u, in m.members if m.puk[u][k] >= 0]
        need(not on or any(2 * min(m.demand[u][r] for u in on) > m.capacity[m.first[k]][r]
                           for r in range(len(m.resource))), 'a node has room for two tasks')
        on = [(m.job_of[u], m.puk[u][k] // g, m.weight[m.job_of[u]] // v) for u in on]
        sums.append(sum(p for _, p, _ in on))
        need(sum(sums) * n <= 4 * 10 ** 8, 'too large')
        f = {0: 0}
        for j, p, w in sorted(on, key=lambda x: (x[1] > 0, -Fraction(x[2], x[1] or 1), x[0])):
            f = group([*f.items(), *((t + p, x + (w * (t + p) << s) - prices[j]) for t, x in f.items())], min)
        total += m.size[k] * min(0, min(f.values()))
    weights = sum(m.weight) // v * max(sums)
    need(weights <= 2 ** 60 and (weights << s) + sum(prices) <= TOP, 'too large')
    return Fraction(total * v * g, 10 ** 12) / 2 ** s
