"""reduceplace: slots for the reduces of jobs; dynamics, rules, costs, the certificate."""
import re
from fractions import Fraction

from model import COUNT, Model, shown
from proofs import numbers
from values import INF, decimal, group, need, rounded, text, us

UNIT = r'(?=\d{1,10}(/|$))([1-9]\d*)(?:/([1-9]\d{0,9}))?'

class Problem(Model):
    own, letter = 'node arrival slot_cost cost', 'p'
    known = {'slot-prices': ('clairvoyant', 'unit!:str prices:[{period!:int rows!:[[int]]} /period]')}
    options = {'max-running-jobs': COUNT, 'slot-cost': 's(auto|given|hops|data|measured)',
               'distances': r's([ \d.]+(,[ \d.]+)*)?'}
    algorithms = 'lookahead rhc greedy random threshold stationary clairvoyant best exact'

    def __init__(self, *args):
        super().__init__(*args)
        w, p, given = self.work, self.params, self.tables.slots
        self.limit = int(p.get('max-running-jobs', 0)) or w.scalars.get('max_running_jobs', len(self.jobs))
        self.how = p['slot-cost'] if p['slot-cost'] != 'auto' else 'given' if given else 'hops'
        slots = [(s.id, s.node or '') for s in given] if given else list(w.slots('reduce_slots'))
        cost = self.node_costs() if self.how != 'given' else None
        costs = [cost(node) for _, node in slots] if cost else [s.cost for s in given]
        self.slots = sorted(((c, name, node) for c, (name, node) in zip(costs, slots)), key=lambda s: s[0])
        self.r, self.x, self.b, self.bytes, self.own_bytes = [], [], [], [], []
        self.map_slots = max(1, sum(n.map_slots or 0 for n in w.nodes))
        for j, rows in enumerate(zip(self.jobs, self.listed('map'), self.listed('reduce'))):
            self.one_job(j, *rows)
        self.ready([name for _, name, _ in self.slots])
        self.dynamics()

    def one_job(self, j, job, maps, reduces):
        """R, X and B of a job, its reduces, and which columns they use."""
        r, own, times = len(reduces) or job.reduces or 0, [t.input_bytes for t in reduces], [0]
        full, read = bool(reduces) and None not in own, sum(t.input_bytes or 0 for t in maps)
        own, put = own if full and sum(own) else [], [t.output_bytes for t in maps]
        stated = 'intermediate_bytes' in job or full
        ratio = not own and not stated and (not maps or None in put)
        if own or stated:
            x = sum(own) or job.intermediate_bytes or 0
        else:
            x = rounded((job.shuffle_ratio or 0.0) * float(read)) if ratio else sum(put)
        self.use(('tasks.input_bytes', full), ('jobs.intermediate_bytes', [] if own else [job]),
                 ('tasks.output_bytes', not own and not stated and not ratio), ('jobs.shuffle_ratio', [job] * ratio),
                 ('tasks.input_bytes', maps * ratio))
        if 'map_work' not in job:
            self.use(('topology.map_slots', True), ('tasks.processing_time', maps))
            times += [t.processing_time or 0 for t in maps]
        self.b.append(job.get('map_work', max([-(-sum(times) // self.map_slots)] + times)))
        self.r.append(r)
        self.x.append(x if r else 0)
        self.own_bytes.append(own)
        self.bytes += own or [Fraction(self.x[j], r or 1)] * r
        for i in range(r):
            self.add_task(reduces[i].id if reduces else '%s.r%d' % (job.id, i + 1), j, 'reduce')

    def node_costs(self):
        """Costs by hops, by the data on each node, or by measured times; rounded down to millionths."""
        w, height = self.work, {}
        if self.how == 'measured':
            some = [(t.recorded_node, t.processing_time) for t in self.tasks if t.kind == 'reduce']
            took = group((n, x) for n, x in some if None not in (n, x))
            every = [x for v in took.values() for x in v]
            return lambda n: 10 ** 6 * sum(took[n]) * len(every) // (len(took[n]) * sum(every))
        up = {n.id: [r.id for r in w.above(n)] for n in w.nodes}
        for line in up.values():
            height.update((a, max(height.get(a, 0), d)) for d, a in enumerate(line))
        table = [decimal(d) for d in self.params['distances'].split(',') if d]
        data, total = dict.fromkeys(up, 1), 1
        if self.how == 'data':
            put = group(((t.recorded_node, t.output_bytes or 0) for t in self.tasks if t.kind == 'map'), sum)
            data = {n: put.get(n, 0) for n in up}
            total = sum(data.values())

        def meet(a, b):
            x = height[next(r for r in up[b] if r in up[a])]
            return table[x - 1] if table and x else x
        return lambda n: int(sum(data[u] * meet(n, u) for u in up if u != n) * 10 ** 6 // total)

    def dynamics(self):
        """Starts and ends of all jobs, and who waited for slots; service in 2^-32 µs."""
        self.order = sorted(range(len(self.jobs)), key=lambda j: (self.jobs[j].release, j))
        self.start, self.end, self.short, todo = {}, {}, set(), list(self.order)
        now, service, free, running, waiting = 0, 0, len(self.slots), {}, []
        while todo or running:
            arrive, n = self.jobs[todo[0]].release if todo else INF, len(running)
            least = min(running.values(), default=0)
            e = now - -((least - service) * n) // 2 ** 32
            if running and e <= arrive:
                now, service = e, least
                for j in [j for j, s in running.items() if s <= least]:
                    self.end[j] = now
                    free += self.r[j]
                    del running[j]
            else:
                q, rest = divmod(arrive - now, max(1, n))
                service += q * 2 ** 32 - -rest * 2 ** 32 // n if running else 0
                now = arrive
                waiting.append(todo.pop(0))
            while len(running) < self.limit and waiting and self.r[waiting[0]] <= free:
                j = waiting.pop(0)
                free, self.start[j], running[j] = free - self.r[j], now, service + self.b[j] * 2 ** 32
            self.short.update(waiting[:1] if len(running) < self.limit else [])
        need(not waiting, 'a job never starts')

    def cells(self, row):
        c, _, node = self.slots[row.machine]
        return [node, us(self.jobs[row.job].release), us(c), text(self.bytes[row.task] * c / 10 ** 6)]

    def rules(self, rows, rep):
        first = self.once(rows, rep)
        for t, r in first.items():
            own = self.start[self.job_of[t]], self.end[self.job_of[t]]
            rep.same('K622', 'start and end of ' + self.names[t], (r.start, r.end), own)
        self.overlaps(first.values(), rep)

    def objective(self, rows):
        last = {r.task: r.machine for r in rows}
        return 'fetching_cost', Fraction(sum(self.bytes[t] * self.slots[i][0] for t, i in last.items())) / 10 ** 6

    def metrics(self, rows):
        cost, data, some = self.objective(rows)[1], sum(self.x), sum(r > 0 for r in self.r)
        wait = [self.start[j] - job.release for j, job in enumerate(self.jobs)]
        return shown(t={'makespan': max(self.end.values()), 'longest_wait': max(wait)}, s={'slot_costs': self.how}, n={
            'bytes': data, 'jobs_waiting': sum(x > 0 for x in wait), 'jobs_waiting_for_slots': len(self.short)}, f={
                'cost_per_job': cost / some if some else None, 'cost_per_byte': cost / data if data else None})

    def uses(self):
        how = self.how
        self.use(('max_running_jobs', 'max-running-jobs' not in self.params), ('slots.node', True),
                 ('topology.parent', how in ('hops', 'data')), ('topology.reduce_slots', not self.tables.slots),
                 ('slots.cost', how == 'given'), ('tasks.processing_time', how == 'measured'),
                 ('tasks.recorded_node', how in ('data', 'measured')),
                 ('tasks.output_bytes', how == 'data' or decimal(self.params.get('estimate', '0'))))

    def period(self, jobs, rows, a, b, lacking):
        """Adds what a period lacks."""
        point, under, until, begin, peak = 0, [], {}, {}, 0
        for j in jobs:
            done = [i for i in under if self.end[i] <= self.start[j]]
            under = [i for i in under if i not in done] + [j]
            point += bool(done)
            until.update({i: point for i in done})
            begin[j], peak = point, max(peak, sum(self.r[i] for i in under))
        need(len(rows) <= len(self.slots), 'too many rows')
        data, y, lines = b * sum(self.x[j] for j in jobs), [0] * (point + 1), []
        for row in rows:
            at, base = -1, 0
            need(len(row) % 2 == 0, 'a row of pairs')
            for step, rise in zip(row[::2], row[1::2]):
                at += step
                need(step >= 1 and at <= point, 'a point of a row')
                y[at] += rise
            need(sum(numbers(y, len(y), INF)) <= 2 ** 62, 'prices of a row')
            for j in jobs:
                over = a * sum(y[begin[j]:until.get(j, point + 1)])
                own = [(1, x) for x in self.own_bytes[j]] or [(self.r[j], self.x[j])]
                base += sum(max(0, b * x - n * over) for n, x in own)
            lines.append((base, a * sum(y)))
        lacking[0] += data
        for k in range(1, min(peak, len(self.slots))):
            while len(lines) > 1 and lines[1][0] + lines[1][1] * k <= lines[0][0] + lines[0][1] * k:
                del lines[0]
            lacking[k] += data - min(data, lines[0][0] + lines[0][1] * k) if lines else 0

def proven(m, cert):
    unit = re.fullmatch(UNIT, cert.unit, re.A)
    need(unit, 'unit')
    a, b = int(unit[2]), int(unit[3] or 1)
    need(max(a, b) < 2 ** 31 and str(Fraction(a, b)) == cert.unit, 'unit')
    rows, periods, last = {x.period: x.rows for x in cert.prices}, [], 0
    for j in m.order:
        if m.end[j] > m.start[j] and m.x[j] > 0:
            periods += [[]] if not periods or m.start[j] >= last or len(periods[-1]) == 32768 else []
            periods[-1].append(j)
            last = max(last, m.end[j])
    need(set(rows) <= set(range(len(periods))), 'periods')
    costs, lacking = [0] + [c for c, _, _ in m.slots], [0] * len(m.slots)
    for k, jobs in enumerate(periods):
        m.period(jobs, rows.get(k, []), a, b, lacking)
    lacking[0] += b * sum(x for j, x in enumerate(m.x) if m.end[j] <= m.start[j])
    return Fraction(sum(x * (costs[k + 1] - costs[k]) for k, x in enumerate(lacking)), 10 ** 6 * b)
