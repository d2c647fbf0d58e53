"""Metrics and tables of multitenant; they count every row of a task."""
from fractions import Fraction

from model import mean
from values import micro, text, us

COLUMN = {'shuffle': 0, 'map': 2, 'write': 4}
HEADS = {
    'jobs': 'job user arrival first_start maps_end end turn_around node_local rack_local off_rack racks shuffle_bytes '
            'cross_rack_shuffle_bytes cross_rack_map_bytes',
    'users': 'user jobs slot_seconds active_seconds mean_slots turn_around',
    'fetches': 'task job rack fetched fetched_across',
    'traffic': 'from until rack shuffle_out shuffle_in map_out map_in write_out write_in'}

def crossing(m, rows):
    """The shuffle bytes of each job that cross racks, and the racks of its reduces."""
    (o, _), at = m.outputs(rows), [[] for _ in m.jobs]
    for r in rows:
        if r.task >= m.map_count:
            at[m.job_of[r.task]].append(m.rack[m.worker(r)])
    return [Fraction(sum(v * max(0, n - at[j].count(a)) for a, v in o[j].items()), n or 1) for j, n in enumerate(m.r)]

def places(m, rows):
    """The localities of the rows of maps, and what they read from other racks."""
    where = [(m.locality(r.task, m.worker(r)), m.input(r.task)) for r in rows if r.task < m.map_count]
    return [p for p, _ in where], sum(size for p, size in where if p == 'remote')

