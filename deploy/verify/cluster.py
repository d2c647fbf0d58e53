"""cluster: any workload on unequal nodes; rules, objectives, the table of jobs."""
from collections import Counter
from fractions import Fraction
from functools import lru_cache
from math import ceil, gcd

from cluster_proofs import KINDS, proven        # noqa: F401
from model import Graph, Model, mean, shown, table
from replan import Plan
from values import INF, Row, exact, group, millionths, need, us

UNITS = {'flowtime': 10 ** 12, 'twjct': 10 ** 12, 'tardiness': 10 ** 12, 'late': 10 ** 6, 'makespan': 10 ** 6}
CODES = {'memory_bytes': 'K629', 'cpu': 'K630'}
HEAD = 'job:s tenant:s weight:t release:t due:t earliest:t first_start:t completion:t late_by:t objective_share:o'

def present(t, p, away):
    """The first time, at or after t, from which on a node is available for p; infinite if there is none."""
    for a, b in away: t = b if p and a < t + p and b > t else t
    return t

def merged(intervals):
    """The union of intervals, adjacent ones as one."""
    out = []
    for a, b in sorted(intervals):
        begin, end = out.pop() if out and a <= out[-1][1] else (a, b)
        out.append((begin, max(b, end)))
    return out

class Problem(Model):
    known, letter, least, identical = KINDS, 'c', 0, False
    options = {'objective': 's(%s)' % '|'.join(UNITS)}
    algorithms = 'best price-list tetris fifo fair drf heft graphene exact'

    def __init__(self, *args):
        super().__init__(*args)
        w, t, self.length = self.work, self.tables, lru_cache(maxsize=None)(self.length)
        self.list_tasks()
        self.nodes = w.nodes if t.topology else [Row(id='m%d' % (i + 1)) for i in range(w.scalars.machines or 0)]
        self.ready([n.id for n in self.nodes])
        need(0 < len(self.nodes) <= 10 ** 6, 'number of nodes')
        self.stated, self.n = self.params['objective'], len(self.tasks)
        self.goal = 'twjct' if self.stated == 'flowtime' else self.stated
        self.unit, self.weight = UNITS[self.goal], [j.weight for j in self.jobs]
        self.due = [j.release + j.deadline if 'deadline' in j else INF for j in self.jobs]
        self.places()
        self.resources()
        self.now, self.begun = w.scalars.now or 0, {self.index[s.task]: s for s in t.state}
        self.fixed = self.placed = {self.index[f.task]: (self.machines[f.node], f.start) for f in t.fixed + t.state}
        away = group(((r.node, (max(r['from'], w.scalars.get('now', r['from'])), r.get('until', INF)))
                      for r in t.unavailable if r.get('until', INF) > self.now), merged)
        self.away = [away.get(n.id, []) for n in self.nodes]
        self.deps = [(self.job_index[d.after], self.job_index[d.job], d.delay) for d in t.dependencies]
        self.clip()
        self.started = [max(self.jobs[j].release, x.release or 0) for j, x in zip(self.job_of, self.tasks)]
        self.build([r if u in self.fixed else max(r, self.now) for u, r in enumerate(self.started)])
        self.plan = Plan(self)
        self.fixed = {**self.plan.frozen, **self.placed}
        self.build([r if u in self.fixed else max(r, self.now, self.plan.freeze) for u, r in enumerate(self.started)])
        self.classes()
        end = self.graph.walk(lambda s, came: self.fixed.get(s, (0, max(self.release[s], came or 0)))[1] + self.p[s])
        self.alone = [max(0, *(end[u] for u in us)) for us in self.members]
        self.since = [min(job.release, t) for job, t in zip(self.jobs, self.alone)]
        if self.stated == 'flowtime':
            self.less = Fraction(sum(w * t for w, t in zip(self.weight, self.since)), self.unit)

    def build(self, release):
        """The graph, and the releases of its steps."""
        self.graph = Graph(self, self.deps, self.fixed)
        self.release = release + [0] * (self.graph.steps - self.n)

    def places(self):
        """Racks (a node without one is its own), rates, and the tables that say where tasks may run."""
        lines = [self.work.above(n) for n in self.nodes]
        racks = [line[1] if len(line) > 1 and line[1].kind == 'rack' else Row(id=i) for i, line in enumerate(lines)]
        self.above, self.rack = [{r.id for r in line} for line in lines], [r.id for r in racks]
        self.rates = [(n.bandwidth_bytes_per_s, r.bandwidth_bytes_per_s) for n, r in zip(self.nodes, racks)]
        self.holds = group((p.block, self.machines[p.node]) for p in self.tables.placements if p.node in self.machines)
        self.allowed = group((((r.job, None if 'job' in r else r.task), r.place) for r in self.tables.eligible), set)
        some = [(self.index.get(r.task, self.index.get('%s/%s' % (r.job, r.task))), self.machines.get(r.worker),
                 r.seconds) for r in self.tables.times]
        self.times = group(((u, (i, x)) for u, i, x in some if None not in (u, i)), dict)
        self.node_times = group(((i, (u, x)) for u, i, x in some if None not in (u, i)), frozenset)

    def resources(self):
        """Resources, those of tables as (name,), with what nodes have and tasks take of them."""
        t, slots = self.tables, ('map_slots', 'reduce_slots')
        has, takes = (group(((r[key], ((r.resource,), r.amount)) for r in rows), dict)
                      for key, rows in (('node', t.capacities), ('task', t.demands)))
        own = [{'cpu': None if n.cpu is None else millionths(n.cpu), 'memory_bytes': n.memory_bytes,
                **{k: n[k] for k in slots if any(map(n.get, slots))}, **has.get(n.id, {})} for n in self.nodes]
        own = [{k: x for k, x in mine.items() if x is not None} or {'node': 1} for mine in own]
        self.resource = list(dict.fromkeys([k for mine in own for k in mine if isinstance(k, str)] + [
            (r.resource,) for r in t.capacities + t.demands]))
        rows = [r for r in t.capacities if r.node not in self.machines]
        shared = {r.resource for r in rows} - {r.resource for r in t.capacities if r.node in self.machines}
        last = [k for k in self.resource if isinstance(k, tuple) and k[0] in shared]
        self.columns = len(self.resource) - (len(last) if len(last) > 16 else 0)
        if len(last) > 16: self.resource = [k for k in self.resource if k not in last] + last
        self.groups = [(self.resource.index((r.resource,)), r.amount, r.node) for r in rows]
        self.upper = [[g for g, (_, _, p) in enumerate(self.groups) if p in up] for up in self.above]
        caps = [group(((self.groups[g][:1], self.groups[g][1]) for g in gs), min) for gs in self.upper]
        self.full = [tuple(min(mine.get(k, INF if isinstance(k, str) or (x,) in cap else 0), cap.get((x,), INF))
                           for x, k in enumerate(self.resource)) for mine, cap in zip(own, caps)]
        self.capacity = [c[:self.columns] for c in self.full]
        own = [{'cpu': millionths(x.get('cpu', 1)), 'memory_bytes': x.memory_bytes or 0, 'node': 1,
                x.kind + '_slots': 1, **takes.get(x.id, {})} for x in self.tasks]
        self.demand = [tuple(mine.get(k, 0) for k in self.resource) for mine in own]

    def clip(self):
        """What tasks that run count, at most what there is, those that end last first; those that have ended nothing.

        `over` have ended, `cut` run on although their node is away.
        """
        self.over, taken, self.parts = {u for u, s in self.begun.items() if 'end' in s}, Counter(), {}
        spans = {u: (i, s, s + self.length(u, i)) for u, (i, s) in self.placed.items() if u in self.begun}
        self.cut = {u for u, (i, s, e) in spans.items() if any(a < e and b > s < e for a, b in self.away[i])}
        for u, (i, _, _) in sorted(spans.items(), key=lambda x: (-x[1][2], x[0])):
            asked, kept = self.demand[u] if u not in self.over else (0,) * len(self.resource), []
            for g in self.upper[i]:
                self.parts[u, g] = min(asked[self.groups[g][0]], self.groups[g][1] - taken[g])
                taken[g] += self.parts[u, g]
            for x, (d, c) in enumerate(zip(asked, self.full[i])):
                kept.append(min(d, c - taken[i, x]))
                taken[i, x] += kept[-1]
            self.demand[u] = tuple(kept)

    def part(self, u, g):
        """What a task counts in a group."""
        return self.parts.get((u, g), 0) if u in self.begun else self.demand[u][self.groups[g][0]]

    def takes(self, u, limit):
        return self.demand[u][limit[2]] if limit[0] is None else self.part(u, limit[0])

    def limits(self, i):
        """What limits the tasks of a node: (group or None, name of the place, resource, capacity)."""
        groups = [(g, place, x, c) for g, (x, c, place) in enumerate(self.groups) if g in self.upper[i]]
        return [(None, self.nodes[i].id, x, c) for x, c in enumerate(self.full[i])
                if (x, c) not in [g[2:] for g in groups]] + groups

    def classes(self):
        """Classes of nodes, p_uk and p_u."""
        classes = list(group(((self.capacity[i], n.get('speed', 1.0), self.rates[i], self.node_times.get(i)), i)
                             for i, n in enumerate(self.nodes)).values())
        self.k, self.first, self.size = len(classes), [nodes[0] for nodes in classes], list(map(len, classes))
        self.class_of = [k for _, k in sorted((i, k) for k, nodes in enumerate(classes) for i in nodes)]
        self.absent = [(k, a, b) for k, away in zip(self.class_of, self.away) for a, b in away]
        self.alike = list({(k, tuple(self.upper[i]), *map(tuple, self.away[i])): i
                           for i, k in enumerate(self.class_of)}.values())
        self.spots = [self.spots_of(u) for u in range(self.n)]
        need(all(self.spots), 'a task fits no node')
        best = [group(((k, p) for k, p, *_ in some), min) for some in self.spots]
        self.puk = [[row.get(k, -1) for k in range(self.k)] for row in best]
        self.p = [max(0, min(row.values())) for row in best] + [0] * (self.graph.steps - self.n)

    def inside(self, u, k, g):
        """Whether all nodes of a class on which a task may run are in a group."""
        return self.class_of[self.fixed[u][0]] != k or g in self.upper[self.fixed[u][0]] if u in self.fixed else all(
            g in self.upper[i] for i, c in enumerate(self.class_of) if c == k and self.runs(u, i))

    def spots_of(self, u):
        """Where a task runs: (class, length, times at which the node is away), each once."""
        t, nodes = self.tasks[u], range(len(self.nodes))
        if u in self.fixed: nodes = [self.fixed[u][0]]
        elif not self.reads(u) and not {(t.job, None), (None, t.id)} & set(self.allowed): nodes = self.alike
        return {(self.class_of[i], self.length(u, i), tuple(self.away[i])) for i in nodes if self.runs(u, i)}

    def earliest(self, u, h):
        """The earliest start and end of a task from a time on, if it has a node to itself."""
        starts = [(present(h, p, away), p) for _, p, away in self.spots[u]]
        starts, ends = zip(*[(t, t + p) for t, p in starts if t < INF] or [(h, h + self.p[u])])
        return min(starts), min(ends)

    def eligible(self, u, i):
        """Whether the table of that name lets a task run on a node."""
        keys = (self.tasks[u].job, None), (None, self.tasks[u].id)
        return all(self.above[i] & self.allowed.get(k, self.above[i]) for k in keys)

    def reads(self, u):
        """Whether a map's length may depend on the place of its block."""
        t = self.tasks[u]
        return t.kind == 'map' and 'block' in t and (t.input_bytes or 0) > 0 and u not in self.times and any(
            r is not None for pair in self.rates for r in pair)

    def length(self, u, i, far=None):
        """p(u, i), perhaps at another distance: 0 with a replica, 1 in the rack of one, else 2."""
        if u in self.begun:
            s = self.begun[u]
            usual = s.start + max(0, self.usual(u, self.machines[s.node]))
            expected = self.now + s.remaining if 'remaining' in s else max(
                usual, self.now + self.work.scalars.get('grace', 60 * 10 ** 6))
            return s.get('end', expected) - s.start
        return self.usual(u, i, far)

    def usual(self, u, i, far=None):
        """The length without what has happened."""
        if u in self.times: return self.times[u].get(i, -1)
        t, rate = self.tasks[u], None
        if self.reads(u):
            nodes = self.holds.get(t.block, ())
            far = 2 - (i in nodes) - (self.rack[i] in [self.rack[k] for k in nodes]) if far is None else far
            rate = min((r for r in self.rates[i][:far] if r is not None), default=None)
        read = t.input_bytes * 10 ** 6 / exact(rate) if rate else 0
        return ceil((t.processing_time or 0) / exact(self.nodes[i].get('speed', 1.0)) + read)

    length_on = length

    def runs(self, u, i):
        return self.fixed[u][0] == i if u in self.fixed else self.eligible(u, i) and self.length(u, i) >= 0 and all(
            d <= c for d, c in zip(self.demand[u], self.full[i]))

    def runs_at(self, u, i, start, standing):
        p, name, x = self.length(u, i), self.nodes[i].id, self.placed.get(u)
        gone = [us(a) for a, b in self.away[i] if p and a < start + p and b > start]
        there = [(v, k, s, s + self.length(v, k)) for v, (k, s) in {**standing, **self.placed}.items()]
        times = [start] + [s for _, _, s, _ in there if start < s < start + p]
        teams = [[(u, i)] + [(v, k) for v, k, s, end in there if s <= t < end and p] for t in times]
        lacks = [(x[1], ''.join(self.resource[x[2]])) for x in self.limits(i) if any(sum(self.takes(v, x)
            for v, k in team if (k == i if x[0] is None else x[0] in self.upper[k])) > x[3] for team in teams)]
        return ('the table %s puts it on %s from %s on' % (
            'state' if u in self.begun else 'fixed', self.nodes[x[0]].id, us(x[1])) if x else
                'the table eligible leaves %s out' % name if not self.eligible(u, i) else
                'the table times has no row for it on ' + name if p < 0 else
                '%s is unavailable from %s on' % (name, gone[0]) if gone else
                '%s has too little of %s beside the tasks that stay there' % lacks[-1] if lacks else '')

    def rules(self, rows, rep):
        first, frozen, freeze = self.once(rows, rep), self.plan.frozen, self.plan.freeze
        self.plan.rules(rows, rep)
        for t, r in first.items():
            name, i, p, free = self.names[t], r.machine, self.length(t, r.machine), t not in self.placed
            if t in self.begun:
                rep.when(r[1:3] != self.placed[t] or r.end - r.start != p, 'K638', name + ' was not there then')
                continue
            rep.when(free and t not in frozen and self.now and r.start < self.now, 'K638', name + ' starts before now')
            rep.when(not free and r[1:3] != self.placed[t] and t not in frozen, 'K635', name + ' is fixed elsewhere')
            rep.when(free and max(freeze, self.now or -INF) <= r.start < self.started[t], 'K605', name + ' is released later')
            rep.when(p < 0 or free and t not in frozen and not self.eligible(t, i), 'K633', name + ' may not run there')
            rep.when(p not in (-1, r.end - r.start), 'K604', '%s takes %s' % (name, us(p)))
            away = r.start < r.end and p >= 0 and any(a < r.end and b > r.start for a, b in self.away[i])
            rep.when(away, 'K634', name + ' runs while its node is away')
        self.graph.waits(first, self.names, rep, None)
        some = [(r, limit) for t, r in first.items() if self.length(t, r.machine) >= 0
                for limit in self.limits(r.machine) if limit[0] is None or self.takes(t, limit) > 0]
        for limit, rows in group((limit, r) for r, limit in some).items():
            code = CODES.get(self.resource[limit[2]], 'K632') if limit[0] is None else 'K637'
            self.room(rows, code, lambda r: self.takes(r.task, limit), limit[3], rep)

    def costs(self, c, goal):
        """What each job adds to an objective, as integers."""
        late = [max(0, x - d) for x, d in zip(c, self.due)]
        return {'flowtime': [w * (x - r) for w, x, r in zip(self.weight, c, self.since)],
                'twjct': [w * x for w, x in zip(self.weight, c)], 'makespan': [x * (x == max(c)) for x in c],
                'tardiness': [w * x for w, x in zip(self.weight, late)],
                'late': [w * (x > 0) for w, x in zip(self.weight, late)]}[goal]

    def objective(self, rows, goal=None):
        goal, c = goal or self.stated, self.ends(rows)
        return goal, Fraction(max(c) if goal == 'makespan' else sum(self.costs(c, goal)), UNITS[goal])

    def metrics(self, rows):
        c, flow = self.ends(rows), self.stated == 'flowtime'
        return {**self.plan.metrics(rows), **shown(
            o={g: self.objective(rows, g)[1] for g in UNITS if flow or g != 'flowtime'}, n={
                'late_jobs': sum(x > d for x, d in zip(c, self.due))}, f={
                'mean_job_completion': mean(sum(c), len(c)), **(self.waits(rows, c) if flow else {})})}

    def waits(self, rows, c):
        """Mean and 95th percentile of wait, turn-around and bounded slowdown."""
        first, out = [x or 0 for x in self.first_starts(rows)], {}
        every = [max(0, x - r) for x, r in zip(c, self.since)]
        slow = [max(10 ** 6, x * 10 ** 6 // max(t - s, 10 ** 7)) for x, t, s in zip(every, c, first)]
        for name, some in (('wait', [max(0, s - r) for s, r in zip(first, self.since)]), ('turnaround', every),
                           ('bounded_slowdown', slow)):
            n, some = len(some), sorted(some)
            k, part = divmod(19 * (n - 1), 20)
            high = (20 - part) * some[k] + part * some[min(k + 1, n - 1)]
            out |= {'mean_' + name: mean(sum(some), n), 'p95_' + name: Fraction(high, 20 * 10 ** 6)}
        return out

    def derived_tables(self, rows):
        c, first = self.ends(rows), self.first_starts(rows)
        out = [[job.id, job.tenant, job.weight, job.release, d, self.alone[j], first[j], c[j],
                max(0, c[j] - d), Fraction(share, self.unit)]
               for j, (job, d, share) in enumerate(zip(self.jobs, self.due, self.costs(c, self.stated)))]
        return {'jobs': table(HEAD, out), **self.plan.tables(rows)}

    def grain(self):
        """g of rounding up."""
        x = self.release + [d for _, _, d in self.graph.arcs] + [b for a in self.away for _, b in a if b < INF]
        x += [start + self.length(u, i) for u, (i, start) in self.fixed.items()]
        x += [max(0, self.length(u, i, far)) for u in set(range(self.n)) - set(self.fixed) for i in self.first
              for far in ((None, 0, 1, 2) if self.reads(u) else (None,))]
        return gcd(*x, *(d for d in self.due if d < INF and self.goal == 'tardiness'))

    def rounding(self):
        g, v = self.grain(), gcd(*self.weight)
        return Fraction({'makespan': g, 'late': v}.get(self.goal, g * v), self.unit)

    def uses(self):
        self.use(('machines', not self.tables.topology))
