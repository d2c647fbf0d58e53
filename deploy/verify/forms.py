"""Forms of JSON objects as data, the certificate's and the result's; the preemptive machine; prices of cells."""
import heapq
import re
from bisect import bisect_right
from itertools import accumulate

from values import INF, Num, Unreadable, compact, micro, parse_json, us, write_json

class Wrong(Exception):
    """The certificate proves nothing (K618), or an object has not the required form."""

def need(condition, why):
    """Raises Wrong unless the condition holds."""
    if not condition:
        raise Wrong(why)

def form(s):
    """Reads a form: {key: form …}, [form] or a word; behind a form, ! is `required`, ? `also if it is empty`."""
    def parse():
        t = tokens.pop(0)
        if t == '[':
            return [parse(), tokens.pop(0)][:1]
        if t != '{':
            return t
        out = {}
        while tokens[0] != '}':
            key, f = tokens.pop(0)[:-1], parse()
            out[key] = f, tokens.pop(0) if tokens[0] in '!?' else ''
        tokens.pop(0)
        return out
    tokens = re.findall(r'[][{}!?]|[^][{}!?:\s]+:?', s)
    return parse()

NAMED = {'proof': form('{slots:[int] partitions:[int] cases:{partition:int! slot:int! on:proof! off:proof!}}')}

def take(v, f):
    """A value by its form, and its canonical tree; times become microseconds."""
    if isinstance(f, dict):
        need(isinstance(v, dict) and set(v) <= set(f), 'no object, or an unknown key')
        got, tree = {}, {}
        for k, (inner, flag) in f.items():
            need(k in v or flag != '!', 'no key ' + k)
            if k in v:
                got[k], t = take(v[k], inner)
                if flag or not (got[k] in (0, '') or got[k] == []):
                    tree[k] = t
        return got, tree
    if isinstance(f, list):
        need(isinstance(v, list), 'no list')
        both = [take(x, f[0]) for x in v]
        return [x for x, _ in both], [t for _, t in both]
    if f in NAMED:
        return take(v, NAMED[f])
    kind = {'str': str, 'bool': bool, 'map': dict, 'any': object}.get(f, Num)
    need(isinstance(v, kind) and (kind is Num or not isinstance(v, Num)), 'a value of the wrong type')
    if f == 'int':
        need(re.fullmatch(r'-?\d{1,19}', v, re.A) and abs(int(v)) < 2 ** 63, 'not an integer')
        return int(v), Num(int(v))
    if f == 'time':
        return micro(v), Num(us(micro(v)))
    v = in_order(v) if f == 'map' else v
    return v, v

def in_order(v):
    """JSON with the keys of all objects sorted by their bytes."""
    if isinstance(v, dict):
        return {k: in_order(x) for k, x in sorted(v.items(), key=lambda x: x[0].encode())}
    return [in_order(x) for x in v] if isinstance(v, list) else v

def read(data, problem, kinds):
    """The certificate; `kinds` maps each kind to its methods and the form of its keys."""
    try:
        raw = parse_json(data)
        need(isinstance(raw, dict) and raw.get('kind', '') in kinds, 'unknown kind')
        methods, keys = kinds[raw.get('kind', '')]
        head = form('{format:str! problem:str! method:str! kind:str value:str!}')
        cert, tree = take(raw, {**head, **keys})
    except Unreadable as e:
        raise Wrong(str(e))
    need(cert['format'] == 'mrsched-certificate/1' and cert['problem'] == problem, 'format or problem')
    need(cert['method'] in methods.split(), 'a method of another kind')
    need(compact(data.decode()) == write_json(tree), 'not canonical')
    return cert

