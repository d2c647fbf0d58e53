"""The certificates of cluster: pools, windows, two-sided prices, prices of cells and of jobs."""
from collections import Counter
from fractions import Fraction
from functools import reduce
from math import gcd

import shave
from forms import Prices, check_list, fluid, form, integral, need, refine
from values import INF, group

TOP = 2 ** 61
KEYS = '''{pools:[{resource:int! worth:[int]! least:int steps:int}]
    alone:[{job:int! head:time! tail:time! pool:int! count:int}] shift:int %s}'''
SET = '{pool:[[int]] latency:[int]}'
KINDS = {kind: (methods, form(KEYS % keys)) for kind, methods, keys in (
    ('two-sided-prices', 'job-alone two-sided', 'forward:%s groups:[{job:int! tasks:[int] prices:%s}]' % (SET, SET)),
    ('cell-prices', 'time-indexed', 'cell:time! steps:[[[int]]]!'), ('job-prices', 'job-prices', 'prices:[int]!'),
    ('refuted-end', 'shaving', 'due:time! work:int!'))}

def value(m, cert):
    pools, kind = [Pool(m, p) for p in cert.get('pools', [])], cert['kind']
    need(len(pools) <= 64, 'too many pools')
    if kind in ('refuted-end', 'job-prices'):
        return (shave.value if kind == 'refuted-end' else job_prices)(m, cert, pools)
    return (two_sided if kind == 'two-sided-prices' else cells)(m, cert, pools, Windows(m, cert, pools))

class Pool:
    """One resource of all nodes as one machine: shares, areas, and the speed as a list of (from, speed)."""

    def __init__(self, m, p):
        r, worth, least, k = p['resource'], p['worth'], p.get('least', 0), p.get('steps', 0)
        need(0 <= r < len(m.resource) and least >= 0 and 0 <= k <= 1000 and not (least and k), 'pool')
        check_list(worth, m.k, 2 ** 63, 'worth')
        need(sum(w * s for w, s in zip(worth, m.size)) <= 2 ** 60, 'worths too large')
        self.m, self.resource, self.least, self.worth, self.area = m, r, least, worth, []
        self.share = [[self.of(m.demand[u][r], m.capacity[i][r], w, least, k) for i, w in zip(m.first, worth)]
                      for u in range(m.n)]
        for u in range(m.n):
            a = [s * p for s, p in zip(self.share[u], m.puk[u]) if p >= 0 and u not in m.fixed and m.p[u]]
            self.area.append(min(a, default=0))
        need(max(self.area) < TOP, 'area too large')
        self.speeds = self.speed(range(m.k))
        self.top = max(v for _, v in self.speeds)

    @staticmethod
    def of(d, c, w, least, k):
        """s_uk."""
        if d == 0 or w == 0 or c == INF or d > c or d < least:
            return 0
        if least:
            return w // (c // least)
        if k:
            x, rest = divmod((k + 1) * d, c)
            return w * x // k if rest else w * x // (k + 1)
        return w * d // c

    def speed(self, classes):
        """m(t) over some classes."""
        m = self.m
        gone = [(a, b, self.worth[k]) for i, k in enumerate(m.class_of) if k in classes for a, b in m.away[i]]
        gone += [(s, s + m.length(u, i), self.share[u][m.class_of[i]]) for u, (i, s) in m.fixed.items()
                 if m.class_of[i] in classes]
        base, out = sum(self.worth[k] * m.size[k] for k in classes), []
        change = group([(0, 0)] + [y for a, b, x in gone if b > max(a, 0) for y in ((max(a, 0), -x), (b, x))], sum)
        for t in sorted(change):
            base += change[t]
            if t < INF and (t == 0 or change[t]):
                out.append((t, base))
        return out


