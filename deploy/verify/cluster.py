"""cluster: any workload on unequal nodes; rules, objectives, the table of jobs."""
from fractions import Fraction
from functools import reduce
from math import gcd

import cluster_proofs
from model import Graph, Model, mean, up_to_unit
from replan import Plan
from values import INF, exact, group, rounded, text, us

UNITS = {'twjct': 10 ** 12, 'tardiness': 10 ** 12, 'late': 10 ** 6, 'makespan': 10 ** 6}
CODES = {'memory_bytes': 'K629', 'cpu': 'K630'}
HEAD = 'job tenant weight release due earliest first_start completion late_by objective_share'.split()

def merged(intervals):
    """The union of intervals, adjacent ones as one."""
    out = []
    for a, b in sorted(intervals):
        if out and a <= out[-1][1]:
            out[-1] = out[-1][0], max(out[-1][1], b)
        else:
            out.append((a, b))
    return out

def cores(row, default):
    return rounded(exact(row['cpu']) * 10 ** 6) if 'cpu' in row else default

class Cluster(Model):
    proofs, known, letter, options = cluster_proofs, cluster_proofs.KINDS, 'c', {'objective': 's(%s)' % '|'.join(UNITS)}
    algorithms = 'best price-list tetris fifo fair drf heft graphene exact'

    def __init__(self, *args):
        super().__init__(*args)
        w, t = self.work, self.tables
        self.list_tasks()
        count = w.scalars.get('machines', 0)
        self.nodes = w.nodes if t['topology'] else [{'id': 'm%d' % (i + 1)} for i in range(count)]
        self.ready([n['id'] for n in self.nodes])
        self.goal, self.n = self.params.get('objective', 'twjct'), len(self.tasks)
        self.unit = UNITS[self.goal]
        self.release = self.started = [max(self.jobs[j]['release'], x.get('release', 0))
                                       for j, x in zip(self.job_of, self.tasks)]
        self.due = [j['release'] + j['deadline'] if 'deadline' in j else INF for j in self.jobs]
        self.weight = [j['weight'] for j in self.jobs]
        self.members = [[u for u in range(self.n) if self.job_of[u] == j] for j in range(len(self.jobs))]
        self.places()
        self.resources()
        self.fixed = self.placed = {self.index[f['task']]: (self.machines[f['node']], f['start']) for f in t['fixed']}
        self.away = [merged((r['from'], r.get('until', INF)) for r in t['unavailable'] if r['node'] == n['id'])
                     for n in self.nodes]
        self.build_graph()
        if 'from' in self.params:
            self.plan = Plan(self)
            self.fixed = {**self.plan.frozen, **self.placed}
            self.release = [max(r, self.plan.freeze) if u not in self.fixed else r for u, r in enumerate(self.release)]
            self.build_graph()
        self.classes()

    def places(self):
        w, self.times, self.node_times = self.work, {}, {}
        self.above = [{r['id'] for r in w.above(n)} for n in self.nodes]
        racks = [(w.above(n) + [{}])[1] for n in self.nodes]
        self.rack = [r['id'] if r.get('kind') == 'rack' else None for r in racks]
        self.rates = [(n.get('bandwidth_bytes_per_s'), r.get('bandwidth_bytes_per_s') if k else None)
                      for n, r, k in zip(self.nodes, racks, self.rack)]
        keys = [('job', r['job']) if 'job' in r else ('task', r['task']) for r in self.tables['eligible']]
        self.holds, self.allowed = self.holders(self.machines), group(
            zip(keys, (r['place'] for r in self.tables['eligible'])), set)
        for r in self.tables['times']:
            u = self.index.get(r['task'], self.index.get(r['job'] + '/' + r['task']))
            if u is not None and r['worker'] in self.machines:
                i = self.machines[r['worker']]
                self.times.setdefault(u, {})[i] = r['seconds']
                self.node_times.setdefault(i, set()).add((u, r['seconds']))
        self.cache = {}

    def resources(self):
        t, names, own = self.tables, {}, []
        has = group(((c['node'], (c['resource'], c['amount'])) for c in t['capacities']), dict)
        takes = group(((d['task'], (d['resource'], d['amount'])) for d in t['demands']), dict)
        for n in self.nodes:
            slots = n.get('map_slots', 0) + n.get('reduce_slots', 0) > 0
            bare = not slots and not {'cpu', 'memory_bytes'} & set(n) and n['id'] not in has
            own.append({'cpu': cores(n, INF), 'memory_bytes': n.get('memory_bytes', INF), 'node': 1 if bare else INF,
                        'map_slots': n['map_slots'] if slots else INF,
                        'reduce_slots': n['reduce_slots'] if slots else INF})
            names.update({k: 0 for k in ('cpu', 'memory_bytes', 'map_slots', 'reduce_slots', 'node')
                          if own[-1][k] < INF})
        names.update({('table', r['resource']): 0 for r in t['capacities'] + t['demands']})
        self.resource = list(names)
        self.capacity = [tuple(o[k] if k in o else has.get(n['id'], {}).get(k[1], 0) for k in names)
                         for n, o in zip(self.nodes, own)]
        self.demand = []
        for x in self.tasks:
            o = {'cpu': cores(x, 10 ** 6), 'memory_bytes': x.get('memory_bytes', 0), 'node': 1,
                 'map_slots': int(x['kind'] == 'map'), 'reduce_slots': int(x['kind'] == 'reduce')}
            self.demand.append(tuple(o[k] if k in o else takes.get(x['id'], {}).get(k[1], 0) for k in names))

    def eligible(self, u, i):
        keys = (('job', self.tasks[u]['job']), ('task', self.tasks[u]['id']))
        return all(k not in self.allowed or self.allowed[k] & self.above[i] for k in keys)

    def reads(self, u):
        """Whether a map's length may depend on the place of its block."""
        t = self.tasks[u]
        return t['kind'] == 'map' and 'block' in t and t.get('input_bytes', 0) > 0 and u not in self.times and any(
            r is not None for pair in self.rates for r in pair)

    def length(self, u, i, far=None):
        """p(u, i), perhaps at another distance: 0 with a replica, 1 in the rack of one, else 2."""
        if u in self.times:
            return self.times[u].get(i, -1)
        t, rate = self.tasks[u], None
        if self.reads(u):
            nodes = self.holds.get(t['block'], ())
            near = self.rack[i] is not None and any(self.rack[k] == self.rack[i] for k in nodes)
            far = far if far is not None else 0 if i in nodes else 1 if near else 2
            rate = min((r for r in self.rates[i][:far] if r is not None), default=None)
        key = t.get('processing_time', 0), self.nodes[i].get('speed', 1.0), rate, rate and t['input_bytes']
        if key not in self.cache:
            x = Fraction(key[0]) / exact(key[1]) + (Fraction(key[3] * 10 ** 6) / exact(rate) if rate else 0)
            self.cache[key] = -(-x.numerator // x.denominator)
        return self.cache[key]

    def runs(self, u, i):
        if u in self.fixed:
            return self.fixed[u][0] == i
        return self.eligible(u, i) and self.length(u, i) >= 0 and all(
            d <= c for d, c in zip(self.demand[u], self.capacity[i]))

    def build_graph(self):
        """The graph with opening and closing barriers."""
        g = self.graph = Graph(self)
        self.deps = [(self.job_index[d['after']], self.job_index[d['job']], d['delay'])
                     for d in self.tables['dependencies']]
        self.opening = {j: g.add(j) for j in sorted({b for _, b, _ in self.deps})}
        self.closing = {j: g.add(j) for j in sorted({a for a, _, _ in self.deps})}
        for j, s in self.opening.items():
            g.out[s] = [(u, 0) for u in self.members[j]]
        for j, s in self.closing.items():
            for u in self.members[j]:
                g.out[u].append((s, 0))
        for a, b, d in self.deps:
            g.out[self.closing[a]].append((self.opening[b], d))
        g.finish(set(self.fixed))

    def classes(self):
        """Classes of nodes, p_uk and p_u."""
        keys = {}
        self.class_of = [keys.setdefault((self.capacity[i], n.get('speed', 1.0), self.rates[i], frozenset(
            self.node_times.get(i, ()))), len(keys)) for i, n in enumerate(self.nodes)]
        self.k = len(keys)
        self.first = [self.class_of.index(k) for k in range(self.k)]
        self.size = [self.class_of.count(k) for k in range(self.k)]
        self.where = [[i for i in range(len(self.nodes)) if self.runs(u, i)] for u in range(self.n)]
        best = [group(((self.class_of[i], self.length(u, i)) for i in self.where[u]), min) for u in range(self.n)]
        self.puk = [[row.get(k, -1) for k in range(self.k)] for row in best]
        self.p = [min((x for x in row if x >= 0), default=0) for row in self.puk] + [0] * (self.graph.steps - self.n)

    length_on = length

    def runs_at(self, u, i, start, standing):
        p, name = self.length(u, i), self.nodes[i]['id']
        if u in self.placed:
            k, s = self.placed[u]
            return 'the table fixed puts it on %s from %s on' % (self.nodes[k]['id'], us(s))
        if not self.eligible(u, i):
            return 'the table eligible leaves %s out' % name
        if p < 0:
            return 'the table times has no row for it on ' + name
        for a, b in self.away[i]:
            if p and a < start + p and b > start:
                return '%s is unavailable from %s on' % (name, us(a))
        there = [(v, s) for v, (k, s) in {**standing, **self.placed}.items() if k == i and self.length(v, i) > 0]
        for x, resource in enumerate(self.resource):
            most = 0
            for t in [start] + [s for _, s in there if start < s < start + p]:
                most = max(most, sum(self.demand[v][x] for v, s in there if s <= t < s + self.length(v, i)))
            if self.demand[u][x] + (most if p else 0) > self.capacity[i][x]:
                named = resource if isinstance(resource, str) else resource[1]
                return '%s has too little of %s beside the tasks that stay there' % (name, named)
        return ''

    def rules(self, rows, rep):
        first, lost, frozen = self.once(rows, rep), set(), self.plan.frozen if self.plan else {}
        for t, r in first.items():
            name, i, p = self.names[t], r.machine, self.length(t, r.machine)
            if t in self.placed:
                rep.when((i, r.start) != self.placed[t] and t not in frozen, 'K635', name + ' is fixed elsewhere')
            else:
                if r.start < self.started[t] and not (self.plan and r.start < self.plan.freeze):
                    rep.add('K605', name + ' is released later')
                rep.when(not self.eligible(t, i) and t not in frozen, 'K633', name + ' is not eligible there')
            if p < 0:
                rep.add('K633', name + ' has no length there')
                lost.add(t)
                continue
            rep.when(r.end - r.start != p, 'K604', '%s takes %s' % (name, us(p)))
            if any(r.start < r.end and a < r.end and b > r.start for a, b in self.away[i]):
                rep.add('K634', name + ' runs while its node is away')
        self.graph.waits(first, self.names, rep, [])
        first = {t: r for t, r in first.items() if t not in lost}
        for i in sorted({r.machine for r in first.values()}):
            for x, name in enumerate(self.resource):
                self.room([r for r in first.values() if r.machine == i], CODES.get(name, 'K632'),
                          lambda r: self.demand[r.task][x], self.capacity[i][x], rep, self.nodes[i]['id'])
        if self.plan:
            self.plan.rules(rows, rep)

    def costs(self, c, goal):
        """What each job adds to an objective, as integers."""
        if goal == 'late':
            return [w if x > d else 0 for w, x, d in zip(self.weight, c, self.due)]
        if goal == 'makespan':
            return [x if x == max(c) else 0 for x in c]
        late = [max(0, x - d) if d < INF else 0 for x, d in zip(c, self.due)]
        return [w * x for w, x in zip(self.weight, late if goal == 'tardiness' else c)]

    def total(self, c, goal):
        """An objective as a rational, and as text."""
        v = Fraction(max(c) if goal == 'makespan' else sum(self.costs(c, goal)), UNITS[goal])
        return v, text(v, 12)

    def objective(self, rows):
        return (self.goal,) + self.total(self.ends(rows), self.goal)

    def metrics(self, rows):
        c = self.ends(rows)
        out = {g: self.total(c, g)[1] for g in UNITS}
        out['late_jobs'] = str(sum(x > d for x, d in zip(c, self.due)))
        out['mean_job_completion'] = mean(sum(c), len(c))
        return {**out, **self.plan.metrics(rows)} if self.plan else out

    def derived_tables(self, rows):
        """The tables `jobs` and perhaps `replan`."""
        end, c, first = {}, self.ends(rows), self.first_starts(rows)
        for s in self.graph.order:
            h = max([self.release[s] if s < self.n else 0] + [end[a] + d for a, d in self.graph.into[s]])
            end[s] = self.fixed.get(s, (0, h))[1] + self.p[s]
        share, out = self.costs(c, self.goal), [HEAD]
        for j, job in enumerate(self.jobs):
            d = self.due[j]
            out.append([job['id'], job.get('tenant', ''), us(self.weight[j]), us(job['release']),
                        '' if d == INF else us(d), us(max(end[u] for u in self.members[j])), first[j], us(c[j]),
                        us(max(0, c[j] - d) if d < INF else 0), text(Fraction(share[j], self.unit), 12)])
        return {'jobs': out, 'replan': self.plan.table(rows)} if self.plan else {'jobs': out}

    def grain(self):
        """g of rounding up."""
        x = list(self.release) + [d for _, _, d in self.graph.arcs] + [b for a in self.away for _, b in a if b < INF]
        for u in range(self.n):
            if u in self.fixed:
                x.append(self.fixed[u][1] + self.length(u, self.fixed[u][0]))
            else:
                x += [max(0, self.length(u, i, far)) for i in self.first
                      for far in ((None, 0, 1, 2) if self.reads(u) else (None,))]
        return reduce(gcd, x + [d for d in self.due if d < INF and self.goal == 'tardiness'], 0)

    def round_up(self, value):
        g, v = self.grain(), reduce(gcd, self.weight, 0)
        unit = Fraction({'makespan': g, 'late': v}.get(self.goal, g * v), self.unit)
        return up_to_unit(value, unit) if value > 0 else Fraction(0)

    def uses(self):
        return set() if self.tables['topology'] else {'machines'}
