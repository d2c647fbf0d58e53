"""reduceplace: slots for the reduces of jobs; dynamics, rules, costs, the certificate."""
import re
from fractions import Fraction

from forms import form, need
from model import Model
from values import INF, decimal, group, rounded, text, us

KINDS = {'slot-prices': ('clairvoyant', form('{unit:str! prices:[{period:int! rows:[[int]]!}]}'))}
UNIT = r'(?=\d{1,10}(/|$))([1-9]\d*)(?:/([1-9]\d{0,9}))?'

class ReducePlace(Model):
    known, own, letter = KINDS, ['node', 'arrival', 'slot_cost', 'cost'], 'p'
    options = {'max-running-jobs': r'n\d+', 'slot-cost': 's(auto|given|hops|data|measured)', 'distances': 's.*'}
    algorithms = 'lookahead rhc greedy random threshold stationary clairvoyant best exact'

    def __init__(self, *args):
        super().__init__(*args)
        w, n = self.work, len(self.jobs)
        self.limit = int(self.params.get('max-running-jobs', 0)) or w.scalars.get('max_running_jobs', n)
        self.slots_of()
        self.map_slots = max(1, sum(n.get('map_slots', 0) for n in w.nodes))
        self.r, self.x, self.b, self.bytes, self.own_bytes, self.more = [], [], [], [], [], {'slots.node'}
        for j, (job, rows) in enumerate(zip(self.jobs, self.listed())):
            self.one_job(j, job, [t for _, t in rows['map']], [t for _, t in rows['reduce']])
        self.ready([name for _, name, _ in self.slots])
        self.dynamics()

    def one_job(self, j, job, maps, reduces):
        """R, X and B of a job, its reduces, and which columns they use."""
        r, more = len(reduces) or job.get('reduces', 0), self.more
        own = [t['input_bytes'] for t in reduces if 'input_bytes' in t]
        full = bool(reduces) and len(own) == len(reduces)
        read_by_maps = sum(t.get('input_bytes', 0) for t in maps)
        if full:
            more.add('tasks.input_bytes')
        if full and sum(own):
            x = sum(own)
        else:
            more |= self.used('jobs.intermediate_bytes', [job])
            if 'intermediate_bytes' in job or full:
                x = job.get('intermediate_bytes', 0)
            elif maps and all('output_bytes' in t for t in maps):
                x = sum(t['output_bytes'] for t in maps)
                more.add('tasks.output_bytes')
            else:
                x = rounded(job.get('shuffle_ratio', 0.0) * float(read_by_maps))
                more |= self.used('jobs.shuffle_ratio', [job]) | self.used('tasks.input_bytes', maps)
        if 'map_work' not in job:
            more |= {'topology.map_slots'} | self.used('tasks.processing_time', maps)
        times = [t.get('processing_time', 0) for t in maps]
        self.b.append(job['map_work'] if 'map_work' in job else max([-(-sum(times) // self.map_slots)] + times))
        self.r.append(r)
        self.x.append(x if r else 0)
        self.own_bytes.append(own if full and sum(own) else None)
        self.bytes += own if full and sum(own) else [Fraction(self.x[j], r or 1)] * r
        for i in range(r):
            self.add_task(reduces[i]['id'] if reduces else '%s.r%d' % (job['id'], i + 1), j, 'reduce')

    def slots_of(self):
        """Slots as (cost, name, node), cheapest first."""
        given, how = self.tables['slots'], self.params.get('slot-cost', 'auto')
        self.how = how if how != 'auto' else 'given' if given else 'hops'
        slots = [(s['id'], s.get('node', '')) for s in given] if given else list(self.work.slots(('reduce_slots',)))
        cost = self.node_costs() if self.how != 'given' else None
        costs = [cost(node) for _, node in slots] if cost else [s['cost'] for s in given]
        self.slots = sorted(((c, name, node) for c, (name, node) in zip(costs, slots)), key=lambda s: s[0])

    def node_costs(self):
        """Costs by hops, by the data on each node, or by measured times; rounded down to millionths."""
        w, height = self.work, {}
        if self.how == 'measured':
            took = group((t['recorded_node'], t['processing_time']) for t in self.tasks
                         if t['kind'] == 'reduce' and 'recorded_node' in t and 'processing_time' in t)
            every = [x for v in took.values() for x in v]
            return lambda n: 10 ** 6 * sum(took[n]) * len(every) // (len(took[n]) * sum(every))
        up = {n['id']: [r['id'] for r in w.above(n)] for n in w.nodes}
        for line in up.values():
            for d, a in enumerate(line):
                height[a] = max(height.get(a, 0), d)
        table = [decimal(d) for d in self.params.get('distances', '').split(',') if d]
        data = dict.fromkeys(up, 0 if self.how == 'data' else 1)
        if self.how == 'data':
            for t in self.tasks:
                if t['kind'] == 'map' and t.get('recorded_node') in data:
                    data[t['recorded_node']] += t.get('output_bytes', 0)

        def meet(a, b):
            x = height[next(r for r in up[b] if r in up[a])]
            return table[x - 1] if table and x else x
        total = sum(data.values()) if self.how == 'data' else 1
        return lambda n: int(sum(data[u] * meet(n, u) for u in up if u != n) * 10 ** 6 // total)

    def dynamics(self):
        """Starts and ends of all jobs, and who waited for slots; service in 2^-32 µs."""
        todo = self.order = sorted(range(len(self.jobs)), key=lambda j: (self.jobs[j]['release'], j))
        self.start, self.end, self.short = {}, {}, set()
        now, service, free, running, waiting, todo = 0, 0, len(self.slots), {}, [], list(todo)
        while todo or running:
            arrive = self.jobs[todo[0]]['release'] if todo else INF
            least = min(running.values(), default=0)
            e = now - -((least - service) * len(running)) // 2 ** 32 if running else INF
            if running and e <= arrive:
                now, service = e, least
                for j in [j for j, s in running.items() if s <= least]:
                    self.end[j] = now
                    free += self.r[j]
                    del running[j]
            else:
                q, rest = divmod(arrive - now, max(1, len(running)))
                service += q * 2 ** 32 - -rest * 2 ** 32 // len(running) if running else 0
                now = arrive
                waiting.append(todo.pop(0))
            while len(running) < self.limit and waiting:
                if self.r[waiting[0]] > free:
                    self.short.add(waiting[0])
                    break
                j = waiting.pop(0)
                free, self.start[j], running[j] = free - self.r[j], now, service + self.b[j] * 2 ** 32
        need(not waiting, 'a job never starts')

    def cells(self, row):
        c, _, node = self.slots[row.machine]
        return [node, us(self.jobs[self.job_of[row.task]]['release']), us(c), text(self.bytes[row.task] * c / 10 ** 6)]

    def rules(self, rows, rep):
        first = self.once(rows, rep)
        for t, r in first.items():
            j = self.job_of[t]
            if (r.start, r.end) != (self.start[j], self.end[j]):
                rep.add('K622', '%s runs from %s to %s' % (self.names[t], us(self.start[j]), us(self.end[j])))
        self.overlaps(first.values(), rep)

    def objective(self, rows):
        last = {r.task: r.machine for r in rows}
        v = Fraction(sum(self.bytes[t] * self.slots[i][0] for t, i in last.items())) / 10 ** 6
        return 'fetching_cost', v, text(v, 12)

    def metrics(self, rows):
        cost, data, some = self.objective(rows)[1], sum(self.x), sum(r > 0 for r in self.r)
        wait = [self.start[j] - job['release'] for j, job in enumerate(self.jobs)]
        out = {'bytes': str(data), 'makespan': us(max(self.end.values())), 'slot_costs': '"%s"' % self.how,
               'jobs_waiting': str(sum(x > 0 for x in wait)), 'longest_wait': us(max(wait)),
               'jobs_waiting_for_slots': str(len(self.short))}
        out.update({'cost_per_job': text(cost / some)} if some else {})
        out.update({'cost_per_byte': text(cost / data)} if data else {})
        return out

    def uses(self):
        how = self.how
        return self.more | self.columns(
            ('max-running-jobs' not in self.params, 'max_running_jobs'), (how in ('hops', 'data'), 'topology.parent'),
            (not self.tables['slots'], 'topology.reduce_slots'), (how == 'given', 'slots.cost'),
            (how == 'measured', 'tasks.processing_time'), (how in ('data', 'measured'), 'tasks.recorded_node'),
            (how == 'data' or decimal(self.params.get('estimate', '0')), 'tasks.output_bytes'))

    def proven(self, cert):
        m, periods, last = re.fullmatch(UNIT, cert['unit'], re.A), self.periods(), -1
        need(m, 'unit')
        a, b = int(m[2]), int(m[3] or 1)
        need(max(a, b) < 2 ** 31 and str(Fraction(a, b)) == cert['unit'], 'unit')
        rows = [[]] * len(periods)
        for p in cert.get('prices', []):
            need(last < p['period'] < len(periods), 'periods must rise')
            last = p['period']
            rows[last] = p['rows']
        costs, lacking = [0] + [c for c, _, _ in self.slots], [0] * len(self.slots)
        for period, prices in zip(periods, rows):
            self.period(period, prices, a, b, lacking)
        lacking[0] += b * sum(x for j, x in enumerate(self.x) if self.end[j] <= self.start[j])
        return Fraction(sum(x * (costs[k + 1] - costs[k]) for k, x in enumerate(lacking)), 10 ** 6 * b)

    def periods(self):
        """Busy periods: lists of jobs in the order of arrival."""
        out, last = [], 0
        for j in self.order:
            if self.end[j] > self.start[j] and self.x[j] > 0:
                if not out or self.start[j] >= last or len(out[-1]) == 32768:
                    out.append([])
                out[-1].append(j)
                last = max(last, self.end[j])
        return out

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
            at = -1
            need(len(row) % 2 == 0, 'a row of pairs')
            for step, rise in zip(row[::2], row[1::2]):
                at += step
                need(step >= 1 and at <= point, 'a point of a row')
                y[at] += rise
            need(min(y) >= 0 and sum(y) <= 2 ** 62, 'prices of a row')
            base = 0
            for j in jobs:
                over = sum(y[begin[j]:until.get(j, point + 1)])
                own = [(1, x) for x in self.own_bytes[j]] if self.own_bytes[j] else [(self.r[j], self.x[j])]
                base += sum(max(0, b * x - a * n * over) for n, x in own)
            lines.append((base, a * sum(y)))
        lacking[0] += data
        at = 0
        for k in range(1, min(peak, len(self.slots))):
            while at + 1 < len(lines) and lines[at + 1][0] + lines[at + 1][1] * k <= lines[at][0] + lines[at][1] * k:
                at += 1
            lacking[k] += data - min(data, lines[at][0] + lines[at][1] * k) if lines else 0
