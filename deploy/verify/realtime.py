"""realtime: jobs with deadlines and skewed partitions on unequal workers; rules and metrics."""
import math
from collections import Counter
from fractions import Fraction
from functools import reduce

import realtime_proofs
from model import Model, mean, workers_of
from values import INF, group, micro, rounded, text, us

M64, P = 2 ** 64 - 1, 2 ** 61 - 1
HEAD = 'job class arrival deadline first_start completion laxity tardiness late'.split()

def hadoop(data):
    """Hadoop's hash of Text without its sign bit."""
    return reduce(lambda h, b: 31 * h + (b - 256 if b > 127 else b), data, 1) & 0x7fffffff

def fnv(data):
    """64-bit FNV-1a."""
    return reduce(lambda h, b: (h ^ b) * 0x100000001b3 & M64, data, 0xcbf29ce484222325)

def sketch(delta, seed):
    """The hashes of a sketch, drawn by PCG-DXSM."""
    state = seed << 64 | 0x636d73

    def uniform(n):
        nonlocal state
        while True:
            state = (state * 0x2360ed051fc65da44385df649fccf645 + 0x5851f42d4c957f2d14057b7ef767814f) % 2 ** 128
            hi, lo = state >> 64, state & M64
            hi = (hi ^ hi >> 32) * 0xda942042e4dd58b5 & M64
            v = (hi ^ hi >> 48) * (lo | 1) & M64
            if (v * n & M64) >= 2 ** 64 % n:
                return v * n >> 64
    for _ in range(max(1, math.ceil(math.log(1 / delta))) if delta > 0 else 0):
        a, b = 1 + uniform(P - 1), uniform(P)
        yield lambda k, a=a, b=b: (a * (fnv(k) % P) + b) % P

class Task:
    """A map or a partition; `base` is its base time, a double or None, `times` its rows of that table by worker."""

    def __init__(self, m, job, kind, name, size, row, set_=0):
        self.job, self.kind, self.name, self.bytes, self.row, self.set = job, kind, name, size, row or {}, set_
        self.listed, self.shuffle, j = row is not None, self.row.get('shuffle_delay', 0), m.jobs[job]
        self.release = 0 if m.goal == 'partitions' else max(j['release'], self.row.get('release', 0))
        inner = name[len(j['id']) + 1:] if name.startswith(j['id'] + '/') else None
        self.times = m.times_of.get((j['id'], name)) or m.times_of.get((j['id'], inner), {})
        self.base, rate = float(j.get('task_overhead', 0)), j.get(kind + '_bytes_per_s')
        if 'processing_time' in self.row:
            self.base = float(row['processing_time'])
        elif size:
            self.base = None if rate is None else self.base + float(size) * 1e6 / rate

