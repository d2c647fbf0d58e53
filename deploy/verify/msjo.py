"""msjo: jobs on identical machines; rules, objectives, guarantees."""
from fractions import Fraction
from math import gcd

import msjo_proofs
from model import Counted, Graph, Model, mean, shown, table
from proofs import Steps
from replan import Plan
from values import decimal, rounded, text, us

HEAD = 'job:s weight:t release:t earliest:t first_start:t completion:t objective_share:o'
PAPER = 'Ling et al., JPDC 2016, Thm '

class Msjo(Model):
    proven, known, letter = msjo_proofs.proven, msjo_proofs.KINDS, 'm'
    options = {'machines': r'n[1-9]\d*', 'objective': 's(twjct|twtct)'}
    algorithms = ('coge mars mars-list best exact so-mars tmars tmars-list mares h-mares huwf hjwf stf htwf htwf-list '
                  'wspt-list fifo')

    def __init__(self, *args):
        super().__init__(*args)
        self.list_tasks()
        self.counted = int(self.params.get('machines', 0)) or self.work.scalars.machines
        self.ready(Counted(self.counted) if self.counted else [
            name for name, _ in self.work.slots('map_slots', 'reduce_slots')])
        self.m, self.n, self.goal = len(self.machines), len(self.tasks), self.params.get('objective', 'twjct')
        g = self.graph = Graph(self)
        none, self.speed, self.members = [0] * (g.steps - self.n), Steps([0], [self.m]), g.members
        self.p = self.length = [t.processing_time or 0 for t in self.tasks] + none
        self.release = self.started = [max(self.jobs[j].release, t.release or 0) for j, t in zip(
            g.job, self.tasks)] + [self.jobs[j].release for j in g.job[self.n:]]
        self.wj = [j.weight for j in self.jobs]
        self.wt = [t.get('weight', self.wj[j]) for j, t in zip(g.job, self.tasks)] + none
        self.paths()
        self.earliest = self.c
        if 'from' in self.params:
            self.plan = Plan(self)
            ends = {u: start + self.p[u] for u, (_, start) in self.plan.frozen.items()}
            left, f = {u: max(0, end - self.plan.freeze) for u, end in ends.items()}, self.plan.freeze
            self.release = [min(ends[u], f) if u in ends else r if u >= self.n else max(r, f)
                            for u, r in enumerate(self.release)]
            self.p = [left.get(u, p) for u, p in enumerate(self.p)]
            self.paths()

    def paths(self):
        """h, L and c of the instance that certificates are about."""
        p = self.p
        h = self.graph.walk(lambda s, came: max(self.release[s], came or 0) + p[s])
        tail = self.graph.walk(lambda s, came: (came or 0) + p[s], turned=True)
        self.h, self.tail = ([x[s] - p[s] for s in range(self.graph.steps)] for x in (h, tail))
        self.c = [max(h[s] + self.tail[s] for s in ms) for ms in self.members]

    def sizes(self):
        return {'arcs': len(self.graph.arcs), 'steps': self.graph.steps, **super().sizes()}

    def length_on(self, u, i):
        """What a task takes on a machine."""
        return self.length[u]

    def runs_at(self, u, i, start, standing):
        """Why a row of an earlier plan cannot stand; empty if it can."""
        busy = max([s + self.p[v] for v, (k, s) in standing.items() if k == i], default=start)
        return 'its machine is busy until ' + us(busy) if busy > start else ''

    def rules(self, rows, rep):
        first = self.once(rows, rep)
        for t, r in first.items():
            rep.when(r.end - r.start != self.length[t], 'K604', '%s takes %s' % (self.names[t], us(self.length[t])))
            rep.when(r.start < self.started[t], 'K605', '%s is released at %s' % (self.names[t], us(self.started[t])))
        self.graph.waits(first, self.names, rep, 0)
        self.overlaps(rows, rep)
        if self.plan:
            self.plan.rules(rows, rep)

    def shares(self, rows, goal):
        """What each job adds to an objective, as integers."""
        if goal == 'twjct':
            return [w * c for w, c in zip(self.wj, self.ends(rows))]
        return [sum(self.wt[r.task] * r.end for r in rows if self.job_of[r.task] == j) for j in range(len(self.jobs))]

    def objective(self, rows):
        v = Fraction(sum(self.shares(rows, self.goal)), 10 ** 12)
        return self.goal, v, text(v, 12)

    def metrics(self, rows):
        c, used = self.ends(rows), sum(r.end - r.start for r in rows)
        plan = self.plan.metrics(rows) if self.plan else {}
        return shown(
            o={goal: Fraction(sum(self.shares(rows, goal)), 10 ** 12) for goal in ('twjct', 'twtct')},
            t={'makespan': max(c)}, n=plan, f={
                'mean_job_completion': mean(sum(c), len(c)), 'change_penalty': self.penalty if plan else None,
                'utilisation': Fraction(used, self.m * max(c)) if max(c) > 0 else None})

    def derived_tables(self, rows):
        share = [Fraction(x, 10 ** 12) for x in self.shares(rows, self.goal)]
        ids, release = [j.id for j in self.jobs], [j.release for j in self.jobs]
        out = zip(ids, self.wj, release, self.earliest, self.first_starts(rows), self.ends(rows), share)
        return {'jobs': table(HEAD, out), **({'replan': self.plan.table(rows)} if self.plan else {})}

    def rounding(self):
        g = gcd(*self.p, *self.release, *(d for _, _, d in self.graph.arcs))
        v = gcd(*(self.wt[:self.n] if self.goal == 'twtct' else self.wj))
        return Fraction(g * v, 10 ** 12)

    def uses(self):
        delayed = [t for t, j in zip(self.tasks, self.job_of) if t.kind == 'map' and j in self.graph.barrier]
        self.use(('topology.kind topology.map_slots topology.reduce_slots', not self.counted),
                 ('tasks.shuffle_delay', delayed), ('machines', 'machines' not in self.params))

    def guarantee(self):
        p, eps, behind, longer = self.params, decimal(self.params.get('epsilon', '0')), {}, False
        if self.algorithm == 'tmars' and self.goal == 'twtct':
            return '7', '0', PAPER + '5', 'none'
        large = self.n > 20000 or len(self.jobs) > 500
        loose = p.get('formulation') == 'collapsed' and eps == 0 and p.get('separation') == 'peaks'
        if self.algorithm != 'mars' or p.get('lp') == 'first-order' or p.get('lp') == 'auto' and large and loose:
            return None
        for a in reversed(self.graph.order):
            behind[a] = min([x for b, _ in self.graph.out[a] for x in (behind[b], self.p[b] if b < self.n else None)
                             if x is not None], default=None)
            longer = longer or a < self.n and behind[a] is not None and self.p[a] > behind[a]
        factor = text(Fraction((4 if longer else 3) * 10 ** 6, rounded((1 - eps) * 10 ** 6)), 6, True)
        return (factor, '0') + (('mrsched, solver/msjo: Thm 3 for general times', 'none (some task is longer than one '
                                 'that must follow it, so factor 3 is not proven)') if longer else
                                (PAPER + '3', 'no map is longer than a reduce of its job'))
