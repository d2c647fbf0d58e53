"""hta: servers for maps that cost more away from their blocks."""
import re
from collections import Counter
from fractions import Fraction
from itertools import product
from math import gcd, prod

from model import Model, least_that, shown
from proofs import numbers
from values import INF, Row, group, need, text, us

LITERAL = re.compile(r'clause([1-9]\d*)\.literal([1-3])\((-?)(x[1-9]\d*)\)', re.A)

class Problem(Model):
    own, letter, algorithms = 'block locality', 'h', 'best flow flow-lp round-robin exact'
    known = {'local-cuts': ('local-cuts', 'levels!:[int]'), 'server-prices': ('server-prices', 'prices!:[[int]]')}

    def __init__(self, *args):
        super().__init__(*args)
        self.list_tasks()
        w, topology = self.work, self.tables.topology
        rack = {n.id: r.id for n in w.nodes for r in w.above(n)[1:2] if r.kind == 'rack'}
        self.servers = [n.id for n in w.nodes if not topology or n.map_slots > 0]
        self.ready(self.servers)
        self.rack, holds = list(map(rack.get, self.machines)), group((p.block, p.node) for p in self.tables.placements)
        self.maps = [i for i, t in enumerate(self.tasks) if t.kind == 'map' and t.block in holds]
        need(self.maps, 'no map whose block has a placement')
        self.at = {i: {self.machines[n] for n in holds[self.tasks[i].block] if n in self.machines} for i in self.maps}
        self.near = {i: {rack[n] for n in holds[self.tasks[i].block] if n in rack} for i in self.maps}
        self.n, self.m, self.u = len(self.machines), len(self.maps), sum(not x for x in self.at.values())
        c = w.scalars.cost or Row(local=10 ** 6, remote=3 * 10 ** 6)
        self.w1, self.w2, self.remote = c.local, c.rack, [c.remote] if isinstance(c.remote, int) else c.remote
        self.constant = isinstance(self.remote, list) and len(set(self.remote)) == 1

    def w(self, r):
        """The cost of a remote map if r maps are remote."""
        some = self.remote
        return some[min(r, len(some) - 1)] if isinstance(some, list) else some.base + some.per_remote * r

    def place(self, t, s):
        """node, rack or remote."""
        return 'node' if s in self.at[t] else 'rack' if self.rack[s] in self.near[t] else 'remote'

    def costs(self, on):
        """Of maps and their servers the (map, server, place, cost), how many maps are not local, the servers' loads."""
        places = [(t, s, self.place(t, s)) for t, s in on]
        r = sum(p != 'node' for _, _, p in places)
        cost = {'node': self.w1, 'rack': self.w(r) if self.w2 is None else self.w2, 'remote': self.w(r)}
        return [(t, s, p, cost[p]) for t, s, p in places], r, group(((s, cost[p]) for _, s, p in places), sum)

    def load(self, rows):
        """The same for the last run of each map."""
        return self.costs({x.task: x.machine for x in rows if x.task in self.at}.items())

    def cells(self, row):
        return [self.tasks[row.task].block, self.place(row.task, row.machine)] if row.task in self.at else None

    def rules(self, rows, rep):
        for x in rows: rep.when(x.task not in self.at, 'K608', x.name + ' is left out')
        first, load = self.once([x for x in rows if x.task in self.at], rep, self.maps), Counter()
        for t, s, _, c in self.costs((t, x.machine) for t, x in first.items())[0]:
            rep.when(first[t].end - first[t].start != c, 'K604', '%s takes %s' % (self.names[t], us(c)))
            rep.when(first[t].start != load[s], 'K621', self.names[t] + ' does not start at the end of the one before')
            load[s] += c

    def objective(self, rows):
        return 'makespan', Fraction(max(self.load(rows)[2].values(), default=0), 10 ** 6)

    def metrics(self, rows):
        (costs, r, load), maps = self.load(rows), self.kind_of.count('map')
        racks = any(t.kind == 'rack' for t in self.tables.topology) or None
        local, off = Counter(s for _, s, p, _ in costs if p == 'node'), sum(p == 'remote' for _, _, p, _ in costs)
        return shown(t={'remote_cost': self.w(r), 'total_load': sum(load.values())}, n={
            'node_local': len(costs) - r, 'not_node_local': r, 'most_local': max(local.values(), default=0),
            'servers_used': len(load), 'rack_local': racks and r - off, 'off_rack': racks and off,
            'maps_left_out': maps - self.m or None, 'maps_held_nowhere': self.u or None,
            'reduces_left_out': len(self.tasks) - maps or None})

    def uses(self):
        self.use(('cost', True))

    def facts(self, rows, run, bound, rep):
        """Step 16: whether a formula is satisfiable, and how: the rings of true variables are on their servers T."""
        variables, held = reduction(self.names)
        mine = {self.names[t]: {self.servers[s] for s in at} for t, at in self.at.items()}
        alike = mine == held and self.m == len(self.names) and set(self.servers) == set().union(*held.values())
        costs = self.constant and (self.w1, self.w2, self.w(0)) == (10 ** 6, None, 3 * 10 ** 6)
        variables, satisfiable, truth = variables if alike and costs and len(self.jobs) == 1 else [], None, None
        if variables and self.objective(rows)[1] <= 3:
            on = {r.name: self.servers[r.machine] for r in rows}
            satisfiable, truth = True, {x: on['ring.%s.1' % x] == 'R.%s.T1' % x for x in variables}
        elif variables and (self.result.doc.status == 'optimal' or bound is not None and bound > 3):
            satisfiable = False
        rep.same('K615', 'metrics.run.satisfiable', run.get('satisfiable'), satisfiable)
        rep.same('K615', 'metrics.run.truth_assignment', run.get('truth_assignment'), truth)

    def cuts(self, levels):
        n, m, u, w1, best = self.n, self.m, self.u, self.w1, INF
        top = max([-(-m // n)] + numbers(levels, n, m + 1, 'levels'))
        for tau in range(top + 1):
            h, most = sum(x > tau for x in levels), m if tau == top and u > 0 else tau
            y = m - u - sum(bool(at) and all(levels[s] > tau for s in at) for at in self.at.values())
            ell = min(most * h + y, most * n, m)
            rho = m - ell
            wb = (self.w(rho) if self.w2 is None else self.w2) if rho else 0
            low = max(tau * w1, -(-(ell * w1 + rho * wb) // n), wb)
            if low < best:
                best = min(best, least_that(lambda big: self.room(big, h, y, ell, rho, wb, most), low))
        return best

    def room(self, big, h, y, ell, rho, wb, most):
        """ROOM(τ, L)."""
        hull, last = [], min(rho, big // wb) if wb else rho
        for b in range(last + 1):
            g = min(most, (big - b * wb) // self.w1) if self.w1 else most
            while len(hull) > 1 and (hull[-1][1] - hull[-2][1]) * (b - hull[-1][0]) <= \
                    (g - hull[-1][1]) * (hull[-1][0] - hull[-2][0]):
                hull.pop()
            hull.append((b, g))

        def local(total, servers):
            # servers · ĝ(total / servers)
            return next((g1 * servers + Fraction((total - b1 * servers) * (g2 - g1), b2 - b1)
                         for (b1, g1), (b2, g2) in zip(hull, hull[1:]) if total <= b2 * servers), hull[0][1] * servers)
        betas = range(max(0, rho - last * h), min(rho, last * (self.n - h)) + 1)
        return any(min(y, local(b, self.n - h)) + local(rho - b, h) >= ell for b in betas)

    def prices(self, lists):
        """What prices of servers prove."""
        need(self.w2 is not None and 1 <= len(lists) <= 3, 'prices')
        w = self.w1, self.w2, self.w(0)
        unit = gcd(*w) or 1
        c, best = [x // unit for x in w], [0, 0, 0]
        for y in lists:
            numbers(y, self.n, 2 ** 62 // self.m // c[2] + 1 if c[2] else 1, 'prices')
            racks = group(((r, v) for r, v in zip(self.rack, y) if r is not None), min)
            terms = [(min((c[0] * y[s] for s in self.at[i]), default=INF),
                      min((c[1] * racks[r] for r in self.near[i] if r in racks), default=INF), c[2] * min(y))
                     for i in self.maps]
            servers = Counter((c[0] * v, racks.get(r) and c[1] * racks[r], c[2] * min(y), v)
                              for v, r in zip(y, self.rack))
            for k in (1, 2, 3):
                total = sum(min(t[:k]) for t in terms)
                enough = self.earn(2 ** 130, c[:k], servers) >= total
                least = least_that(lambda big: self.earn(big, c[:k], servers) >= total, 0) if enough else INF
                best[k - 1] = max(best[k - 1], least)
        return unit * min(map(max, c, best))

    @staticmethod
    def earn(big, costs, servers):
        """Σ H_s(T): the most weight that the servers have room for."""
        total = 0
        for (*weights, price), number in servers.items():
            (cost, weight), *more = [(x, q) for x, q in zip(costs, weights) if x > 0 and q is not None] or [(1, 0)]
            counts = [range(cost // gcd(cost, x)) for x, _ in more]
            if prod(map(len, counts)) > 512:  # product would list all counts first
                total += number * price * big
                continue
            packs = ((big - sum(a * x for a, (x, _) in zip(some, more)), sum(a * q for a, (_, q) in zip(some, more)))
                     for some in product(*counts))
            total += number * max(got + left // cost * weight for left, got in packs if left >= 0)
        return total

    def guarantee(self):
        source, k, wide = 'Fischer, Su, Yin, SPAA 2010, Thm ', max(1, self.n - (self.u == 0)), self.w(self.m)
        if self.algorithm == 'round-robin':
            source += '4.2' if self.constant else '4.2, with the cost of all tasks remote'
            return (text(Fraction(wide, self.w1), 6, True), '0', source) if self.w1 else None
        racks = self.w2 is not None and self.w2 < self.w(0)
        if self.algorithm == 'exact' or racks and self.w2 == 0: return None
        factor = text(Fraction(self.w(0), self.w2), 6, True) if racks else '1'
        source += '5.4' + ', times remote/rack' * racks + ' without Lemma 5.6: (1 − 1/n)·w_rem' * (self.u > 0)
        return factor, text(Fraction(self.w(0 if self.constant else self.most_remote()) * (k - 1), k * 10 ** 6)), source

    def most_remote(self):
        """r̂, after the makespan of round-robin: servers take turns, each takes a local map if one is left."""
        left, on = [t for some in group((self.tasks[t].block, t) for t in self.maps).values() for t in some], []
        for s in (i % self.n for i in range(self.m)):
            on.append((next((t for t in left if s in self.at[t]), left[0]), s))
            left.remove(on[-1][0])
        top = max(self.costs(on)[2].values())
        return next((k for k in range(self.m) if max(
            self.w(k + 1), -(-((self.m - k - 1) * self.w1 + (k + 1) * self.w(k + 1)) // self.n)) > top), self.m)

def reduction(names):
    """The variables of the formula in names of maps, and where the reduction from 3SAT holds the block of each map."""
    found = sorted((int(x[1]), int(x[2]), x[0], x[4], 'F' if x[3] else 'T') for x in map(LITERAL.fullmatch, names) if x)
    clauses, uses = range(1, len(found) // 3 + 1), Counter()
    if not found or [x[:2] for x in found] != list(product(clauses, (1, 2, 3))): return [], {}
    held = {'sink.%d' % k: {'P'} for k in (1, 2, 3)}
    held.update(('clause%d.aux' % c, {'C%d' % c}) for c in clauses)
    for clause, _, name, x, side in found:
        uses[x, side] += 1
        held[name] = {'C%d' % clause, 'R.%s.%s%d' % (x, side, uses[x, side])}
    pairs, variables = range(1, max(uses.values()) + 1), sorted({x for x, _ in uses}, key=lambda x: int(x[1:]))
    for x in variables:
        ring = ['R.%s.%s%d' % (x, side, k) for k in pairs for side in 'TF']
        held.update(('ring.%s.%d' % (x, k + 1), {ring[k], ring[k + 1 - len(ring)]}) for k in range(len(ring)))
        held.update(('variable.%s.%d' % (x, k), {'P'}) for k in pairs)
    return variables, held

def proven(m, cert):
    return Fraction(m.cuts(cert.levels) if cert.method == 'local-cuts' else m.prices(cert.prices), 10 ** 6)