class Windows:
    """Tails, earliest starts and ends, and bounds on the ends of jobs."""

    def __init__(self, m, cert, pools):
        self.m, self.pools, g, last = m, pools, m.graph, -2
        keep = set(range(m.n)) | set(m.closing.values())
        self.tail, self.all = (g.tails(m.p, same, keep) for same in (True, False))
        self.alone = {x['job']: x for x in cert.get('alone', [])}
        for x in cert.get('alone', []):
            need(last < x['job'] < len(m.jobs) and x['job'] >= -1, 'jobs must rise')
            need(0 <= x['head'] <= TOP and 0 <= x['tail'] <= TOP, 'head or tail')
            last = x['job']
        self.h, self.e, self.b = [0] * g.steps, [0] * g.steps, {}
        closing = {s: j for j, s in m.closing.items()}
        for s in g.order:
            self.step(s, closing)
        every = max(self.job(j) for j in range(len(m.jobs)))
        self.b[-1] = max(every, self.set(self.alone[-1], range(m.n), self.all) if -1 in self.alone else 0)

    def step(self, s, closing):
        """h and e of a step."""
        m = self.m
        h = max([m.release[s] if s < m.n else 0] + [self.e[a] + d for a, d in m.graph.into[s]])
        if s in m.fixed:
            h = m.fixed[s][1]
        elif s in closing:
            h = max(h, self.job(closing[s]))
        self.h[s], self.e[s] = h, h + m.p[s]
        if s < m.n and s not in m.fixed:
            runs = []
            for p, away in {(m.length(s, i), tuple(m.away[i])) for i in m.where[s]}:
                t = h
                for a, b in away:
                    t = b if p and a < t + p and b > t else t
                runs.append((t, t + p))
            if any(t < INF for t, _ in runs):
                self.h[s], self.e[s] = min(t for t, _ in runs), min(e for _, e in runs)

    def job(self, j):
        """B_j."""
        if j not in self.b:
            ms = self.m.members[j]
            self.b[j] = max([0] + [self.e[u] + self.tail[u] for u in ms])
            if j in self.alone:
                self.b[j] = max(self.b[j], self.set(self.alone[j], ms, self.tail))
        return self.b[j]

    def set(self, x, tasks, path):
        """The bound of `alone`."""
        m, k, head = self.m, x.get('count', 0), x['head']
        need(0 <= x['pool'] < len(self.pools) and k >= 0, 'pool or count of alone')
        pool = self.pools[x['pool']]
        us, r = [u for u in tasks if self.h[u] >= head and path[u] >= x['tail']], pool.resource
        if not k:
            a = sum(pool.area[u] for u in us)
            for (s, v), end in zip(pool.speeds, [t for t, _ in pool.speeds[1:]] + [TOP]):
                lo = max(s, head)
                if a and v > 0 and end > lo and v * (end - lo) >= a:
                    t = lo - -a // v
                    return (t if t < TOP else head) + x['tail']
                a -= v * max(0, end - lo) if a else 0
            return head + x['tail'] if a else 0
        need(pool.least > 0, 'count needs least')
        us = [u for u in us if u not in m.fixed and m.p[u] > 0 and m.demand[u][r] >= pool.least]
        room = {c: m.capacity[m.first[c]][r] for c in range(m.k) if any(m.puk[u][c] >= 0 for u in us)}
        lines = min(len(us), sum(m.size[c] * (len(us) if x == INF else x // pool.least) for c, x in room.items()))
        need(lines > 0 and len(us) >= k * lines + 1, 'too few tasks to count')
        p = sorted((m.p[u] for u in us), reverse=True)
        return head + x['tail'] + sum(p[k * lines - k:k * lines + 1])

def between(m, w, j):
    """D_i: longest paths from the ends of jobs to the end of job j; negative without a path."""
    d, jobs = {j: 0}, range(len(m.jobs))
    for _ in jobs:
        for a, b, delay in m.deps:
            if b in d and w.tail[m.opening[b]] >= 0 and a != j:
                d[a] = max(d.get(a, -1), delay + w.tail[m.opening[b]] + d[b])
    return [d.get(i, -1) for i in jobs]

def pay_set(m, x, tasks, path, pools, speed):
    """What the tasks of a set of prices pay, and what it earns."""
    paid, t, lists = Counter(), 0, x.get('pool', [])
    need(len(lists) <= len(pools), 'prices of too many pools')
    for pool, q in zip(pools, lists):
        if q:
            for u, y in zip(tasks, check_list(q, len(tasks), 2 ** 62, 'prices')):
                paid[u] += y * pool.area[u]
            t += fluid([(path[u], pool.area[u], y) for u, y in zip(tasks, q)], speed(pool))[0]
    if x.get('latency'):
        for u, y in zip(tasks, check_list(x['latency'], len(tasks), 2 ** 62, 'latency')):
            need(y == 0 or u not in m.fixed, 'a fixed task pays')
            paid[u] += y * m.p[u]
            t += y * m.p[u] * (2 * path[u] + m.p[u])
    return paid, t

def two_sided(m, cert, pools, w):
    s, goal, t, paid, y, last = cert.get('shift', 0), m.goal, 0, Counter(), {}, -2
    need(0 <= s <= 200, 'shift')
    target = {j: m.weight[j] if goal == 'twjct' or goal == 'tardiness' and m.due[j] < INF else 0
              for j in range(len(m.jobs))} if goal != 'makespan' else {-1: 1}
    for g in cert.get('groups', []):
        j, us = g['job'], g.get('tasks') or (range(m.n) if g['job'] < 0 else m.members[g['job']:][:1])
        need(last < j and target.get(j, 0) > 0, 'job of a group')
        last, us = j, us if g.get('tasks') or j < 0 else us[0]
        need(sorted(set(us)) == list(us) and 0 <= us[0] and us[-1] < m.n, 'tasks of a group')
        path = w.all
        if j >= 0:
            d = between(m, w, j)
            need(all(d[m.job_of[u]] >= 0 for u in us), 'no path to the job')
            path = {u: w.tail[u] + d[m.job_of[u]] for u in us}
        got, earned = pay_set(m, g.get('prices', {}), us, path, pools, lambda p: [(0, p.top)])
        t, y[j] = t + earned, sum(got.values())
        paid.update(got)
    got, earned = pay_set(m, cert.get('forward', {}), range(m.n), w.h, pools, lambda p: p.speeds)
    need(all(x <= paid[u] for u, x in got.items()), 'a task pays more forward than it has')
    t += earned
    for j in target:
        d = m.due[j] if j >= 0 and goal in ('late', 'tardiness') else 0
        if goal == 'late':
            t += 2 * m.weight[j] << s if w.b[j] > d else 0
        elif d < INF:
            rest = (target[j] << s) - y.get(j, 0)
            need(rest >= 0, 'a job pays more than its weight')
            t += 2 * rest * max(0, w.b[j] - d) - 2 * y.get(j, 0) * d
    return Fraction(t, 2 ** (s + 1) * m.unit)

def cells(m, cert, pools, w):
    s, cell, steps = cert.get('shift', 0), cert['cell'], cert['steps']
    need(-60 <= s <= 60 and cell > 0 and len(steps) <= len(pools), 'shift, cell or pools')
    n = len(steps[0][0]) if steps and steps[0] else 1
    need(n >= 1 and n * cell <= 2 ** 60 and all(len(r) == m.k for r in steps), 'cells')
    minus, cache = 0, {}
    for pool, r in zip(pools, steps):
        for k, prices in enumerate(r):
            speeds = pool.speed([k])
            minus += sum(x * integral(speeds, c * cell, (c + 1) * cell)
                         for c, x in enumerate(check_list(prices, n, 2 ** 63, 'prices of cells')))

    def price(u, k):
        key = (k,) + tuple(p.share[u][k] for p in pools[:len(steps)])
        if key not in cache:
            cache[key] = Prices(cell, [sum(r[k][c] * x for r, x in zip(steps, key[1:])) for c in range(n)])
        return cache[key]
    jobs = [-1] if m.goal == 'makespan' else range(len(m.jobs))
    total = sum(one_job(m, j, w, price, n * cell, cell, s) for j in jobs)
    return Fraction(total - minus, m.unit) / Fraction(2) ** s

def one_job(m, j, w, price, end, cell, s):
    """E_j."""
    goal, b, (weight, due) = m.goal, w.b[j], (1, INF) if j < 0 else (m.weight[j], m.due[j])
    tau = w.all if j < 0 else w.tail

    def cost(c):
        x = {'late': weight * (c > due), 'tardiness': weight * (c - due) if c > due else 0}.get(goal, weight * c)
        return x << s if s >= 0 else x >> -s
    us = [u for u in (range(m.n) if j < 0 else m.members[j]) if u not in m.fixed and m.p[u] > 0]
    kinds = {u: [(k, p) for k, p in enumerate(m.puk[u]) if p >= 0] for u in us}
    if not us or weight == 0 or goal in ('late', 'tardiness') and due == INF:
        return cost(b)
    if len(us) == 1:
        u, h, values = us[0], w.h[us[0]], []
        for k, p in kinds[u]:
            at = set(price(u, k).starts(p, h)) | {max(h, end), b - p - tau[u]}
            at |= {due - p - tau[u]} if due < INF else set()
            values += [price(u, k).pay(x, p) + cost(max(b, x + p + tau[u])) for x in at if x >= h]
        return min(values)

    def low(c):
        return sum(min(price(u, k).least(p, w.h[u], c - tau[u] - p) for k, p in kinds[u]) for u in us)
    if goal == 'late':
        return min(cost(due + 1), low(due)) if due >= b else cost(b)
    begin = max(b, due) if goal == 'tardiness' else b
    return refine(begin, max([begin] + [end + m.p[u] + tau[u] for u in us]), cell, low, cost)

def job_prices(m, cert, _):
    s, prices, n = cert.get('shift', 0), check_list(cert['prices'], len(m.jobs), 2 ** 63, 'prices'), len(m.jobs)
    need(m.goal == 'twjct' and not m.fixed and all(len(x) == 1 for x in m.members) and s >= 0, 'not for this instance')
    task = [x[0] for x in m.members]
    v, g = reduce(gcd, m.weight, 0) or 1, reduce(gcd, [x for row in m.puk for x in row if x >= 0], 0) or 1
    total, sums = sum(prices), []
    for k in range(m.k):
        on = [u for u in task if m.puk[u][k] >= 0]
        need(not on or any(2 * min(m.demand[u][r] for u in on) > m.capacity[m.first[k]][r]
                           for r in range(len(m.resource))), 'a node has room for two tasks')
        on = [(m.job_of[u], m.puk[u][k] // g, m.weight[m.job_of[u]] // v) for u in on]
        sums.append(sum(p for _, p, _ in on))
        f = {0: 0}
        for j, p, w in sorted(on, key=lambda x: (x[1] > 0, -Fraction(x[2], x[1] or 1), x[0])):
            for t, x in sorted(f.items(), reverse=True):
                f[t + p] = min(f.get(t + p, INF), x + (w * (t + p) << s) - prices[j])
        total += m.size[k] * min(0, min(f.values()))
    weights = sum(m.weight) // v * max(sums)
    need(weights <= 2 ** 60 and (weights << s) + sum(prices) <= TOP and sum(sums) * n <= 4 * 10 ** 8, 'too large')
    return Fraction(total * v * g, 10 ** 12) / 2 ** s
