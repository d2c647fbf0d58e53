"""multitenant: users who share racks; the instance, rules, objective, links, metrics and tables."""
from fractions import Fraction
from itertools import accumulate

import multitenant_proofs
from model import Model, mean, shown, table
from proofs import Steps, pieces
from values import Row, exact, group, micro, millionths, rounded

HEADS = {
    'jobs': 'job:s user:s arrival:t first_start:t maps_end:t end:t turn_around:t node_local:n rack_local:n off_rack:n '
            'racks:n shuffle_bytes:n cross_rack_shuffle_bytes:f cross_rack_map_bytes:n',
    'users': 'user:s jobs:n slot_seconds:t active_seconds:t mean_slots:f turn_around:f',
    'fetches': 'task:s job:s rack:s fetched:f fetched_across:f',
    'traffic': 'from:t until:t rack:s shuffle_out:n shuffle_in:n map_out:n map_in:n'}
COLUMN = {'shuffle': 0, 'map': 2, 'write': 4}
PLACES = 'node', 'rack', 'remote'

def limit(row):
    """A bandwidth as whole bytes a second, or None."""
    b = row.bandwidth_bytes_per_s
    return None if b is None or b > 1e12 else max(1, rounded(exact(b)))

def transfer(b, *rates):
    """Microseconds that bytes take over links."""
    return max([min(2 ** 60, b * 10 ** 6 // x) for x in rates if x is not None], default=0)

class MultiTenant(Model):
    known, own, letter = multitenant_proofs.KINDS, 'rack locality read_across', 't'
    options = {'measure-from': r'n[\d.]+', 'measure-until': r'n[\d.]+'}
    objective, proven, facts = Model.makespan, multitenant_proofs.proven, multitenant_proofs.facts
    algorithms = 'fair delay drf shufflewatcher sw-drf sw-relaxed sw-spill best'

    def __init__(self, *args):
        super().__init__(*args)
        names, reduces, self.row = self.workers_of(), self.listed('reduce'), []
        self.network()
        for j, job in enumerate(self.jobs):
            reduces[j] = reduces[j] or [Row(id='%s.r%d' % (job.id, i + 1)) for i in range(job.reduces or 0)]
        self.maps, self.reduces = self.add_all('map', self.listed('map')), self.add_all('reduce', reduces)
        self.ready(names)
        self.r, self.arrival = list(map(len, self.reduces)), [j.release for j in self.jobs]
        self.users = list(dict.fromkeys(j.tenant or '' for j in self.jobs))
        self.user = [self.users.index(j.tenant or '') for j in self.jobs]
        self.release = [max(self.arrival[j], r.release or 0) for j, r in zip(self.job_of, self.row)]
        self.out, self.v = [0] * len(self.names), [0] * len(self.jobs)
        for j, ms in enumerate(self.maps):
            if self.r[j]:
                self.outputs_of(self.jobs[j], ms)
                self.v[j] = sum(self.out[t] for t in ms)
        self.base = list(map(self.base_of, range(len(self.names))))
        holds = self.holders({n.id: i for i, n in enumerate(self.workers)})
        self.replicas = [holds.get(r.block, []) if k == 'map' else [] for k, r in zip(self.kind_of, self.row)]
        self.writes = any(r.output_bytes for k, r in zip(self.kind_of, self.row) if k == 'reduce')

    def add_all(self, kind, rows):
        """Adds tasks job by job."""
        self.row += [t for some in rows for t in some]
        return [[self.add_task(t.id, j, kind) for t in some] for j, some in enumerate(rows)]

    def network(self):
        """Racks and the limits of links."""
        above, rows = [self.work.above(n)[1:] for n in self.workers], {t.id: t for t in self.tables.topology}
        names = [next((r.id for r in a if r.kind == 'rack'), n.parent or 'cluster')
                 for n, a in zip(self.workers, above)]
        self.racks = list(dict.fromkeys(names))
        self.rack, self.band = [self.racks.index(n) for n in names], [limit(n) for n in self.workers]
        self.uplink, bands = [limit(rows.get(r, Row())) for r in self.racks], group(zip(self.rack, self.band))
        self.fabric = [None if None in bands[k] else sum(bands[k]) for k in range(len(self.racks))]

    def base_of(self, t):
        """The base time of a task."""
        row, j, kind = self.row[t], self.job_of[t], self.kind_of[t]
        job, base = self.jobs[j], float(self.jobs[j].task_overhead or 0)
        alone = kind == 'reduce' and not self.maps[j] and 'kind' not in row
        size = self.input(t) if kind == 'map' else (job.intermediate_bytes or 0 if alone else self.v[j]) // self.r[j]
        rate = job.get(kind + '_bytes_per_s')
        if 'processing_time' in row:
            return float(row.processing_time)
        return base + float(size) * 1e6 / rate if size and rate else base

    def outputs_of(self, job, ms):
        """Sets what each map of a job puts out."""
        read, put = [self.input(t) for t in ms], [self.row[t].output_bytes for t in ms]
        if None in put:
            total = job.get('intermediate_bytes', rounded((job.shuffle_ratio or 0.0) * float(sum(read))))
            upto = list(accumulate(read if sum(read) else [1] * len(read), initial=0))
            put = [total * b // upto[-1] - total * a // upto[-1] for a, b in zip(upto, upto[1:])]
        for t, x in zip(ms, put):
            self.out[t] = x

    def compute(self, t, w):
        """Microseconds of computing."""
        return rounded(self.base[t] / self.speed[w])

    def input(self, t):
        """The bytes that a task reads."""
        return self.row[t].input_bytes or 0

    def source(self, t, w):
        """The rack of the replica that a map reads."""
        racks = [self.rack[r] for r in self.replicas[t]]
        return self.rack[w] if self.rack[w] in racks else racks[t % len(racks)]

    def locality(self, t, w):
        """node, rack or remote."""
        if not self.replicas[t] or w in self.replicas[t]:
            return 'node'
        return 'rack' if self.source(t, w) == self.rack[w] else 'remote'

    def read(self, t, w):
        """Microseconds of reading, unless the locality is node."""
        a, b = self.source(t, w), self.rack[w]
        return transfer(self.input(t), self.band[w], *([] if a == b else [self.uplink[a], self.uplink[b]]))

    def copy(self, t, rack):
        """The rack that gets a copy of what a reduce writes."""
        return (rack + 1 + t % (len(self.racks) - 1)) % len(self.racks)

    def written(self, t):
        """What a reduce writes to another rack."""
        return self.row[t].output_bytes or 0 if self.kind_of[t] == 'reduce' and len(self.racks) > 1 else 0

    def write(self, t, w):
        """Microseconds of writing."""
        if not self.written(t):
            return 0
        k, c = self.rack[w], self.copy(t, self.rack[w])
        return transfer(self.written(t), self.band[w], self.uplink[k], self.uplink[c], self.fabric[c])

    def runs(self, rows, kind):
        """The runs of a kind with their task, job, worker and rack."""
        for r in rows:
            w = self.slots[r.machine][0]
            if self.kind_of[r.task] == kind:
                yield r, r.task, self.job_of[r.task], w, self.rack[w]

    def cells(self, row):
        t, w = row.task, self.slots[row.machine][0]
        where = self.locality(t, w)
        return [self.racks[self.rack[w]]] + (['', ''] if self.kind_of[t] == 'reduce' else [
            where, str(self.input(t) if where == 'remote' else 0)])

    def maps_end(self, rows):
        """E_j."""
        return self.ends([r for r in rows if self.kind_of[r.task] == 'map'], self.arrival)

    def rules(self, rows, rep):
        self.kinds_fit(rows, rep)
        rows = list(self.once(rows, rep).values())
        ends, names = self.maps_end(rows), self.names
        for r in rows:
            rep.when(r.start < self.release[r.task], 'K605', names[r.task] + ' is released later')
        for r, t, _, w, _ in self.runs(rows, 'map'):
            took, c = r.end - r.start, self.compute(t, w)
            wrong = took != c if self.locality(t, w) == 'node' else took < c + self.read(t, w)
            rep.when(wrong, 'K604', names[t] + ' takes another time')
        for r, t, j, w, _ in self.runs(rows, 'reduce'):
            early = r.end < max(r.start, ends[j]) + self.compute(t, w) + self.write(t, w)
            rep.when(early, 'K606', names[t] + ' ends too early')
        self.overlaps(rows, rep)
        for node, mine in group((self.slots[r.machine][0], r) for r in rows).items():
            for key, code, amount in (('memory_bytes', 'K629', int), ('cpu', 'K630', millionths)):
                if key in self.workers[node]:
                    self.room(mine, code, lambda r: amount(self.row[r.task].get(key, 0)),
                              amount(self.workers[node][key]), rep)
        self.links(rows, rep)

    def outputs(self, rows):
        """O_ja and F_ja by job and rack."""
        some = [((j, k), self.out[t], r.end) for r, t, j, _, k in self.runs(rows, 'map')]
        return group(((at, x) for at, x, _ in some), sum), group(((at, end) for at, _, end in some), min)

    def transfers(self, rows):
        """All transfers as (what, run, from rack, to rack, begin, until, bytes, by how many to divide these)."""
        (o, f), ends = self.outputs(rows), self.maps_end(rows)
        for r, t, _, w, k in self.runs(rows, 'map'):
            if self.locality(t, w) != 'node' and self.input(t):
                yield 'map', r, self.source(t, w), k, r.start, r.end - self.compute(t, w), self.input(t), 1
        for r, t, j, w, k in self.runs(rows, 'reduce'):
            c = self.compute(t, w)
            for (i, a), x in o.items():
                if i == j and x > 0:
                    yield 'shuffle', r, a, k, max(r.start, f[j, a]), r.end - c - self.write(t, w), x, self.r[j]
            if self.written(t):
                yield 'write', r, k, self.copy(t, k), max(r.start, ends[j]) + c, r.end, self.written(t), 1

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
        at, out = group((j, k) for _, _, j, _, k in self.runs(rows, 'reduce')), [0] * len(self.jobs)
        for (j, a), x in self.outputs(rows)[0].items():
            out[j] += Fraction(x * max(0, self.r[j] - at.get(j, []).count(a)), self.r[j] or 1)
        return out

    def places(self, rows):
        """How many runs of maps are at each locality, and what they read from other racks."""
        where = [(self.locality(t, w), self.input(t)) for _, t, _, w, _ in self.runs(rows, 'map')]
        return [[p for p, _ in where].count(x) for x in PLACES], sum(size for p, size in where if p == 'remote')

    def metrics(self, rows):
        (where, read), shuffle = self.places(rows), sum(self.crossing(rows))
        wrote, ends, low = sum(self.written(r.task) for r in rows), self.ends(rows, self.arrival), micro(
            self.params.get('measure-from', '0'))
        high = max(low, micro(self.params.get('measure-until', '0')) or max([r.end for r in rows], default=0))
        done = [j for j, e in enumerate(ends) if low <= e <= high]
        took, n, total, squares = sorted(ends[j] - self.arrival[j] for j in done), len(done), 0.0, 0.0
        inputs = sum(self.input(t) for j in done for t in self.maps[j])
        x = [float(s) / float(a) for s, a in zip(*self.user_times(rows, ends)) if a > 0]
        for v in x:
            total, squares = total + v, squares + v * v
        jain = {'jain': '%.6f' % (total * total / (float(len(x)) * squares))} if squares > 0 else {}
        hour = Fraction(3600 * 10 ** 6, high - low) if high > low else None
        return {**jain, **shown(
            n={'cross_rack_map_bytes': read, 'shuffle_bytes': sum(self.v), 'jobs_done': n,
               'unfair_starts': self.unfair(rows), **dict(zip(('node_local', 'rack_local', 'off_rack'), where)),
               'cross_rack_write_bytes': wrote if self.writes and len(self.racks) > 1 else None},
            f={'cross_rack_bytes': shuffle + read + wrote, 'cross_rack_shuffle_bytes': shuffle,
               'turn_around': mean(sum(took), n), 'jobs_per_hour': hour and hour * n,
               'input_bytes_per_hour': hour and hour * inputs},
            t={'turn_around_p%d' % p: took[-(-n * p // 100) - 1] for p in (50, 95) if took})}

    def user_times(self, rows, ends):
        """Slot times and active times of the users."""
        slot, active, last = [0] * len(self.users), [0] * len(self.users), {}
        for r in rows:
            slot[self.user[self.job_of[r.task]]] += r.end - r.start
        for a, b, u in sorted(zip(self.arrival, ends, self.user)):
            a = max(a, last.get(u, a))
            active[u] += max(0, b - a)
            last[u] = max(a, b)
        return slot, active

    def unfair(self, rows):
        """Starts while another user with fewer running tasks of the kind had one waiting."""
        ends, events, count, users = self.maps_end(rows), {}, 0, range(len(self.users))
        for kind in ('map', 'reduce'):
            for r, t, j, _, _ in self.runs(rows, kind):
                ready = self.release[t] if kind == 'map' else max(ends[j], self.release[t])
                waits = kind == 'map' or r.start >= ends[j]
                for at, what in ((r.end, 0), (min(ready, r.start), 1), (r.start, 2)):
                    if waits or what != 1:
                        events.setdefault(at, ([], [], []))[what].append((self.user[j], kind, waits))
        running, waiting = ({(u, k): 0 for u in users for k in ('map', 'reduce')} for _ in range(2))
        for _, (stops, waits, starts) in sorted(events.items()):
            for x in stops:
                running[x[:2]] -= 1
            for x in waits:
                waiting[x[:2]] += 1
            while starts:
                u, k, waited = e = min(starts, key=lambda e: (running[e[:2]], e))
                starts.remove(e)
                count += any(v != u and running[v, k] < running[u, k] and waiting[v, k] > 0 for v in users)
                running[u, k] += 1
                waiting[u, k] -= waited
        return count

    def derived_tables(self, rows):
        ends, cross, first, o = self.ends(rows, self.arrival), self.crossing(rows), self.first_starts(rows), \
            self.outputs(rows)[0]
        jobs, users, fetches = [], [], []
        for j, job in enumerate(self.jobs):
            mine = [r for r in rows if self.job_of[r.task] == j]
            (where, read), racks = self.places(mine), {self.rack[self.slots[r.machine][0]] for r in mine}
            maps = [r.end for r in mine if self.kind_of[r.task] == 'map']
            jobs.append([job.id, job.tenant, self.arrival[j], first[j], max(maps, default=None), ends[j],
                         ends[j] - self.arrival[j], *where, len(racks), self.v[j], cross[j], read])
        for u, (name, slot, active) in enumerate(zip(self.users, *self.user_times(rows, ends))):
            took = [e - a for e, a, v in zip(ends, self.arrival, self.user) if v == u]
            users.append([name, len(took), slot, active, Fraction(slot, active) if active else None,
                          mean(sum(took), len(took))])
        for _, r in sorted({r.task: r for r in rows}.items()):
            for _, t, j, _, k in self.runs([r], 'reduce'):
                fetches.append([self.names[t], self.jobs[j].id, self.racks[k], Fraction(self.v[j], self.r[j]),
                                Fraction(self.v[j] - o.get((j, k), 0), self.r[j])])
        wide = ' write_out:n write_in:n' if self.writes and len(self.racks) > 1 else ''
        return {'jobs': table(HEADS['jobs'], jobs), 'users': table(HEADS['users'], users), 'fetches': table(
            HEADS['fetches'], fetches), 'traffic': table(HEADS['traffic'] + wide, self.traffic(rows))}

    def traffic(self, rows):
        """The rows of the table of bytes by interval and rack."""
        last, cells, width, k = max([max(r.start, r.end) for r in rows], default=0), {}, 10 ** 6, 0
        while last // width + 1 > max(1, 2 ** 21 // len(self.racks)):
            width, k = width // 2 * 5 if k % 3 == 1 else width * 2, k + 1
        for what, r, a, b, begin, until, size, parts in self.transfers(rows):
            i = r.task - self.reduces[self.job_of[r.task]][0] if what == 'shuffle' else 0
            size = size * (i + 1) // parts - size * i // parts if a != b else 0
            f, u = max(0, min(begin, until)), max(0, until)
            x, y = f // width, max(f, u - 1) // width
            some = [] if x == y else [size * ((x + 1) * width - f) // (u - f)] + [size * width // (u - f)] * (y - x - 1)
            for z, v in enumerate(some + [size - sum(some)]):
                for rack, column in ((a, COLUMN[what]), (b, COLUMN[what] + 1)):
                    if v:
                        cells.setdefault((x + z, rack), [0] * 6)[column] += v
        return [[x * width, (x + 1) * width, self.racks[k], *c] for (x, k), c in sorted(cells.items())]
