"""The certificates of cluster alone: prices of cells and of jobs."""
from fractions import Fraction
from functools import lru_cache
from math import gcd

import clauses
from proofs import cells, numbers, refine
from values import INF, group, need
from windows import BOUNDS, TOP, TWO_SIDED, Windows, pools_of, two_sided

KINDS = {
    'two-sided-prices': ('job-alone two-sided', TWO_SIDED),
    'cell-prices': ('time-indexed', BOUNDS + 'cell!:time steps!:[[[int<2^63]]]'),
    'job-prices': ('job-prices', BOUNDS + 'prices!:[int<2^63 *jobs]'),
    'clauses': clauses.KIND}

def proven(m, cert):
    """What a certificate proves."""
    return {'two-sided-prices': two_sided, 'cell-prices': cell_prices, 'job-prices': job_prices,
            'clauses': clauses.value}[cert.kind](m, cert)

def cell_prices(m, cert):
    pools = pools_of(m, cert)
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
    def paying(rows, shares):
        return cells(cell, [sum(r[k][c] * x for r, k, x in zip(steps, rows, shares)) for c in range(n)])

    def price(u, k):
        return paying(*zip(*[(p.payer[k], p.share[u][k]) for p in pools[:len(steps)]]))
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
                           for r in range(m.columns)), 'a node has room for two tasks')
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
