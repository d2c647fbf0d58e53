"""The certificates of multitenant: a job alone, prices of slots and links, bytes that cross racks."""
import math
from collections import Counter
from fractions import Fraction

from forms import Wrong, form, need, take
from values import INF, rounded, text

PRICES = 'from:time! map:[int] reduce:[int] out:[int] in:[int] fabric:[int]'
CROSSING = form('{makespan:time! windows:[{%s cross:int!}]! value:str!}' % PRICES)
KINDS = {'': ('longest-job map-slots reduce-slots rack-lp', form('{job:str prices:{%s}}' % PRICES))}

def value(m, cert):
    p, method = Proof(m), cert['method']
    need(('job' in cert) == (method == 'longest-job') and ('job' in cert) != ('prices' in cert), 'job or prices')
    if 'job' in cert:
        need(cert['job'] in m.job_index, 'no such job')
        return Fraction(p.alone(m.job_index[cert['job']]), 10 ** 6)
    q, begin = cert['prices'], cert['prices']['from']
    need(method == 'rack-lp' or set(q) <= {'from', method.split('-')[0]}, 'prices of another kind')
    js, q = [j for j in p.jobs if m.arrival[j] >= begin], p.prices(q)
    need(js, 'no jobs from there on')
    n, d = p.sums(q, js)
    need(d > 0, 'no prices')
    return Fraction(n + 10 ** 6 * sum(p.cost(q, j) for j in js), d * 10 ** 6)

def mantissa(x):
    """A number down to the first 16 bits of its mantissa."""
    f, e = math.frexp(float(x))
    return int(f * 65536), e