class RealTime(Model):
    proofs, known, own, letter = realtime_proofs, realtime_proofs.KINDS, ['bytes', 'due'], 'r'
    options = {'goal': 's(auto|deadlines|partitions)', 'deadline-factor': r'n[\d.]+', 'partitions': r'n\d+',
               'sketch-delta': r'n(0(\.\d+)?|\d+(\.\d+)?e-\d+)', 'sketch-seed': r'n\d+', 'resplit-cost': r's[\d.]*'}
    algorithms = 'best llf admit edf fifo fair hash lb dp lb-sketch dp-sketch skewtune lst exact'

    def __init__(self, *args):
        super().__init__(*args)
        p, names, factor = self.params, workers_of(self), float(self.params.get('deadline-factor', 0))
        auto = 'deadlines' if factor > 0 or any('deadline' in j for j in self.jobs) else 'partitions'
        self.goal = {'auto': auto}.get(p.get('goal', 'auto'), p.get('goal'))
        self.split = micro(p['resplit-cost']) if p.get('resplit-cost') else None
        self.times_of, worker = {}, {n['id']: i for i, n in enumerate(self.workers)}
        for r in self.tables['times']:
            if r['worker'] in worker:
                self.times_of.setdefault((r['job'], r['task']), {})[worker[r['worker']]] = r['seconds']
        self.build()
        self.ready(names)
        due = self.goal == 'deadlines'
        self.release, self.due = [j['release'] if due else 0 for j in self.jobs], [INF] * len(self.jobs)
        for j, job in enumerate(self.jobs if due else []):
            if 'deadline' in job or factor > 0:
                x, y = (max([self.typical(self.list[t]) for t in ts], default=0.0)
                        for ts in (self.maps[j], self.sets[j][0] if self.sets[j] else []))
                self.due[j] = job['release'] + job.get('deadline', rounded(factor * (x + y)) if x + y < INF else 0)

    def add(self, *args):
        t = Task(self, *args)
        self.list.append(t)
        return self.add_task(t.name, t.job, t.kind)

    def build(self):
        """All tasks: maps job by job, then partitions job by job and set by set."""
        self.list, listed = [], self.listed()
        keys, parts = (group(((r['job'], (r[column], r['bytes'])) for r in self.tables[table]), lambda x: group(x, sum))
                       for table, column in (('keys', 'key'), ('partitions', 'partition')))
        self.maps = [[self.add(j, 'map', t['id'], t.get('input_bytes', 0), t) for _, t in rows['map']]
                     for j, rows in enumerate(listed)]
        self.r = [job.get('reduces', len(rows['reduce'])) for job, rows in zip(self.jobs, listed)]
        self.sets, self.origin = [], []
        for j, (job, rows) in enumerate(zip(self.jobs, listed)):
            name, r, total = job['id'], self.r[j], job.get('intermediate_bytes', 0)
            if name in keys:
                origin, sets = 'keys', self.hashed(job, keys[name], r)
            elif name in parts:
                origin, sets = 'partitions', [[(name + '/' + k, v, None) for k, v in parts[name].items()]]
            elif rows['reduce']:
                origin, sets = 'listed', [[(t['id'], t.get('input_bytes', 0), t) for _, t in rows['reduce']]]
            else:
                sizes = [total // r + (i < total % r) for i in range(r)]
                origin, sets = 'even', [[('%s/p%d' % (name, i + 1), x, None) for i, x in enumerate(sizes)]]
            self.origin.append(origin)
            self.sets.append([[self.add(j, 'reduce', *part, s) for part in ps] for s, ps in enumerate(sets)])

    def hashed(self, job, keys, r):
        """The sets of a job with keys."""
        p, out = int(self.params.get('partitions', 0)) or job.get('partitions', r), []
        delta, seed = float(self.params.get('sketch-delta', 0)), int(self.params.get('sketch-seed', 0))
        for n, h in enumerate([hadoop] + list(sketch(delta, seed))):
            size = [0] * p
            for k, v in keys.items():
                size[h(k.encode()) % p] += v
            head = job['id'] + '/' + ('h%d.' % n if n else '')
            out.append([('%sp%d' % (head, i + 1), x, None) for i, x in enumerate(size)])
        return out

    def of_kind(self, kind):
        return [i for i, n in enumerate(self.workers) if n[kind + '_slots'] > 0]

    def typical(self, t):
        """The base time, or the least time on a worker with slots of the kind."""
        return t.base if t.base is not None else float(min(self.p(t, i) for i in self.of_kind(t.kind)))

    def p(self, t, i):
        """What a task takes on a worker; infinite if that is unknown."""
        return t.times[i] if i in t.times else INF if t.base is None else rounded(t.base / self.speed[i])

    def time(self, r):
        return self.p(self.list[r.task], self.slots[r.machine][0])

    def cells(self, row):
        t = self.list[row.task]
        return [str(t.bytes), '' if self.due[t.job] == INF else us(self.due[t.job])]

    def rules(self, rows, rep):
        """Everything but the order of partitions."""
        of, parts = {}, [{} for _ in self.jobs]
        for r in rows:
            t = self.list[r.task]
            rep.when(t.kind != self.slots[r.machine][1], 'K623', t.name + ' is on a slot of the other kind')
            rep.when(self.goal == 'partitions' and t.kind == 'map', 'K608', t.name + ' is a map')
            of.setdefault(r.task, []).append(r)
            if t.kind == 'reduce':
                parts[t.job].setdefault(t.set, []).append(r)
        for j, sets in enumerate(parts):
            chosen = min(sets, key=lambda s: (-len(sets[s]), s), default=0)
            for r in [r for s, rs in sets.items() if s != chosen for r in rs]:
                rep.add('K625', self.names[r.task] + ' is of another set')
            need = (self.maps[j] if self.goal == 'deadlines' else []) + (self.sets[j] or [[]])[chosen]
            for t in need:
                rep.when(t not in of, 'K601', 'no row of ' + self.names[t])
            if len({r.machine for rs in sets.values() for r in rs}) > self.r[j]:
                rep.add('K624', 'more than %d slots for job %s' % (self.r[j], self.jobs[j]['id']))
            for t in need:
                if t in of:
                    self.one_task(self.list[t], of[t], rep)
        self.order_rules(rows, rep)
        self.overlaps(rows, rep)

    def one_task(self, t, rs, rep):
        """K602, K604, K605, K626 of the rows of a task."""
        several = len(rs) > 1 and t.kind == 'reduce'
        if several and self.split is not None:
            parts = self.pieces(rs)
            if not all(x >= 0 and 0 < p < INF for x, p in parts) or sum(Fraction(x, p) for x, p in parts) < 1 or \
                    sum(Fraction(max(0, x - 1), p) for x, p in parts) >= 1:
                rep.add('K626', 'the pieces do not make up ' + t.name)
            return
        for _ in rs[1:]:
            rep.add('K602', 'another row of ' + t.name)
        if not several and rs[0].end - rs[0].start != self.time(rs[0]):
            rep.add('K604', '%s takes %s' % (t.name, self.time(rs[0])))
        rep.when(t.kind == 'map' and rs[0].start < t.release, 'K605', t.name + ' is released later')

    def pieces(self, rs):
        """(ℓ_i, p_i) of the rows of a partition."""
        rs = sorted(rs, key=lambda r: (r.start, r.end, r.at))
        return [(r.end - r.start - ((self.split or 0) if i else 0), self.time(r)) for i, r in enumerate(rs)]

    def order_rules(self, rows, rep):
        """K605 of listed reduces, and K606."""
        of, last = [(self.list[r.task], r) for r in rows], 0
        maps = group(((t.job, r.end + t.shuffle) for t, r in of if t.kind == 'map'), max)
        done = group(((t.job, r.end) for t, r in of if t.kind == 'reduce'), max)
        ready = [max(x, maps.get(j, x)) for j, x in enumerate(self.release)]
        for j in range(len(self.jobs) if self.goal == 'partitions' else 0):
            ready[j], last = last, max(last, done.get(j, last))
        for t, r in of:
            late = t.kind == 'reduce' and t.release > max(self.release[t.job], r.start)
            rep.when(late, 'K605', t.name + ' is released later')
            rep.when(t.kind == 'reduce' and r.start < ready[t.job], 'K606', t.name + ' starts too early')

    def objective(self, rows):
        if self.goal == 'partitions':
            return self.makespan(rows, 'reduce_makespan')
        n = sum(c > d for c, d in zip(self.ends(rows, self.release), self.due))
        return 'deadline_misses', Fraction(n), str(n)

    def metrics(self, rows):
        out = {'goal': '"%s"' % self.goal, 'makespan': self.makespan(rows)[2]}
        if self.goal == 'deadlines':
            c = self.ends(rows, self.release)
            late = [max(0, x - d) for x, d in zip(c, self.due) if d < INF]
            out['jobs_with_deadline'] = str(len(late))
            if late:
                out.update(miss_rate=text(Fraction(sum(x > 0 for x in late), len(late))),
                           tardiness=mean(sum(late), len(late)), longest_tardiness=us(max(late)))
            out['turn_around'] = mean(sum(c) - sum(self.release), len(c))
        parts = group((self.job_of[r.task], r) for r in rows if self.kind_of[r.task] == 'reduce')
        sums = [self.balance(j, rs) for j, rs in parts.items()]
        if sums:
            x, e, k, sketched = map(sum, zip(*sums))
            if e > 0:
                out.update(balance=text(100 * Fraction(x) / e), skewness=text(100 - 100 * Fraction(x, k)))
            out['jobs_by_sketch_row'] = str(sketched)
        if self.split is not None:
            out['further_pieces'] = str(sum(len(rs) - len({r.task for r in rs}) for rs in parts.values()))
        return out

    def balance(self, j, rs):
        """Of a job: ΣS, R · max B, partitions · max S, and whether its set is a row of the sketch."""
        s, on = self.list[rs[0].task].set, Counter()
        sizes = [self.list[t].bytes for t in self.sets[j][s]]
        for t, several in group((r.task, r) for r in sorted(rs, key=lambda r: (r.start, r.end, r.at))).items():
            for r, (ell, p) in zip(several, self.pieces(several) if len(several) > 1 else [(1, 1)]):
                part = Fraction(max(0, ell), p) if 0 < p < INF else 0
                on[r.machine] += self.list[t].bytes * part
        return sum(sizes), self.r[j] * max(on.values()), len(sizes) * max(sizes), s != 0

    def derived_tables(self, rows):
        c, first, out, deadlines = self.ends(rows, self.release), self.first_starts(rows), [], self.goal == 'deadlines'
        for j, job in enumerate(self.jobs):
            d = self.due[j]
            late = ['', '', ''] if d == INF else [us(d - c[j]), us(max(0, c[j] - d)), str(int(c[j] > d))]
            out.append([job['id'], job.get('class', ''), us(job['release']) if deadlines else '',
                        '' if d == INF else us(d), first[j], us(c[j]) if first[j] else ''] + late)
        return {'jobs': [HEAD] + out}

    def uses(self):
        p, due, t = self.params, self.goal == 'deadlines', self.tables
        estimated = bool(t['history']) and p.get('estimates') in ('auto', 'history')
        kinds = ('map', 'reduce') if due else ('reduce',)
        one, keyed = [n for n in self.workers if n['reduce_slots'] == 1], zip(self.jobs, self.origin)
        maps = [self.list[x].row for j, ms in enumerate(self.maps) for x in ms if self.r[j] and due]
        reduces = [x for x in self.tasks if x['kind'] == 'reduce']
        u = self.columns(
            (due, 'jobs.release jobs.deadline topology.map_slots tasks.release placements.block placements.node'),
            (due and t['placements'], 'tasks.block'), (not t['topology'], 'machines'),
            (estimated, 'jobs.class tasks.cpu tasks.memory_bytes history.class history.worker history.kind '
                        'history.bytes history.cpu history.memory_bytes history.seconds'),
            (estimated and due, 'tasks.input_bytes'))
        for columns, rows in (
                ('topology.map_slots', one), ('tasks.shuffle_delay', maps), ('tasks.input_bytes', reduces),
                ('jobs.partitions', [j for j, o in keyed if o == 'keys' and 'partitions' not in p]),
                ('jobs.intermediate_bytes', [j for j, o in zip(self.jobs, self.origin) if o == 'even'])):
            u |= self.used(columns, rows)
        for x in self.list:
            if x.kind in kinds and not x.times and 'processing_time' in x.row:
                u.add('tasks.processing_time')
            elif x.kind in kinds and not x.times:
                rates = 'jobs.%s_bytes_per_s' % x.kind if x.bytes else ''
                u |= self.used('jobs.task_overhead ' + rates, [self.jobs[x.job]])
                u |= self.used('tasks.input_bytes', [x.row])
        return u

    def guarantee(self):
        if self.algorithm != 'lst' or self.goal != 'partitions':
            return None
        for j, sets in enumerate(self.sets):
            if any(len(cand) > k for cand, k in (realtime_proofs.candidates(self, j, s) for s in sets)):
                return None
        return '2', '0', 'Lenstra, Shmoys, Tardos 1990, Thm 1', ''
