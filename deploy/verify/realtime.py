"""realtime: jobs with deadlines and skewed partitions on unequal workers."""
import math
from collections import Counter
from fractions import Fraction
from functools import reduce
from math import gcd

from model import COUNT, DOUBLE, Model, least_that, mean, shown, table
from proofs import numbers
from values import INF, Row, group, micro, need, rounded, us

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
BIG = 2 ** 62
KINDS = {'partitions': {'': ('slot-prices partition-prices case-tree', 'phases:[{time!:time sets!:[proof]}]')},
         'deadlines': {'': ('late-windows', '''late!:{prices:[{kind!:str unit!:int worker!:[int]}]
                        windows:[{from!:time until!:time price!:int backward:bool}]}''')}}

class Problem(Model):
    known, own, letter = KINDS, 'bytes due', 'r'
    options = {'goal': 's(auto|deadlines|partitions)', 'deadline-factor': DOUBLE, 'partitions': COUNT,
               'sketch-delta': r'n(0(\.\d*[1-9])?|1|[1-9](\.\d*[1-9])?e-[1-9]\d*)', 'sketch-seed': COUNT,
               'resplit-cost': r's[\d.]*'}
    algorithms = 'best llf admit edf fifo fair hash lb dp lb-sketch dp-sketch skewtune lst exact'

    def __init__(self, *args):
        super().__init__(*args)
        p, names, factor = self.params, self.workers_of(), float(self.params['deadline-factor'])
        auto = 'deadlines' if factor > 0 or any('deadline' in j for j in self.jobs) else 'partitions'
        self.goal = auto if p['goal'] == 'auto' else p['goal']
        self.split, due = micro(p['resplit-cost']) if p['resplit-cost'] else None, self.goal == 'deadlines'
        self.release = [j.release if due else 0 for j in self.jobs]
        self.of_kind = {kind: [i for i, n in enumerate(self.workers) if n[kind + '_slots']]
                        for kind in ('map', 'reduce')}
        self.build()
        self.ready(names)
        need(all(self.of_kind[t.kind] and all(t.p[i] < INF for i in self.of_kind[t.kind]) for t in self.list
                 if due or t.kind == 'reduce'), 'a task without slots or without a time')
        self.due = [INF] * len(self.jobs)
        for j, job in enumerate(self.jobs if due else []):
            if 'deadline' in job or factor > 0:
                longest = [max((t.base if t.base is not None else float(min(t.p[i] for i in self.of_kind[t.kind]))
                                for t in ts), default=0.0) for ts in (self.maps[j], (self.sets[j] or [[]])[0])]
                x = sum(longest)
                self.due[j] = job.release + job.get('deadline', rounded(factor * x) if x < INF else 0)

    def add(self, job, kind, name, size, row, set_=0):
        """Adds a map or a partition; `base` is its base time, a double or None, `p` its times on workers."""
        j, own, base = self.jobs[job], row or Row(), float(self.jobs[job].task_overhead or 0)
        rate, times = j.get(kind + '_bytes_per_s'), self.times.get((j.id, name))
        if 'processing_time' in own or size:
            base = float(own.processing_time) if 'processing_time' in own else rate and base + float(size) * 1e6 / rate
        at = {v: INF if base is None else rounded(base / v) for v in set(self.speed)}
        self.list.append(Row(
            id=self.add_task(name, job, kind), job=job, kind=kind, name=name, bytes=size, row=own, set=set_, base=base,
            listed=row is not None, shuffle=own.shuffle_delay or 0, timed=bool(times),
            release=max(self.release[job], own.release or 0) if self.goal == 'deadlines' else 0,
            p=[(times or {}).get(n.id, at[v]) for n, v in zip(self.workers, self.speed)]))
        return self.list[-1]

    def build(self):
        """All tasks: maps job by job, then partitions job by job and set by set."""
        t, known = self.tables, {n.id for n in self.workers}
        keys = group(((r.job, (r.key, r.bytes)) for r in t['keys']), lambda x: group(x, sum))
        parts = group(((r.job, (r.partition, r.bytes)) for r in t.partitions), lambda x: group(x, sum))
        self.times = group((((r.job, name), (r.worker, r.seconds)) for r in t.times if r.worker in known
                            for name in (r.task, '%s/%s' % (r.job, r.task))), dict)
        self.list, self.sets, self.origin, reduces = [], [], [], self.listed('reduce')
        self.maps = [[self.add(j, 'map', t.id, t.input_bytes or 0, t) for t in some]
                     for j, some in enumerate(self.listed('map'))]
        self.r = [job.get('reduces', len(some)) for job, some in zip(self.jobs, reduces)]
        for j, (job, r) in enumerate(zip(self.jobs, self.r)):
            total, name = job.intermediate_bytes or 0, job.id + '/'
            ways = [job.id in keys, job.id in parts, bool(reduces[j])]
            need(sum(ways) < 2 and (r or not any(ways)), 'data of a job in two ways, or without `reduces`')
            origin, sets = 'even', [[('%sp%d' % (name, i + 1), total // r + (i < total % r), None) for i in range(r)]]
            if job.id in keys:
                origin, sets = 'keys', self.hashed(job, keys[job.id], r)
            elif job.id in parts:
                origin, sets = 'partitions', [[(name + k, v, None) for k, v in parts[job.id].items()]]
            elif reduces[j]:
                origin, sets = 'listed', [[(t.id, t.input_bytes or 0, t) for t in reduces[j]]]
            self.origin.append(origin)
            self.sets.append([[self.add(j, 'reduce', *part, s) for part in ps] for s, ps in enumerate(sets)])

    def hashed(self, job, keys, r):
        """The sets of a job with keys."""
        p, out = int(self.params.get('partitions', 0)) or job.get('partitions', r), []
        delta, seed = float(self.params['sketch-delta']), int(self.params.get('sketch-seed', 0))
        for n, h in enumerate([hadoop, *sketch(delta, seed)]):
            size = group(((h(k.encode()) % p, v) for k, v in keys.items()), sum)
            head = job.id + '/' + ('h%d.' % n if n else '')
            out.append([('%sp%d' % (head, i + 1), size.get(i, 0), None) for i in range(p)])
        return out

    def cells(self, row):
        t = self.list[row.task]
        return [str(t.bytes), '' if self.due[t.job] == INF else us(self.due[t.job])]

    def rules(self, rows, rep):
        self.kinds_fit(rows, rep)
        self.overlaps(rows, rep)
        of, only = group((r.task, r) for r in rows), self.goal == 'partitions'
        maps = [(self.list[r.task], r) for r in rows if r.kind == 'map']
        parts = [(self.list[r.task], r) for r in rows if r.kind == 'reduce']
        behind = group(((t.job, r.end + t.shuffle) for t, r in maps), max)
        done, last = group(((t.job, r.end) for t, r in parts), max), 0
        for t, _ in maps if only else []:
            rep.add('K608', t.name + ' is a map')
        for j, job in enumerate(self.jobs):
            mine = [(t, r) for t, r in parts if t.job == j]
            sets = Counter(t.set for t, _ in mine)
            chosen = min(sets, key=lambda s: (-sets[s], s), default=0)
            ready = last if only else max(self.release[j], behind.get(j, 0))
            last = max(last, done.get(j, last))
            rep.when(len({r.machine for _, r in mine}) > self.r[j], 'K624', 'too many slots for job ' + job.id)
            for t, r in mine:
                rep.when(t.set != chosen, 'K625', t.name + ' is of another set')
                rep.when(t.release > max(self.release[j], r.start), 'K605', t.name + ' is released later')
                rep.when(r.start < ready, 'K606', t.name + ' starts too early')
            for t in ([] if only else self.maps[j]) + (self.sets[j] or [[]])[chosen]:
                rep.when(t.id not in of, 'K601', 'no row of ' + t.name)
                self.one_task(t, of.get(t.id, []), rep)

    def one_task(self, t, rs, rep):
        """K602, K604, K605, K626 of the runs of a task."""
        if len(rs) > 1 and t.kind == 'reduce' and self.split is not None:
            parts = self.pieces(rs)
            whole = all(x >= 0 and p > 0 for x, p, _ in parts) and sum(
                Fraction(x, p) for x, p, _ in parts) >= 1 > sum(Fraction(max(0, x - 1), p) for x, p, _ in parts)
            return rep.when(not whole, 'K626', 'the pieces do not make up ' + t.name)
        for r in rs[:1]:
            odd = r.end - r.start != t.p[self.slots[r.machine][0]] and (len(rs) == 1 or t.kind == 'map')
            rep.when(odd, 'K604', t.name + ' takes another time')
            rep.when(t.kind == 'map' and r.start < t.release, 'K605', t.name + ' is released later')
        rep.when(len(rs) > 1, 'K602', 'another row of ' + t.name)

    def pieces(self, rs):
        """(ℓ_i, p_i, slot) of the runs of a partition, by start."""
        rs = sorted(rs, key=lambda r: (r.start, r.end, r.at))
        return [(r.end - r.start - (self.split or 0) * (i > 0), self.list[r.task].p[self.slots[r.machine][0]],
                 r.machine) for i, r in enumerate(rs)]

    def objective(self, rows):
        if self.goal == 'partitions':
            return self.makespan(rows, 'reduce_makespan')
        return 'deadline_misses', Fraction(sum(c > d for c, d in zip(self.ends(rows, self.release), self.due)))

    def metrics(self, rows):
        parts = group((r.job, r) for r in rows if r.kind == 'reduce')
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
        sizes = [t.bytes for t in self.sets[j][s]]
        for t, several in group((r.task, r) for r in rs).items():
            for ell, p, slot in self.pieces(several) if len(several) > 1 else [(1, 1, several[0].machine)]:
                on[slot] += self.list[t].bytes * (Fraction(max(0, ell), p) if p else 0)
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
        maps = [x.row for j, ms in enumerate(self.maps) for x in ms if self.r[j] and due]
        self.use(
            ('jobs.release jobs.deadline topology.map_slots tasks.release placements.block placements.node', due),
            ('tasks.block', due and t.placements != []), ('machines', not t.topology),
            ('jobs.class tasks.cpu tasks.memory_bytes history.class history.worker history.kind history.bytes '
             'history.cpu history.memory_bytes history.seconds', estimated), ('tasks.input_bytes', estimated and due),
            ('topology.map_slots', [n for n in self.workers if n.reduce_slots == 1]), ('tasks.shuffle_delay', maps),
            ('tasks.input_bytes', [x for x in self.tasks if x.kind == 'reduce']),
            ('jobs.partitions', [j for j, o in zip(self.jobs, self.origin) if o == 'keys' and 'partitions' not in p]),
            ('jobs.intermediate_bytes', [j for j, o in zip(self.jobs, self.origin) if o == 'even']))
        for x in [x for x in self.list if (due or x.kind == 'reduce') and not x.timed]:
            stated, rates = 'processing_time' in x.row, 'jobs.%s_bytes_per_s' % x.kind if x.bytes else ''
            self.use(('tasks.processing_time', stated), ('jobs.task_overhead ' + rates, [self.jobs[x.job]][stated:]),
                     ('tasks.input_bytes', [x.row][stated:]))

    def guarantee(self):
        if self.algorithm == 'lst' and self.goal == 'partitions' and all(len(cand) <= k for cand, k in (
                candidates(self, j, s) for j, sets in enumerate(self.sets) for s in sets)):
            return '2', '0', 'Lenstra, Shmoys, Tardos 1990, Thm 1'

def proven(m, cert):
    """What a certificate proves."""
    if m.goal == 'deadlines':
        return Late(m, cert.late).value()
    jobs, found = [j for j, sets in enumerate(m.sets) if (sets or [[]])[0]], set()
    need(len(cert.phases) == len(jobs), 'number of phases')
    for j, phase in zip(jobs, cert.phases):
        need(len(phase.sets) == len(m.sets[j]) and phase.time >= 0, 'number of sets, or time')
        for tasks, proof in zip(m.sets[j], phase.sets):
            found |= {k for k in proof if proof[k]}
            refute(m, j, tasks, phase.time - 1, proof)
    method = 'case-tree' if 'cases' in found else 'partition-prices' if 'partitions' in found else 'slot-prices'
    need(cert.method == method, 'the method is ' + method)
    return Fraction(sum(p.time for p in cert.phases), 10 ** 6)

def candidates(m, j, tasks):
    """The workers of the slots that a proof is about, and k*."""
    slots = [w for w, kind in m.slots if kind == 'reduce']
    k = min(m.r[j], len(slots), len(slots) if m.split is not None else len(tasks))
    order = sorted(slots, key=lambda w: -m.speed[w])
    timed = [[t.p[w] for w in order] for t in tasks if t.timed]
    fast = k < len(slots) and all(min(p[k:]) >= max(p[:k], default=0) for p in timed)
    return order[:k] if fast else slots, k

def refute(m, j, tasks, t, proof):
    """Raises Wrong unless the proof shows that no schedule of a set takes T."""
    if t < 0:
        return need(not any(proof.values()), 'a proof of nothing')
    workers, k = candidates(m, j, tasks)
    alike = [w if any(x.timed for x in tasks) else ('speed', m.speed[w]) for w in workers]
    p = [[x.p[w] for w in workers] for x in tasks]
    return tree(m, p, k, t, proof, [set(range(len(workers)))] * len(p), alike, set())

def tree(m, p, k, t, proof, may, alike, placed):
    """A proof, with what is known where partitions may lie."""
    n, split, cand = len(p), m.split is not None, len(alike)
    need(sum(map(bool, proof.values())) <= 1, 'two proofs in one')
    if proof.slots:
        y, g = numbers(proof.slots, cand, 2 ** 31 + 1, 'slots'), gcd(*(x for r in p for x in r)) or 1
        least = [min((y[s] * p[i][s] for s in may[i] if split or p[i][s] <= t), default=INF)
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
        return min([BIG] + [x.worker[i] * t.p[i] // x.unit for i in self.m.of_kind[x.kind]
                            if t.p[i] <= length or not x.whole])

    def room(self, x, length, k=None):
        """What the k dearest slots offer."""
        y = x.dear[:k] if x.whole else [sum(x.dear[:k])]
        return min(BIG, sum(min(BIG, a * max(0, length) // x.unit) for a in y))

    def together(self, kind, tasks, k, span):
        """TOGETHER: the least time that tasks take together."""
        tests, workers = [], self.m.of_kind[kind]
        slots = [min((t.p[i] for t in tasks), default=INF) for i in workers for _ in range(
            self.m.workers[i][kind + '_slots'])]
        k = len(slots) if k is None else k
        longest = max((min(t.p[i] for i in workers) for t in tasks), default=0)
        if self.whole(kind):
            k = min(k, len(tasks))
            a = sorted(slots)[:k]
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
        maps, has = m.maps[j], bool(sets and sets[0])
        span, last, head, ended = min(d - r, 2 ** 60), d, r, r
        tail = min(self.together('reduce', s, m.r[j], span) for s in sets) if has else 0
        begin = min((t.release for t in maps), default=None)
        if maps:
            last = max(d - t.shuffle - tail if has else d for t in maps)
            ends = [(t.release + min(t.p[i] for i in m.of_kind['map']), t.shuffle) for t in maps]
            ends.append((begin + self.together('map', maps, None, span), min(t.shuffle for t in maps)))
            ended, head = max([r] + [e for e, _ in ends]), max([r] + [e + s for e, s in ends])
        listed = [(t.release, t) for t in (sets[0] if has else []) if t.listed]
        ended = max([ended] + [at + self.together('reduce', [t], m.r[j], span) for at, t in listed if at > head])
        head = max(head, min((at for at, _ in listed), default=head))
        return Row(map=(begin, last), reduce=(head, d), tail=tail, has=has, sure=ended > d or has and head + tail > d)

    def cost(self, j, i, x):
        """c_j: the least priced work of a job."""
        m, d = self.m, self.m.due[j]
        if x.kind == 'map':
            return sum(self.work(x, t, d - (t.shuffle + i.tail) * i.has - t.release) for t in m.maps[j])
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
