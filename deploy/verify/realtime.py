"""realtime: jobs with deadlines and skewed partitions on unequal workers."""
from collections import Counter
from fractions import Fraction
from functools import reduce
from math import ceil, gcd, log

from model import COUNT, DOUBLE, Model, least_that, mean, shown, table
from proofs import numbers
from values import INF, Row, group, micro, need, rounded, us

M64, P, BIG = 2 ** 64 - 1, 2 ** 61 - 1, 2 ** 62
HEAD = 'job:s class:s arrival:t deadline:t first_start:t completion:t laxity:t tardiness:t late:n'
KINDS = {'partitions': {'': ('slot-prices partition-prices case-tree', 'phases:[{time!:time sets!:[proof]}]')},
         'deadlines': {'': ('late-windows', '''late!:{prices:[{kind!:str unit!:int worker!:[int]}]
                        windows:[{from!:time until!:time price!:int}]}''')}}

def hadoop(data):
    """Hadoop's hash of Text without its sign bit."""
    return reduce(lambda h, b: 31 * h + (b - 256 if b > 127 else b), data, 1) & 0x7fffffff

def fnv(data):
    """64-bit FNV-1a."""
    return reduce(lambda h, b: (h ^ b) * 0x100000001b3 & M64, data, 0xcbf29ce484222325)

def dxsm(state):
    """The outputs of PCG-DXSM."""
    while True:
        state = (state * 0x2360ed051fc65da44385df649fccf645 + 0x5851f42d4c957f2d14057b7ef767814f) % 2 ** 128
        hi, lo = state >> 64, state & M64
        hi = (hi ^ hi >> 32) * 0xda942042e4dd58b5 & M64
        yield (hi ^ hi >> 48) * (lo | 1) & M64

def sketch(delta, seed):
    """The hashes of a sketch."""
    draws = dxsm(seed << 64 | 0x636d73)
    for _ in range(max(1, ceil(log(1 / delta))) if delta > 0 else 0):
        a, b = (next(v * n >> 64 for v in draws if (v * n & M64) >= 2 ** 64 % n) for n in (P - 1, P))
        yield lambda k, a=1 + a, b=b: (a * (fnv(k) % P) + b) % P

