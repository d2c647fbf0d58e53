"""The refutation of makespans (kind refuted-end of cluster)."""
from fractions import Fraction
from itertools import product

from proofs import Steps
from values import INF, Wrong, need

class Refuted(Exception):
    """Some task has no start left."""

def value(m, cert, pools):
    """(⌊D/g⌋ + 1) · g if the propagation refutes D within the stated steps."""
    due, g = cert.due, m.grain() or 1
    need(m.goal == 'makespan' and m.n <= 400, 'goal or number of tasks')
    try:
        Shaving(m, due, cert.work, pools, g).run()
    except Refuted:
        return Fraction((due // g + 1) * g, 10 ** 6)
    raise Wrong('the propagation does not refute D')

class Shaving:
    """Windows [f, l] of starts, and what makes them smaller."""

    def __init__(self, m, due, work, pools, g):
        self.m, self.g, self.left, every = m, g, work, m.tails(True)
        self.f = [m.fixed[s][1] if s in m.fixed else r for s, r in enumerate(m.release)]
        self.l = [INF if every[s] < 0 else due - m.p[s] - every[s] for s in range(m.graph.steps)]
        if any(self.l[u] < start for u, (_, start) in m.fixed.items()):
            raise Refuted
        self.l = [m.fixed[s][1] if s in m.fixed else x for s, x in enumerate(self.l)]
        self.tasks = [u for u in range(m.n) if u not in m.fixed and m.p[u] > 0]
        self.even = {u for u in self.tasks if len(set(m.puk[u]) - {-1}) == 1 and not m.reads(u)}
        self.apart_sets()
        self.pools, seen = [], set()                        # (speed, rates of even tasks, areas of the others)
        for p in pools:
            if p.top * (due + 1) <= 2 ** 62:
                self.pools.append((p.speeds, {u: p.area[u] // m.p[u] for u in self.even}, {
                    u: p.area[u] for u in self.tasks if u not in self.even}))
        for x, u in enumerate(self.tasks):
            got = []
            for v in self.tasks[x:] + self.tasks[:x] if u not in seen else []:
                got += [v] if v in self.even and self.apart[v].issuperset(got) else []
            seen |= set(got)
            if len(got) > 2:
                self.pools.append((Steps([0], [1]), dict.fromkeys(got, 1), {}))

    def apart_sets(self):
        """For each task those that never run at the same time."""
        m, reach = self.m, {}
        for s in reversed(m.graph.order):
            reach[s] = set().union(*({b} | reach[b] for b, _ in m.graph.out[s]))
        on = {u: [k for k in range(m.k) if m.puk[u][k] >= 0] for u in self.tasks}
        single = {u: ks[0] for u, ks in on.items() if len(ks) == 1 and m.size[ks[0]] == 1}

        def apart(u, v):
            k = single.get(u)
            return v in reach[u] or u in reach[v] or k is not None and k == single.get(v) and any(
                a + b > c for a, b, c in zip(m.demand[u], m.demand[v], m.capacity[m.first[k]]))
        self.apart = {u: {v for v in self.tasks if u != v and apart(u, v)} for u in self.tasks}

    def step(self, n):
        self.left -= n
        need(self.left >= 0, 'the propagation takes more steps than `work`')

    def run(self):
        """Raises Refuted, or returns."""
        self.propagate()
        before = None
        while before != (self.f, self.l):
            before = list(self.f), list(self.l)
            for u, begin in product((u for u in self.tasks if u in self.even), (True, False)):
                self.cut(u, begin)

    def propagate(self):
        """PATHS, PAIRS and ENERGY until nothing changes."""
        changed = True
        while changed:
            self.paths()
            changed = self.pairs() | any([self.energy(*p) for p in self.pools])

    def narrow(self, u, f=-INF, l=INF):
        """Makes a window smaller; whether it did. An empty one refutes."""
        changed = f > self.f[u] or l < self.l[u]
        self.f[u], self.l[u] = max(f, self.f[u]), min(l, self.l[u])
        if self.f[u] > self.l[u]:
            raise Refuted
        return changed

    def paths(self):
        """PATHS."""
        m, g, f, last, graph = self.m, self.g, self.f, self.l, self.m.graph
        self.step(len(graph.arcs) + graph.steps)
        for s in graph.order:
            if s not in m.fixed:
                f[s] = max([f[s], 0] + [f[a] + m.p[a] + d for a, d in graph.into[s]])
                f[s] = -(-f[s] // g) * g if s < m.n else f[s]
        for s in reversed(graph.order):
            x = min([last[s]] + [last[b] - d - m.p[s] for b, d in graph.out[s] if last[b] < INF])
            if f[s] > x:
                raise Refuted
            if s not in m.fixed:
                last[s] = x // g * g if s < m.n and x < INF else x
                self.narrow(s)

    def pairs(self):
        """PAIRS; whether it changed anything."""
        p, f, last, changed = self.m.p, self.f, self.l, False
        for u in self.tasks:
            for v in sorted(self.apart[u]):
                self.step(1)
                if f[u] + p[u] > last[v]:
                    changed |= self.narrow(u, f=f[v] + p[v])
                    changed |= self.narrow(v, l=last[u] - p[v])
        return changed

    def energy(self, speed, rate, area):
        """What must run between two times; whether it changed anything."""
        p, f, last, changed = self.m.p, self.f, self.l, False
        even, uneven = ([u for u in self.tasks if x.get(u, 0) > 0] for x in (rate, area))
        begins, ends = ({f[u] for u in even + uneven}, {last[u] + p[u] for u in even + uneven})
        for a, b in ((a, b) for a in sorted(begins) for b in sorted(ends) if b > a):
            self.step(len(self.tasks))
            q = {u: max(0, min(p[u], b - a, f[u] + p[u] - a, b - last[u])) for u in even}
            slack = speed.between(a, b) - sum(rate[u] * x for u, x in q.items()) - sum(
                area[u] for u in uneven if f[u] >= a and last[u] + p[u] <= b)
            if slack < 0:
                raise Refuted
            for u, x in q.items():
                z = x + slack // rate[u]
                if min(p[u], b - a) > z:
                    if min(b, f[u] + p[u]) - max(a, f[u]) > z and b - z > f[u]:
                        changed |= self.narrow(u, f=b - z)
                    if min(b, last[u] + p[u]) - max(a, last[u]) > z and a + z - p[u] < last[u]:
                        changed |= self.narrow(u, l=a + z - p[u])
        return changed

    def cut(self, u, begin):
        """Cuts off a part of a window at either side that propagation refutes."""
        f, last, g = self.f, self.l, self.g
        width = (last[u] - f[u]) // 2 // g * g
        while f[u] < last[u]:
            keep, refuted = (list(f), list(last)), False
            f[u], last[u] = (f[u], f[u] + width) if begin else (last[u] - width, last[u])
            try:
                self.propagate()
            except Refuted:
                refuted = True
            f[:], last[:] = keep
            if refuted:
                self.narrow(u, *((f[u] + width + g, INF) if begin else (-INF, last[u] - width - g)))
                self.propagate()
            elif width == 0:
                return
            width = (last[u] - f[u] if refuted else width) // 2 // g * g
