"""The log of a search that learns clauses (kind clauses)."""
import base64
import zlib
from array import array
from itertools import accumulate
from math import gcd

from values import INF, Wrong, group, need

CLAUSE, ARC, TABLE, ENERGY, SUM = range(5)
WORK = 2 * 10 ** 10
MOST, ITEMS = 2 ** 28, 2 ** 20
KIND = 'engine', 'last!:int<2^62 log!:str'

def value(m, cert):
    """min(t, last + 1) units, where the log proves that every schedule that costs at most last costs at least t."""
    g, last, unit = m.grain(), cert.last, m.rounding()
    priced = m.plan.there and m.plan.price and not m.identical
    need(g > 0 and unit > 0 and last <= 2 ** 60 and not priced, 'not for this instance')
    try:
        unpack = zlib.decompressobj(31)
        packed = base64.b64decode(cert.log, validate=True)
        need(packed[:4] == b'\x1f\x8b\x08\0', 'log: no gzip stream without further fields')
        log = unpack.decompress(packed, MOST + 1)
    except (ValueError, zlib.error) as e: raise Wrong('log: %s' % e) from None
    need(unpack.eof and not unpack.unused_data and len(log) <= MOST, 'a log that is cut or too long')
    least = Checker(Problem(m, g, last)).run(log)
    return (last + 1 if least is None else min(least, last + 1)) * unit

