"""The log of a search that learns clauses (kind clauses of cluster)."""
import base64
import zlib
from fractions import Fraction

from values import INF, Wrong, need

CLAUSE, ARC, TABLE, ENERGY = range(4)
MOST, ITEMS = 2 ** 28, 2 ** 20

def value(m, cert):
    """min(t, last + 1) · g, where the log proves that the makespan of every schedule within the windows is at least t."""
    g, last = m.grain(), cert.last
    need(m.goal == 'makespan' and len(m.nodes) == 1 and not m.plan.there and not m.allowed, 'not for this instance')
    need(g > 0 and last <= 2 ** 60 // g, 'windows')
    try:
        unpack = zlib.decompressobj(31)
        log = unpack.decompress(base64.b64decode(cert.log, validate=True), MOST + 1)
    except (ValueError, zlib.error) as e: raise Wrong('log: %s' % e) from None
    need(unpack.eof and not unpack.unused_data and len(log) <= MOST, 'a log that is cut or too long')
    least = Checker(*model(m, g, last)).run(log)
    return Fraction((last + 1 if least is None else min(least, last + 1)) * g, 10 ** 6)

def model(m, g, last):
    """Windows by side (S, then −S), arcs (from, to, delay), limits (capacity, tasks as (variable, length, amount)).

    Variables are the steps, the makespan, and the node's absences.
    """
    steps, arcs, limits = m.graph.steps, [], []
    begin = [(m.fixed[u][1] if u in m.fixed else r) // g for u, r in enumerate(m.release)]
    p = [(m.fixed[u][1] + m.length(u, 0)) // g - begin[u] if u in m.fixed else m.p[u] // g for u in range(steps)]
    windows = [(b, b if u in m.fixed else last if u < m.n else 2 ** 61 // g) for u, b in enumerate(begin)] + [(0, last)]
    for u in range(steps):
        arcs += [(u, steps, p[u])] * (u < m.n) + [(u, v, p[u] + d // g) for v, d in sorted(m.graph.out[u])]

    def limit(capacity, amounts):
        limits.append((capacity, [(u, p[u], a) for u, a in enumerate(amounts) if a > 0 and p[u] > 0]))
        need(sum(a for _, _, a in limits[-1][1]) <= 2 ** 61, 'too large demands')
    for r, c in enumerate(m.capacity[0]):
        if c < INF: limit(c, [d[r] for d in m.demand])
    if m.away[0]:
        limit(m.n + 1, [1] * m.n)
        for a, b in m.away[0]:
            a, b = a // g, min(b, 2 ** 61) // g
            if a < b:
                limits[-1][1].append((len(windows), b - a, m.n + 1))
                windows.append((a, a))
    return [x for low, high in windows for x in (low, -high)], arcs, limits

class Checker:
    """Follows a log; the package proof of mrsched says what steps and hints are."""

    def __init__(self, root, arcs, limits):
        self.root, self.now, self.raised, self.empty = root, list(root), [], False
        self.sides = [x for a, b, d in arcs for x in ((2 * a, 2 * b, d), (2 * b + 1, 2 * a + 1, d))]
        self.limits, self.clauses = limits, {}

    def run(self, log):
        """The least value of the makespan; None if there is no schedule."""
        self.log, self.at, n = log, 0, 0
        while self.at < len(log):
            clause = [self.literal() for _ in range(self.number(ITEMS))]
            for s, t in clause: self.raise_(s ^ 1, 1 - t)
            for _ in range(self.number(ITEMS)): self.hint(n)
            need(self.empty, 'step %d: the hints do not show the clause' % n)
            for s in self.raised: self.now[s] = self.root[s]
            self.raised, self.empty = [], False
            gone = [n - self.number(n) for _ in range(self.number(ITEMS))]
            if not clause: return None
            (s, t), *more = clause
            if more: self.clauses[n] = clause
            else: self.root[s] = self.now[s] = max(self.root[s], t)
            for k in gone: self.clauses.pop(k, None)
            n += 1
        return self.root[2 * self.makespan()]

    def makespan(self):
        """The variable that the first arc leads to."""
        return self.sides[0][1] // 2

    def number(self, most=2 ** 64 - 1):
        x = shift = 0
        while True:
            need(self.at < len(self.log) and shift < 64, 'the log is cut')
            b = self.log[self.at]
            self.at += 1
            x |= (b & 127) << shift
            if b < 128:
                need(x <= most, 'out of range')
                return x
            shift += 7

    def signed(self):
        x = self.number()
        x = x >> 1 ^ -(x & 1)
        need(abs(x) <= 2 ** 61, 'out of range')
        return x

    def literal(self):
        s = self.number(2 ** 30) - 1
        need(s < len(self.root), 'no such variable')
        return (s, self.signed()) if s >= 0 else None

    def raise_(self, s, t):
        if t > self.now[s]:
            self.now[s] = t
            self.raised.append(s)
            self.empty |= t > -self.now[s ^ 1]

    def hint(self, n):
        at, kind = divmod(self.number(2 ** 40), 4)
        if kind >= TABLE: a, b, to = (a := self.signed()), a + self.number(2 ** 61), self.literal()
        if self.empty: return
        if kind == CLAUSE: self.unit(n - at)
        elif kind == ARC:
            need(at < len(self.sides), 'no such arc')
            s, t, d = self.sides[at]
            self.raise_(t, self.now[s] + d)
        else:
            need(at < len(self.limits) and a < b, 'no such limit, or an empty interval')
            if to and self.now[to[0]] >= to[1]: return
            (self.table if kind == TABLE else self.energy)(*self.limits[at], a, b, to)
            if to: self.raise_(*to)
            else: self.empty = True

    def unit(self, k):
        need(k in self.clauses, 'no clause %d' % k)
        left = [x for x in self.clauses[k] if self.now[x[0] ^ 1] <= -x[1]]
        need(len(left) < 2, 'clause %d is not unit' % k)
        if left: self.raise_(*left[0])
        else: self.empty = True

    def table(self, capacity, tasks, a, b, to):
        """Tasks that run all the time from a to b, and one that must otherwise run at some of it, need too much."""
        total, found = 0, to is None
        for v, p, amount in tasks:
            least, most = self.now[2 * v], -self.now[2 * v + 1]
            if not found and v == to[0] // 2:
                found = True
                need(to[1] == (p - a if to[0] & 1 else b) and (most < b if to[0] & 1 else least + p > a), 'a task')
                total += amount
            elif most <= a and least + p >= b: total += amount
        need(found and total > capacity, 'the tasks leave room')

    def energy(self, capacity, tasks, a, b, to):
        """What tasks need within [a, b) exceeds what there is, if the literal is false."""
        total = 0
        for v, p, amount in tasks:
            least, most = self.now[2 * v], -self.now[2 * v + 1]
            if to and v == to[0] // 2: least, most = (max(least, 1 - to[1]), most) if to[0] & 1 else (
                least, min(most, to[1] - 1))
            total += max(0, min(p, b - a, least + p - a, b - most)) * amount
        need(total > capacity * (b - a), 'the tasks have enough room')
