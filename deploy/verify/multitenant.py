"""multitenant: users who share racks; the instance, rules, objective and links."""
import heapq
from fractions import Fraction
from math import lcm

import multitenant_proofs
import multitenant_tables
from model import Model, workers_of
from values import exact, rounded, us

class MultiTenant(Model):
    proofs, known, own, letter = multitenant_proofs, multitenant_proofs.KINDS, ['rack', 'locality', 'read_across'], 't'
    options = {'measure-from': r'n[\d.]+', 'measure-until': r'n[\d.]+'}
    objective, metrics, facts = Model.makespan, multitenant_tables.metrics, multitenant_proofs.facts
    derived_tables = multitenant_tables.tables
    algorithms = 'fair delay drf shufflewatcher sw-drf sw-relaxed sw-spill best'

    def __init__(self, *args):
        super().__init__(*args)
        names, listed, self.row, self.reduces, self.maps = workers_of(self), self.listed(), [], [], []
        self.network()
        for j, rows in enumerate(listed):
            self.maps.append([self.add_task(t['id'], j, 'map') for _, t in rows['map']])
            self.row += [t for _, t in rows['map']]
        self.map_count = len(self.names)
        for j, (job, rows) in enumerate(zip(self.jobs, listed)):
            some = [t for _, t in rows['reduce']] or [{'id': '%s.r%d' % (job['id'], i + 1)}
                                                      for i in range(job.get('reduces', 0))]
            self.reduces.append([self.add_task(t['id'], j, 'reduce') for t in some])
            self.row += some
        self.ready(names)
        self.r = list(map(len, self.reduces))
        self.users = list(dict.fromkeys(j.get('tenant', '') for j in self.jobs))
        self.user = [self.users.index(j.get('tenant', '')) for j in self.jobs]
        self.arrival = [j['release'] for j in self.jobs]
        self.release = [max(self.arrival[j], r.get('release', 0)) for j, r in zip(self.job_of, self.row)]
        self.data()

    def network(self):
        names, rows = [], {t['id']: t for t in self.tables['topology']}
        for n in self.workers:
            racks = [r['id'] for r in self.work.above(n)[1:] if r['kind'] == 'rack']
            names.append(racks[0] if racks else n.get('parent', 'cluster'))
        self.racks = list(dict.fromkeys(names))
        self.rack, self.band = [self.racks.index(n) for n in names], [self.limit(n) for n in self.workers]
        self.uplink, self.fabric = [self.limit(rows.get(r, {})) for r in self.racks], []
        for k in range(len(self.racks)):
            b = [x for x, r in zip(self.band, self.rack) if r == k]
            self.fabric.append(None if None in b else sum(b))

    @staticmethod
    def limit(row):
        """A bandwidth as whole bytes a second, or None."""
        b = row.get('bandwidth_bytes_per_s')
        return None if b is None or b > 1e12 else max(1, rounded(exact(b)))

    def data(self):
        self.out, self.v, self.base, self.cache = [0] * len(self.names), [0] * len(self.jobs), [], {}
        for j, ms in enumerate(self.maps):
            if self.r[j]:
                self.outputs_of(self.jobs[j], ms)
                self.v[j] = sum(self.out[t] for t in ms)
        for t, row in enumerate(self.row):
            j, kind = self.job_of[t], self.kind_of[t]
            job, base = self.jobs[j], float(self.jobs[j].get('task_overhead', 0))
            alone = kind == 'reduce' and not self.maps[j] and 'kind' not in row
            size = self.input(t) if kind == 'map' else (
                job.get('intermediate_bytes', 0) if alone else self.v[j]) // self.r[j]
            rate = job.get(kind + '_bytes_per_s')
            self.base.append(float(row['processing_time']) if 'processing_time' in row else
                             base + float(size) * 1e6 / rate if size and rate else base)
        holds = self.holders({n['id']: i for i, n in enumerate(self.workers)})
        self.replicas = [holds.get(r.get('block'), []) if t < self.map_count else [] for t, r in enumerate(self.row)]
        self.writes = any(r.get('output_bytes', 0) for r in self.row[self.map_count:])

    def outputs_of(self, job, ms):
        """What each map of a job puts out."""
        read, upto = [self.input(t) for t in ms], 0
        if all('output_bytes' in self.row[t] for t in ms):
            for t in ms:
                self.out[t] = self.row[t]['output_bytes']
            return
        total = job.get('intermediate_bytes', rounded(job.get('shuffle_ratio', 0.0) * float(sum(read))))
        read = read if sum(read) else [1] * len(read)
        for t, x in zip(ms, read):
            self.out[t] = total * (upto + x) // sum(read) - total * upto // sum(read)
            upto += x

    def compute(self, t, w):
        key = self.base[t], self.speed[w]
        if key not in self.cache:
            self.cache[key] = rounded(key[0] / key[1])
        return self.cache[key]

    @staticmethod
    def transfer(b, rate):
        """Microseconds that bytes take."""
        return 0 if rate is None else min(2 ** 60, b * 10 ** 6 // rate)

    def input(self, t):
        return self.row[t].get('input_bytes', 0)

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
        where, links = self.locality(t, w), [self.band[w]]
        if where == 'remote':
            links += [self.uplink[self.source(t, w)], self.uplink[self.rack[w]]]
        return 0 if where == 'node' else max(self.transfer(self.input(t), x) for x in links)

    def copy(self, t, rack):
        return (rack + 1 + t % (len(self.racks) - 1)) % len(self.racks)

    def written(self, t):
        """What a reduce writes to another rack."""
        return self.row[t].get('output_bytes', 0) if t >= self.map_count and len(self.racks) > 1 else 0

    def write(self, t, w):
        b, k = self.written(t), self.rack[w]
        if not b:
            return 0
        c = self.copy(t, k)
        return max(self.transfer(b, x) for x in (self.band[w], self.uplink[k], self.uplink[c], self.fabric[c]))

    def worker(self, r):
        return self.slots[r.machine][0]

    def cells(self, row):
        rack, where = self.racks[self.rack[self.worker(row)]], self.locality(row.task, self.worker(row))
        if row.task >= self.map_count:
            return [rack, '', '']
        return [rack, where, str(self.input(row.task) if where == 'remote' else 0)]

    def maps_end(self, rows):
        """E_j."""
        return self.ends([r for r in rows if r.task < self.map_count], self.arrival)

    def rules(self, rows, rep):
        for r in rows:
            if self.kind_of[r.task] != self.slots[r.machine][1]:
                rep.add('K623', self.names[r.task] + ' is on a slot of the other kind')
        rows = list(self.once(rows, rep).values())
        ends = self.maps_end(rows)
        for r in rows:
            t, w, name = r.task, self.worker(r), self.names[r.task]
            c, took = self.compute(t, w), r.end - r.start
            rep.when(r.start < self.release[t], 'K605', name + ' is released later')
            if t < self.map_count:
                if took != c if self.locality(t, w) == 'node' else took < c + self.read(t, w):
                    rep.add('K604', '%s takes %s' % (name, us(c + self.read(t, w))))
            elif r.end < max(r.start, ends[self.job_of[t]]) + c + self.write(t, w):
                rep.add('K606', name + ' ends too early')
        self.overlaps(rows, rep)
        for w, node in enumerate(self.workers):
            mine = [r for r in rows if self.worker(r) == w]
            for key, code, amount in (('memory_bytes', 'K629', lambda x: x.get('memory_bytes', 0)),
                                      ('cpu', 'K630', lambda x: rounded(exact(x.get('cpu', 0.0)) * 10 ** 6))):
                if key in node:
                    self.room(mine, code, lambda r: amount(self.row[r.task]), amount(node), rep, node['id'])
        self.links(rows, rep)

    def outputs(self, rows):
        """O_ja and F_ja by job and rack."""
        o, f = [{} for _ in self.jobs], [{} for _ in self.jobs]
        for r in rows:
            if r.task < self.map_count:
                j, a = self.job_of[r.task], self.rack[self.worker(r)]
                o[j][a], f[j][a] = o[j].get(a, 0) + self.out[r.task], min(f[j].get(a, r.end), r.end)
        return o, f

    def transfers(self, rows):
        """All transfers as (what, row, from rack, to rack, begin, until, bytes, by how many to divide these)."""
        (o, f), ends = self.outputs(rows), self.maps_end(rows)
        for r in rows:
            t, w = r.task, self.worker(r)
            j, k, c = self.job_of[t], self.rack[w], self.compute(t, w)
            if t < self.map_count:
                if self.locality(t, w) != 'node' and self.input(t):
                    yield 'map', r, self.source(t, w), k, r.start, r.end - c, self.input(t), 1
                continue
            for a in sorted(o[j]):
                if o[j][a] > 0:
                    until = r.end - c - self.write(t, w)
                    yield 'shuffle', r, a, k, max(r.start, f[j][a]), until, o[j][a], self.r[j]
            if self.written(t):
                yield 'write', r, k, self.copy(t, k), max(r.start, ends[j]) + c, r.end, self.written(t), 1

    def links(self, rows, rep):
        """K627: whether the links can carry what has to cross them."""
        loads = {}
        for what, r, a, b, begin, until, size, parts in self.transfers(rows):
            keys = [('fabric', b, self.fabric[b])]
            if a != b:
                keys += [('out', a, self.uplink[a]), ('in', b, self.uplink[b])]
            if what == 'shuffle':
                keys.append(('own', r.task, self.band[self.worker(r)]))
            for k in keys:
                if k[2] is not None:
                    loads.setdefault(k, []).append((begin, until, size, parts, r.task))
        for (kind, x, rate), some in sorted(loads.items()):
            late = serve(some, rate)
            if late is not None:
                rep.add('K627', 'the link %s %d cannot carry what ends at %s' % (kind, x, us(late)))


    def uses(self):
        t, rows, drf = self.tables, self.row, self.algorithm in ('drf', 'sw-drf', 'best')
        memory = any('memory_bytes' in x for x in t['tasks'])
        need = [j for j, ms in enumerate(self.maps) if self.r[j] and not (
            ms and all('output_bytes' in rows[x] for x in ms))]
        u = self.columns(
            (not t['topology'], 'machines'), (t['placements'], 'tasks.block'), (memory, 'topology.memory_bytes'),
            (drf or any('cpu' in x for x in self.workers), 'tasks.cpu'),
            (any('memory_bytes' in x for x in self.workers), 'tasks.memory_bytes'),
            (any('cpu' in x for x in t['tasks']) or drf and memory and all('memory_bytes' in x for x in self.workers),
             'topology.cpu'))
        for x, j, kind in zip(rows, self.job_of, self.kind_of):
            if 'processing_time' not in x:
                u |= self.used('jobs.task_overhead jobs.%s_bytes_per_s' % kind, [self.jobs[j]])
        u |= self.used('jobs.intermediate_bytes', [self.jobs[j] for j in need])
        u |= self.used('jobs.shuffle_ratio', [self.jobs[j] for j in need if any(map(self.input, self.maps[j]))
                                              and 'intermediate_bytes' not in self.jobs[j]])
        return u | self.used('tasks.input_bytes', rows[:self.map_count])

def serve(loads, rate):
    """Earliest `until` first, preemptively: the until of the first load that ends too late, or None."""
    parts = lcm(*(x[3] for x in loads))
    scale, slack = rate * parts, 10 * rate * parts + 10 ** 6 * parts * len({x[4] for x in loads})
    todo = sorted((begin * scale, until * scale, size * (parts // d) * 10 ** 6) for begin, until, size, d, _ in loads)
    now, heap, i = todo[0][0], [], 0
    while i < len(todo) or heap:
        now = now if heap else max(now, todo[i][0])
        while i < len(todo) and todo[i][0] <= now:
            heapq.heappush(heap, [todo[i][1], i, todo[i][2]])
            i += 1
        until, _, left = heap[0]
        if i < len(todo) and todo[i][0] < now + left:
            heap[0][2], now = left - (todo[i][0] - now), todo[i][0]
            continue
        now += left
        heapq.heappop(heap)
        if now > until + slack:
            return Fraction(until, scale)
    return None
