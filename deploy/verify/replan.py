"""Planning again (msjo and cluster): what stands of an earlier plan, what is frozen, and the table `replan`."""
from model import shown, table
from values import INF, decimal, micro, need, us

HEAD = 'task:s old_machine:s old_start:t old_end:t fate:s note:s'

class Plan:
    """An earlier plan, perhaps without rows; `frozen` maps tasks to (machine, start)."""

    def __init__(self, m):
        self.m, p, head, self.standing, self.notes = m, m.params, table(HEAD, []), {}, {}
        self.there, self.price = 'from' in p, decimal(p.get('change_penalty', '0'))
        self.freeze, self.slack = (micro(p[k]) if self.there else -INF for k in ('freeze_until', 'change_tolerance'))
        old, *rows = m.result.tables.get('replan', [[]]) if self.there else head
        need(old == head[0], 'no table replan')
        need(len({r[0] for r in rows}) == len(rows), 'two rows of a task')
        self.rows = [(r[0], r[1], micro(r[2]), micro(r[3]), m.index.get(r[0]), m.machines.get(r[1])) for r in rows]
        need(all(abs(t) < 2 ** 62 for r in self.rows for t in r[2:4]), 'a time out of range')
        place = {s: k for ms in (m.members if m.letter == 'm' else [m.graph.order]) for k, s in enumerate(ms)}
        todo = [(start, start + max(0, 0 if i is None else m.length_on(u, i)), place[u], u, i, machine)
                for _, machine, start, _, u, i in self.rows if u is not None]
        for start, _, _, u, i, machine in sorted(todo, key=lambda x: x[:3]):
            self.notes[u] = self.why(u, i, start, machine)
            self.standing.update({} if self.notes[u] else {u: (i, start)})
        self.frozen = {u: (i, start) for u, (i, start) in self.standing.items() if start < self.freeze}

    def why(self, u, i, start, machine):
        """Why a row cannot stand; empty if it can."""
        m, ready = self.m, self.ready(u)
        if i is None: return 'there is no machine ' + machine
        if m.placed.get(u) == (i, start): return ''
        if u not in m.placed:
            if start < m.release[u]: return 'it is released at ' + us(m.release[u])
            if ready == INF: return 'a task before it has not ended by its start'
            if ready > start: return 'the tasks before it leave it no time before ' + us(ready)
        return m.runs_at(u, i, start, self.standing)

    def ready(self, s):
        """When the steps before one let it start; infinite if one of them does not stand."""
        m, ends = self.m, [0]
        for a, d in m.graph.into[s]:
            i, start = self.standing.get(a, m.placed.get(a, (None, INF)))
            ends.append(d + (self.ready(a) if a >= m.n else INF if i is None else start + m.length_on(a, i)))
        return max(ends)

    def rules(self, rows, rep):
        """K636."""
        for r in rows:
            early = r.start < self.freeze and r.task not in self.m.placed
            wrong = (r.machine, r.start) != self.frozen[r.task] if r.task in self.frozen else early
            rep.when(wrong, 'K636', r.name + ' is not where it is frozen, or starts too early')

    def changed(self, rows):
        """The runs of tasks that are not frozen, and are elsewhere or at another time than in the earlier plan."""
        still = {*self.frozen, *getattr(self.m, 'begun', ())}
        old = {u: [(i, start)] for _, _, start, _, u, i in self.rows if u not in still}
        return [r for r in rows for i, t in old.get(r.task, ()) if r.machine != i or abs(r.start - t) > self.slack]

    def metrics(self, rows):
        """The metrics of a plan; sets the penalty."""
        counts = {'frozen': len(self.frozen), 'changes': len(self.changed(rows))}
        self.m.penalty = self.price * counts['changes']
        return shown(n=counts, f={'change_penalty': self.m.penalty}) if self.there else {}

    def tables(self, rows):
        """The table `replan`, if there is a plan."""
        last, out = {r.task: r for r in rows}, []
        changed = {r.task for r in self.changed(last.values())}
        for name, machine, start, end, u, _ in self.rows:
            run, fate, note = last.get(u), 'changed', self.notes.get(u, '')
            now = run.end if run else 0
            if u is None: fate = 'gone'
            elif u in getattr(self.m, 'begun', ()): fate, note = 'begun', ''
            elif u in self.frozen:
                fate, note = 'frozen', '' if now == end else 'ends at %s, not at %s' % (us(now), us(end))
            elif start < self.freeze: fate = 'again'
            elif run and u not in changed:
                took, before = now - run.start, end - start
                fate, note = 'kept', '' if took == before else 'takes %s, not %s' % (us(took), us(before))
            out.append([name, machine, start, end, fate, note])
        return {'replan': table(HEAD, out)} if self.there else {}
