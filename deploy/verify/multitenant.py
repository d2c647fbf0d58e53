"""multitenant: users who share racks; rules, links, metrics, tables, certificates."""
import math
from collections import Counter
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate

from model import DOUBLE, Model, mean, shown, table
from proofs import Steps, numbers, pieces
from result import form, take
from values import INF, Row, exact, group, micro, millionths, need, rounded, text

HEADS = {
    'jobs': 'job:s user:s arrival:t first_start:t maps_end:t end:t turn_around:t node_local:n rack_local:n off_rack:n '
            'racks:n shuffle_bytes:n cross_rack_shuffle_bytes:f cross_rack_map_bytes:n',
    'users': 'user:s jobs:n slot_seconds:t active_seconds:t mean_slots:f turn_around:f',
    'fetches': 'task:s job:s rack:s fetched:f fetched_across:f',
    'traffic': 'from:t until:t rack:s shuffle_out:n shuffle_in:n map_out:n map_in:n'}
WRITE = ' write_out:n write_in:n'
COLUMN = {'shuffle': 0, 'map': 2, 'write': 4}
PLACES = 'node', 'rack', 'remote'
PRICES = 'from!:time map:[int] reduce:[int] out:[int] in:[int] fabric:[int]'
CROSSING = form('{makespan!:time windows!:[{%s cross!:int}] value!:str}' % PRICES)

def limit(row):
    """A bandwidth as whole bytes a second, or None."""
    b = row.bandwidth_bytes_per_s
    return None if b is None or b > 1e12 else max(1, rounded(exact(b)))

def pay(x, price):
    """A product that must be below 2^59."""
    need(x * price < 2 ** 59, 'prices are too high')
    return x * price