class Problem:
    """Windows by side (S, then −S), arcs (from, to, delay, option), limits (capacity, needs), choices, sums (of, terms).

    A need is (variable, length, amount, option). Option 0 is none. Variables are the steps, the objective, options and
    ends of tasks, completions, absences.
    """

    def __init__(self, m, g, last):
        self.m, self.g, self.objective, fixed = m, g, m.graph.steps, m.fixed
        steps, self.windows, self.arcs, self.limits, self.choices, self.sums = m.graph.steps, [], [], [], [], []
        self.bundles = sorted(self.bundle())
        end = self.horizon() // g
        if m.goal == 'makespan': end = min(end, last)
        begin = [(fixed[u][1] if u in fixed else r) // g for u, r in enumerate(m.release)]
        self.p = [(fixed[u][1] + m.length(u, fixed[u][0])) // g - begin[u] if u in fixed else m.p[u] // g
                  for u in range(steps)]
        self.windows = [(b, b if u in fixed else end if u < m.n else 2 ** 61 // g) for u, b in enumerate(begin)]
        self.variable(0, last)
        self.option, self.end, self.ways = {}, {}, {}
        for u in range(m.n): self.options(u, end)
        self.costs(end)
        for u in range(steps):
            for v, d in sorted((v, d // g) for v, d in m.graph.out[u]): self.after(u, v, d)
        for k, b in enumerate(self.bundles): self.node(k, *b)
        if len(self.bundles) > 1:
            self.total([b[2] for b in self.bundles], self.ones())
            for r in range(m.columns):
                self.total([m.capacity[b[0][0]][r] for b in self.bundles], [d[r] for d in m.demand])
        for g, (_, c, _) in enumerate(m.groups):
            inside = [k for k, b in enumerate(self.bundles) if g in m.upper[b[0][0]]]
            if inside and len(m.nodes) > 1: self.limit(c, inside, [m.part(u, g) for u in range(m.n)])
        tasks = [u for u in range(m.n) if u not in m.fixed and m.p[u] > 0]
        if len(m.nodes) == 1 and len(tasks) <= 400: self.sets(tasks)

    def variable(self, least, most):
        self.windows.append((least, most))
        return len(self.windows) - 1

    def horizon(self):
        """Some optimal schedule ends by then."""
        m = self.m
        times = m.release + [b for away in m.away for _, b in away if b < INF]
        times += [start + m.length(u, i) for u, (i, start) in m.fixed.items()]
        longest = [max(0, *(m.length(u, i, far) for i in m.first for far in ((0, 1, 2) if m.reads(u) else (None,))))
                   for u in range(m.n) if u not in m.fixed]
        return max(0, *times) + sum(longest) + sum(d for out in m.graph.out for _, d in out)

    def bundle(self):
        """Nodes that nothing tells apart: (nodes, how many tasks fit exactly, at most)."""
        m, held = self.m, {i for i, _ in self.m.fixed.values()}
        reading = [u for u in range(m.n) if m.reads(u)]

        def key(i):
            near = [(i in m.holds.get(m.tasks[u].block, ()), m.rack[i] in [m.rack[k] for k in m.holds.get(
                m.tasks[u].block, ())]) for u in reading]
            return i if i in held else (m.class_of[i], tuple(m.upper[i]), tuple(m.away[i]), tuple(near), tuple(
                m.eligible(u, i) for u in range(m.n)) if m.allowed else ())
        for nodes in group((key(i), i) for i in range(len(m.nodes))).values():
            tasks = [u for u in range(m.n) if m.runs(u, nodes[0]) and m.length(u, nodes[0]) > 0
                     and u not in m.over]
            exact = most = len(tasks)
            for r, c in enumerate(m.capacity[nodes[0]]):
                if c < INF:
                    amounts = sorted(m.demand[u][r] for u in tasks)
                    most, exact = min(most, fit(amounts, c)), min(exact, fit(amounts[::-1], c))
            exact *= exact == most
            yield from [(nodes, exact, most)] if exact or len(nodes) == 1 else [([i], 0, most) for i in nodes]

    def options(self, u, end):
        """The options of a task, and its end if its length depends on them."""
        m, g = self.m, self.g
        may = {k: m.length(u, b[0][0]) for k, b in enumerate(self.bundles) if m.runs(u, b[0][0])}
        if u in m.fixed or len(may) < 2: return
        self.ways[u] = len(may)
        self.option.update({(u, k): self.variable(0, 1) for k in may})
        need(len(self.option) <= 200_000, 'too many options')
        self.choices.append([(2 * self.option[u, k], 1) for k in may])
        if max(may.values()) <= m.p[u]: return
        self.end[u] = self.variable(0, end)
        self.arcs.append((u, self.end[u], self.p[u], 0))
        self.arcs += [(u, self.end[u], p // g, self.option[u, k]) for k, p in may.items() if p > m.p[u]]

    def after(self, u, v, d):
        self.arcs.append((self.end[u], v, d, 0) if u in self.end else (u, v, self.p[u] + d, 0))

    def costs(self, end):
        m, first = self.m, len(self.windows)
        if m.goal == 'makespan':
            for u in range(m.n): self.after(u, self.objective, 0)
            return
        for _ in m.jobs: self.variable(0, end)
        for u in range(m.n): self.after(u, first + m.job_of[u], 0)
        v = max(1, gcd(*m.weight))
        self.sums.append((self.objective, [
            (first + j, 0 if m.goal == 'twjct' else d // self.g, w // v, m.goal == 'late')
            for j, (w, d) in enumerate(zip(m.weight, m.due)) if w // v and (m.goal == 'twjct' or d < INF)]))
        need(sum(f * (end + abs(d) + 1) for _, d, f, _ in self.sums[0][1]) <= 2 ** 60, 'too large costs')

    def limit(self, capacity, bundles, amounts):
        """While a task runs on one of some bundles, it takes an amount; on any of them for None."""
        m, needs = self.m, []
        for u, a in enumerate(amounts):
            may = [k for k in bundles or () if m.runs(u, self.bundles[k][0][0])]
            if bundles is None or may and u not in self.end and len(may) >= self.ways.get(u, 0):
                take = [(u, self.p[u], a, 0)]
            else:
                take = [(u, m.length(u, self.bundles[k][0][0]) // self.g, a, self.option[u, k]) for k in may]
            needs += [n for n in take if n[1] > 0 and a > 0]
        need(capacity + sum(x[2] for x in needs) <= 2 ** 61, 'too large demands')
        self.limits.append((capacity, needs))

    def ones(self):
        return [int(u not in self.m.over) for u in range(self.m.n)]

    def node(self, k, nodes, exact, _):
        m = self.m
        if exact: self.limit(exact * len(nodes), [k], self.ones())
        for r, c in enumerate(m.capacity[nodes[0]]):
            if c < INF and not exact: self.limit(c, [k], [d[r] for d in m.demand])
        if m.away[nodes[0]]:
            self.limit(m.n + 1, [k], [u not in m.begun for u in range(m.n)])
            self.absent(nodes[0], m.n + 1)

    def absent(self, i, amount):
        for a, b in self.m.away[i]:
            a, b = a // self.g, min(b, 2 ** 61) // self.g
            if a < b and amount: self.limits[-1][1].append((self.variable(a, a), b - a, amount, 0))

    def total(self, each, amounts):
        """What all nodes have together."""
        each = [x * len(b[0]) for x, b in zip(each, self.bundles)]
        if sum(each) >= 2 ** 60: return
        self.limit(sum(each), None, [a * (u not in self.m.cut) for u, a in enumerate(amounts)])
        for x, b in zip(each, self.bundles): self.absent(b[0][0], x)

    def sets(self, tasks):
        """Limits of 1 for sets of tasks that never run at the same time."""
        m, reach, seen = self.m, {}, set()
        for s in reversed(m.graph.order): reach[s] = set().union(*({b} | reach[b] for b, _ in m.graph.out[s]))

        def apart(u, v):
            return v in reach[u] or u in reach[v] or any(
                a + b > c for a, b, c in zip(m.demand[u], m.demand[v], m.capacity[0]))
        for k, u in enumerate(tasks):
            got = []
            for v in tasks[k:] + tasks[:k] if u not in seen else []:
                if all(apart(v, x) for x in got): got.append(v)
            seen.update(got)
            if len(got) > 2: self.limits.append((1, [(v, self.p[v], 1, 0) for v in got]))

def fit(amounts, capacity):
    """How many amounts, in order, fit."""
    return next((k for k, x in enumerate(accumulate(amounts)) if x > capacity), len(amounts))

class Checker:
    """Follows a log; the package proof of mrsched says what steps and hints are."""

    def __init__(self, x):
        self.root = [t for low, high in x.windows for t in (low, -high)]
        self.now, self.raised, self.empty = list(self.root), [], False
        self.sides = [y for a, b, d, o in x.arcs for y in ((2 * a, 2 * b, d, o), (2 * b + 1, 2 * a + 1, d, o))]
        self.limits, self.sums, self.objective = x.limits, x.sums, x.objective
        self.work = 0                      # literals, needs and terms that hints have read
        self.begins = array('q')           # by step: where its clause begins in the log; -1: it is gone
        self.clauses, self.room = {-1 - k: c for k, c in enumerate(x.choices)}, 10 ** 6  # literals more to have at hand

    def run(self, log):
        """The least value of the objective; None if there is no schedule."""
        self.log, self.at, n = log, 0, 0
        while self.at < len(log):
            begin, clause = self.at, None
            clause = [self.literal() for _ in range(self.number(ITEMS))]
            need(None not in clause, 'no such variable')
            for s, t in clause: self.raise_(s ^ 1, 1 - t)
            for _ in range(self.number(ITEMS)): self.hint(n)
            need(self.empty, 'step %d: the hints do not show the clause' % n)
            for s in self.raised: self.now[s] = self.root[s]
            self.raised, self.empty = [], False
            gone = [n - self.number(n) for _ in range(self.number(ITEMS))]
            if not clause: return None
            if len(clause) == 1:
                s, t = clause[0]
                begin, self.root[s] = -1, max(self.root[s], t)
                self.now[s] = self.root[s]
            elif len(clause) < self.room:
                self.clauses[n] = clause
                self.room -= len(clause) + 4
            self.begins.append(begin)
            for k in gone:
                self.begins[k] = -1
                if k in self.clauses: self.room += len(self.clauses.pop(k)) + 4
            n += 1
        return self.root[2 * self.objective]

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

    def again(self, begin):
        """Reads a clause again."""
        behind, self.at = self.at, begin
        clause = [self.literal() for _ in range(self.number(ITEMS))]
        self.at = behind
        return clause

    def raise_(self, s, t):
        if t > self.now[s]:
            self.now[s] = t
            self.raised.append(s)
            self.empty |= t > -self.now[s ^ 1]

    def hint(self, n):
        at, kind = divmod(self.number(2 ** 40), 5)
        if TABLE <= kind <= ENERGY: a, b = (a := self.signed()), a + self.number(2 ** 61)
        to = self.literal() if kind >= TABLE else None
        if self.empty: return
        if kind == CLAUSE: self.unit(n - at)
        elif kind == ARC:
            need(at < len(self.sides), 'no such arc')
            s, t, d, o = self.sides[at]
            if not o or self.now[2 * o] >= 1: self.raise_(t, self.now[s] + d)
            elif self.now[s] + d > -self.now[t ^ 1]: self.raise_(2 * o + 1, 0)
        elif to and self.now[to[0]] >= to[1]: return
        elif kind == SUM:
            need(at < len(self.sums), 'no such sum')
            self.sum(*self.sums[at], to)
        else:
            need(at < len(self.limits) and a < b, 'no such limit, or an empty interval')
            (self.table if kind == TABLE else self.energy)(*self.limits[at], a, b, to)

    def does(self, items):
        self.work += len(items)
        need(self.work <= WORK, 'too much work')

    def conclude(self, to):
        if to: self.raise_(*to)
        else: self.empty = True

    def unit(self, k):
        need(k in self.clauses or 0 <= k < len(self.begins) and self.begins[k] >= 0, 'no clause %d' % k)
        clause = self.clauses.get(k) or self.again(self.begins[k])
        self.does(clause)
        left = [x for x in clause if self.now[x[0] ^ 1] <= -x[1]]
        need(len(left) < 2, 'clause %d is not unit' % k)
        if left: self.raise_(*left[0])
        else: self.empty = True

    def runs(self, o, to):
        """Whether a task with an option is one of the limit's, if a literal is false."""
        return not o or self.now[2 * o] >= 1 or to == (2 * o + 1, 0)

    def table(self, capacity, tasks, a, b, to):
        """Tasks that run all the time from a to b, and one that must otherwise run at some of it, need too much."""
        self.does(tasks)
        total, found = 0, to is None
        for v, p, amount, o in tasks:
            least, most = self.now[2 * v], -self.now[2 * v + 1]
            if not self.runs(o, to): continue
            if not found and v == to[0] // 2 and to[1] == (p - a if to[0] & 1 else b) and (
                    most < b if to[0] & 1 else least + p > a):
                found = True
                total += amount
            elif most <= a and least + p >= b:
                found |= o > 0 and to == (2 * o + 1, 0)
                total += amount
        need(found and total > capacity, 'the tasks leave room')
        self.conclude(to)

    def narrowed(self, v, to):
        """The ends of a window if a literal is false."""
        least, most = self.now[2 * v], -self.now[2 * v + 1]
        if not to or v != to[0] // 2: return least, most
        return (max(least, 1 - to[1]), most) if to[0] & 1 else (least, min(most, to[1] - 1))

    def energy(self, capacity, tasks, a, b, to):
        """What tasks need within [a, b) exceeds what there is, if the literal is false."""
        self.does(tasks)
        total = 0
        for v, p, amount, o in tasks:
            if self.runs(o, to):
                least, most = self.narrowed(v, to)
                total += max(0, min(p, b - a, least + p - a, b - most)) * amount
        need(total > capacity * (b - a), 'the tasks have enough room')
        self.conclude(to)

    def sum(self, of, terms, to):
        """The terms are more than their sum may be, if the literal is false."""
        self.does(terms)
        over = [(self.narrowed(v, to)[0] - d, f, step) for v, d, f, step in terms]
        total = sum(f * (x > 0) if step else f * max(0, x) for x, f, step in over)
        need(total > max(0, self.narrowed(of, to)[1]), 'the sum is small enough')
        self.conclude(to)