def fluid(tasks, steps):
    """FLUID' over (release, amount, price), the speed being a list of (from, speed); and S of the last interval."""
    todo = sorted((r, a, q) for r, a, q in tasks if a and q)
    heap, k, total, s = [], 0, 0, 0
    for (tau, m), end in zip(steps, [t for t, _ in steps[1:]] + [None]):
        x, s = 0, 0                         # x counts units of work since tau: the time is tau + x / m
        last = None if end is None else (end - tau) * m
        while m > 0 and (last is None or x < last) and (heap or k < len(todo)):
            if not heap:
                x = max(x, (todo[k][0] - tau) * m)
                if last is not None and x >= last:
                    break
            while k < len(todo) and (todo[k][0] - tau) * m <= x:
                heapq.heappush(heap, [-todo[k][2], todo[k][1]])
                k += 1
            stop = min([x + heap[0][1]] + [(r - tau) * m for r, _, _ in todo[k:k + 1]] + [last] * (last is not None))
            s -= heap[0][0] * (stop - x) * (2 * tau * m + x + stop)
            heap[0][1] -= stop - x
            if not heap[0][1]:
                heapq.heappop(heap)
            x = stop
        total += s // m if m > 0 else 0
    return total, s

def integral(speeds, a, b):
    """∫ of a step function from a to b."""
    ends = [t for t, _ in speeds[1:]] + [INF]
    return sum(v * (min(b, end) - max(a, t)) for (t, v), end in zip(speeds, ends) if min(b, end) > max(a, t))

class Prices:
    """λ on cells, its integral Λ, and the least that a task pays in a window."""

    def __init__(self, cell, steps):
        self.cell, self.steps, self.end, self.best = cell, steps, cell * len(steps), {}
        self.sums = [0, *accumulate(x * cell for x in steps)]

    def upto(self, t):
        """Λ(t)."""
        k, rest = divmod(t, self.cell)
        return self.sums[-1] if k >= len(self.steps) else self.sums[k] + self.steps[k] * rest

    def pay(self, s, p):
        """What a run of length p from s on pays."""
        return self.upto(s + p) - self.upto(s)

    def starts(self, p, h):
        """Where the pay of a run may be least: h, and from h on where it begins or ends at a border."""
        borders = range(0, self.end + 1, self.cell)
        return sorted({h} | {x for b in borders for x in (b, b - p) if x >= h})

    def least(self, p, h, to):
        """The least pay of a task of length p that starts in h … to; infinite if there is no such start."""
        if (p, h) not in self.best:
            points = self.starts(p, h)
            self.best[p, h] = points, list(accumulate((self.pay(s, p) for s in points), min))
        points, low = self.best[p, h]
        k = bisect_right(points, to)
        return min(low[k - 1], self.pay(to, p)) if k else INF

def refine(begin, last, cell, low, cost, most=None, borders=()):
    """REFINE: a lower bound on cost(C) + low(C) for C from `begin` on; no part crosses one of the rising `borders`."""
    width, dropped = cell, 2 ** 63 - 1
    begins = sorted({*range(begin, last + 1, cell), *(f for f in borders if begin < f <= last)})
    while True:
        ends = [min([a + width] + list(borders[(k := bisect_right(borders, a)):k + 1])) - 1 for a in begins]
        lows = [(a, e, low(e)) for a, e in zip(begins, ends)]
        reached = min([dropped] + [x + cost(e) for _, e, x in lows])
        least = min([dropped] + [x + cost(a) for a, _, x in lows])
        if width == 1 or reached - least <= least >> 20:
            return least
        dropped = min([dropped] + [x + cost(a) for a, _, x in lows if x + cost(a) >= reached])
        begins = [(a, e) for a, e, x in lows if x + cost(a) < reached]
        parts = 8 if most is None else min(8, most // max(1, len(begins)))
        if parts < 2:
            return least
        part = -(-width // parts)
        begins, width = [x for a, e in begins for x in range(a, e + 1, part)], part

def check_list(q, n, top, what):
    """A list of n numbers from 0 to less than `top`."""
    need(len(q) == n and all(0 <= x < top for x in q), what)
    return q
