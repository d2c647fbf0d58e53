"""reduceplace: slots for the reduces of jobs; dynamics, rules, costs, the certificate."""
import re
from fractions import Fraction
from itertools import accumulate

from model import COUNT, Model, shown
from proofs import numbers
from values import INF, decimal, group, need, rounded, text, us

class Problem(Model):
    own, letter = 'node arrival slot_cost cost', 'p'
    known = {'slot-prices': ('clairvoyant', 'unit!:str prices:[{period!:int rows!:[[int]]} /period]')}
    options = {'max-running-jobs': COUNT, 'slot-cost': 's(auto|given|hops|data|measured)',
               'distances': r's([ \d.]+(,[ \d.]+)*)?'}
    algorithms = 'rhc greedy random threshold stationary best exact'

    def __init__(self, *args):
        super().__init__(*args)
        w, p, given = self.work, self.params, self.tables.slots
        self.limit = int(p.get('max-running-jobs', 0)) or w.scalars.get('max_running_jobs', len(self.jobs))
        self.how = p['slot-cost'] if p['slot-cost'] != 'auto' else 'given' if given else 'hops'
        slots = [(s.id, s.node or '') for s in given] if given else list(w.slots('reduce_slots'))
        costs = [s.cost for s in given] if self.how == 'given' else map(self.node_costs(), (node for _, node in slots))
        self.slots = sorted(((c, *s) for c, s in zip(costs, slots)), key=lambda s: s[0])
        self.map_slots = max(1, sum(n.map_slots or 0 for n in w.nodes))
        self.r, self.x, self.b, self.own_bytes = zip(*map(
            self.one_job, range(len(self.jobs)), self.jobs, self.listed('map'), self.listed('reduce')))
        self.bytes = [b for r, x, own in zip(self.r, self.x, self.own_bytes) for b in own or [Fraction(x, r or 1)] * r]
        self.ready([name for _, name, _ in self.slots])
        self.dynamics()

    def one_job(self, j, job, maps, reduces):
        """R, X, B and the own bytes of the reduces of a job; adds its reduces, and which columns they use."""
        r, own, put = len(reduces) or job.reduces or 0, [t.input_bytes for t in reduces], [t.output_bytes for t in maps]
        full, times = bool(reduces) and None not in own, [t.processing_time or 0 for t in maps]
        own, stated = own if full and sum(own) else [], full or 'intermediate_bytes' in job
        ratio = not stated and (not maps or None in put)
        guess = rounded((job.shuffle_ratio or 0.0) * float(sum(t.input_bytes or 0 for t in maps))) if ratio else 0
        x = (sum(own) or job.intermediate_bytes or 0) if stated else guess if ratio else sum(put)
        if r:
            self.use(('tasks.input_bytes', full), ('jobs.intermediate_bytes', [] if own else [job]),
                     ('tasks.output_bytes', not stated and not ratio), ('jobs.shuffle_ratio', [job] * ratio),
                     ('tasks.input_bytes', maps * ratio))
        self.use(('topology.map_slots', 'map_work' not in job),
                 ('tasks.processing_time', [] if 'map_work' in job else maps))
        for i in range(r): self.add_task(reduces[i].id if reduces else '%s.r%d' % (job.id, i + 1), j, 'reduce')
        return r, x if r else 0, job.get('map_work', max([-(-sum(times) // self.map_slots), *times])), own

    def node_costs(self):
        """The cost of a node by hops, by the data on each node, or by measured times; rounded down to millionths."""
        if self.how == 'measured':
            took = group((t.recorded_node, t.processing_time) for t in self.tasks
                         if t.kind == 'reduce' and None not in (t.recorded_node, t.processing_time))
            every = [x for some in took.values() for x in some]
            return lambda n: (10 ** 6 * sum(took[n]) * len(every) // (len(took[n]) * sum(every)) if n in took
                              else 10 ** 6)
        up = {n.id: [r.id for r in self.work.above(n)] for n in self.work.nodes}
        height = group(((a, d) for line in up.values() for d, a in enumerate(line)), max)
        costs = [decimal(d) for d in self.params['distances'].split(',') if d] or range(1, len(height))
        put = group(((t.recorded_node, t.output_bytes or 0) for t in self.tasks if t.kind == 'map'), sum)
        data = {n: put.get(n, 0) if self.how == 'data' else 1 for n in up}
        total = sum(data.values()) if self.how == 'data' else 1
        return lambda n: int(sum(data[u] * costs[height[next(r for r in up[u] if r in up[n])] - 1]
                                 for u in up if u != n) * 10 ** 6 // total)

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
                service -= -(arrive - now) * 2 ** 32 // n if running else 0
                now = arrive
                waiting.append(todo.pop(0))
            while len(running) < self.limit and waiting and self.r[waiting[0]] <= free:
                j = waiting.pop(0)
                free, self.start[j], running[j] = free - self.r[j], now, service + self.b[j] * 2 ** 32
            self.short.update(waiting[:1] if len(running) < self.limit else [])
        need(not waiting, 'a job never starts')

    def cells(self, row):
        c, _, node = self.slots[row.machine]
        return [node, us(self.jobs[row.job].release), us(c), text(Fraction(self.bytes[row.task] * c, 10 ** 6))]

    def rules(self, rows, rep):
        first = self.once(rows, rep).values()
        for r in first:
            rep.same('K622', 'start and end of ' + r.name, (r.start, r.end), (self.start[r.job], self.end[r.job]))
        self.overlaps(first, rep)

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
        self.use(('max_running_jobs', 'max-running-jobs' not in self.params), ('slots.node', True),
                 ('topology.parent', self.how in ('hops', 'data')), ('topology.reduce_slots', not self.tables.slots),
                 ('slots.cost', self.how == 'given'), ('tasks.processing_time', self.how == 'measured'),
                 ('tasks.recorded_node', self.how in ('data', 'measured')),
                 ('tasks.output_bytes', self.how == 'data' or decimal(self.params.get('estimate', '0'))))

    def period(self, jobs, rows, a, b, lacking):
        """Adds what a period lacks."""
        point, under, until, begin, peak = 0, [], {}, {}, 0
        for j in jobs:
            done = [i for i in under if self.end[i] <= self.start[j]]
            under = [i for i in under if i not in done] + [j]
            point += bool(done)
            until.update(dict.fromkeys(done, point))
            begin[j], peak = point, max(peak, sum(self.r[i] for i in under))
        need(len(rows) <= len(self.slots), 'too many rows')
        intervals = [(j, *x) for j in jobs for x in [(1, x) for x in self.own_bytes[j]] or [(self.r[j], self.x[j])]]
        data, y, lines = b * sum(self.x[j] for j in jobs), [0] * (point + 1), []
        for row in rows:
            need(len(row) % 2 == 0, 'a row of pairs')
            need(all(step >= 1 for step in row[::2]) and sum(row[::2]) <= len(y), 'a point of a row')
            for at, rise in zip(accumulate(row[::2]), row[1::2]): y[at - 1] += rise
            need(sum(numbers(y, len(y), INF)) <= 2 ** 62, 'prices of a row')
            over = {j: a * sum(y[begin[j]:until.get(j)]) for j in jobs}
            lines.append((sum(max(0, b * x - n * over[j]) for j, n, x in intervals), a * sum(y)))
        lacking[0] += data
        for k in range(1, min(peak, len(self.slots))):
            while len(lines) > 1 and lines[1][0] + lines[1][1] * k <= lines[0][0] + lines[0][1] * k:
                del lines[0]
            lacking[k] += data - min([data] + [base + slope * k for base, slope in lines[:1]])

def proven(m, cert):
    need(re.fullmatch(r'[1-9]\d{0,9}(/[1-9]\d{0,9})?', cert.unit, re.A), 'unit')
    a, b = Fraction(cert.unit).as_integer_ratio()
    need(max(a, b) < 2 ** 31 and str(Fraction(a, b)) == cert.unit, 'unit')
    rows, periods, last = {x.period: x.rows for x in cert.prices}, [], 0
    for j in [j for j in m.order if m.end[j] > m.start[j] and m.x[j] > 0]:
        periods += [[]] if not periods or m.start[j] >= last or len(periods[-1]) == 32768 else []
        periods[-1].append(j)
        last = max(last, m.end[j])
    need(set(rows) <= set(range(len(periods))), 'periods')
    costs, lacking = [0] + [c for c, _, _ in m.slots], [0] * len(m.slots)
    for k, jobs in enumerate(periods): m.period(jobs, rows.get(k, []), a, b, lacking)
    lacking[0] += b * sum(x for j, x in enumerate(m.x) if m.end[j] <= m.start[j])
    return Fraction(sum(x * (d - c) for x, c, d in zip(lacking, costs, costs[1:])), 10 ** 6 * b)
