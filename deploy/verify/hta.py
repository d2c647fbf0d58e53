"""hta: servers for maps that cost more away from their blocks."""
from collections import Counter
from fractions import Fraction
from itertools import product
from math import gcd, prod

from forms import check_list, form, need
from model import Model, least_that
from values import INF, group, text, us

KINDS = {'local-cuts': ('local-cuts', form('{levels:[int]!}')),
         'server-prices': ('server-prices', form('{prices:[[int]]!}'))}

class Hta(Model):
    known, own, letter, algorithms = KINDS, ['block', 'locality'], 'h', 'best flow flow-lp round-robin exact'

    def __init__(self, *args):
        super().__init__(*args)
        self.list_tasks()
        w, topology = self.work, self.tables['topology']
        above = {n['id']: (w.above(n) + [{}])[1] for n in w.nodes}
        rack = {n: r['id'] for n, r in above.items() if r.get('kind') == 'rack'}
        self.ready([n['id'] for n in w.nodes if not topology or n['map_slots'] > 0])
        self.racks, self.rack = any(t['kind'] == 'rack' for t in topology), [rack.get(n) for n in self.machines]
        holds = group((p['block'], p['node']) for p in self.tables['placements'])
        self.maps = [i for i, t in enumerate(self.tasks) if t['kind'] == 'map' and t.get('block') in holds]
        self.at = {i: {self.machines[n] for n in holds[self.tasks[i]['block']] if n in self.machines}
                   for i in self.maps}
        self.near = {i: {rack[n] for n in holds[self.tasks[i]['block']] if n in rack} for i in self.maps}
        self.n, self.m, self.u = len(self.machines), len(self.maps), sum(not x for x in self.at.values())
        c = w.scalars.get('cost', {'local': 10 ** 6, 'remote': 3 * 10 ** 6})
        self.w1, self.w2, self.remote = c['local'], c.get('rack'), c['remote']
        self.constant = isinstance(self.remote, int) or isinstance(self.remote, list) and len(set(self.remote)) == 1

    def w(self, r):
        """The cost of a remote map if r are."""
        if isinstance(self.remote, tuple):
            return self.remote[0] + self.remote[1] * r
        return self.remote if isinstance(self.remote, int) else self.remote[min(r, len(self.remote) - 1)]

    def place(self, t, s):
        """node, rack or remote."""
        return 'node' if s in self.at[t] else 'rack' if self.rack[s] in self.near[t] else 'remote'

    def cost(self, t, s, r):
        p = self.place(t, s)
        return self.w1 if p == 'node' else self.w2 if p == 'rack' and self.w2 is not None else self.w(r)

    def cells(self, row):
        return [self.tasks[row.task]['block'], self.place(row.task, row.machine)] if row.task in self.at else None

    def rules(self, rows, rep):
        for x in rows:
            rep.when(x.task not in self.at, 'K608', self.names[x.task] + ' is left out')
        first, load = self.once([x for x in rows if x.task in self.at], rep, self.maps), Counter()
        r = sum(self.place(t, x.machine) != 'node' for t, x in first.items())
        for t, x in first.items():
            c = self.cost(t, x.machine, r)
            rep.when(x.end - x.start != c, 'K604', '%s takes %s' % (self.names[t], us(c)))
            rep.when(x.start != load[x.machine], 'K621', self.names[t] + ' does not start at the end of the one before')
            load[x.machine] += c

    def loads(self, rows):
        """Loads of servers, the places of maps, and the number of local maps of servers; last rows count."""
        last = {x.task: x.machine for x in rows if x.task in self.at}
        places = {t: self.place(t, s) for t, s in last.items()}
        r = sum(p != 'node' for p in places.values())
        load, local = (group(((s, f(t, s)) for t, s in last.items()), sum) for f in (
            lambda t, s: self.cost(t, s, r), lambda t, s: places[t] == 'node'))
        return load, list(places.values()), local

    def objective(self, rows):
        v = max(self.loads(rows)[0].values(), default=0)
        return 'makespan', Fraction(v, 10 ** 6), us(v)

    def metrics(self, rows):
        load, places, local = self.loads(rows)
        r, maps = len(places) - places.count('node'), self.kind_of.count('map')
        out = {'node_local': places.count('node'), 'not_node_local': r, 'most_local': max(local.values(), default=0),
               'servers_used': len(load), 'remote_cost': us(self.w(r)), 'total_load': us(sum(load.values()))}
        if self.racks:
            out.update(rack_local=places.count('rack'), off_rack=places.count('remote'))
        extra = {'maps_left_out': maps - self.m, 'maps_held_nowhere': self.u,
                 'reduces_left_out': len(self.tasks) - maps}
        return {k: str(v) for k, v in {**out, **{k: v for k, v in extra.items() if v}}.items()}

    def uses(self):
        return {'cost'}

    def proven(self, cert):
        return Fraction(self.cuts(cert['levels']) if 'levels' in cert else self.prices(cert['prices']), 10 ** 6)

    def cuts(self, levels):
        n, m, u, w1, best = self.n, self.m, self.u, self.w1, None
        check_list(levels, n, m + 1, 'levels')
        top = max([-(-m // n)] + levels)
        for tau in range(top + 1):
            h = sum(x > tau for x in levels)
            y = m - u - sum(bool(at) and all(levels[s] > tau for s in at) for at in self.at.values())
            most = m if tau == top and u > 0 else tau
            ell = min(most * h + y, most * n, m)
            rho = m - ell
            wb = (self.w(rho) if self.w2 is None else self.w2) if rho else 0
            low = max(tau * w1, -(-(ell * w1 + rho * wb) // n), wb)
            if best is None or low < best:
                v = least_that(lambda big: self.room(big, h, y, ell, rho, wb, most), low)
                best = v if best is None else min(best, v)
        return best

    def room(self, big, h, y, ell, rho, wb, most):
        """ROOM(τ, L)."""
        n, hull = self.n, []
        last = 0 if rho == 0 else rho if wb == 0 else min(rho, big // wb)
        for b in range(last + 1):
            g = most if self.w1 == 0 else min(most, (big - b * wb) // self.w1)
            while len(hull) > 1 and (hull[-1][1] - hull[-2][1]) * (b - hull[-1][0]) <= \
                    (g - hull[-1][1]) * (hull[-1][0] - hull[-2][0]):
                hull.pop()
            hull.append((b, g))

        def local(total, servers):
            # servers · ĝ(total / servers)
            for (b1, g1), (b2, g2) in zip(hull, hull[1:]):
                if b1 * servers <= total <= b2 * servers:
                    return g1 * servers + Fraction((total - b1 * servers) * (g2 - g1), b2 - b1)
            return hull[0][1] * servers
        betas = range(max(0, rho - last * h), min(rho, last * (n - h)) + 1)
        return any(min(y, local(b, n - h)) + local(rho - b, h) >= ell for b in betas)

    def prices(self, lists):
        need(self.w2 is not None and 1 <= len(lists) <= 3, 'prices')
        w = self.w1, self.w2, self.w(0)
        unit, best = gcd(*w) or 1, [0, 0, 0]
        c = [x // unit for x in w]
        for y in lists:
            check_list(y, self.n, 2 ** 62 // self.m // c[2] + 1 if c[2] else 1, 'prices')
            racks = {r: min(v for v, q in zip(y, self.rack) if q == r) for r in set(self.rack) - {None}}
            terms = [(min((c[0] * y[s] for s in self.at[i]), default=INF),
                      min((c[1] * racks[r] for r in self.near[i] if r in racks), default=INF), c[2] * min(y))
                     for i in self.maps]
            groups = Counter(zip(y, map(racks.get, self.rack)))
            for k in (1, 2, 3):
                total = sum(min(t[:k]) for t in terms)
                best[k - 1] = max(best[k - 1], total if total == INF else unit * self.least(
                    total, k, c, min(y), groups))
        return min(max(a, b) for a, b in zip(w, best))

    @staticmethod
    def least(wanted, k, c, y0, groups):
        """The least T at which the servers have room for so much."""
        def earn(big):
            total = 0
            for (y, rack), number in groups.items():
                weights = c[0] * y, None if rack is None else c[1] * rack, c[2] * y0
                kinds = [(x, q) for x, q in list(zip(c, weights))[:k] if x > 0 and q is not None]
                rest = [range(kinds[0][0] // gcd(kinds[0][0], x)) for x, _ in kinds[1:]]
                if not kinds:
                    continue
                if prod(len(x) for x in rest) > 512:
                    total += number * y * big
                    continue
                best = 0
                for counts in product(*rest):
                    left = big - sum(a * x for a, (x, _) in zip(counts, kinds[1:]))
                    got = sum(a * q for a, (_, q) in zip(counts, kinds[1:])) + left // kinds[0][0] * kinds[0][1]
                    best = max(best, got if left >= 0 else 0)
                total += number * best
            return total
        if wanted > 0 and earn(2 ** 130) < wanted:
            return INF
        return least_that(lambda big: earn(big) >= wanted, 0)

    def guarantee(self):
        """Those of round-robin and of the flow: factor, additive, source, preconditions."""
        source, k, w1, m = 'Fischer, Su, Yin, SPAA 2010, Thm ', self.n - (self.u == 0), self.w1, self.m
        if self.algorithm == 'round-robin':
            return None if w1 == 0 else (text(Fraction(self.w(m), w1), 6, True), '0', source + '4.2' + (
                '' if self.constant else ', with the cost of all tasks remote'), '')
        racks = self.w2 is not None and self.w2 < self.w(0)
        if self.algorithm == 'exact' or self.params.get('balance') == 'real' or racks and self.w2 == 0:
            return None
        factor = text(Fraction(self.w(0), self.w2), 6, True) if racks else '1'
        source += '5.4' + ', times remote/rack' * racks + ' without Lemma 5.6: (1 − 1/n)·w_rem' * (self.u > 0)
        r = 0 if self.constant else self.most_remote()
        return factor, text(Fraction(self.w(r) * (k - 1), k * 10 ** 6)) if k > 1 else '0', source, ''

    def most_remote(self):
        """r̂, after the makespan of round-robin: servers take turns, each takes a local map if one is left."""
        blocks, on, r = list(dict.fromkeys(self.tasks[t]['block'] for t in self.maps)), {}, 0
        left = sorted(self.maps, key=lambda t: (blocks.index(self.tasks[t]['block']), t))
        for i in range(self.m):
            t = next((t for t in left if i % self.n in self.at[t]), left[0])
            left.remove(t)
            on[t] = i % self.n
        remote = sum(self.place(t, s) != 'node' for t, s in on.items())
        load = group(((s, self.cost(t, s, remote)) for t, s in on.items()), sum)
        m, w, top = self.m, self.w, max(load.values(), default=0)
        while r < m and max(w(r + 1), -(-((m - r - 1) * self.w1 + (r + 1) * w(r + 1)) // self.n)) <= top:
            r += 1
        return r
