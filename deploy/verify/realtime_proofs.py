"""The certificates of realtime: refuted lengths of phases, and windows of time with late jobs."""
from fractions import Fraction
from math import gcd

from model import least_that
from proofs import numbers
from values import INF, Row, need

BIG = 2 ** 62
KINDS = {'partitions': {'': ('slot-prices partition-prices case-tree', 'phases:[{time!:time sets!:[proof]}]')},
         'deadlines': {'': ('late-windows', '''late!:{prices:[{kind!:str unit!:int worker!:[int]}]
                        windows:[{from!:time until!:time price!:int backward:bool}]}''')}}

def proven(m, cert):
    """What a certificate proves."""
    if m.goal == 'deadlines':
        return Late(m, cert.late).value()
    jobs, found = [j for j, sets in enumerate(m.sets) if sets and sets[0]], set()
    need(len(cert.phases) == len(jobs), 'number of phases')
    for j, phase in zip(jobs, cert.phases):
        need(len(phase.sets) == len(m.sets[j]) and phase.time >= 0, 'number of sets, or time')
        for ids, proof in zip(m.sets[j], phase.sets):
            found |= {k for k in proof if proof[k]}
            refute(m, j, ids, phase.time - 1, proof)
    method = 'case-tree' if 'cases' in found else 'partition-prices' if 'partitions' in found else 'slot-prices'
    need(cert.method == method, 'the method is ' + method)
    return Fraction(sum(p.time for p in cert.phases), 10 ** 6)

def candidates(m, j, ids):
    """The slots that a proof is about, and k*."""
    slots = [i for i, s in enumerate(m.slots) if s[1] == 'reduce']
    k = min(m.r[j], len(slots), len(slots) if m.split is not None else len(ids))
    order = sorted(slots, key=lambda s: (-m.speed[m.slots[s][0]], s))
    timed = [[m.p(m.list[t], m.slots[s][0]) for s in order] for t in ids if m.list[t].times]
    return (order[:k] if all(min(p[k:], default=0) >= max(p[:k], default=0) for p in timed) else slots) if k < len(
        slots) else slots, k

def refute(m, j, ids, t, proof):
    """Raises Wrong unless the proof shows that no schedule of a set takes T."""
    if t < 0:
        return need(not any(proof.values()), 'a proof of nothing')
    cand, k = candidates(m, j, ids)
    workers, some = [m.slots[s][0] for s in cand], any(m.list[i].times for i in ids)
    p = [[m.p(m.list[i], w) for w in workers] for i in ids]
    alike = [w if some else ('speed', m.speed[w]) for w in workers]
    return tree(m, p, k, t, proof, [set(range(len(cand)))] * len(ids), alike, set())

