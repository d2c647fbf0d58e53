"""What proofs of msjo and cluster share: step functions, the preemptive machine, the refinement; lists of numbers."""
import heapq
from bisect import bisect_left, bisect_right
from itertools import accumulate
from operator import sub

from values import INF, need

def numbers(q, n, top, what='numbers'):
    """A list of n numbers from 0 to less than `top`."""
    need(len(q) == n and all(0 <= x < top for x in q), what)
    return q

class Steps:
    """A step function of time, 0 before the first of the times `at` when it changes, and its integral."""

    def __init__(self, at, values):
        self.at, self.values, self.best = at, values, {}
        self.sums = [0, *accumulate(x * (b - a) for x, a, b in zip(values, at, at[1:]))]

    def upto(self, t):
        """The integral up to t."""
        k = bisect_right(self.at, t) - 1
        return self.sums[k] + self.values[k] * (t - self.at[k]) if k >= 0 else 0

    def between(self, a, b):
        """The integral from a to b, if b is later."""
        return self.upto(b) - self.upto(a) if b > a else 0

    def along(self, points):
        """The integrals up to rising points."""
        k, at, out = -1, [*self.at, INF], []
        for t in points:
            while at[k + 1] <= t: k += 1
            out.append(self.sums[k] + self.values[k] * (t - at[k]) if k >= 0 else 0)
        return out

    def starts(self, p, h):
        """Where the integral over a run of length p may be least: h, and from h on where a change is at its ends."""
        return sorted([h, *self.at[bisect_left(self.at, h):], *(t - p for t in self.at[bisect_left(self.at, h + p):])])

    def least(self, p, h, to):
        """The least integral over a run of length p that starts in h … to; infinite if there is no such start."""
        if (p, h) not in self.best:
            points = self.starts(p, h)
            ends = self.along([s + p for s in points])
            self.best[p, h] = points, list(accumulate(map(sub, ends, self.along(points)), min))
        points, low = self.best[p, h]
        k = bisect_right(points, to)
        return min(low[k - 1], self.between(to, to + p)) if k else INF

def cells(width, prices):
    """The step function of prices of cells, 0 behind them."""
    return Steps(list(range(0, width * len(prices) + 1, width)), [*prices, 0])

def pieces(tasks, speed):
    """The pieces (task, from, to, interval of the speed m) of the preemptive machine for (release, amount, price).

    From and to are times of m; so they are integers if the speed, releases and amounts are.
    """
    todo, heap = sorted(((r, -q, i, a) for i, (r, a, q) in enumerate(tasks)), reverse=True), []
    for k, (begin, m, end) in enumerate(zip(speed.at, speed.values, [*speed.at[1:], INF])):
        now, end = begin * m, end * m
        while m > 0 and now < end and (heap or todo):
            while todo and todo[-1][0] * m <= now: heapq.heappush(heap, list(todo.pop()[1:]))
            stop = min([end] + [r * m for r, *_ in todo[-1:]] + [now + a for *_, a in heap[:1]])
            if heap:
                yield heap[0][1], now, stop, k
                heap[0][2] -= stop - now
                if not heap[0][2]: heapq.heappop(heap)
            now = stop

def fluid(tasks, speed):
    """FLUID: twice Σ price · amount · mean time on the preemptive machine, rounded down for each interval."""
    tasks, sums = [t for t in tasks if t[1] and t[2]], [0] * len(speed.at)
    for i, begin, end, k in pieces(tasks, speed): sums[k] += tasks[i][2] * (end - begin) * (begin + end)
    return sum(x // m for x, m in zip(sums, speed.values) if m)

def refine(begin, last, cell, low, cost, most=None, borders=()):
    """REFINE: a lower bound on cost(C) + low(C) for C from `begin` on; no part crosses one of the rising `borders`."""
    width, dropped = cell, 2 ** 63 - 1
    begins = sorted({*range(begin, last + 1, cell), *(f for f in borders if begin < f <= last)})
    while True:
        ends = [min([a + width, *borders[(k := bisect_right(borders, a)):k + 1]]) - 1 for a in begins]
        parts = [(a, e, (x := low(e)) + cost(a), x + cost(e)) for a, e in zip(begins, ends)]
        least, reached = min([dropped, *(p[2] for p in parts)]), min([dropped, *(p[3] for p in parts)])
        kept = [(a, e) for a, e, x, _ in parts if x < reached]
        number = 8 if most is None else min(8, most // max(1, len(kept)))
        if width == 1 or reached - least <= least >> 20 or number < 2: return least
        dropped, width = min([dropped] + [x for _, _, x, _ in parts if x >= reached]), -(-width // number)
        begins = [x for a, e in kept for x in range(a, e + 1, width)]