class Proof:
    """What certificates need of an instance."""

    def __init__(self, m):
        self.m, self.racks, places = m, range(len(m.racks)), {}
        self.jobs = [j for j in range(len(m.jobs)) if m.maps[j] or m.r[j]]
        for w, n in enumerate(m.workers):
            p = places.setdefault((m.rack[w], m.speed[w], m.band[w]), {'worker': w, 'map': 0, 'reduce': 0})
            p['map'], p['reduce'] = p['map'] + n['map_slots'], p['reduce'] + n['reduce_slots']
        self.places = list(places.values())
        self.mine = {k: [(i, p) for i, p in enumerate(self.places) if m.rack[p['worker']] == k] for k in self.racks}
        self.later = any(r > m.arrival[j] for r, j in zip(m.release, m.job_of))
        self.kinds = [self.kinds_of(j) for j in range(len(m.jobs))]
        self.info = [self.times(j) for j in range(len(m.jobs))]

    def compute(self, base, p):
        return rounded(base / self.m.speed[p['worker']])

    def kinds_of(self, j):
        """For each map of a job: base, input, output and reach of its kind, and the rack that it reads from."""
        m, kinds, of = self.m, {}, []
        for t in m.maps[j]:
            reps, x = m.replicas[t], (m.base[t], m.input(t), m.out[t])
            source = m.rack[reps[t % len(reps)]] if reps else None
            reach = m.uplink[source] or 0 if reps else 0
            key = tuple(map(mantissa, x)) + (reach,)
            kinds[key] = tuple(map(min, kinds.get(key, x), x))
            of.append((key, source))
        return [kinds[key] + (key[3], source) for key, source in of]

    def phase(self, bases, kind):
        """Shortest and takes of PHASE."""
        some = [p for p in self.places if p[kind] > 0]
        if not bases:
            return 0, 0
        need(some, 'no slots')
        fast = max(some, key=lambda p: self.m.speed[p['worker']])
        t = [self.compute(b, fast) for b in bases]
        return min(t), max(max(t), -(-sum(t) // sum(p[kind] for p in some)))

    def times(self, j):
        """MF, MU, LM, RF, RU, LR, RT, RH of a job."""
        m, release, out, some = self.m, self.m.arrival[j], {}, [p for p in self.places if p['reduce']]
        bases = {'map': [k[0] for k in self.kinds[j]], 'reduce': [m.base[t] for t in m.reduces[j]]}
        for x, kind, tasks in (('M', 'map', m.maps[j]), ('R', 'reduce', m.reduces[j])):
            out['L' + x], out[x + 'T'] = self.phase(bases[kind], kind)
            out[x + 'F'], out[x + 'U'] = release, release + (out['MT'] if kind == 'map' else 0)
            if self.later and tasks:
                at = {m.release[t] for t in tasks}
                out[x + 'F'], out[x + 'U'] = min(at), max([release] + [
                    a + self.phase([m.base[t] for t in tasks if m.release[t] >= a], kind)[1] for a in at])
        each = [min(max(0, m.transfer(m.v[j] // m.r[j] - 1, m.band[p['worker']]) - 10) + self.compute(b, p)
                    for p in some) for b in bases['reduce']] if m.v[j] and m.r[j] else []
        out['RH'] = max(max(each), -(-sum(each) // sum(p['reduce'] for p in some))) if each else 0
        return out

    def alone(self, j):
        x = self.info[j]
        return max(x['MU'] + x['RT'], x['MF'] + x['LM'] + x['RH'], x['RU'])

    def prices(self, q):
        """Complete lists of prices."""
        m, racks, out = self.m, len(self.racks), {'cross': q.get('cross', 0)}
        for k in ('map', 'reduce', 'out', 'in', 'fabric'):
            n = racks if k in ('out', 'in', 'fabric') else len(self.places)
            out[k] = q.get(k) or [0] * n
            need(len(out[k]) == n and all(0 <= y <= 2 ** 56 for y in out[k]), 'prices')
        for k, limits in (('out', m.uplink), ('in', m.uplink), ('fabric', m.fabric)):
            need(all(y == 0 or x is not None for y, x in zip(out[k], limits)), 'a link without limit')
        return out

    def least(self, q, kind, rack, base, extra=lambda p: 0):
        """What a task pays at least for a slot of a rack."""
        some = [(i, p) for i, p in self.mine[rack] if p[kind]]
        return min(((self.compute(base, p) + extra(p)) * q[kind][i] for i, p in some), default=INF)

    def cost(self, q, j):
        """c_j."""
        m, plain, r, v = self.m, 0, self.m.r[j], self.m.v[j]
        total, cross = [0] * len(self.racks), q['cross']
        groups = Counter((kind, frozenset(m.rack[w] for w in m.replicas[t]))
                         for t, kind in zip(m.maps[j], self.kinds[j]))
        for ((base, size, out, reach, source), home), number in groups.items():
            here = []
            for k in self.racks:
                away = home and k not in home
                slot = self.least(q, 'map', k, base, lambda p: max(m.transfer(size, x) for x in (
                    m.band[p['worker']], reach or None, m.uplink[k])) if away else 0)
                here.append(slot + (size * (q['in'][k] + q['fabric'][k] + cross + q['out'][source]) if away else 0))
            plain += number * min(here)
            far = min(here[k] + out * (q['out'][k] + cross) for k in self.racks)
            total = [x + number * min(here[k], far + out * q['in'][k]) for k, x in enumerate(total)]
        slots = {b: [self.least(q, 'reduce', k, b) for k in self.racks] for b in {m.base[t] for t in m.reduces[j]}}
        if not (v and r):
            return plain + sum(min(slots[m.base[t]]) for t in m.reduces[j])
        best = {b: min(r * y + v * q['fabric'][k] + total[k] for k, y in enumerate(ys)) for b, ys in slots.items()}
        return sum(best[m.base[t]] for t in m.reduces[j]) // r

    def sums(self, q, js):
        """N without the jobs' part, and D, for some prices."""
        m, x = self.m, self.info
        first, h, t, n, d = min(m.arrival[j] for j in js), [], [], 0, 0
        maps, reds = [x[j] for j in js if m.maps[j]], [x[j] for j in js if m.r[j]]
        able = {m.rack[p['worker']] for p in self.places if p['map']}
        for j in js:
            if any(m.input(u) > 0 and m.replicas[u] and able - {m.rack[w] for w in m.replicas[u]} for u in m.maps[j]):
                h.append(x[j]['MF'])
                t.append(x[j]['LM'] + x[j]['RT'])
            if m.v[j] > 0 and m.r[j] > 0:
                h.append(x[j]['MF'] + x[j]['LM'])
                t.append(x[j]['LR'])
        edges = {'map': min((y['MF'] for y in maps), default=first) + min((y['RT'] for y in maps), default=0),
                 'reduce': min((max(y['MU'], y['RF']) for y in reds), default=first)}
        for i, p in enumerate(self.places):
            for kind in edges:
                weight = q[kind][i] * p[kind] * 10 ** 6
                n, d = n + weight * edges[kind], d + weight
        loads = sum(m.input(u) > 0 and bool(m.replicas[u]) for u in range(m.map_count)) + sum(
            r for r, v in zip(m.r, m.v) if m.writes or v > 0)
        edge = min(h, default=first) + min(t, default=0) - 20
        for k, limits in (('out', m.uplink), ('in', m.uplink), ('fabric', m.fabric)):
            for z, rate in zip(q[k], limits):
                if z:
                    n, d = n + z * rate * edge - z * 10 ** 6 * (loads + 1), d + z * rate
        return n, d

def facts(m, rows, run, rep):
    """Step 16: the bound on the bytes that cross racks and its proof."""
    stated, proof = run.get('cross_rack_bytes_bound'), run.get('cross_rack_certificate')
    wrote = sum(m.written(r.task) for r in rows)
    if stated is None and proof is None:
        return
    try:
        value = crossing(m, rows, proof) + wrote if proof is not None else wrote
        need(proof is None or proof.get('value') == str(Fraction(value)), 'the value is ' + str(Fraction(value)))
        rep.same('K615', 'metrics.run.cross_rack_bytes_bound', stated, text(value))
    except (Wrong, ValueError) as e:
        rep.add('K615', 'metrics.run.cross_rack_certificate: %s' % e)

def crossing(m, rows, proof):
    """What the proof shows to cross racks besides what reduces write."""
    proof, p, n, d = take(proof, CROSSING)[0], Proof(m), 0, 0
    begins, makespan = [w['from'] for w in proof['windows']], max(r.end for r in rows)
    need(proof['makespan'] == makespan and 1 <= len(begins) <= 8 and begins == sorted(set(begins)), 'windows')
    prices, sums = [p.prices(w) for w in proof['windows']], []
    cross = prices[0]['cross']
    need(cross >= 1 and all(q['cross'] == cross for q in prices), 'cross')
    for q, begin in zip(prices, begins):
        last = sums[-1] if sums else {k: [0] * len(v) for k, v in q.items() if k != 'cross'}
        sums.append({**{k: [a + b for a, b in zip(v, q[k])] for k, v in last.items() if k != 'cross'}, 'cross': cross})
        js = [j for j in p.jobs if m.arrival[j] >= begin]
        if js:
            x, y = p.sums(q, js)
            n, d = n + x, d + y
    for j, release in enumerate(m.arrival):
        at = [q for q, b in zip(sums, begins) if b <= release]
        n += 10 ** 6 * p.cost(at[-1], j) if at else 0
    return Fraction(n - d * makespan, cross * 10 ** 6)