def metrics(m, rows):
    (where, read), shuffle, wrote = places(m, rows), sum(crossing(m, rows)), sum(m.written(r.task) for r in rows)
    out = {'cross_rack_bytes': text(shuffle + read + wrote), 'cross_rack_shuffle_bytes': text(shuffle),
           'cross_rack_map_bytes': str(read), 'shuffle_bytes': str(sum(m.v)), 'node_local': str(where.count('node')),
           'rack_local': str(where.count('rack')), 'off_rack': str(where.count('remote'))}
    if m.writes and len(m.racks) > 1:
        out['cross_rack_write_bytes'] = str(wrote)
    ends, low = m.ends(rows, m.arrival), micro(m.params.get('measure-from', '0'))
    high = max(low, micro(m.params.get('measure-until', '0')) or max([r.end for r in rows], default=0))
    done = [j for j, e in enumerate(ends) if low <= e <= high]
    took, n = sorted(ends[j] - m.arrival[j] for j in done), len(done)
    out['jobs_done'] = str(n)
    if done:
        out.update(turn_around=mean(sum(took), n), turn_around_p50=us(took[-(-n * 50 // 100) - 1]),
                   turn_around_p95=us(took[-(-n * 95 // 100) - 1]))
    if high > low:
        read = sum(m.input(t) for j in done for t in m.maps[j])
        out.update(jobs_per_hour=text(Fraction(3600 * n * 10 ** 6, high - low)),
                   input_bytes_per_hour=text(Fraction(3600 * read * 10 ** 6, high - low)))
    total = squares = 0.0
    x = [float(s) / float(a) for s, a in zip(*user_times(m, rows, ends)) if a > 0]
    for v in x:
        total, squares = total + v, squares + v * v
    if squares > 0:
        out['jain'] = '%.6f' % (total * total / (float(len(x)) * squares))
    return {**out, 'unfair_starts': str(unfair(m, rows))}

def user_times(m, rows, ends):
    slot, active, last = [0] * len(m.users), [0] * len(m.users), {}
    for r in rows:
        slot[m.user[m.job_of[r.task]]] += r.end - r.start
    for a, b, u in sorted(zip(m.arrival, ends, m.user)):
        a = max(a, last.get(u, a))
        active[u] += max(0, b - a)
        last[u] = max(a, b)
    return slot, active

def unfair(m, rows):
    """Starts while another user with fewer running tasks of the kind had one waiting."""
    ends, events, count = m.maps_end(rows), {}, 0
    for r in rows:
        j, k = m.job_of[r.task], int(r.task >= m.map_count)
        wait = max(ends[j], m.release[r.task]) if k else m.release[r.task]
        waits = not k or r.start >= ends[j]
        events.setdefault(r.end, ([], [], []))[0].append((m.user[j], k))
        if waits:
            events.setdefault(min(wait, r.start), ([], [], []))[1].append((m.user[j], k))
        events.setdefault(r.start, ([], [], []))[2].append((m.user[j], k, waits))
    running, waiting = ({(u, k): 0 for u in range(len(m.users)) for k in (0, 1)} for _ in range(2))
    for _, (stops, waits, starts) in sorted(events.items()):
        for x in stops:
            running[x] -= 1
        for x in waits:
            waiting[x] += 1
        while starts:
            u, k, waited = e = min(starts, key=lambda e: (running[e[:2]], e))
            starts.remove(e)
            count += any(v != u and running[v, k] < running[u, k] and waiting[v, k] > 0 for v in range(len(m.users)))
            running[u, k] += 1
            waiting[u, k] -= waited
    return count

def tables(m, rows):
    ends, cross, first, (o, _) = m.ends(rows, m.arrival), crossing(m, rows), m.first_starts(rows), m.outputs(rows)
    out = {name: [head.split()] for name, head in HEADS.items()}
    for j, job in enumerate(m.jobs):
        mine = [r for r in rows if m.job_of[r.task] == j]
        (where, read), maps = places(m, mine), [r.end for r in mine if r.task < m.map_count]
        counts = [where.count(p) for p in ('node', 'rack', 'remote')] + [
            len({m.rack[m.worker(r)] for r in mine}), m.v[j]]
        out['jobs'].append([job['id'], m.users[m.user[j]], us(m.arrival[j]), first[j], us(max(maps)) if maps else '',
                            us(ends[j]), us(ends[j] - m.arrival[j])] + list(map(str, counts)) + [
                                text(cross[j]), str(read)])
    for u, (name, slot, active) in enumerate(zip(m.users, *user_times(m, rows, ends))):
        took = [ends[j] - m.arrival[j] for j in range(len(m.jobs)) if m.user[j] == u]
        out['users'].append([name, str(len(took)), us(slot), us(active), text(Fraction(slot, active)) if active else '',
                             mean(sum(took), len(took))])
    for _, r in sorted({r.task: r for r in rows}.items()):
        if r.task >= m.map_count:
            j, k = m.job_of[r.task], m.rack[m.worker(r)]
            out['fetches'].append([m.names[r.task], m.jobs[j]['id'], m.racks[k], text(Fraction(m.v[j], m.r[j])),
                                   text(Fraction(m.v[j] - o[j].get(k, 0), m.r[j]))])
    out['traffic'] = traffic(m, rows)
    return out

def traffic(m, rows):
    last, n, cells, width, k = max([max(r.start, r.end) for r in rows], default=0), len(m.racks), {}, 10 ** 6, 0
    while last // width + 1 > max(1, 2 ** 21 // n):
        width, k = width // 2 * 5 if k % 3 == 1 else width * 2, k + 1
    for what, r, a, b, begin, until, size, parts in m.transfers(rows):
        i = r.task - m.reduces[m.job_of[r.task]][0] if what == 'shuffle' else 0
        size = size * (i + 1) // parts - size * i // parts if a != b else 0
        f, u = max(0, min(begin, until)), max(0, until)
        x, y = f // width, max(f, u - 1) // width
        some = [] if x == y else [size * ((x + 1) * width - f) // (u - f)] + [size * width // (u - f)] * (y - x - 1)
        for z, v in enumerate(some + [size - sum(some)]):
            for rack, column in ((a, COLUMN[what]), (b, COLUMN[what] + 1)):
                if v:
                    cells.setdefault((x + z, rack), [0] * 6)[column] += v
    wide = 9 if m.writes and n > 1 else 7
    return [HEADS['traffic'].split()[:wide]] + [
        ([us(x * width), us((x + 1) * width), m.racks[k]] + list(map(str, c)))[:wide]
        for (x, k), c in sorted(cells.items())]
