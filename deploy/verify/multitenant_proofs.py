"""The certificates of multitenant: a job alone, prices of slots and links, bytes that cross racks."""
import math
from collections import Counter
from fractions import Fraction

import multitenant
from proofs import numbers
from result import form, take
from values import INF, Row, group, need, rounded, text

PRICES = 'from!:time map:[int] reduce:[int] out:[int] in:[int] fabric:[int]'
CROSSING = form('{makespan!:time windows!:[{%s cross!:int}] value!:str}' % PRICES)
KINDS = {'': ('longest-job map-slots reduce-slots rack-lp', 'job:str prices:{%s}' % PRICES)}

def proven(m, cert):
    """What a certificate proves."""
    p, method, q = Proof(m), cert.method, cert.prices
    need(bool(cert.job) == (method == 'longest-job') == (q is None), 'job or prices')
    if cert.job:
        need(cert.job in m.job_index, 'no such job')
        return Fraction(p.alone(m.job_index[cert.job]), 10 ** 6)
    need(method == 'rack-lp' or not any(q[k] for k in q if k not in ('from', method.split('-')[0])), 'other prices')
    q, js = p.prices(q), [j for j in p.jobs if m.arrival[j] >= q['from']]
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
        self.m, self.racks = m, range(len(m.racks))
        self.jobs = [j for j in range(len(m.jobs)) if m.maps[j] or m.r[j]]
        alike = group(zip(zip(m.rack, m.speed, m.band), enumerate(m.workers)))
        self.places = [Row(rack=rack, speed=speed, band=band, map=sum(n.map_slots for _, n in some),
                           reduce=sum(n.reduce_slots for _, n in some)) for (rack, speed, band), some in alike.items()]
        self.later = any(r > m.arrival[j] for r, j in zip(m.release, m.job_of))
        self.kinds = list(map(self.kinds_of, m.maps))
        self.info = [self.times(j) for j in range(len(m.jobs))]

    def kinds_of(self, maps):
        """For each map of a job: base, input, output and reach of its kind, and the rack that it reads from."""
        m, kinds, of = self.m, {}, []
        for t in maps:
            reps, x = m.replicas[t], (m.base[t], m.row[t].input_bytes or 0, m.out[t])
            source = m.rack[reps[t % len(reps)]] if reps else None
            of.append(((*map(mantissa, x), m.uplink[source] if reps else None), source))
            kinds[of[-1][0]] = tuple(map(min, kinds.get(of[-1][0], x), x))
        return [(*kinds[key], key[3], source) for key, source in of]

    def phase(self, bases, kind):
        """Shortest and takes of PHASE."""
        some = [p for p in self.places if p[kind] > 0]
        need(some or not bases, 'no slots')
        t = [rounded(b / max(p.speed for p in some)) for b in bases] or [0]
        return min(t), max(max(t), -(-sum(t) // sum(p[kind] for p in some)) if bases else 0)

    def times(self, j):
        """MF, MU, LM, RF, RU, LR, RT, RH of a job."""
        m, release, out, some = self.m, self.m.arrival[j], Row(RH=0), [p for p in self.places if p.reduce]
        bases = {'M': [k[0] for k in self.kinds[j]], 'R': [m.base[t] for t in m.reduces[j]]}
        for x, kind, tasks in (('M', 'map', m.maps[j]), ('R', 'reduce', m.reduces[j])):
            out['L' + x], out[x + 'T'] = self.phase(bases[x], kind)
            out[x + 'F'], out[x + 'U'] = release, release + (out.MT if kind == 'map' else 0)
            if self.later and tasks:
                at = {m.release[t] for t in tasks}
                out[x + 'F'], out[x + 'U'] = min(at), max([release] + [
                    a + self.phase([m.base[t] for t in tasks if m.release[t] >= a], kind)[1] for a in at])
        if m.v[j] and m.r[j]:
            fetch = [max(0, multitenant.transfer(m.v[j] // m.r[j] - 1, p.band) - 10) for p in some]
            each = [min(x + rounded(b / p.speed) for x, p in zip(fetch, some)) for b in bases['R']]
            out.RH = max(max(each), -(-sum(each) // sum(p.reduce for p in some)))
        return out

    def alone(self, j):
        """alone(j)."""
        x = self.info[j]
        return max(x.MU + x.RT, x.MF + x.LM + x.RH, x.RU)

    def prices(self, q):
        """Complete lists of prices."""
        m, out = self.m, Row(cross=q.cross or 0, **{'from': q['from']})
        for k, limits in (('map', None), ('reduce', None), ('out', m.uplink), ('in', m.uplink), ('fabric', m.fabric)):
            n = len(self.places if limits is None else limits)
            out[k] = numbers(q[k] or [0] * n, n, 2 ** 56 + 1, 'prices')
            need(not limits or all(y == 0 or x is not None for y, x in zip(out[k], limits)), 'a link without limit')
        return out

    def least(self, q, kind, rack, base, extra=lambda p: 0):
        """What a task pays at least for a slot of a rack."""
        return min(((rounded(base / p.speed) + extra(p)) * y for y, p in zip(q[kind], self.places)
                    if p[kind] and p.rack == rack), default=INF)

    def cost(self, q, j):
        """c_j."""
        m, plain, r, v, cross = self.m, 0, self.m.r[j], self.m.v[j], q.cross
        total, homes = [0] * len(self.racks), (frozenset(m.rack[w] for w in m.replicas[t]) for t in m.maps[j])
        for ((base, size, out, reach, source), home), number in Counter(zip(self.kinds[j], homes)).items():
            here = []
            for k in self.racks:
                away = home and k not in home
                slot = self.least(q, 'map', k, base, lambda p: multitenant.transfer(
                    size, p.band, reach, m.uplink[k]) if away else 0)
                here.append(slot + (size * (q['in'][k] + q.fabric[k] + cross + q.out[source]) if away else 0))
            plain += number * min(here)
            far = min(here[k] + out * (q.out[k] + cross) for k in self.racks)
            total = [x + number * min(here[k], far + out * q['in'][k]) for k, x in enumerate(total)]
        slots = {b: [self.least(q, 'reduce', k, b) for k in self.racks] for b in {m.base[t] for t in m.reduces[j]}}
        if not (v and r):
            return plain + sum(min(slots[m.base[t]]) for t in m.reduces[j])
        best = {b: min(r * y + v * q.fabric[k] + total[k] for k, y in enumerate(ys)) for b, ys in slots.items()}
        return sum(best[m.base[t]] for t in m.reduces[j]) // r

    def sums(self, q, js):
        """N without the jobs' part, and D, for some prices."""
        m, x = self.m, self.info
        first, h, t, n, d = min(m.arrival[j] for j in js), [], [], 0, 0
        maps, reds = [x[j] for j in js if m.maps[j]], [x[j] for j in js if m.r[j]]
        able = {p.rack for p in self.places if p.map}
        for j in js:
            if any(m.row[u].input_bytes and m.replicas[u] and able - {m.rack[w] for w in m.replicas[u]}
                   for u in m.maps[j]):
                h.append(x[j].MF)
                t.append(x[j].LM + x[j].RT)
            if m.v[j] > 0 and m.r[j] > 0:
                h.append(x[j].MF + x[j].LM)
                t.append(x[j].LR)
        edges = {'map': min((y.MF for y in maps), default=first) + min((y.RT for y in maps), default=0),
                 'reduce': min((max(y.MU, y.RF) for y in reds), default=first)}
        for kind, edge in edges.items():
            weight = sum(y * p[kind] * 10 ** 6 for y, p in zip(q[kind], self.places))
            n, d = n + weight * edge, d + weight
        loads = sum(bool(m.row[u].input_bytes and m.replicas[u]) for ms in m.maps for u in ms) + sum(
            r for r, v in zip(m.r, m.v) if m.wrote or v > 0)
        edge = min(h, default=first) + min(t, default=0) - 20
        for z, rate in zip(q.out + q['in'] + q.fabric, m.uplink + m.uplink + m.fabric):
            if z:
                n, d = n + z * rate * edge - z * 10 ** 6 * (loads + 1), d + z * rate
        return n, d

def facts(m, rows, run, rep):
    """Step 16: the bound on the bytes that cross racks and its proof."""
    stated, proof = run.get('cross_rack_bytes_bound'), run.get('cross_rack_certificate')
    if stated is not None or proof is not None:
        with rep.catch('K615'):
            value = crossing(m, rows, proof) if proof is not None else 0
            value += sum(x.output for _, x in m.runs(rows, 'reduce'))
            need(proof is None or proof['value'] == str(Fraction(value)), 'the value is ' + str(Fraction(value)))
            rep.same('K615', 'metrics.run.cross_rack_bytes_bound', stated, text(value))

def crossing(m, rows, proof):
    """What the proof shows to cross racks besides what reduces write."""
    proof, p, n, d = take(proof, CROSSING)[0], Proof(m), 0, 0
    begins, makespan, sums = [w['from'] for w in proof.windows], max(r.end for r in rows), []
    need(proof.makespan == makespan and 1 <= len(begins) <= 8 and begins == sorted(set(begins)), 'windows')
    prices = list(map(p.prices, proof.windows))
    need(prices[0].cross >= 1 and len({q.cross for q in prices}) == 1, 'cross')
    for q, begin in zip(prices, begins):
        sums.append(Row({k: [a + b for a, b in zip(sums[-1][k] if sums else [0] * len(v), v)]
                         for k, v in q.items() if isinstance(v, list)}, cross=q.cross))
        js = [j for j in p.jobs if m.arrival[j] >= begin]
        if js:
            x, y = p.sums(q, js)
            n, d = n + x, d + y
    for j, release in enumerate(m.arrival):
        at = [q for q, b in zip(sums, begins) if b <= release]
        n += 10 ** 6 * p.cost(at[-1], j) if at else 0
    return Fraction(n - d * makespan, prices[0].cross * 10 ** 6)