def transfer(b, *rates):
    """Microseconds that bytes take over links."""
    return max([min(2 ** 60, b * 10 ** 6 // x) for x in rates if x is not None], default=0)

class Problem(Model):
    known = {'': ('longest-job map-slots reduce-slots rack-lp', 'job:str prices:{%s}' % PRICES)}
    own, letter = 'rack locality read_across', 't'
    options = {'measure-from': DOUBLE, 'measure-until': DOUBLE}
    objective = Model.makespan
    algorithms = 'fair delay drf shufflewatcher sw-drf sw-relaxed sw-spill best'

    def __init__(self, *args):
        super().__init__(*args)
        names, maps, reduces = self.workers_of(), self.listed('map'), self.listed('reduce')
        self.at = lru_cache(maxsize=None)(self.at)
        self.network()
        for j, job in enumerate(self.jobs):
            reduces[j] = reduces[j] or [Row(id='%s.r%d' % (job.id, i + 1)) for i in range(job.reduces or 0)]
        self.maps, self.reduces = ([[self.add_task(t.id, j, kind) for t in some] for j, some in enumerate(rows)]
                                   for kind, rows in (('map', maps), ('reduce', reduces)))
        self.ready(names)
        self.row, self.r = [t for some in maps + reduces for t in some], list(map(len, reduces))
        for t, kind in zip(self.row, self.kind_of):
            some = (n for n in self.workers if n[kind + '_slots'] and (t.cpu or 0) <= n.get('cpu', INF))
            need(any((t.memory_bytes or 0) <= n.get('memory_bytes', INF) for n in some), 'a task fits no worker')
        self.arrival, users = [j.release for j in self.jobs], [j.tenant or '' for j in self.jobs]
        self.users = list(dict.fromkeys(users))
        self.user = [self.users.index(u) for u in users]
        self.release = [max(self.arrival[j], r.release or 0) for j, r in zip(self.job_of, self.row)]
        self.out = [x for j, ms in enumerate(maps) for x in self.outputs_of(self.jobs[j], ms, self.r[j])]
        self.out += [0] * sum(self.r)
        self.v = [sum(self.out[t] for t in ms) for ms in self.maps]
        self.base = list(map(self.base_of, self.job_of, self.kind_of, self.row))
        workers = {n.id: i for i, n in enumerate(self.workers)}
        holds = group((p.block, workers[p.node]) for p in self.tables.placements if p.node in workers)
        self.replicas = [holds.get(r.block, []) if k == 'map' else [] for k, r in zip(self.kind_of, self.row)]
        self.wrote = any(r.output_bytes for some in reduces for r in some)
        self.writes = self.wrote and len(self.racks) > 1

    def network(self):
        """Racks and the limits of links."""
        above, rows = [self.work.above(n)[1:] for n in self.workers], {t.id: t for t in self.tables.topology}
        names = [next((r.id for r in a if r.kind == 'rack'), n.parent or 'cluster')
                 for n, a in zip(self.workers, above)]
        self.racks = list(dict.fromkeys(names))
        self.rack, self.band = [self.racks.index(n) for n in names], [limit(n) for n in self.workers]
        self.uplink, bands = [limit(rows.get(r, Row())) for r in self.racks], group(zip(self.rack, self.band))
        self.fabric = [None if None in bands[k] else sum(bands[k]) for k in range(len(self.racks))]

    def base_of(self, j, kind, row):
        """The base time of a task."""
        job, size, rate = self.jobs[j], row.input_bytes or 0, self.jobs[j].get(kind + '_bytes_per_s')
        if kind == 'reduce':
            implied = not self.maps[j] and 'kind' not in row
            size = (job.intermediate_bytes or 0 if implied else self.v[j]) // self.r[j]
        more = float(size) * 1e6 / rate if size and rate else 0.0
        return float(row.processing_time) if 'processing_time' in row else float(job.task_overhead or 0) + more

    @staticmethod
    def outputs_of(job, maps, r):
        """What each map of a job puts out."""
        read, put = [t.input_bytes or 0 for t in maps], [t.output_bytes for t in maps]
        if None not in put or not r:
            return put if r else [0] * len(put)
        total = job.get('intermediate_bytes', rounded((job.shuffle_ratio or 0.0) * float(sum(read))))
        upto = list(accumulate(read if sum(read) else [1] * len(read), initial=0))
        return [total * b // upto[-1] - total * a // upto[-1] for a, b in zip(upto, upto[1:])]

    def at(self, t, machine):
        """What a task does on a slot: its job, worker, racks, locality, microseconds and bytes."""
        (w, _), row, band, up = self.slots[machine], self.row[t], self.band, self.uplink
        k, n, racks = self.rack[w], len(self.racks), [self.rack[r] for r in self.replicas[t]]
        x = Row(worker=w, rack=k, compute=rounded(self.base[t] / self.speed[w]), where='node',
                source=k, input=row.input_bytes or 0, read=0, output=0, target=k, write=0)
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

    def maps_end(self, rows):
        """E_j."""
        return self.ends([r for r in rows if r.kind == 'map'], self.arrival)

    def rules(self, rows, rep):
        self.kinds_fit(rows, rep)
        rows = list(self.once(rows, rep).values())
        ends = self.maps_end(rows)
        for r in rows:
            rep.when(r.start < self.release[r.task], 'K605', r.name + ' is released later')
        for r, x in self.runs(rows, 'map'):
            took = r.end - r.start
            wrong = took != x.compute if x.where == 'node' else took < x.compute + x.read
            rep.when(wrong, 'K604', r.name + ' takes another time')
        for r, x in self.runs(rows, 'reduce'):
            early = r.end < max(r.start, ends[r.job]) + x.compute + x.write
            rep.when(early, 'K606', r.name + ' ends too early')
        self.overlaps(rows, rep)
        for w, mine in group((self.slots[r.machine][0], r) for r in rows).items():
            for key, code, amount in (('memory_bytes', 'K629', int), ('cpu', 'K630', millionths)):
                if key in self.workers[w]:
                    self.room(mine, code, lambda r: amount(self.row[r.task].get(key, 0)),
                              amount(self.workers[w][key]), rep)
        self.links(rows, rep)

    def outputs(self, rows):
        """O_ja and F_ja by job and rack."""
        some = [((r.job, x.rack), self.out[r.task], r.end) for r, x in self.runs(rows, 'map')]
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
                    until = r.end - x.compute - x.write
                    yield 'shuffle', r, a, x.rack, max(r.start, f[j, a]), until, size, self.r[j]
            if x.output:
                yield 'write', r, x.rack, x.target, max(r.start, ends[r.job]) + x.compute, r.end, x.output, 1

    def links(self, rows, rep):
        """K627: whether the links can carry what has to cross them."""
        loads = {}
        for what, r, a, b, begin, until, size, parts in self.transfers(rows):
            keys = [('fabric', b, self.fabric[b])]
            keys += [('out', a, self.uplink[a]), ('in', b, self.uplink[b])] if a != b else []
            keys += [('own', r.task, self.band[self.slots[r.machine][0]])] if what == 'shuffle' else []
            for k in keys:
                loads.setdefault(k, []).append((begin, Fraction(size * 10 ** 6, parts), -until, r.task))
        for (kind, x, rate), some in loads.items():
            if rate is not None:
                slack = 10 + Fraction(10 ** 6 * len({t for *_, t in some}), rate)
                last = {i: end for i, _, end, _ in pieces([x[:3] for x in some], Steps([min(some)[0]], [rate]))}
                late = any(end > slack - some[i][2] for i, end in last.items())
                rep.when(late, 'K627', 'the link %s %d cannot carry its loads in time' % (kind, x))

    def uses(self):
        t, rows, drf = self.tables, self.row, self.algorithm in ('drf', 'sw-drf', 'best')
        memory, maps = any('memory_bytes' in x for x in t.tasks), [rows[x] for ms in self.maps for x in ms]
        need = [(job, [rows[x] for x in ms]) for job, ms, r in zip(self.jobs, self.maps, self.r) if r]
        need = [(job, ms) for job, ms in need if not ms or any('output_bytes' not in x for x in ms)]
        self.use(('machines', not t.topology), ('tasks.block', t.placements != []), ('topology.memory_bytes', memory),
                 ('tasks.cpu', drf or any('cpu' in x for x in self.workers)), ('tasks.input_bytes', maps),
                 ('tasks.memory_bytes', any('memory_bytes' in x for x in self.workers)),
                 ('topology.cpu', any('cpu' in x for x in t.tasks) or drf and memory and all(
                     'memory_bytes' in x for x in self.workers)), ('jobs.intermediate_bytes', [j for j, _ in need]),
                 ('jobs.shuffle_ratio', [j for j, ms in need if any(x.input_bytes for x in ms)
                                         and 'intermediate_bytes' not in j]))
        for x, j, kind in zip(rows, self.job_of, self.kind_of):
            if 'processing_time' not in x:
                self.use(('jobs.task_overhead jobs.%s_bytes_per_s' % kind, [self.jobs[j]]))

    def crossing(self, rows):
        """The shuffle bytes of each job that cross racks."""
        at, out = group((r.job, x.rack) for r, x in self.runs(rows, 'reduce')), [0] * len(self.jobs)
        for (j, a), x in self.outputs(rows)[0].items():
            out[j] += Fraction(x * max(0, self.r[j] - at.get(j, []).count(a)), self.r[j] or 1)
        return out

    def places(self, rows):
        """How many runs of maps are at each locality, and what they read from other racks."""
        maps = [(x.where, x.input) for _, x in self.runs(rows, 'map')]
        return [[p for p, _ in maps].count(x) for x in PLACES], sum(size for p, size in maps if p == 'remote')

    def metrics(self, rows):
        (where, read), shuffle = self.places(rows), sum(self.crossing(rows))
        wrote, ends = sum(x.output for _, x in self.runs(rows, 'reduce')), self.ends(rows, self.arrival)
        low, until = (micro(self.params['measure-' + k]) for k in ('from', 'until'))
        high = max(low, until or max([r.end for r in rows], default=0))
        done = [j for j, e in enumerate(ends) if low <= e <= high]
        took, n, total, squares = sorted(ends[j] - self.arrival[j] for j in done), len(done), 0.0, 0.0
        inputs = sum(self.row[t].input_bytes or 0 for j in done for t in self.maps[j])
        x = [float(s) / float(a) for s, a in zip(*self.user_times(rows, ends)) if a > 0]
        for v in x:
            total, squares = total + v, squares + v * v
        jain = {'jain': '%.6f' % (total * total / (float(len(x)) * squares))} if squares > 0 else {}
        hour = Fraction(3600 * 10 ** 6, high - low) if high > low else None
        return {**jain, **shown(
            n={'cross_rack_map_bytes': read, 'shuffle_bytes': sum(self.v), 'jobs_done': n,
               'unfair_starts': self.unfair(rows), **dict(zip(('node_local', 'rack_local', 'off_rack'), where)),
               'cross_rack_write_bytes': wrote if self.writes else None},
            f={'cross_rack_bytes': shuffle + read + wrote, 'cross_rack_shuffle_bytes': shuffle,
               'turn_around': mean(sum(took), n), 'jobs_per_hour': hour and hour * n,
               'input_bytes_per_hour': hour and hour * inputs},
            t={'turn_around_p%d' % p: took[-(-n * p // 100) - 1] for p in (50, 95) if took})}

    def user_times(self, rows, ends):
        slot, active, last = [0] * len(self.users), [0] * len(self.users), {}
        for r in rows:
            slot[self.user[r.job]] += r.end - r.start
        for a, b, u in sorted(zip(self.arrival, ends, self.user)):
            a = max(a, last.get(u, a))
            active[u] += max(0, b - a)
            last[u] = max(a, b)
        return slot, active

    def unfair(self, rows):
        """Starts while another user with fewer running tasks of the kind had one waiting."""
        ends, events, count, running, waiting = self.maps_end(rows), [], 0, Counter(), Counter()
        for r in rows:
            ready = max(self.release[r.task], ends[r.job] if r.kind == 'reduce' else 0)
            waits, own = r.kind == 'map' or r.start >= ends[r.job], (self.user[r.job], r.kind)
            events += [(r.end, 0, own, True), (min(ready, r.start), 1, own, waits), (r.start, 2, own, waits)]
        for (_, what), some in sorted(group((e[:2], e[2:]) for e in events).items()):
            while some:
                own, waits = e = min(some, key=lambda e: (running[e[0]], e))
                some.remove(e)
                fewer = [u for u in range(len(self.users)) if running[u, own[1]] < running[own]]
                count += what == 2 and any(waiting[u, own[1]] > 0 for u in fewer)
                running[own] += what - 1
                waiting[own] += waits * (0, 1, -1)[what]
        return count

    def derived_tables(self, rows):
        ends, cross, first = self.ends(rows, self.arrival), self.crossing(rows), self.first_starts(rows)
        o, jobs, users, fetches = self.outputs(rows)[0], [], [], []
        for j, (job, v, came, end) in enumerate(zip(self.jobs, self.v, self.arrival, ends)):
            mine = [r for r in rows if r.job == j]
            (where, read), racks = self.places(mine), {self.at(r.task, r.machine).rack for r in mine}
            maps = [r.end for r in mine if r.kind == 'map']
            jobs.append([job.id, job.tenant, came, first[j], max(maps, default=None), end, end - came, *where,
                         len(racks), v, cross[j], read])
        for u, (name, slot, active) in enumerate(zip(self.users, *self.user_times(rows, ends))):
            took = [e - a for e, a, v in zip(ends, self.arrival, self.user) if v == u]
            mean_slots = Fraction(slot, active) if active else None
            users.append([name, len(took), slot, active, mean_slots, mean(sum(took), len(took))])
        last = {r.task: r for r in rows}
        for r, x in self.runs([last[t] for t in sorted(last)], 'reduce'):
            v, n = self.v[r.job], self.r[r.job]
            fetches.append([r.name, self.jobs[r.job].id, self.racks[x.rack], Fraction(v, n),
                            Fraction(v - o.get((r.job, x.rack), 0), n)])
        return {name: table(HEADS[name] + (WRITE if name == 'traffic' and self.writes else ''), some)
                for name, some in zip(HEADS, (jobs, users, fetches, self.traffic(rows)))}

    def traffic(self, rows):
        """The rows of the table of bytes by interval and rack."""
        last, cells, width, k = max([max(r.start, r.end) for r in rows], default=0), {}, 10 ** 6, 0
        while last // width + 1 > max(1, 2 ** 21 // len(self.racks)):
            width, k = width // 2 * 5 if k % 3 == 1 else width * 2, k + 1
        for what, r, a, b, begin, until, size, parts in self.transfers(rows):
            i = r.task - self.reduces[r.job][0] if what == 'shuffle' else 0
            size = size * (i + 1) // parts - size * i // parts if a != b else 0
            f, u = max(0, min(begin, until)), max(0, until)
            x, y = f // width, max(f, u - 1) // width
            some = [] if x == y else [size * ((x + 1) * width - f) // (u - f)] + [size * width // (u - f)] * (y - x - 1)
            for z, v in enumerate(some + [size - sum(some)]):
                for rack, column in ((a, COLUMN[what]), (b, COLUMN[what] + 1)):
                    if v:
                        cells.setdefault((x + z, rack), [0] * 6)[column] += v
        return [[x * width, (x + 1) * width, self.racks[k], *c] for (x, k), c in sorted(cells.items())]

    def facts(self, rows, run, _, rep):
        """Step 16: the bound on the bytes that cross racks and its proof."""
        stated, proof = run.get('cross_rack_bytes_bound'), run.get('cross_rack_certificate')
        if stated is not None or proof is not None:
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
                rep.same('K615', 'metrics.run.cross_rack_bytes_bound', stated, text(value))

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
        self.m, self.racks = m, range(len(m.racks))
        self.jobs = [j for j in range(len(m.jobs)) if m.maps[j] or m.r[j]]
        alike = group(zip(zip(m.rack, m.speed, m.band), enumerate(m.workers)))
        self.places = [Row(rack=rack, speed=speed, band=band, map=sum(n.map_slots for _, n in some),
                           reduce=sum(n.reduce_slots for _, n in some)) for (rack, speed, band), some in alike.items()]
        self.later = any(r > m.arrival[j] for r, j in zip(m.release, m.job_of))
        self.kinds = list(map(self.kinds_of, m.maps))
        self.info = [self.times(j) for j in range(len(m.jobs))]

    def kinds_of(self, maps):
        """For each map of a job: base, input, output, reach of its kind (by 16 bits), and the rack that it reads."""
        m, kinds, of = self.m, {}, []
        for t in maps:
            reps, x = m.replicas[t], (m.base[t], m.row[t].input_bytes or 0, m.out[t])
            source = m.rack[reps[t % len(reps)]] if reps else None
            parts = tuple((int(f * 65536), e) for f, e in map(math.frexp, map(float, x)))
            of.append(((parts, m.uplink[source] if reps else None), source))
            kinds[of[-1][0]] = tuple(map(min, kinds.get(of[-1][0], x), x))
        return [(*kinds[key], key[1], source) for key, source in of]

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
            fetch = [max(0, transfer(m.v[j] // m.r[j] - 1, p.band) - 10) for p in some]
            each = [min(x + rounded(b / p.speed) for x, p in zip(fetch, some)) for b in bases['R']]
            out.RH = max(max(each), -(-sum(each) // sum(p.reduce for p in some)))
        return out

    def prices(self, q):
        """Complete lists of prices."""
        m, out = self.m, Row(cross=q.cross or 0, **{'from': q['from']})
        for k, limits in (('map', None), ('reduce', None), ('out', m.uplink), ('in', m.uplink), ('fabric', m.fabric)):
            n = len(self.places if limits is None else limits)
            out[k] = numbers(q[k] or [0] * n, n, 2 ** 56 + 1, 'prices')
            need(not limits or all(y == 0 or x is not None for y, x in zip(out[k], limits)), 'a link without limit')
        return out

    def least(self, q, kind, rack, base, size=0, *links):
        """What a task pays at least for a slot of a rack, with bytes to read over links and those of the places."""
        return min((pay(rounded(base / p.speed) + transfer(size, p.band, *links), y) for y, p in zip(
            q[kind], self.places) if p[kind] and p.rack == rack), default=INF)

    def cost(self, q, j):
        """c_j."""
        m, plain, r, v, cross = self.m, 0, self.m.r[j], self.m.v[j], q.cross
        total, homes = [0] * len(self.racks), (frozenset(m.rack[w] for w in m.replicas[t]) for t in m.maps[j])
        for ((base, size, out, reach, source), home), number in Counter(zip(self.kinds[j], homes)).items():
            here = []
            for k in self.racks:
                near, far = (self.least(q, 'map', k, base, x, reach, m.uplink[k]) for x in (0, size))
                if far < INF:
                    far += pay(size, q['in'][k] + q.fabric[k] + cross) + pay(size, q.out[source] if home else 0)
                here.append(far if home and k not in home else near)
            plain += number * min(here)
            far = min(here[k] + pay(out, q.out[k] + cross) for k in self.racks)
            total = [x + number * min(here[k], far + pay(out, q['in'][k])) for k, x in enumerate(total)]
        slots = {b: [self.least(q, 'reduce', k, b) for k in self.racks] for b in {m.base[t] for t in m.reduces[j]}}
        if not (v and r):
            return plain + sum(min(slots[m.base[t]]) for t in m.reduces[j])
        best = {b: min(r * y + v * q.fabric[k] + total[k] for k, y in enumerate(ys)) for b, ys in slots.items()}
        return sum(best[m.base[t]] for t in m.reduces[j]) // r

    def total(self, windows):
        """N and D of windows of prices; a job pays those of the last one up to its release and of those before."""
        n, d, sums = 0, 0, []
        for q in map(self.prices, windows):
            sums.append(Row({k: [a + b for a, b in zip(sums[-1][k], v)] if sums and isinstance(v, list) else v
                             for k, v in q.items()}))
            x, y = self.sums(q, [j for j in self.jobs if self.m.arrival[j] >= q['from']])
            n, d = n + x, d + y
        for j in self.jobs:
            at = [q for q in sums if q['from'] <= self.m.arrival[j]]
            n += 10 ** 6 * self.cost(at[-1], j) if at else 0
        return n, d

    def sums(self, q, js):
        """N without the jobs' part, and D, for some prices."""
        m, x = self.m, self.info
        if not js:
            return 0, 0
        first, able, n, d = min(m.arrival[j] for j in js), {p.rack for p in self.places if p.map}, 0, 0
        maps, reds = [x[j] for j in js if m.maps[j]], [x[j] for j in js if m.r[j]]
        links = [(x[j].MF, x[j].LM + x[j].RT) for j in js if any(
            m.row[u].input_bytes and m.replicas[u] and able - {m.rack[w] for w in m.replicas[u]} for u in m.maps[j])]
        links += [(x[j].MF + x[j].LM, x[j].LR) for j in js if m.v[j] > 0 and m.r[j] > 0]
        edges = {'map': min((y.MF for y in maps), default=first) + min((y.RT for y in maps), default=0),
                 'reduce': min((max(y.MU, y.RF) for y in reds), default=first)}
        for kind, edge in edges.items():
            weight = sum(y * p[kind] * 10 ** 6 for y, p in zip(q[kind], self.places))
            n, d = n + weight * edge, d + weight
        loads = sum(bool(m.row[u].input_bytes and m.replicas[u]) for ms in m.maps for u in ms) + sum(
            r for r, v in zip(m.r, m.v) if m.wrote or v > 0)
        edge = min((h for h, _ in links), default=first) + min((t for _, t in links), default=0) - 20
        for z, rate in zip(q.out + q['in'] + q.fabric, m.uplink + m.uplink + m.fabric):
            if z:
                n, d = n + z * rate * edge - z * 10 ** 6 * (loads + 1), d + z * rate
        return n, d
