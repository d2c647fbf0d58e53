"""Planning again (msjo and cluster): what stands of an earlier plan, what is frozen, and the table `replan`."""
from model import shown, table
from values import INF, decimal, micro, need, us

HEAD = 'task:s old_machine:s old_start:t old_end:t fate:s note:s'

class Plan:
    """An earlier plan, perhaps without rows; `frozen` maps tasks to (machine, start)."""

    def __init__(self, m):
        self.m, p, head = m, m.params, table(HEAD, [])
        self.there, rows = 'from' in p, m.result.tables.get('replan', [[]]) if 'from' in p else head
        self.freeze, self.tolerance = (micro(p.get(k, '0')) for k in ('freeze_until', 'change_tolerance'))
        self.freeze, self.price = self.freeze if self.there else -INF, decimal(p.get('change_penalty', '0'))
        need(rows[0] == head[0], 'no table replan')
        need(len({r[0] for r in rows[1:]}) == len(rows) - 1, 'two rows of a task')
        self.rows = [(r[0], r[1], micro(r[2]), micro(r[3]), m.index.get(r[0]), m.machines.get(r[1])) for r in rows[1:]]
        self.standing, self.notes, todo = {}, {}, []
        place = {s: k for ms in (m.members if m.letter == 'm' else [m.graph.order]) for k, s in enumerate(ms)}
        for _, machine, start, _, u, i in self.rows:
            if u is not None:
                todo.append((start, start + max(0, m.length_on(u, i) if i is not None else 0), place[u], u, i, machine))
        for start, _, _, u, i, machine in sorted(todo, key=lambda x: x[:3]):
            self.notes[u] = self.why(u, i, start) if i is not None else 'there is no machine ' + machine
            self.standing.update({} if self.notes[u] else {u: (i, start)})
        self.begun = {u for start, *_, u, _, _ in todo if start < self.freeze}
        self.frozen = {u: x for u, x in self.standing.items() if u in self.begun}

    def why(self, u, i, start):
        """Why a row cannot stand; empty if it can."""
        m = self.m
        if u in m.placed:
            return '' if m.placed[u] == (i, start) else m.runs_at(u, i, start, self.standing)
        if start < m.release[u]:
            return 'it is released at ' + us(m.release[u])
        ready = self.ready(u)
        if ready is None:
            return 'a task before it has not ended by its start'
        if ready > start:
            return 'the tasks before it leave it no time before ' + us(ready)
        return m.runs_at(u, i, start, self.standing)

    def ready(self, s):
        """When the steps before one let it start; None if one of them does not stand."""
        m, t = self.m, 0
        for a, d in m.graph.into[s]:
            i, start = self.standing.get(a, m.placed.get(a, (None, 0)))
            end = self.ready(a) if a >= m.n else None if i is None else start + m.length_on(a, i)
            if end is None:
                return None
            t = max(t, end + d)
        return t

    def rules(self, rows, rep):
        """K636."""
        for r in rows:
            early = r.start < self.freeze and r.task not in self.m.placed
            wrong = (r.machine, r.start) != self.frozen[r.task] if r.task in self.frozen else early
            rep.when(wrong, 'K636', r.name + ' is not where it is frozen, or starts too early')

    def changed(self, rows):
        """The runs of tasks that are not frozen, and are elsewhere or at another time than in the earlier plan."""
        old = {u: (i, start) for _, _, start, _, u, i in self.rows if u not in self.frozen}
        return [r for r in rows if r.task in old and (
            r.machine != old[r.task][0] or abs(r.start - old[r.task][1]) > self.tolerance)]

    def metrics(self, rows):
        """The metrics of a plan; sets the penalty."""
        n = len(self.changed(rows))
        self.m.penalty = self.price * n
        return shown(n={'frozen': len(self.frozen), 'changes': n}, f={'change_penalty': self.m.penalty}) if \
            self.there else {}

    def tables(self, rows):
        last, out = {r.task: r for r in rows}, []
        changed = {r.task for r in self.changed(last.values())}
        for name, machine, start, end, u, _ in self.rows:
            fate, note, now = 'changed', self.notes.get(u, ''), last[u].end if u in last else 0
            if u is None:
                fate = 'gone'
            elif u in self.frozen:
                fate, note = 'frozen', '' if now == end else 'ends at %s, not at %s' % (us(now), us(end))
            elif u in self.begun:
                fate = 'again'
            elif u in last and u not in changed:
                took = now - last[u].start
                fate, note = 'kept', '' if took == end - start else 'takes %s, not %s' % (us(took), us(end - start))
            out.append([name, machine, start, end, fate, note])
        return {'replan': table(HEAD, out)} if self.there else {}