class Problem(Model):
    known, own, letter = KINDS, 'bytes due', 'r'
    options = {'goal': 's(auto|deadlines|partitions)', 'deadline-factor': DOUBLE, 'resplit-cost': r's[\d.]*',
               'sketch-delta': r'n(-0|0(\.\d*[1-9])?|1|[1-9](\.\d*[1-9])?e-[1-9]\d*)',
               'sketch-seed': COUNT, 'partitions': COUNT}
    algorithms = 'best llf edf fifo fair hash lb dp lb-sketch dp-sketch skewtune lst exact'

    def __init__(self, *args):
        super().__init__(*args)
        p, names, factor = self.params, self.workers_of(), float(self.params['deadline-factor'])
        auto = 'deadlines' if factor > 0 or any('deadline' in j for j in self.jobs) else 'partitions'
        self.goal = auto if p['goal'] == 'auto' else p['goal']
        self.split, due = micro(p['resplit-cost']) if p['resplit-cost'] else None, self.goal == 'deadlines'
        self.release = [j.release if due else 0 for j in self.jobs]
        self.of_kind = {kind: sorted({w for w, of in self.slots if of == kind}) for kind in ('map', 'reduce')}
        self.build()
        self.ready(names)
        need(all(self.of_kind[t.kind] and all(t.p[i] < INF for i in self.of_kind[t.kind]) for t in self.list
                 if due or t.kind == 'reduce'), 'a task without slots or without a time')
        self.due = [INF] * len(self.jobs)
        for j, job in enumerate(self.jobs if due else []):
            if 'deadline' in job or factor > 0:
                x = sum(max((t.base for t in some), default=0.0) for some in (self.maps[j], self.sets[j][0]))
                self.due[j] = job.release + job.get('deadline', min(rounded(factor * x), 2 ** 62) if x < INF else 0)

    def add(self, job, kind, name, size, row=Row(), part_of=0):
        """Adds a map or a partition; `p` are its times on workers, `base` its base time, or else the least of them."""
        j, base = self.jobs[job], float(self.jobs[job].task_overhead or 0)
        rate, times = j.get(kind + '_bytes_per_s'), self.times.get((j.id, name), {})
        if 'processing_time' in row or size:
            base = float(row.processing_time) if 'processing_time' in row else rate and base + float(size) * 1e6 / rate
        at = {v: INF if base is None else rounded(base / v) for v in set(self.speed)}
        p = [times.get(n.id, at[v]) for n, v in zip(self.workers, self.speed)]
        base = float(min((p[i] for i in self.of_kind[kind]), default=INF)) if base is None else base
        self.list.append(Row(
            id=self.add_task(name, job, kind), job=job, kind=kind, name=name, bytes=size, row=row, set=part_of, p=p,
            base=base, shuffle=row.shuffle_delay or 0, timed=bool(times),
            given=bool(times) and all(self.workers[i].id in times for i in self.of_kind[kind]),
            release=max(self.release[job], row.release or 0) if self.goal == 'deadlines' else 0))
        return self.list[-1]

    def build(self):
        """All tasks: maps job by job, then partitions job by job and set by set."""
        t, known, maps, reduces = self.tables, {n.id for n in self.workers}, self.listed('map'), self.listed('reduce')
        keys = group(((r.job, (r.key, r.bytes)) for r in t['keys']), lambda x: group(x, sum))
        parts = group(((r.job, (r.partition, r.bytes)) for r in t.partitions), lambda x: group(x, sum))
        self.times = group((((r.job, name), (r.worker, r.seconds)) for r in t.times if r.worker in known
                            for name in (r.task, '%s/%s' % (r.job, r.task))), dict)
        self.list, self.sets = [], []
        self.maps = [[self.add(j, 'map', t.id, t.input_bytes or 0, t) for t in some] for j, some in enumerate(maps)]
        self.r = [job.get('reduces', len(some)) for job, some in zip(self.jobs, reduces)]
        for j, (job, r) in enumerate(zip(self.jobs, self.r)):
            total, ways = job.intermediate_bytes or 0, [job.id in keys, job.id in parts, bool(reduces[j])]
            need(sum(ways) < 2 and (r or not any(ways)), 'data of a job in two ways, or without `reduces`')
            own = [('%s/%s' % (job.id, name), size) for name, size in parts.get(job.id, {}).items()]
            own += [(t.id, t.input_bytes or 0, t) for t in reduces[j]]
            sets = self.hashed(job, keys[job.id], r) if job.id in keys else [
                own or [('%s/p%d' % (job.id, i + 1), total // r + (i < total % r)) for i in range(r)]]
            self.sets.append([[self.add(j, 'reduce', *x, part_of=s) for x in some] for s, some in enumerate(sets)])

    def hashed(self, job, keys, r):
        """The sets of a job with keys."""
        p, seed = int(self.params.get('partitions', 0)) or job.get('partitions', r), self.params.get('sketch-seed', 0)
        for n, h in enumerate([hadoop, *sketch(float(self.params['sketch-delta']), int(seed))]):
            size = group(((h(k.encode()) % p, v) for k, v in keys.items()), sum)
            yield [('%s/%sp%d' % (job.id, 'h%d.' % n if n else '', i + 1), size.get(i, 0)) for i in range(p)]

    def cells(self, row):
        return [str(self.list[row.task].bytes), '' if self.due[row.job] == INF else us(self.due[row.job])]

    def rules(self, rows, rep):
        self.kinds_fit(rows, rep)
        self.overlaps(rows, rep)
        of, some = group((r.task, r) for r in rows), group(((r.job, r.kind), (self.list[r.task], r)) for r in rows)
        only, last = self.goal == 'partitions', 0
        for r in rows: rep.when(only and r.kind == 'map', 'K608', r.name + ' is a map')
        for j, job in enumerate(self.jobs):
            maps, parts = some.get((j, 'map'), []), some.get((j, 'reduce'), [])
            sets = Counter(t.set for t, _ in parts)
            chosen = max(sets, key=lambda s: (sets[s], -s), default=0)
            ready = last if only else max([self.release[j]] + ([r.end + t.shuffle for t, r in maps] or [0]))
            last = max([last] + [r.end for _, r in parts])
            rep.when(len({r.machine for _, r in parts}) > self.r[j], 'K624', 'too many slots for job ' + job.id)
            for t, r in parts:
                rep.when(t.set != chosen, 'K625', t.name + ' is of another set')
                rep.when(t.release > max(self.release[j], r.start), 'K605', t.name + ' is released later')
                rep.when(r.start < ready, 'K606', t.name + ' starts too early')
            for t in ([] if only else self.maps[j]) + self.sets[j][chosen]: self.one_task(t, of.get(t.id, []), rep)

    def one_task(self, t, rs, rep):
        """K601, K602, K604, K605, K626 of the runs of a task."""
        rep.when(not rs, 'K601', 'no row of ' + t.name)
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
        if self.goal == 'partitions': return self.makespan(rows, 'reduce_makespan')
        return 'deadline_misses', Fraction(sum(c > d for c, d in zip(self.ends(rows, self.release), self.due)))

    def metrics(self, rows):
        parts, n, f = group((r.job, r) for r in rows if r.kind == 'reduce'), {}, {}
        t, ends = {'makespan': max([r.end for r in rows], default=0)}, self.ends(rows, self.release)
        if self.goal == 'deadlines':
            late = [max(0, c - d) for c, d in zip(ends, self.due) if d < INF]
            n['jobs_with_deadline'], t['longest_tardiness'] = len(late), max(late, default=None)
            f = {'turn_around': mean(sum(ends) - sum(self.release), len(ends)), 'tardiness': mean(sum(late), len(late)),
                 'miss_rate': Fraction(sum(x > 0 for x in late), len(late)) if late else None}
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
        jobs = zip(self.jobs, self.release, self.due, self.first_starts(rows), self.ends(rows, self.release))
        return {'jobs': table(HEAD, [
            [job.id, job.get('class'), arrival if self.goal == 'deadlines' else None, due, start,
             None if start is None else end] + (
                 [due - end, max(0, end - due), int(end > due)] if due < INF else [None] * 3)
            for job, arrival, due, start, end in jobs])}

    def uses(self):
        p, t, parts = self.params, self.tables, [x for x in self.tasks if x.kind == 'reduce']
        due, estimated = self.goal == 'deadlines', bool(t.history) and p.get('estimates') in ('auto', 'history')
        keyed, given = {r.job for r in t['keys']}, {r.job for r in t['keys'] + t.partitions + parts}
        self.use(('jobs.release jobs.deadline topology.map_slots tasks.release placements.block placements.node', due),
                 ('tasks.block', due and t.placements != []), ('machines', not t.topology),
                 ('jobs.class tasks.cpu tasks.memory_bytes history.class history.worker history.kind history.bytes '
                  'history.cpu history.memory_bytes history.seconds', estimated),
                 ('tasks.input_bytes', estimated and due), ('tasks.input_bytes', [x for x in parts if x.input_bytes]),
                 ('topology.map_slots', [n for n in self.workers if n.reduce_slots == 1]),
                 ('tasks.shuffle_delay', [x.row for j, ms in enumerate(self.maps) for x in ms if self.r[j] and due]),
                 ('jobs.partitions', [j for j in self.jobs if j.id in keyed and 'partitions' not in p]),
                 ('jobs.intermediate_bytes', [j for j in self.jobs if j.id not in given]))
        for x in [x for x in self.list if (due or x.kind == 'reduce') and (not x.given or self.sets_due(x))]:
            stated, job = 'processing_time' in x.row, self.jobs[x.job]
            rates = 'jobs.%s_bytes_per_s' % x.kind if x.bytes or 'task_overhead' not in job else ''
            self.use(('tasks.processing_time', stated), ('jobs.task_overhead ' + rates, [job][stated:]),
                     ('tasks.input_bytes', [x.row][stated or not x.bytes:]))

    def sets_due(self, x):
        """Whether a task's base time may decide when its job is due."""
        factor = float(self.params['deadline-factor'])
        return self.goal == 'deadlines' and factor > 0 and 'deadline' not in self.jobs[x.job] and x.set == 0

    def guarantee(self):
        if self.algorithm == 'lst' and self.goal == 'partitions' and all(len(cand) <= k for cand, k in (
                candidates(self, j, s) for j, sets in enumerate(self.sets) for s in sets)):
            return '2', '0', 'Lenstra, Shmoys, Tardos 1990, Thm 1'

def proven(m, cert):
    """What a certificate proves."""
    if m.goal == 'deadlines': return Late(m, cert.late).value()
    jobs, found = [j for j, sets in enumerate(m.sets) if sets[0]], set()
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
    fast = k < len(slots) and all(min(p[k:]) >= max(p[:k]) for p in timed)
    return order[:k] if fast else slots, k

def refute(m, j, tasks, t, proof):
    """Raises Wrong unless the proof shows that no schedule of a set takes T."""
    if t < 0: return need(not any(proof.values()), 'a proof of nothing')
    workers, k = candidates(m, j, tasks)
    alike = dict(enumerate(workers if any(x.timed for x in tasks) else [m.speed[w] for w in workers]))
    may = dict.fromkeys(range(len(tasks)), set(alike))
    return tree(m, [[x.p[w] for w in workers] for x in tasks], k, t, proof, may, alike, set())

def tree(m, p, k, t, proof, may, alike, placed):
    """A proof, with what is known where partitions `may` lie; slots of one class are `alike`."""
    n, split, cand = len(p), m.split is not None, len(alike)
    fits = [{s for s in may[i] if split or p[i][s] <= t} for i in range(n)]
    need(sum(map(bool, proof.values())) <= 1, 'two proofs in one')
    need(proof.slots or not split, 'a proof that does not hold with pieces')
    if proof.slots:
        y, g = numbers(proof.slots, cand, 2 ** 31 + 1, 'slots'), gcd(*(x for r in p for x in r)) or 1
        least = sum(min((y[s] * p[i][s] for s in fits[i]), default=INF) for i in range(n))
        need(sum(sorted(y)[cand - k:]) * (t if split else t - t % g) < least, 'slots prove nothing')
    elif proof.partitions:
        u = numbers(proof.partitions, n, 2 ** 31 + 1, 'partitions')
        need(sum(u) * cand < 2 ** 63, 'partitions')
        items = [tuple((u[i], p[i][s]) for i in range(n) if s in fits[i]) for s in range(cand)]
        most = {x: knapsack(x, t) for x in set(items)}
        large = None in most.values()
        m.notes += ['a knapsack was too large; its proof is taken as it is'] * large
        need(large or sum(u) > sum(sorted(most[x] for x in items)[cand - k:]), 'partitions prove nothing')
    elif proof.cases:
        i, s, on, off = proof.cases.values()
        need(0 <= i < n and 0 <= s < cand and s in may[i] and i not in placed, 'a case that cannot be')
        others = {x for x in may[i] if alike[x] != alike[s]}
        tree(m, p, k, t, on, {**may, i: {s}}, {**alike, s: ('only', s)}, placed | {i})
        tree(m, p, k, t, off, {**may, i: others}, alike, placed)
    else:
        need(not all(fits), 'an empty proof')

def knapsack(items, room, limit=200000):
    """The largest Σ u with Σ p ≤ room over items (u, p); None if the search takes too long."""
    best, stack = 0, [(0, room, sum(u for u, p in items if p == 0))]
    items = sorted(((u, p) for u, p in items if 0 < p <= room and u > 0), key=lambda x: Fraction(-x[0], x[1]))
    while stack:
        i, left, got = stack.pop()
        limit, best, most, x = limit - 1, max(best, got), got, left
        if limit < 0: return None
        for u, p in items[i:]:
            most, x = most + u * min(p, x) // p, x - p
            if x <= 0: break
        if most > best:                             # only if there are more items
            u, p = items[i]
            stack += [(i + 1, left, got)] + [(i + 1, left - p, got + u)] * (p <= left)
    return best

class Late:
    """Goal deadlines: sure misses and windows."""

    def __init__(self, m, late):
        self.m, self.prices, self.windows = m, late.prices, late.windows
        self.whole = {'map': True, 'reduce': m.split is None}      # whether tasks of a kind run in one piece
        for x in self.prices:
            need(x.kind in self.whole and x.unit >= 1, 'prices')
            priced = zip(numbers(x.worker, len(m.workers), BIG, 'Y'), m.workers)
            need(all(y == 0 or w[x.kind + '_slots'] for y, w in priced), 'price of a worker')
            x.dear = sorted((x.worker[w] for w, kind in m.slots if kind == x.kind), reverse=True)
            need(sum(x.dear) < BIG, 'prices too large')

    def work(self, x, t, length):
        """The least priced time of a task that has so much time."""
        return min([BIG] + [x.worker[i] * t.p[i] // x.unit for i in self.m.of_kind[x.kind]
                            if t.p[i] <= length or not self.whole[x.kind]])

    def room(self, x, length):
        """What the slots offer."""
        y = x.dear if self.whole[x.kind] else [sum(x.dear)]
        return min(BIG, sum(min(BIG, a * max(0, length) // x.unit) for a in y))

    def together(self, kind, tasks, k, span):
        """TOGETHER: the least time that tasks take together."""
        m, all = self.m, [min(t.p[w] for w in self.m.of_kind[kind]) for t in tasks]
        least = sorted(min(t.p[w] for t in tasks) for w, of in m.slots if of == kind)[:k]
        even = -(-sum(all) // max(1, len(least)))
        if least and least[0]:
            price = {w: (least[0] << 16) // min(t.p[w] for t in tasks) for w in m.of_kind[kind]}
            work = sum(min(y * t.p[w] for w, y in price.items()) for t in tasks)
            even = max(even, -(-work // sum((least[0] << 16) // x for x in least)))
        if not self.whole[kind]: return even
        least = least[:len(tasks)]
        return least_that(lambda d: 0 in least or sum(d // x for x in least) >= len(tasks), max(even, *all), span + 1)

    def job(self, j):
        """Whether a job is a sure miss; of its maps and partitions the interval, and sets of tasks with their time."""
        m, d, sets, r = self.m, self.m.due[j], self.m.sets[j], self.m.release[j]
        maps, has, span, ends = m.maps[j], bool(sets[0]), min(d - r, 2 ** 60), [(r, 0)]
        tail = min(self.together('reduce', s, m.r[j], span) for s in sets) if has else 0
        begin = min((t.release for t in maps), default=r)
        if maps:
            ends += [(t.release + min(t.p[i] for i in m.of_kind['map']), t.shuffle) for t in maps]
            ends.append((begin + self.together('map', maps, len(maps), span), min(t.shuffle for t in maps)))
        ended, head = max(end for end, _ in ends), max(end + shuffle for end, shuffle in ends)
        listed = [t for t in sets[0] if t.row]
        ended = max([ended] + [t.release + self.together('reduce', [t], m.r[j], span)
                               for t in listed])
        head = max(head, min((t.release for t in listed), default=head))
        until = [(t, d - (t.shuffle + tail) * has) for t in maps]
        return Row(sure=ended > d or has and head + tail > d,
                   map=Row(begin=begin, end=max((end for _, end in until), default=d),
                           sets=[[(t, end - t.release) for t, end in until]]),
                   reduce=Row(begin=head, end=d, sets=[[(t, d - head) for t in some] for some in sets]))

    def value(self):
        """Sure misses and those of the windows."""
        m, used = self.m, set()
        info = {j: self.job(j) for j in range(len(m.jobs)) if m.due[j] < INF}
        total = sum(x.sure for x in info.values())
        for x in self.prices:
            x.cost = {j: min(sum(self.work(x, t, length) for t, length in s) for s in i[x.kind].sets)
                      for j, i in info.items() if not i.sure}
            need(sum(x.cost.values()) < BIG, 'priced work too large')
        for w in self.windows:
            need(0 <= w.price < len(self.prices), 'price of a window')
            x = self.prices[w.price]
            js = [j for j in x.cost if info[j][x.kind].sets[0] and w['from'] <= m.release[j] < m.due[j] <= w.until]
            need(not used & set(js), 'a job is in two windows')
            used |= set(js)
            spans, kept = [info[j][x.kind] for j in js], []
            first = min((i.begin for i in spans), default=0)
            rooms = [self.room(x, i.end - first) for i in spans]
            for room, cost in sorted(zip(rooms, (x.cost[j] for j in js))):
                kept = sorted(kept + [cost])
                kept = kept[:-1] if sum(kept) > room else kept
            total += len(js) - len(kept)
        return total
