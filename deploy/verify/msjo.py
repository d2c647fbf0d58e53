"""msjo: jobs on identical machines; rules, objectives, guarantees."""
from fractions import Fraction
from functools import reduce
from math import gcd

import msjo_proofs
from model import Counted, Graph, Model, mean, up_to_unit
from replan import Plan
from values import decimal, rounded, text, us

HEAD = 'job weight release earliest first_start completion objective_share'.split()
PAPER = 'Ling et al., JPDC 2016, Thm '

class Msjo(Model):
    proofs, known, letter = msjo_proofs, msjo_proofs.KINDS, 'm'
    options = {'machines': r'n[1-9]\d*', 'objective': 's(twjct|twtct)'}
    algorithms = ('coge mars mars-list best exact so-mars tmars tmars-list mares h-mares huwf hjwf stf htwf htwf-list '
                  'wspt-list fifo')

    def __init__(self, *args):
        super().__init__(*args)
        self.list_tasks()
        given = int(self.params.get('machines', 0)) or self.work.scalars.get('machines', 0)
        self.counted = bool(given)
        slots = [] if given else [n for n, _ in self.work.slots(('map_slots', 'reduce_slots'))]
        self.ready(Counted(given) if given else slots)
        self.m, self.n, self.goal = len(self.machines), len(self.tasks), self.params.get('objective', 'twjct')
        g = self.graph = Graph(self)
        g.finish()
        none = [0] * (g.steps - self.n)
        self.p = [t.get('processing_time', 0) for t in self.tasks] + none
        self.release = [max(self.jobs[j]['release'], t.get('release', 0)) for j, t in zip(g.job, self.tasks)]
        self.release += [self.jobs[j]['release'] for j in g.job[self.n:]]
        self.wj = [j['weight'] for j in self.jobs]
        self.wt = [t.get('weight', self.wj[j]) for j, t in zip(g.job, self.tasks)] + none
        self.members = [[s for s in g.order if g.job[s] == j] for j in range(len(self.jobs))]
        self.paths()
        self.earliest, self.length, self.started = self.c, self.p, self.release
        self.plan = Plan(self) if 'from' in self.params else None
        if self.plan:
            self.proof_of_plan()

    def paths(self):
        """h, L and c."""
        g, p = self.graph, self.p
        self.h = list(self.release)
        for a in g.order:
            self.h[a] = max([self.h[a]] + [self.h[b] + p[b] + d for b, d in g.into[a]])
        self.tail = g.tails(p, True, range(g.steps))
        self.c = [max(self.h[s] + p[s] + self.tail[s] for s in ms) for ms in self.members]

    def proof_of_plan(self):
        """The instance without the plan, which certificates are about."""
        f, self.p, self.release = self.plan.freeze, list(self.p), list(self.release)
        for u in range(self.n):
            end = self.plan.frozen[u][1] + self.p[u] if u in self.plan.frozen else None
            self.release[u] = max(self.release[u], f) if end is None else end if end <= f else f
            self.p[u] = self.p[u] if end is None else max(0, end - f)
        self.paths()

    def length_on(self, u, i):
        return self.length[u]

    def runs_at(self, u, i, start, standing):
        busy = max([s + self.p[v] for v, (k, s) in standing.items() if k == i], default=start)
        return 'its machine is busy until ' + us(busy) if busy > start else ''

    def rules(self, rows, rep):
        first = self.once(rows, rep)
        for t, r in first.items():
            rep.when(r.end - r.start != self.length[t], 'K604', '%s takes %s' % (self.names[t], us(self.length[t])))
            rep.when(r.start < self.started[t], 'K605', '%s is released at %s' % (self.names[t], us(self.started[t])))
        self.graph.waits(first, self.names, rep, [0])
        self.overlaps(rows, rep)
        if self.plan:
            self.plan.rules(rows, rep)

    def objective(self, rows, goal=None):
        goal = goal or self.goal
        v = sum(w * c for w, c in zip(self.wj, self.ends(rows))) if goal == 'twjct' else sum(
            self.wt[r.task] * r.end for r in rows)
        return goal, Fraction(v, 10 ** 12), text(Fraction(v, 10 ** 12), 12)

    def metrics(self, rows):
        c = self.ends(rows)
        out = {'twjct': self.objective(rows, 'twjct')[2], 'twtct': self.objective(rows, 'twtct')[2],
               'makespan': us(max(c)), 'mean_job_completion': mean(sum(c), len(c))}
        if max(c) > 0:
            out['utilisation'] = text(Fraction(sum(r.end - r.start for r in rows), self.m * max(c)))
        return {**out, **self.plan.metrics(rows)} if self.plan else out

    def derived_tables(self, rows):
        c, share, first = self.ends(rows), [0] * len(self.jobs), self.first_starts(rows)
        for r in rows:
            share[self.job_of[r.task]] += self.wt[r.task] * r.end
        out = {'jobs': [HEAD] + [
            [job['id'], us(self.wj[j]), us(job['release']), us(self.earliest[j]), first[j], us(c[j]),
             text(Fraction(share[j] if self.goal == 'twtct' else self.wj[j] * c[j], 10 ** 12), 12)]
            for j, job in enumerate(self.jobs)]}
        return {**out, 'replan': self.plan.table(rows)} if self.plan else out

    def round_up(self, value):
        g = reduce(gcd, self.p + self.release + [d for _, _, d in self.graph.arcs], 0)
        v = reduce(gcd, self.wt[:self.n] if self.goal == 'twtct' else self.wj, 0)
        return up_to_unit(value, Fraction(g * v, 10 ** 12)) if value > 0 else value

    def uses(self):
        u = set() if self.counted else {'topology.kind', 'topology.map_slots', 'topology.reduce_slots'}
        delayed = [t for t, j in zip(self.tasks, self.job_of) if t['kind'] == 'map' and j in self.graph.barrier]
        return u | self.used('tasks.shuffle_delay', delayed) | (set() if 'machines' in self.params else {'machines'})

    def guarantee(self):
        if self.algorithm == 'tmars' and self.goal == 'twtct':
            return '7', '0', PAPER + '5', 'none'
        p, eps = self.params, decimal(self.params.get('epsilon', '0'))
        large = self.n > 20000 or len(self.jobs) > 500
        loose = p.get('formulation') == 'collapsed' and eps == 0 and p.get('separation') == 'peaks'
        if self.algorithm != 'mars' or p.get('lp') == 'first-order' or p.get('lp') == 'auto' and large and loose:
            return None
        g, behind, longer = self.graph, {}, False
        for a in reversed(g.order):
            behind[a] = min([x for b, _ in g.out[a] for x in (behind[b], self.p[b] if b < self.n else None)
                             if x is not None], default=None)
            longer = longer or a < self.n and behind[a] is not None and self.p[a] > behind[a]
        factor = text(Fraction((4 if longer else 3) * 10 ** 6, rounded((1 - eps) * 10 ** 6)), 6, True)
        if longer:
            return factor, '0', 'mrsched, solver/msjo: Thm 3 for general times', \
                'none (some task is longer than one that must follow it, so factor 3 is not proven)'
        return factor, '0', PAPER + '3', 'no map is longer than a reduce of its job'
