"""Planning again (msjo and cluster): what stands of an earlier plan, what is frozen, and the table `replan`."""
from forms import Wrong, need
from values import Unreadable, decimal, micro, text, us

HEAD = ['task', 'old_machine', 'old_start', 'old_end', 'fate', 'note']

class Plan:
    """An earlier plan; `frozen` maps tasks to (machine, start)."""

    def __init__(self, m):
        self.m, p = m, m.params
        self.freeze, self.tolerance = (micro(p.get(k, '0')) for k in ('freeze_until', 'change_tolerance'))
        self.price = decimal(p.get('change_penalty', '0'))
        table = m.result.tables.get('replan')
        need(table and table[0] == HEAD, 'no table replan')
        need(len({r[0] for r in table[1:]}) == len(table) - 1, 'two rows of a task')
        try:
            self.rows = [(r[0], r[1], micro(r[2]), micro(r[3])) for r in table[1:]]
        except Unreadable as e:
            raise Wrong(str(e))
        self.judge()
        self.frozen = {u: x for u, x in self.standing.items() if u in self.begun}

    def judge(self):
        """Which rows stand; why others do not."""
        m, g = self.m, self.m.graph
        self.standing, self.notes, self.begun, todo = {}, {}, set(), []
        place = {s: k for ms in (m.members if m.letter == 'm' else [g.order]) for k, s in enumerate(ms)}
        for name, machine, start, _ in self.rows:
            u, i = m.index.get(name), m.machines.get(machine)
            if u is not None:
                p = m.length_on(u, i) if i is not None else 0
                todo.append((start, start + max(0, p), place[u], u, i, machine))
                if start < self.freeze:
                    self.begun.add(u)
        for start, _, _, u, i, machine in sorted(todo, key=lambda x: x[:3]):
            note = self.why(u, i, start, machine)
            if note:
                self.notes[u] = note
            else:
                self.standing[u] = i, start

    def why(self, u, i, start, machine):
        """Why a row cannot stand; empty if it can."""
        m = self.m
        if i is None:
            return 'there is no machine ' + machine
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
            if a >= m.n:
                end = self.ready(a)
            else:
                i, start = self.standing.get(a, m.placed.get(a, (None, 0)))
                end = None if i is None else start + m.length_on(a, i)
            if end is None:
                return None
            t = max(t, end + d)
        return t

    def rules(self, rows, rep):
        for r in rows:
            if r.task in self.frozen:
                if (r.machine, r.start) != self.frozen[r.task]:
                    rep.add('K636', self.m.names[r.task] + ' is frozen elsewhere')
            elif r.start < self.freeze and r.task not in self.m.placed:
                rep.add('K636', self.m.names[r.task] + ' starts before ' + us(self.freeze))

    def changed(self, rows):
        """The rows of tasks that are not frozen, and are elsewhere or at another time than in the earlier plan."""
        old = {self.m.index.get(name): (self.m.machines.get(machine), start) for name, machine, start, _ in self.rows}
        return [r for r in rows if r.task in old and r.task not in self.frozen and (
            r.machine != old[r.task][0] or abs(r.start - old[r.task][1]) > self.tolerance)]

    def metrics(self, rows):
        n = len(self.changed(rows))
        self.m.penalty = self.price * n
        return {'frozen': str(len(self.frozen)), 'changes': str(n), 'change_penalty': text(self.m.penalty)}

    def table(self, rows):
        m, out, last = self.m, [HEAD], {r.task: r for r in rows}
        changed = {r.task for r in self.changed(last.values())}
        for name, machine, start, end in self.rows:
            u, note = m.index.get(name), self.notes.get(m.index.get(name), '')
            if u is None:
                fate = 'gone'
            elif u in self.frozen:
                now = last[u].end if u in last else 0
                fate, note = 'frozen', '' if now == end else 'ends at %s, not at %s' % (us(now), us(end))
            elif u in self.begun:
                fate = 'again'
            else:
                fate, took = 'changed', last[u].end - last[u].start if u in last else 0
                if u in last and u not in changed:
                    fate, note = 'kept', '' if took == end - start else 'takes %s, not %s' % (us(took), us(end - start))
            out.append([name, machine, us(start), us(end), fate, note])
        return out
