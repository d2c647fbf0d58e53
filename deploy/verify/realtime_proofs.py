"""The certificates of realtime: refuted lengths of phases, and windows of time with late jobs."""
from fractions import Fraction
from math import gcd

from forms import check_list, form, need
from model import least_that
from values import INF

BIG = 2 ** 62
KINDS = {'partitions': {'': ('slot-prices partition-prices case-tree', form('{phases:[{time:time! sets:[proof]!}]}'))},
         'deadlines': {'': ('late-windows', form('''{late:{prices:[{kind:str! unit:int! worker:[int]!}]
                        windows:[{from:time! until:time! price:int! backward:bool}]}!}'''))}}

def value(m, cert):
    return Late(m, cert['late']).value() if m.goal == 'deadlines' else phases(m, cert)

def phases(m, cert):
    """Goal partitions: the sum of the times of all phases."""
    jobs, found = [j for j, sets in enumerate(m.sets) if sets and sets[0]], set()
    need(len(cert.get('phases', [])) == len(jobs), 'number of phases')
    for j, phase in zip(jobs, cert.get('phases', [])):
        need(len(phase['sets']) == len(m.sets[j]) and phase['time'] >= 0, 'number of sets, or time')
        for ids, proof in zip(m.sets[j], phase['sets']):
            found |= set(proof)
            refute(m, j, ids, phase['time'] - 1, proof)
    method = 'case-tree' if 'cases' in found else 'partition-prices' if 'partitions' in found else 'slot-prices'
    need(cert['method'] == method, 'the method is ' + method)
    return Fraction(sum(p['time'] for p in cert.get('phases', [])), 10 ** 6)

def candidates(m, j, ids):
    """The slots that a proof is about, and k*."""
    slots = [i for i, s in enumerate(m.slots) if s[1] == 'reduce']
    k = min(m.r[j], len(slots)) if m.split is not None else min(m.r[j], len(slots), len(ids))
    order = sorted(slots, key=lambda s: (-m.speed[m.slots[s][0]], s))
    timed = [[m.p(m.list[t], m.slots[s][0]) for s in order] for t in ids if m.list[t].times]
    if k < len(slots) and all(min(p[k:]) >= max(p[:k], default=0) for p in timed):
        return order[:k], k
    return slots, k

def refute(m, j, ids, t, proof):
    """Raises Wrong unless the proof shows that no schedule of a set takes T."""
    if t < 0:
        return need(not proof, 'a proof of nothing')
    cand, k = candidates(m, j, ids)
    workers, some = [m.slots[s][0] for s in cand], any(m.list[i].times for i in ids)
    p = [[m.p(m.list[i], w) for w in workers] for i in ids]
    alike = [w if some else ('speed', m.speed[w]) for w in workers]
    return tree(m, p, k, t, proof, [set(range(len(cand)))] * len(ids), alike, set())

