"""multitenant: users who share racks; rules, links, metrics, tables, certificates."""
import math
from collections import Counter, namedtuple
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from operator import add

from model import DOUBLE, Model, mean, shown, table
from proofs import Steps, numbers, pieces
from result import form, take
from values import INF, Row, group, limit, micro, millionths, need, pay, rounded, text, transfer, write_json

HEADS = {
    'jobs': 'job:s user:s arrival:t first_start:t maps_end:t end:t turn_around:t node_local:n rack_local:n off_rack:n '
            'racks:n shuffle_bytes:n cross_rack_shuffle_bytes:f cross_rack_map_bytes:n',
    'users': 'user:s jobs:n slot_seconds:t active_seconds:t mean_slots:f turn_around:f'}
NEEDS = {'memory_bytes': ('K629', int), 'cpu': ('K630', millionths)}        # with their codes and units
PRICES = 'from!:time map:[int] reduce:[int] out:[int] in:[int] fabric:[int]'
CROSSING = form('{makespan!:time windows!:[{%s cross!:int}] value!:str}' % PRICES)
Map = namedtuple('Map', 'base input output reach source home')      # a kind of maps; home: the racks with replicas

class Problem(Model):
    known = {'': ('longest-job map-slots reduce-slots rack-lp', 'job:str prices:{%s}' % PRICES)}
    own, letter = 'rack locality read_across', 't'
    options = {'measure-from': DOUBLE, 'measure-until': DOUBLE}
    objective = Model.makespan
    algorithms = 'fair delay drf shufflewatcher sw-drf sw-relaxed best'

    def __init__(self, *args):
        super().__init__(*args)
        names, maps, reduces = self.workers_of(), self.listed('map'), self.listed('reduce')
        self.at, above = lru_cache(maxsize=None)(self.at), self.work.above
        racks = [next((r.id for r in above(n) if r.kind == 'rack'), n.parent or 'cluster') for n in self.workers]
        self.racks, rows = list(dict.fromkeys(racks)), {t.id: t for t in self.tables.topology}
        self.rack, self.band = [self.racks.index(n) for n in racks], [limit(n) for n in self.workers]
        self.uplink = [limit(rows.get(r, Row())) for r in self.racks]
        self.fabric = list(group(zip(self.rack, self.band), sum).values())
        for j, job in enumerate(self.jobs):
            reduces[j] = reduces[j] or [Row(id='%s.r%d' % (job.id, i + 1)) for i in range(job.reduces or 0)]
        self.maps, self.reduces = ([[self.add_task(t.id, j, kind) for t in some] for j, some in enumerate(rows)]
                                   for kind, rows in (('map', maps), ('reduce', reduces)))
        self.ready(names)
        self.listed_maps, self.r, self.row = maps, list(map(len, reduces)), [t for ts in maps + reduces for t in ts]
        need(all(any(n[kind + '_slots'] and all(t.get(x, 0) <= n.get(x, INF) for x in NEEDS) for n in self.workers)
                 for t, kind in zip(self.row, self.kind_of)), 'a task fits no worker')
        self.users = list(dict.fromkeys(j.tenant or '' for j in self.jobs))
        self.arrival, self.user = [j.release for j in self.jobs], [self.users.index(j.tenant or '') for j in self.jobs]
        self.release = [max(self.arrival[j], r.release or 0) for j, r in zip(self.job_of, self.row)]
        self.out = [x for job in zip(self.jobs, maps, self.r) for x in self.outputs_of(*job)] + [0] * sum(self.r)
        self.v = [sum(self.out[t] for t in ms) for ms in self.maps]
        self.base = list(map(self.base_of, self.job_of, self.kind_of, self.row))
        workers = {n.id: i for i, n in enumerate(self.workers)}
        holds = group((p.block, workers[p.node]) for p in self.tables.placements if p.node in workers)
        self.replicas = [holds.get(r.block, []) if k == 'map' else [] for k, r in zip(self.kind_of, self.row)]
        self.wrote = any(r.output_bytes for some in reduces for r in some)
        self.writes = self.wrote and len(self.racks) > 1

    def size_of(self, j, kind, row):
        """The bytes that a task processes."""
        if kind == 'map': return row.input_bytes or 0
        return (self.v[j] if self.maps[j] or 'kind' in row else self.jobs[j].intermediate_bytes or 0) // self.r[j]

    def base_of(self, j, kind, row):
        """The base time of a task."""
        if 'processing_time' in row: return float(row.processing_time)
        job, rate = self.jobs[j], self.jobs[j].get(kind + '_bytes_per_s') or INF
        return float(job.task_overhead or 0) + float(self.size_of(j, kind, row)) * 1e6 / rate

    @staticmethod
    def outputs_of(job, maps, r):
        """What each map of a job with r reduces puts out."""
        read, put = [t.input_bytes or 0 for t in maps], [t.output_bytes for t in maps]
        if r and None not in put: return put
        total = job.get('intermediate_bytes', rounded((job.shuffle_ratio or 0.0) * float(sum(read)))) if r else 0
        upto = list(accumulate(read if any(read) else [1] * len(read), initial=0))
        return [total * b // upto[-1] - total * a // upto[-1] for a, b in zip(upto, upto[1:])]

    def at(self, t, machine):
        """What a task does on a slot: its job, worker, racks, locality, microseconds and bytes."""
        (w, _), row, band, up = self.slots[machine], self.row[t], self.band, self.uplink
        k, n, racks = self.rack[w], len(self.racks), [self.rack[r] for r in self.replicas[t]]
        x = Row(worker=w, rack=k, compute=rounded(self.base[t] / self.speed[w]), input=row.input_bytes or 0,
                where='node', read=0, output=0, write=0)
        if racks and w not in self.replicas[t]:
            x.source = a = k if k in racks else racks[t % len(racks)]
            x.where = 'rack' if a == k else 'remote'
            x.read = transfer(x.input, band[w], *([] if a == k else [up[a], up[k]]))
        if self.kind_of[t] == 'reduce' and n > 1 and row.output_bytes:
            x.output, x.target = row.output_bytes, (k + 1 + t % (n - 1)) % n
            x.write = transfer(x.output, band[w], up[k], up[x.target], self.fabric[x.target])
        return x

    def runs(self, rows, kind):
        """The runs of a kind with what they do."""
        return [(r, self.at(r.task, r.machine)) for r in rows if r.kind == kind]

    def cells(self, row):
        x, read = self.at(row.task, row.machine), row.kind == 'map'
        return [self.racks[x.rack], x.where if read else '', str(x.input * (x.where == 'remote')) if read else '']

    def maps_end(self, rows):       # E_j
        return self.ends([r for r in rows if r.kind == 'map'], self.arrival)

    def rules(self, rows, rep):
        self.kinds_fit(rows, rep)
        rows = list(self.once(rows, rep).values())
        ends = self.maps_end(rows)
        for r in rows: rep.when(r.start < self.release[r.task], 'K605', r.name + ' is released later')
        for r, x in self.runs(rows, 'map'):
            more = r.end - r.start - x.compute
            rep.when(more < x.read or more > 0 and x.where == 'node', 'K604', r.name + ' takes another time')
        for r, x in self.runs(rows, 'reduce'):
            rep.when(r.end < max(r.start, ends[r.job]) + x.compute + x.write, 'K606', r.name + ' ends too early')
        self.overlaps(rows, rep)
        for w, mine in group((self.slots[r.machine][0], r) for r in rows).items():
            for x, (code, unit) in NEEDS.items():
                if x in self.workers[w]:
                    self.room(mine, code, lambda r: unit(self.row[r.task].get(x, 0)), unit(self.workers[w][x]), rep)
        self.links(rows, rep)

    def outputs(self, rows):
        """O_ja and F_ja by job and rack."""
        some = [((r.job, x.rack), self.out[r.task], r.end) for r, x in self.runs(rows, 'map') if self.out[r.task]]
        return group(((at, x) for at, x, _ in some), sum), group(((at, end) for at, _, end in some), min)

    def transfers(self, rows):
        """All transfers as (what, run, from rack, to rack, begin, until, bytes, by how many to divide these)."""
        (o, f), ends = self.outputs(rows), self.maps_end(rows)
        for r, x in self.runs(rows, 'map'):
            if x.where != 'node' and x.input:
                yield 'map', r, x.source, x.rack, r.start, r.end - x.compute, x.input, 1
        for r, x in self.runs(rows, 'reduce'):
            for (j, a), size in o.items():
                if j == r.job and size > 0:
                    yield 'shuffle', r, a, x.rack, max(r.start, f[j, a]), r.end - x.compute - x.write, size, self.r[j]
            if x.output:
                yield 'write', r, x.rack, x.target, max(r.start, ends[r.job]) + x.compute, r.end, x.output, 1

    def links(self, rows, rep):
        """K627: whether the links can carry what has to cross them."""
        loads = {}
        for what, r, a, b, begin, until, size, parts in self.transfers(rows):
            own, load = self.slots[r.machine][0], (begin, Fraction(size * 10 ** 6, parts), -until, r.task)
            for kind, x, rate, over in (('fabric', b, self.fabric[b], True), ('out', a, self.uplink[a], a != b), (
                    'in', b, self.uplink[b], a != b), ('own', r.task, self.band[own], what == 'shuffle')):
                if over and rate < INF: loads.setdefault((kind, x, rate), []).append(load)
        for (kind, x, rate), some in loads.items():
            slack = 10 + Fraction(10 ** 6 * len({t for *_, t in some}), rate)
            last = {i: end for i, _, end, _ in pieces([x[:3] for x in some], Steps([min(some)[0]], [rate]))}
            late = any(end > (slack - some[i][2]) * rate for i, end in last.items())      # `end` is a time of `rate`
            rep.when(late, 'K627', 'the link %s %d cannot carry its loads in time' % (kind, x))

    def uses(self):
        drf = self.algorithm in ('drf', 'sw-drf', 'best')
        stated, has = set().union(*self.tasks), set().union(*self.workers)              # columns
        jobs = [(job, ms) for job, ms, r in zip(self.jobs, self.listed_maps, self.r)
                if r and any('output_bytes' not in x for x in ms or [{}])]
        self.use(('machines', not self.tables.topology), ('tasks.block', self.tables.placements != []),
                 ('topology.memory_bytes', 'memory_bytes' in stated), ('tasks.memory_bytes', 'memory_bytes' in has),
                 ('tasks.cpu', drf or 'cpu' in has), ('tasks.input_bytes', [x for ms in self.listed_maps for x in ms]),
                 ('topology.cpu', 'cpu' in stated or drf and 'memory_bytes' in stated and all(
                     'memory_bytes' in x for x in self.workers)), ('jobs.intermediate_bytes', [j for j, _ in jobs]),
                 ('jobs.shuffle_ratio', [j for j, ms in jobs if any(x.input_bytes for x in ms)
                                         and 'intermediate_bytes' not in j]))
        for x, j, kind in zip(self.row, self.job_of, self.kind_of):
            rate = self.size_of(j, kind, x) or 'task_overhead' not in self.jobs[j]
            self.use(('jobs.task_overhead' + ' jobs.%s_bytes_per_s' % kind * bool(rate), [self.jobs[j]][
                'processing_time' in x:]))

    def crossing(self, rows):
        """The shuffle bytes of each job that cross racks."""
        at, r = Counter((r.job, x.rack) for r, x in self.runs(rows, 'reduce')), self.r
        return Counter(group(((j, Fraction(x * max(0, r[j] - at[j, a]), r[j] or 1))
                              for (j, a), x in self.outputs(rows)[0].items()), sum))

    def places(self, rows):
        """How many runs of maps are at each locality, and what they read from other racks."""
        read = group((x.where, x.input) for _, x in self.runs(rows, 'map'))
        return [len(read.get(place, [])) for place in ('node', 'rack', 'remote')], sum(read.get('remote', []))

    def metrics(self, rows):
        (where, read), shuffle = self.places(rows), sum(self.crossing(rows).values())
        wrote, ends = sum(x.output for _, x in self.runs(rows, 'reduce')), self.ends(rows, self.arrival)
        low, until = (micro(self.params['measure-' + k]) for k in ('from', 'until'))
        high = max(low, until or max([r.end for r in rows], default=0))
        done = [j for j, e in enumerate(ends) if low <= e <= high]
        took, n = sorted(ends[j] - self.arrival[j] for j in done), len(done)
        inputs = sum(self.row[t].input_bytes or 0 for j in done for t in self.maps[j])
        x = [float(s) / float(a) for s, a in zip(*self.user_times(rows, ends)) if a > 0]
        total, squares = (list(accumulate(v, initial=0.0))[-1] for v in (x, [y * y for y in x]))    # as doubles
        hour = Fraction(3600 * 10 ** 6, high - low) if high > low else None
        return shown(
            n={'cross_rack_map_bytes': read, 'shuffle_bytes': sum(self.v), 'jobs_done': n,
               **dict(zip(('node_local', 'rack_local', 'off_rack'), where)),
               'cross_rack_write_bytes': wrote if self.writes else None,
               'jain': '%.6f' % (total * total / (float(len(x)) * squares)) if squares > 0 else None},
            f={'cross_rack_bytes': shuffle + read + wrote, 'cross_rack_shuffle_bytes': shuffle,
               'turn_around': mean(sum(took), n), 'jobs_per_hour': hour and hour * n,
               'input_bytes_per_hour': hour and hour * inputs},
            t={'turn_around_p%d' % p: took[-(-n * p // 100) - 1] for p in (50, 95) if took})

    def user_times(self, rows, ends):
        slot, active, last = ([x] * len(self.users) for x in (0, 0, -INF))
        for r in rows: slot[self.user[r.job]] += r.end - r.start
        for a, b, u in sorted(zip(self.arrival, ends, self.user)):
            active[u] += max(0, b - max(a, last[u]))
            last[u] = max(b, last[u])
        return slot, active

    def derived_tables(self, rows):
        ends, cross, first = self.ends(rows, self.arrival), self.crossing(rows), self.first_starts(rows)
        jobs, users = [], []
        for j, (job, v, came, end) in enumerate(zip(self.jobs, self.v, self.arrival, ends)):
            mine = [r for r in rows if r.job == j]
            (where, read), racks = self.places(mine), len({self.at(r.task, r.machine).rack for r in mine})
            maps = max([r.end for r in mine if r.kind == 'map'], default=None)
            jobs.append([job.id, job.tenant, came, first[j], maps, end, end - came, *where, racks, v, cross[j], read])
        for u, (name, slot, active) in enumerate(zip(self.users, *self.user_times(rows, ends))):
            took = [e - a for e, a, v in zip(ends, self.arrival, self.user) if v == u]
            users.append([name, len(took), slot, active, Fraction(slot, active) if active else None,
                          mean(sum(took), len(took))])
        return {name: table(head, some) for (name, head), some in zip(HEADS.items(), (jobs, users))}

    def facts(self, rows, run, _, rep):
        """Step 16: the bound on the bytes that cross racks and its proof."""
        stated, proof = run.get('cross_rack_bytes_bound'), run.get('cross_rack_certificate')
        with rep.catch('K615'):
            value = Fraction(sum(x.output for _, x in self.runs(rows, 'reduce')))
            if proof is not None:
                proof = take(proof, CROSSING)[0]
                begins, crosses = [w['from'] for w in proof.windows], {w.cross for w in proof.windows}
                need(proof.makespan == max(r.end for r in rows) and 1 <= len(begins) <= 8, 'makespan or windows')
                need(begins == sorted(set(begins)) and len(crosses) == 1 and min(crosses) >= 1, 'windows')
                n, d = Proof(self).total(proof.windows)
                value += Fraction(n - d * proof.makespan, *crosses) / 10 ** 6
                need(proof.value == str(value), 'the value is %s' % value)
            rep.same('K615', 'metrics.run.cross_rack_bytes_bound', write_json(stated), text(value))

def proven(m, cert):
    """What a certificate proves."""
    p, method, q = Proof(m), cert.method, cert.prices
    need(bool(cert.job) == (method == 'longest-job') == (q is None), 'job or prices')
    if cert.job:
        need(cert.job in m.job_index, 'no such job')
        x = p.info[m.job_index[cert.job]]
        return Fraction(max(x.MU + x.RT, x.MF + x.LM + x.RH, x.RU), 10 ** 6)
    need(method == 'rack-lp' or not any(q[k] for k in q if k not in ('from', method.split('-')[0])), 'other prices')
    n, d = p.total([q])
    need(d > 0, 'no prices, or no jobs from there on')
    return Fraction(n, d * 10 ** 6)

class Proof:
    """What certificates need of an instance."""

    def __init__(self, m):
        self.m, self.jobs = m, [j for j in range(len(m.jobs)) if m.maps[j] or m.r[j]]
        alike = group(zip(zip(m.rack, m.speed, m.band), m.workers))
        self.places = [Row(rack=rack, speed=speed, band=band, map=sum(n.map_slots for n in some),
                           reduce=sum(n.reduce_slots for n in some)) for (rack, speed, band), some in alike.items()]
        self.rates = {kind: [p[kind] * 10 ** 6 for p in self.places] for kind in ('map', 'reduce')}
        self.rates.update({'out': m.uplink, 'in': m.uplink, 'fabric': m.fabric})
        self.later = any(r > m.arrival[j] for r, j in zip(m.release, m.job_of))
        self.kinds = list(map(self.kinds_of, m.maps))
        self.info = [self.times(j) for j in range(len(m.jobs))]

    def kinds_of(self, maps):
        """What is known of each map of a job; base, input and output are the least of its kind (by 16 bits)."""
        m, of = self.m, []
        for t in maps:
            racks, x = [m.rack[w] for w in m.replicas[t]], (m.base[t], m.row[t].input_bytes or 0, m.out[t])
            source = racks[t % len(racks)] if racks else None
            parts = [(int(f * 65536), e) for f, e in map(math.frexp, map(float, x))]
            of.append(((*parts, m.uplink[source] if racks else INF), x, source, frozenset(racks)))
        least = group(((key, x) for key, x, *_ in of), lambda some: tuple(map(min, zip(*some))))
        return [Map(*least[key], key[-1], source, home) for key, _, source, home in of]

    def takes(self, times, kind):
        """The time that tasks need at least on all slots of a kind."""
        return max([*times, -(-sum(times) // sum(p[kind] for p in self.places))]) if times else 0

    def phase(self, bases, kind):
        """Shortest and takes of PHASE."""
        speed = max((p.speed for p in self.places if p[kind]), default=0)
        need(speed or not bases, 'no slots')
        times = [rounded(b / speed) for b in bases]
        return min(times, default=0), self.takes(times, kind)

    def times(self, j):
        """MF, MU, LM, MT, RF, RU, LR, RT, RH of a job."""
        m, release, out, reduces = self.m, self.m.arrival[j], Row(), [self.m.base[t] for t in self.m.reduces[j]]
        for x, kind, tasks, bases in (('M', 'map', m.maps[j], [k.base for k in self.kinds[j]]),
                                      ('R', 'reduce', m.reduces[j], reduces)):
            out['L' + x], out[x + 'T'] = self.phase(bases, kind)
            out[x + 'F'], out[x + 'U'] = release, release + (out.MT if kind == 'map' else 0)
            if self.later and tasks:
                at = {m.release[t] for t in tasks}
                out[x + 'F'], out[x + 'U'] = min(at), max([release] + [
                    a + self.phase([m.base[t] for t in tasks if m.release[t] >= a], kind)[1] for a in at])
        out.RH = self.takes([min(max(0, transfer(m.v[j] // m.r[j] - 1, p.band) - 10) + rounded(b / p.speed)
                                 for p in self.places if p.reduce) for b in reduces if m.v[j]], 'reduce')
        return out

    def prices(self, q):
        """Complete lists of prices."""
        q = Row(q, cross=q.cross or 0)
        for kind, rates in self.rates.items():
            q[kind] = numbers(q[kind] or [0] * len(rates), len(rates), 2 ** 56 + 1, 'prices')
            need(all(y == 0 or rate < INF for y, rate in zip(q[kind], rates)), 'a link without limit')
        return q

    def least(self, q, kind, rack, base, size=0, *links):
        """What a task pays at least for a slot of a rack, with bytes to read over links and those of the places."""
        return min((pay(rounded(base / p.speed) + transfer(size, p.band, *links), y) for y, p in zip(
            q[kind], self.places) if p[kind] and p.rack == rack), default=INF)

    def cost(self, q, j):
        """c_j."""
        m, plain, r, v, racks = self.m, 0, self.m.r[j], self.m.v[j], range(len(self.m.racks))
        total = [0] * len(racks)
        for x, number in Counter(self.kinds[j]).items():
            here = []
            for k in racks:
                near, far = (self.least(q, 'map', k, x.base, y, x.reach, m.uplink[k]) for y in (0, x.input))
                if far < INF:
                    far += pay(x.input, q['in'][k] + q.fabric[k] + q.cross)
                    far += pay(x.input, q.out[x.source]) if x.home else 0
                here.append(far if x.home and k not in x.home else near)
            plain += number * min(here)
            far = min(here[k] + pay(x.output, q.out[k] + q.cross) for k in racks)
            total = [y + number * min(here[k], far + pay(x.output, q['in'][k])) for k, y in enumerate(total)]
        slots = [(number, [self.least(q, 'reduce', k, base) for k in racks])
                 for base, number in Counter(m.base[t] for t in m.reduces[j]).items()]
        if not (v and r): return plain + sum(n * min(ys) for n, ys in slots)
        return sum(n * min(r * y + v * q.fabric[k] + total[k] for k, y in enumerate(ys)) for n, ys in slots) // r

    def total(self, windows):
        """N and D of windows of prices; a job pays those of the last one up to its release and of those before."""
        windows = list(map(self.prices, windows))
        sums = list(accumulate(windows, lambda p, q: Row(q, **{k: list(map(add, p[k], q[k])) for k in self.rates})))
        parts = list(map(self.sums, windows))
        for j in self.jobs:
            at = [q for q in sums if q['from'] <= self.m.arrival[j]]
            parts += [(10 ** 6 * self.cost(at[-1], j), 0)] if at else []
        return map(sum, zip(*parts))

    def sums(self, q):
        """N without the jobs' part, and D, for some prices."""
        m, x, js, n, d = self.m, self.info, [j for j in self.jobs if self.m.arrival[j] >= q['from']], 0, 0
        if not js: return 0, 0
        first, able = min(m.arrival[j] for j in js), {p.rack for p in self.places if p.map}
        uses = {'map': [(x[j].MF, x[j].RT) for j in js if m.maps[j]],
                'reduce': [(max(x[j].MU, x[j].RF), 0) for j in js if m.r[j]]}
        links = [(x[j].MF, x[j].LM + x[j].RT) for j in js if any(
            k.input and k.home and able - k.home for k in self.kinds[j])]
        links += [(x[j].MF + x[j].LM, x[j].LR) for j in js if m.v[j] > 0 and m.r[j] > 0]
        loads = sum(bool(k.input and k.home) for ks in self.kinds for k in ks) + sum(
            r for r, v in zip(m.r, m.v) if m.wrote or v > 0)
        for kind, rates in self.rates.items():
            edge = sum(map(min, zip(*(uses.get(kind, links) or [(first, 0)]))))        # h + t
            for y, rate in ((y, rate) for y, rate in zip(q[kind], rates) if y):
                lost = 0 if kind in uses else 20 * rate + 10 ** 6 * (loads + 1)
                n, d = n + y * (rate * edge - lost), d + y * rate
        return n, d