def tree(m, p, k, t, proof, may, alike, placed):
    """A proof, with what is known where partitions may lie."""
    n, split, cand = len(p), m.split is not None, len(alike)
    need(sum(map(bool, proof.values())) <= 1, 'two proofs in one')
    if proof.slots:
        y, g = numbers(proof.slots, cand, 2 ** 31 + 1, 'slots'), gcd(*(x for r in p for x in r if x < INF)) or 1
        least = [min((y[s] * p[i][s] for s in may[i] if p[i][s] < INF and (split or p[i][s] <= t)), default=INF)
                 for i in range(n)]
        need(sum(sorted(y)[max(0, cand - k):]) * (t if split else t - t % g) < sum(least), 'slots prove nothing')
        return
    need(not split, 'a proof that does not hold with pieces')
    if proof.partitions:
        u = numbers(proof.partitions, n, 2 ** 31 + 1, 'partitions')
        need(sum(u) <= (2 ** 63 - 1) // max(1, cand), 'partitions')
        items = [tuple((u[i], p[i][s]) for i in range(n) if s in may[i] and p[i][s] <= t) for s in range(cand)]
        most = {x: knapsack(x, t) for x in set(items)}
        if None in most.values():
            m.notes.append('a knapsack was too large; its proof is taken as it is')
        else:
            need(sum(u) > sum(sorted(most[x] for x in items)[max(0, cand - k):]), 'partitions prove nothing')
    elif proof.cases:
        i, s, on, off = proof.cases.values()
        need(0 <= i < n and 0 <= s < cand and s in may[i] and i not in placed, 'a case that cannot be')
        here, rest = may[:i], may[i + 1:]
        apart = alike[:s] + [('only', s)] + alike[s + 1:]
        tree(m, p, k, t, on, here + [{s}] + rest, apart, placed | {i})
        tree(m, p, k, t, off, here + [{x for x in may[i] if alike[x] != alike[s]}] + rest, alike, placed)
    else:
        need(any(all(p[i][s] > t for s in may[i]) for i in range(n)), 'an empty proof')

def knapsack(items, room, limit=200000):
    """The largest Σ u with Σ p ≤ room over items (u, p); None if the search takes too long."""
    best, stack = 0, [(0, room, sum(u for u, p in items if p == 0))]
    items = sorted(((u, p) for u, p in items if 0 < p <= room and u > 0), key=lambda x: Fraction(-x[0], x[1]))
    while stack:
        i, left, got = stack.pop()
        limit, best, most, x = limit - 1, max(best, got), got, left
        if limit < 0:
            return None
        for u, p in items[i:]:
            most, x = most + u * min(p, x) // p, x - p
            if x <= 0:
                break
        if i < len(items) and most > best:
            stack.append((i + 1, left, got))
            if items[i][1] <= left:
                stack.append((i + 1, left - items[i][1], got + items[i][0]))
    return best

class Late:
    """Goal deadlines: sure misses and windows."""

    def __init__(self, m, late):
        self.m, self.prices, self.windows, self.by_kind = m, late.prices, late.windows, {}
        for x in self.prices:
            need(x.kind in ('map', 'reduce') and x.unit >= 1, 'prices')
            slots = list(zip(numbers(x.worker, len(m.workers), BIG, 'Y'), (w[x.kind + '_slots'] for w in m.workers)))
            need(all(a == 0 or k for a, k in slots), 'price of a worker')
            need(sum(a * k for a, k in slots) < BIG, 'prices too large')
            x.dear, x.whole = sorted((a for a, k in slots for _ in range(k)), reverse=True), self.whole(x.kind)
            self.by_kind.setdefault(x.kind, x)

    def whole(self, kind):
        """Whether tasks of a kind run in one piece."""
        return self.m.split is None or kind == 'map'

    def work(self, x, t, length):
        """The least priced time of a task that has so much time."""
        m = self.m
        times = [(i, m.p(m.list[t], i)) for i in m.of_kind(x.kind)]
        return min([BIG] + [x.worker[i] * p // x.unit for i, p in times if p < INF and (p <= length or not x.whole)])

    def room(self, x, length, k=None):
        """What the k dearest slots offer."""
        y = x.dear[:k] if x.whole else [sum(x.dear[:k])]
        return min(BIG, sum(min(BIG, a * max(0, length) // x.unit) for a in y))

    def together(self, kind, tasks, k, span):
        """TOGETHER: the least time that tasks take together."""
        m, tests, workers = self.m, [], self.m.of_kind(kind)
        p = [[m.p(m.list[t], i) for i in workers] for t in tasks]
        slots = [min(times, default=INF) for i, times in zip(workers, zip(*p)) for _ in range(
            m.workers[i][kind + '_slots'])]
        k, longest = len(slots) if k is None else k, max((min(x, default=INF) for x in p), default=0)
        if longest == INF or not tasks:
            return span + 1 if tasks else 0
        if self.whole(kind):
            k = min(k, len(tasks))
            a = [x for x in sorted(slots)[:k] if x < INF]
            tests.append(lambda d: 0 in a or sum(d // x for x in a) >= len(tasks))
        else:
            longest = -(-longest // max(1, min(k, len(slots))))
        if kind in self.by_kind:
            x = self.by_kind[kind]
            total = min(BIG, sum(self.work(x, t, span) for t in tasks))
            tests.append(lambda d: self.room(x, d, k) >= total)
        for test in tests:
            longest = max(longest, least_that(test, longest, span + 1))
        return longest

    def job(self, j):
        """Intervals of maps and partitions, and whether the job is a sure miss."""
        m, d, sets, r = self.m, self.m.due[j], self.m.sets[j], self.m.release[j]
        maps, has = [m.list[t] for t in m.maps[j]], bool(sets and sets[0])
        span, last, head, ended = min(d - r, 2 ** 60), d, r, r
        tail = min(self.together('reduce', s, m.r[j], span) for s in sets) if has else 0
        begin = min((t.release for t in maps), default=None)
        if maps:
            last = max(d - t.shuffle - tail if has else d for t in maps)
            ends = [(t.release + min(m.p(t, i) for i in m.of_kind('map')), t.shuffle) for t in maps]
            ends.append((begin + self.together('map', m.maps[j], None, span), min(t.shuffle for t in maps)))
            ended, head = max([r] + [e for e, _ in ends]), max([r] + [e + s for e, s in ends])
        listed = [(m.list[t].release, t) for t in (sets[0] if has else []) if m.list[t].listed]
        ended = max([ended] + [at + self.together('reduce', [t], m.r[j], span) for at, t in listed if at > head])
        head = max(head, min((at for at, _ in listed), default=head))
        return Row(map=(begin, last), reduce=(head, d), tail=tail, has=has, sure=ended > d or has and head + tail > d)

    def cost(self, j, i, x):
        """c_j: the least priced work of a job."""
        m, d = self.m, self.m.due[j]
        if x.kind == 'map':
            return sum(self.work(x, t, (d - m.list[t].shuffle - i.tail if i.has else d) - m.list[t].release)
                       for t in m.maps[j])
        return min(sum(self.work(x, t, d - i.reduce[0]) for t in s) for s in m.sets[j]) if i.has else 0

    def value(self):
        """Sure misses and those of the windows."""
        m, used, costs = self.m, set(), []
        info = {j: self.job(j) for j in range(len(m.jobs)) if m.due[j] < INF}
        total = sum(x.sure for x in info.values())
        for x in self.prices:
            costs.append({j: self.cost(j, i, x) for j, i in info.items() if not i.sure})
            need(sum(costs[-1].values()) < BIG, 'priced work too large')
        for w in self.windows:
            need(0 <= w.price < len(self.prices), 'price of a window')
            x, c = self.prices[w.price], costs[w.price]
            js = [j for j in c if (m.maps[j] if x.kind == 'map' else info[j].has) and m.due[j] > m.release[j]
                  and m.release[j] >= w['from'] and m.due[j] <= w.until]
            need(not used & set(js), 'a job is in two windows')
            used |= set(js)
            spans = [info[j][x.kind] for j in js]
            first, last = min((a for a, _ in spans), default=0), max((b for _, b in spans), default=0)
            rooms, kept = [self.room(x, last - a if w.backward else b - first) for a, b in spans], []
            for room, length in sorted(zip(rooms, (c[j] for j in js))):
                kept.append(length)
                if sum(kept) > room:
                    kept.remove(max(kept))
                    total += 1
        return total
