"""The refutation of makespans (kind refuted-end of cluster)."""
from fractions import Fraction

from proofs import Steps
from values import INF, Wrong, need
from windows import pools_of, tails

class Refuted(Exception):
    """Some task has no start left."""

def value(m, cert):
    """(⌊D/g⌋ + 1) · g if the propagation refutes D within the stated steps."""
    due, g = cert.due, m.grain() or 1
    need(m.goal == 'makespan' and m.n <= 400, 'goal or number of tasks')
    try:
        Shaving(m, due, cert.work, pools_of(m, cert), g).run()
    except Refuted:
        return Fraction((due // g + 1) * g, 10 ** 6)
    raise Wrong('the propagation does not refute D')

class Shaving:
    """Windows [f, l] of starts, and what makes them smaller."""

    def __init__(self, m, due, work, pools, g):
        self.m, self.g, self.left, every, seen = m, g, work, tails(m, True), set()
        self.f = [m.fixed[s][1] if s in m.fixed else r for s, r in enumerate(m.release)]
        self.l = [INF if every[s] < 0 else due - m.p[s] - every[s] for s in range(m.graph.steps)]
        for u in m.fixed: self.narrow(u, l=self.f[u])
        self.tasks = [u for u in range(m.n) if u not in m.fixed and m.p[u] > 0]
        self.even = {u for u in self.tasks if len(set(m.puk[u]) - {-1}) == 1 and not m.reads(u)}
        self.apart = self.apart_sets()
        # Each pool is (speed, rates of even tasks, areas of the others).
        pools = [p for p in pools if p.top * (due + 1) <= 2 ** 62]
        self.pools = [(p.speeds, {u: r for u in self.even if (r := p.area[u] // m.p[u]) > 0}, {
            u: p.area[u] for u in self.tasks if u not in self.even and p.area[u] > 0}) for p in pools]
        for k, u in enumerate(self.tasks):
            got = []
            for v in self.tasks[k:] + self.tasks[:k] if u not in seen else []:
                got += [v] if v in self.even and self.apart[v].issuperset(got) else []
            seen.update(got)
            if len(got) > 2: self.pools.append((Steps([0], [1]), dict.fromkeys(got, 1), {}))

    def apart_sets(self):
        """For each task those that never run at the same time."""
        m, reach = self.m, {}
        for s in reversed(m.graph.order): reach[s] = set().union(*({b} | reach[b] for b, _ in m.graph.out[s]))
        single = {u: m.first[k] for u in self.tasks for k in [x for x, *_ in m.spots[u]][:1]
                  if m.size[k] == 1 and {x for x, *_ in m.spots[u]} == {k}}

        def apart(u, v):
            return v in reach[u] or u in reach[v] or u in single and single[u] == single.get(v) and any(
                a + b > c for a, b, c in zip(m.demand[u], m.demand[v], m.capacity[single[u]]))
        return {u: {v for v in self.tasks if u != v and apart(u, v)} for u in self.tasks}

    def step(self, n):
        self.left -= n
        need(self.left >= 0, 'the propagation takes more steps than `work`')

    def run(self):
        """Raises Refuted, or returns."""
        self.propagate()
        before = None
        while before != (self.f, self.l):
            before = list(self.f), list(self.l)
            for u in sorted(self.even):
                self.cut(u, True)
                self.cut(u, False)

    def propagate(self):
        """PATHS, PAIRS and ENERGY until nothing changes."""
        self.paths()
        while self.pairs() | any([self.energy(*p) for p in self.pools]): self.paths()

    def narrow(self, u, f=-INF, l=INF):
        """Makes a window smaller; whether it did. An empty one refutes."""
        changed = f > self.f[u] or l < self.l[u]
        self.f[u], self.l[u] = max(f, self.f[u]), min(l, self.l[u])
        if self.f[u] > self.l[u]: raise Refuted
        return changed

    def paths(self):
        """PATHS."""
        m, g, f, last, graph = self.m, self.g, self.f, self.l, self.m.graph
        self.step(len(graph.arcs) + graph.steps)
        for s in graph.order:
            x = max([f[s], 0] + [f[a] + m.p[a] + d for a, d in graph.into[s]])
            if s not in m.fixed: f[s] = -(-x // g) * g if s < m.n else x
        for s in reversed(graph.order):
            x = min([last[s]] + [last[b] - d - m.p[s] for b, d in graph.out[s]])
            self.narrow(s, l=x // g * g if s < m.n and s not in m.fixed and x < INF else x)

    def pairs(self):
        """PAIRS; whether it changed anything."""
        p, f, last, changed = self.m.p, self.f, self.l, False
        for u in self.tasks:
            for v in sorted(self.apart[u]):
                self.step(1)
                if f[u] + p[u] > last[v]:
                    changed |= self.narrow(u, f=f[v] + p[v]) | self.narrow(v, l=last[u] - p[v])
        return changed

    def energy(self, speed, rate, area):
        """What must run between two times; whether it changed anything."""
        p, f, last, changed = self.m.p, self.f, self.l, False
        begins, ends = {f[u] for u in (*rate, *area)}, {last[u] + p[u] for u in (*rate, *area)}
        for a, b in ((a, b) for a in sorted(begins) for b in sorted(ends) if b > a):
            self.step(len(self.tasks))
            q = {u: max(0, min(p[u], b - a, f[u] + p[u] - a, b - last[u])) for u in rate}
            slack = speed.between(a, b) - sum(rate[u] * x for u, x in q.items()) - sum(
                x for u, x in area.items() if f[u] >= a and last[u] + p[u] <= b)
            if slack < 0: raise Refuted
            for u, x in q.items():
                z = x + slack // rate[u]
                if min(b, f[u] + p[u]) - max(a, f[u]) > z: changed |= self.narrow(u, f=b - z)
                if min(b, last[u] + p[u]) - max(a, last[u]) > z: changed |= self.narrow(u, l=a + z - p[u])
        return changed

    def cut(self, u, begin):
        """Cuts off a part of a window at either side that propagation refutes."""
        f, last, g = self.f, self.l, self.g
        width = (last[u] - f[u]) // 2 // g * g
        while f[u] < last[u]:
            keep, refuted = (list(f), list(last)), False
            try:
                self.narrow(u, *((-INF, f[u] + width) if begin else (last[u] - width, INF)))
                self.propagate()
            except Refuted:
                refuted = True
            f[:], last[:] = keep
            if refuted:
                self.narrow(u, *((f[u] + width + g, INF) if begin else (-INF, last[u] - width - g)))
                self.propagate()
            elif width == 0: return
            width = (last[u] - f[u] if refuted else width) // 2 // g * g