def tree(m, p, k, t, proof, may, alike, placed):
    """A proof, with what is known where partitions may lie."""
    n, split, cand = len(p), m.split is not None, len(alike)
    need(len(proof) <= 1, 'two proofs in one')
    if 'slots' in proof:
        y, g = check_list(proof['slots'], cand, 2 ** 31 + 1, 'slots'), gcd(*(x for r in p for x in r if x < INF)) or 1
        least = [min((y[s] * p[i][s] for s in may[i] if p[i][s] < INF and (split or p[i][s] <= t)), default=INF)
                 for i in range(n)]
        need(sum(sorted(y)[max(0, cand - k):]) * (t if split else t - t % g) < sum(least), 'slots prove nothing')
        return
    need(not split, 'a proof that does not hold with pieces')
    if 'partitions' in proof:
        u, cache = check_list(proof['partitions'], n, 2 ** 31 + 1, 'partitions'), {}
        need(sum(u) <= (2 ** 63 - 1) // max(1, cand), 'partitions')
        items = [tuple((u[i], p[i][s]) for i in range(n) if s in may[i] and p[i][s] <= t) for s in range(cand)]
        for x in set(items):
            cache[x] = knapsack(x, t)
        if None in cache.values():
            m.notes.append('a knapsack was too large; its proof is taken as it is')
        else:
            need(sum(u) > sum(sorted(cache[x] for x in items)[max(0, cand - k):]), 'partitions prove nothing')
    elif 'cases' in proof:
        c = proof['cases']
        i, s = c['partition'], c['slot']
        need(0 <= i < n and 0 <= s < cand and s in may[i] and i not in placed, 'a case that cannot be')
        here, rest = may[:i], may[i + 1:]
        apart = alike[:s] + [('only', s)] + alike[s + 1:]
        tree(m, p, k, t, c['on'], here + [{s}] + rest, apart, placed | {i})
        tree(m, p, k, t, c['off'], here + [{x for x in may[i] if alike[x] != alike[s]}] + rest, alike, placed)
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
        self.m, self.prices, self.windows, self.by_kind = m, late.get('prices', []), late.get('windows', []), {}
        for x in self.prices:
            need(x['kind'] in ('map', 'reduce') and x['unit'] >= 1, 'prices')
            x['n'], y = [w[x['kind'] + '_slots'] for w in m.workers], check_list(x['worker'], len(m.workers), BIG, 'Y')
            need(all(a == 0 or k for a, k in zip(y, x['n'])), 'price of a worker')
            need(sum(a * k for a, k in zip(y, x['n'])) < BIG, 'prices too large')
            x['dear'] = sorted((a for a, k in zip(y, x['n']) for _ in range(k)), reverse=True)
            self.by_kind.setdefault(x['kind'], x)

    def pieces(self, kind):
        return self.m.split is not None and kind == 'reduce'

    def work(self, x, t, length):
        """The least priced time of a task that has so much time."""
        m, times = self.m, []
        for i in m.of_kind(x['kind']):
            p = m.p(m.list[t], i)
            if p < INF and (self.pieces(x['kind']) or p <= length):
                times.append(x['worker'][i] * p // x['unit'])
        return min(times + [BIG])

    def room(self, x, length, k=None):
        """What the k dearest slots offer."""
        y = [sum(x['dear'][:k])] if self.pieces(x['kind']) else x['dear'][:k]
        return min(BIG, sum(min(BIG, a * max(0, length) // x['unit']) for a in y))

    def together(self, kind, tasks, k, span):
        """TOGETHER: the least time that tasks take together."""
        m, tests = self.m, []
        if not tasks:
            return 0
        workers = m.of_kind(kind)
        p = {t: [m.p(m.list[t], i) for i in workers] for t in tasks}
        slots = [min(p[t][x] for t in tasks) for x, i in enumerate(workers)
                 for _ in range(m.workers[i][kind + '_slots'])]
        k, longest = len(slots) if k is None else k, max(min(x, default=INF) for x in p.values())
        if longest == INF:
            return span + 1
        if self.pieces(kind):
            longest = -(-longest // max(1, min(k, len(slots))))
        else:
            k = min(k, len(tasks))
            a = [x for x in sorted(slots)[:k] if x < INF]
            tests.append(lambda d: 0 in a or sum(d // x for x in a) >= len(tasks))
        if kind in self.by_kind:
            x = self.by_kind[kind]
            total = min(BIG, sum(self.work(x, t, span) for t in tasks))
            tests.append(lambda d: self.room(x, d, k) >= total)
        for test in tests:
            longest = max(longest, least_that(test, longest, span + 1))
        return longest

    def job(self, j):
        """Intervals of maps and partitions, and whether the job is a sure miss."""
        m, d, sets = self.m, self.m.due[j], self.m.sets[j]
        r, maps, has = m.release[j], [m.list[t] for t in m.maps[j]], bool(sets and sets[0])
        span, begin, last, head, ended = min(d - r, 2 ** 60), None, None, r, r
        tail = min(self.together('reduce', s, m.r[j], span) for s in sets) if has else 0
        if maps:
            begin = min(t.release for t in maps)
            last = max(d - t.shuffle - tail if has else d for t in maps)
            for t in maps:
                e = t.release + min(m.p(t, i) for i in m.of_kind('map'))
                ended, head = max(ended, e), max(head, e + t.shuffle)
            e = begin + self.together('map', m.maps[j], None, span)
            ended, head = max(ended, e), max(head, e + min(t.shuffle for t in maps))
        listed = [t for t in (sets[0] if has else []) if m.list[t].listed]
        for t in listed:
            at = m.list[t].release
            ended = max(ended, at + self.together('reduce', [t], m.r[j], span) if at > head else 0)
        head = max(head, min((m.list[t].release for t in listed), default=head))
        return {'map': (begin, last), 'reduce': (head, d), 'tail': tail, 'has': has,
                'sure': ended > d or has and head + tail > d}

    def cost(self, j, i, x):
        """c_j: the least priced work of a job."""
        m, d = self.m, self.m.due[j]
        if x['kind'] == 'map':
            return sum(self.work(x, t, (d - m.list[t].shuffle - i['tail'] if i['has'] else d) - m.list[t].release)
                       for t in m.maps[j])
        return min(sum(self.work(x, t, d - i['reduce'][0]) for t in s) for s in m.sets[j]) if i['has'] else 0

    def value(self):
        m, used, costs = self.m, set(), []
        info = {j: self.job(j) for j in range(len(m.jobs)) if m.due[j] < INF}
        total = sum(x['sure'] for x in info.values())
        for x in self.prices:
            costs.append({j: self.cost(j, i, x) for j, i in info.items() if not i['sure']})
            need(sum(costs[-1].values()) < BIG, 'priced work too large')
        for w in self.windows:
            need(0 <= w['price'] < len(self.prices), 'price of a window')
            x, c = self.prices[w['price']], costs[w['price']]
            js = [j for j in c if (m.maps[j] if x['kind'] == 'map' else info[j]['has']) and m.due[j] > m.release[j]
                  and m.release[j] >= w['from'] and m.due[j] <= w['until']]
            need(not used & set(js), 'a job is in two windows')
            used |= set(js)
            total += self.misses([info[j][x['kind']] for j in js], [c[j] for j in js], x, w.get('backward'))
        return total

    def misses(self, spans, lengths, x, backward):
        """What the algorithm of Moore and Hodgson rejects."""
        h, g = min((a for a, _ in spans), default=0), max((b for _, b in spans), default=0)
        rooms, kept, dropped = [self.room(x, g - a if backward else b - h) for a, b in spans], [], 0
        for room, length in sorted(zip(rooms, lengths)):
            kept.append(length)
            if sum(kept) > room:
                kept.remove(max(kept))
                dropped += 1
        return dropped
