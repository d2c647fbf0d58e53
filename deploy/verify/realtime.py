"""realtime: jobs with deadlines and skewed partitions on unequal workers; rules and metrics."""
import math
from collections import Counter
from fractions import Fraction
from functools import reduce

import realtime_proofs
from model import Model, mean, shown, table
from values import INF, Row, group, micro, rounded, us

M64, P = 2 ** 64 - 1, 2 ** 61 - 1
HEAD = 'job:s class:s arrival:t deadline:t first_start:t completion:t laxity:t tardiness:t late:n'

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

class RealTime(Model):
    proven, known, own, letter = realtime_proofs.proven, realtime_proofs.KINDS, 'bytes due', 'r'
    options = {'goal': 's(auto|deadlines|partitions)', 'deadline-factor': r'n[\d.]+', 'partitions': r'n\d+',
               'sketch-delta': r'n(0(\.\d+)?|\d+(\.\d+)?e-\d+)', 'sketch-seed': r'n\d+', 'resplit-cost': r's[\d.]*'}
    algorithms = 'best llf admit edf fifo fair hash lb dp lb-sketch dp-sketch skewtune lst exact'

    def __init__(self, *args):
        super().__init__(*args)
        p, names, factor = self.params, self.workers_of(), float(self.params.get('deadline-factor', 0))
        auto = 'deadlines' if factor > 0 or any('deadline' in j for j in self.jobs) else 'partitions'
        self.goal = auto if p.get('goal', 'auto') == 'auto' else p['goal']
        self.split, due = micro(p['resplit-cost']) if p.get('resplit-cost') else None, self.goal == 'deadlines'
        worker = {n.id: i for i, n in enumerate(self.workers)}
        self.times_of = group(((r.job, r.task), (worker[r.worker], r.seconds)) for r in self.tables.times
                              if r.worker in worker)
        self.release = [j.release if due else 0 for j in self.jobs]
        self.build()
        self.ready(names)
        self.due = [INF] * len(self.jobs)
        for j, job in enumerate(self.jobs if due else []):
            if 'deadline' in job or factor > 0:
                x = sum(max(map(self.typical, ts), default=0.0)
                        for ts in (self.maps[j], self.sets[j][0] if self.sets[j] else []))
                self.due[j] = job.release + job.get('deadline', rounded(factor * x) if x < INF else 0)

    def add(self, job, kind, name, size, row, set_=0):
        """Adds a map or a partition; `base` is its base time, a double or None, `times` its times by worker."""
        j, own, base = self.jobs[job], row or Row(), float(self.jobs[job].task_overhead or 0)
        rate, inner = j.get(kind + '_bytes_per_s'), name[len(j.id) + 1:] if name.startswith(j.id + '/') else None
        if 'processing_time' in own:
            base = float(own.processing_time)
        elif size:
            base = None if rate is None else base + float(size) * 1e6 / rate
        self.list.append(Row(
            job=job, kind=kind, name=name, bytes=size, row=own, set=set_, base=base, listed=row is not None,
            shuffle=own.shuffle_delay or 0,
            release=max(self.release[job], own.release or 0) if self.goal == 'deadlines' else 0,
            times=dict(self.times_of.get((j.id, name)) or self.times_of.get((j.id, inner), []))))
        return self.add_task(name, job, kind)

    def build(self):
        """All tasks: maps job by job, then partitions job by job and set by set."""
        keys, parts = (group(((r.job, (r[column], r.bytes)) for r in self.tables[name]), lambda x: group(x, sum))
                       for name, column in (('keys', 'key'), ('partitions', 'partition')))
        self.list, self.sets, self.origin, reduces = [], [], [], self.listed('reduce')
        self.maps = [[self.add(j, 'map', t.id, t.input_bytes or 0, t) for t in some]
                     for j, some in enumerate(self.listed('map'))]
        self.r = [job.get('reduces', len(some)) for job, some in zip(self.jobs, reduces)]
        for j, (job, r) in enumerate(zip(self.jobs, self.r)):
            total, name = job.intermediate_bytes or 0, job.id + '/'
            if job.id in keys:
                origin, sets = 'keys', self.hashed(job, keys[job.id], r)
            elif job.id in parts:
                origin, sets = 'partitions', [[(name + k, v, None) for k, v in parts[job.id].items()]]
            elif reduces[j]:
                origin, sets = 'listed', [[(t.id, t.input_bytes or 0, t) for t in reduces[j]]]
            else:
                origin, sizes = 'even', [total // r + (i < total % r) for i in range(r)]
                sets = [[('%sp%d' % (name, i + 1), x, None) for i, x in enumerate(sizes)]]
            self.origin.append(origin)
            self.sets.append([[self.add(j, 'reduce', *part, s) for part in ps] for s, ps in enumerate(sets)])

    def hashed(self, job, keys, r):
        """The sets of a job with keys."""
        p, out = int(self.params.get('partitions', 0)) or job.get('partitions', r), []
        delta, seed = float(self.params.get('sketch-delta', 0)), int(self.params.get('sketch-seed', 0))
        for n, h in enumerate([hadoop, *sketch(delta, seed)]):
            size = group(((h(k.encode()) % p, v) for k, v in keys.items()), sum)
            head = job.id + '/' + ('h%d.' % n if n else '')
            out.append([('%sp%d' % (head, i + 1), size.get(i, 0), None) for i in range(p)])
        return out

    def of_kind(self, kind):
        """The workers with slots of a kind."""
        return [i for i, n in enumerate(self.workers) if n[kind + '_slots'] > 0]

    def typical(self, t):
        """The base time, or the least time on a worker with slots of the kind."""
        t = self.list[t]
        return t.base if t.base is not None else float(min(self.p(t, i) for i in self.of_kind(t.kind)))

    def p(self, t, i):
        """What a task takes on a worker; infinite if that is unknown."""
        return t.times[i] if i in t.times else INF if t.base is None else rounded(t.base / self.speed[i])

    def cells(self, row):
        t = self.list[row.task]
        return [str(t.bytes), '' if self.due[t.job] == INF else us(self.due[t.job])]

    def rules(self, rows, rep):
        self.kinds_fit(rows, rep)
        of, parts, only = group((r.task, r) for r in rows), [{} for _ in self.jobs], self.goal == 'partitions'
        for r in rows:
            t = self.list[r.task]
            rep.when(only and t.kind == 'map', 'K608', t.name + ' is a map')
            if t.kind == 'reduce':
                parts[t.job].setdefault(t.set, []).append(r)
        for j, sets in enumerate(parts):
            chosen = min(sets, key=lambda s: (-len(sets[s]), s), default=0)
            for r in [r for s, rs in sets.items() if s != chosen for r in rs]:
                rep.add('K625', self.names[r.task] + ' is of another set')
            slots = len({r.machine for rs in sets.values() for r in rs})
            rep.when(slots > self.r[j], 'K624', 'too many slots for job ' + self.jobs[j].id)
            for t in ([] if only else self.maps[j]) + (self.sets[j] or [[]])[chosen]:
                rep.when(t not in of, 'K601', 'no row of ' + self.names[t])
                if t in of:
                    self.one_task(self.list[t], of[t], rep)
        self.order_rules(rows, rep)
        self.overlaps(rows, rep)

    def one_task(self, t, rs, rep):
        """K602, K604, K605, K626 of the runs of a task."""
        parts = self.pieces(rs)
        if len(rs) > 1 and t.kind == 'reduce' and self.split is not None:
            whole = all(x >= 0 and 0 < p < INF for x, p in parts) and sum(Fraction(x, p) for x, p in parts) >= 1 > sum(
                Fraction(max(0, x - 1), p) for x, p in parts)
            rep.when(not whole, 'K626', 'the pieces do not make up ' + t.name)
            return
        for _ in rs[1:]:
            rep.add('K602', 'another row of ' + t.name)
        first, took = rs[0], self.p(t, self.slots[rs[0].machine][0])
        if len(rs) == 1 or t.kind == 'map':
            rep.when(first.end - first.start != took, 'K604', '%s takes %s' % (t.name, took))
        rep.when(t.kind == 'map' and first.start < t.release, 'K605', t.name + ' is released later')

    def pieces(self, rs):
        """(ℓ_i, p_i) of the runs of a partition, by start."""
        rs = sorted(rs, key=lambda r: (r.start, r.end, r.at))
        return [(r.end - r.start - ((self.split or 0) if i else 0), self.p(
            self.list[r.task], self.slots[r.machine][0])) for i, r in enumerate(rs)]

    def order_rules(self, rows, rep):
        """K605 of listed reduces, and K606."""
        of, last = [(self.list[r.task], r) for r in rows], 0
        maps = group(((t.job, r.end + t.shuffle) for t, r in of if t.kind == 'map'), max)
        done = group(((t.job, r.end) for t, r in of if t.kind == 'reduce'), max)
        ready = [max(x, maps.get(j, x)) for j, x in enumerate(self.release)]
        for j in range(len(self.jobs) if self.goal == 'partitions' else 0):
            ready[j], last = last, max(last, done.get(j, last))
        for t, r in of:
            if t.kind == 'reduce':
                rep.when(t.release > max(self.release[t.job], r.start), 'K605', t.name + ' is released later')
                rep.when(r.start < ready[t.job], 'K606', t.name + ' starts too early')

    def objective(self, rows):
        if self.goal == 'partitions':
            return self.makespan(rows, 'reduce_makespan')
        n = sum(c > d for c, d in zip(self.ends(rows, self.release), self.due))
        return 'deadline_misses', Fraction(n), str(n)

    def metrics(self, rows):
        parts = group((self.job_of[r.task], r) for r in rows if self.kind_of[r.task] == 'reduce')
        n, t, f = {}, {'makespan': max([r.end for r in rows], default=0)}, {}
        if self.goal == 'deadlines':
            c = self.ends(rows, self.release)
            late = [max(0, x - d) for x, d in zip(c, self.due) if d < INF]
            n['jobs_with_deadline'], f['turn_around'] = len(late), mean(sum(c) - sum(self.release), len(c))
            if late:
                t['longest_tardiness'] = max(late)
                f.update(miss_rate=Fraction(sum(x > 0 for x in late), len(late)), tardiness=mean(sum(late), len(late)))
        if parts:
            x, e, k, n['jobs_by_sketch_row'] = map(sum, zip(*(self.balance(j, rs) for j, rs in parts.items())))
            f.update({'balance': 100 * Fraction(x) / e, 'skewness': 100 - 100 * Fraction(x, k)} if e > 0 else {})
        if self.split is not None:
            n['further_pieces'] = sum(len(rs) - len({r.task for r in rs}) for rs in parts.values())
        return shown(s={'goal': self.goal}, n=n, t=t, f=f)

    def balance(self, j, rs):
        """Of a job: ΣS, R · max B, partitions · max S, and whether its set is a row of the sketch."""
        s, on = self.list[rs[0].task].set, Counter()
        sizes = [self.list[t].bytes for t in self.sets[j][s]]
        for t, several in group((r.task, r) for r in sorted(rs, key=lambda r: (r.start, r.end, r.at))).items():
            for r, (ell, p) in zip(several, self.pieces(several) if len(several) > 1 else [(1, 1)]):
                on[r.machine] += self.list[t].bytes * (Fraction(max(0, ell), p) if 0 < p < INF else 0)
        return sum(sizes), self.r[j] * max(on.values()), len(sizes) * max(sizes), s != 0

    def derived_tables(self, rows):
        c, first, out = self.ends(rows, self.release), self.first_starts(rows), []
        for job, r, d, s, x in zip(self.jobs, self.release, self.due, first, c):
            late = [d - x, max(0, x - d), int(x > d)] if d < INF else [None] * 3
            out.append([job.id, job.get('class'), r if self.goal == 'deadlines' else None, d, s,
                        None if s is None else x] + late)
        return {'jobs': table(HEAD, out)}

    def uses(self):
        p, due, t = self.params, self.goal == 'deadlines', self.tables
        estimated = bool(t.history) and p.get('estimates') in ('auto', 'history')
        maps = [self.list[x].row for j, ms in enumerate(self.maps) for x in ms if self.r[j] and due]
        self.use(
            ('jobs.release jobs.deadline topology.map_slots tasks.release placements.block placements.node', due),
            ('tasks.block', due and t.placements != []), ('machines', not t.topology),
            ('jobs.class tasks.cpu tasks.memory_bytes history.class history.worker history.kind history.bytes '
             'history.cpu history.memory_bytes history.seconds', estimated), ('tasks.input_bytes', estimated and due),
            ('topology.map_slots', [n for n in self.workers if n.reduce_slots == 1]), ('tasks.shuffle_delay', maps),
            ('tasks.input_bytes', [x for x in self.tasks if x.kind == 'reduce']),
            ('jobs.partitions', [j for j, o in zip(self.jobs, self.origin) if o == 'keys' and 'partitions' not in p]),
            ('jobs.intermediate_bytes', [j for j, o in zip(self.jobs, self.origin) if o == 'even']))
        for x in self.list:
            if (due or x.kind == 'reduce') and not x.times and 'processing_time' in x.row:
                self.use(('tasks.processing_time', True))
            elif (due or x.kind == 'reduce') and not x.times:
                rates = 'jobs.%s_bytes_per_s' % x.kind if x.bytes else ''
                self.use(('jobs.task_overhead ' + rates, [self.jobs[x.job]]), ('tasks.input_bytes', [x.row]))

    def guarantee(self):
        if self.algorithm == 'lst' and self.goal == 'partitions' and all(len(cand) <= k for cand, k in (
                realtime_proofs.candidates(self, j, s) for j, sets in enumerate(self.sets) for s in sets)):
            return '2', '0', 'Lenstra, Shmoys, Tardos 1990, Thm 1'
