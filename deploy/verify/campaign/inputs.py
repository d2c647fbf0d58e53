"""The workloads of the campaign: what `mrsched generate` makes, and workloads that use nearly every column."""

# Per problem: how many workloads of `rich`, what `generate` makes (number of seeds and flags), how it is solved.
MAKE = {
    'cluster': (18, ['7 --tasks 12 --nodes 4', '1 --preset etl', '7 --tasks 7 --nodes 2 --deadline-share .7 '
                     '--dependency-share .6 --mean-tasks 3', '7 --tasks 9 --nodes 3 --mean-tasks 1 --least-demand .6 '
                     '--most-demand .9 --dag-share 0 --dependency-share 0'],
                ['--objective ' + o for o in ('twjct', 'tardiness', 'late', 'makespan', 'flowtime')]),
    'msjo': (8, ['5 --jobs 3 --machines 3 --tasks 14', '1 --preset fig1', '1 --preset dag', '4 --jobs 2 --machines 6 '
                 '--tasks 25 --task-weights random', '3 --jobs 4 --machines 2 --tasks 12 --ordered-times --counts '
                 'uniform'],
             ['', '--objective twtct', '--bound all', '--bound all --iterations 900',
              '--objective twtct --bound all --inequality published',
              '--machines 2 --lp first-order', '--epsilon .3 --formulation published --separation every']),
    'hta': (6, ['1 --preset 3sat --cnf instances/examples/phi.cnf', '10 --tasks 20 --servers 5',
                '1 --preset thm54 --servers 5', '10 --tasks 24 --servers 6 --zipf 1.3 --blocks 9 --per-remote .1',
                '10 --tasks 30 --servers 7 --zipf 1.2 --rack-cost 2 --server-zipf 1 --racks 3 --replicas 2'],
            ['', '--tie worst']),
    'reduceplace': (8, ['12 --jobs 12 --slots 20', '1 --preset tree', '1 --preset sorts',
                        '12 --jobs 25 --slots 12 --max-running 3 --maps 3 --lambda 1.5',
                        '4 --jobs 12 --slots 6 --max-reduces 2 --max-running 2'],
                    ['', '--max-running-jobs 2', '--slot-cost hops', '--estimate .5 --window 5']),
    'realtime': (10, ['1 --preset deadlines', '16 --jobs 4 --workers 10 --maps 3 --reduces 2 --partitions 8 '
                      '--keys 0', '6 --jobs 6 --workers 4 --maps 3 --reduces 3 --partitions 8 --skew 40 '
                      '--keys 60', '6 --preset youtube --jobs 3 --workers 4 --maps 3 --reduces 2 --partitions 4 '
                      '--skew 40 --keys 30 --history-runs 2', '4 --preset colocated --jobs 3 --workers 5 --maps 3 '
                      '--reduces 2 --partitions 5 --skew 30 --keys 0 --history-runs 2'],
                 ['', '--goal partitions', '--resplit-cost 0.1', '--goal partitions --resplit-cost 0.01',
                  '--deadline-factor 1.5 --estimates true', '--goal partitions --sketch-delta .2 --partitions 5']),
    'multitenant': (12, ['1 --preset fig7', '12 --nodes 6 --racks 3 --users 3 --hours .05 --interarrival 40 '
                         '--input-scale .01 --shuffle-scale 2', '8 --nodes 4 --racks 2 --users 2 --hours .03 '
                         '--interarrival 30 --input-scale .004 --memory 4'],
                    ['', '--measure-from 5 --measure-until 60'])}


def rich(rnd, problem):
    """A workload that uses nearly every column; for all problems."""
    def some(chance, **columns):
        return {k: v for k, v in columns.items() if rnd.random() < chance}

    def seconds(a, b):
        x = rnd.randint(a * 10, b * 10) / 10
        return rnd.choice([x, x, x, x, '%gs' % x, '%gms' % (x * 1000)])
    racks = ['r1', 'r2', 'r3'][:rnd.randint(1, 3)]
    nodes = ['n%d' % (i + 1) for i in range(rnd.randint(len(racks), 5))]
    doc = {'format': 'mrsched-workload/1', 'name': 'rich “é” %d' % rnd.randint(1, 9), 'origin': '2026-11-23T22:00',
           'jobs': [], 'tasks': [], 'topology': [{'id': 'root', 'kind': 'root'}]}
    jobs, tasks, listed = doc['jobs'], doc['tasks'], rnd.random() < .6
    doc['topology'] += [{'id': r, 'parent': 'root', 'kind': 'rack', **some(.6, bandwidth_bytes_per_s=rnd.choice(
        [4e6, '10MB/s']))} for r in racks]
    doc['topology'] += [{'id': n, 'parent': racks[i % len(racks)], 'kind': 'node', 'map_slots': rnd.randint(1, 2),
                         'reduce_slots': rnd.randint(1, 2), 'cpu': rnd.choice([4, 2.5]), 'memory_bytes': 4 * 10 ** 9,
                         **some(.6, speed=rnd.choice([1, 2, .7]), bandwidth_bytes_per_s=rnd.choice([2e6, 1.5e7]))}
                        for i, n in enumerate(nodes)]
    for j in range(rnd.randint(2, 4)):
        name, maps, reduces = '=j%d' % j if rnd.random() < .1 else 'j%d' % j, rnd.randint(1, 4), rnd.randint(1, 3)
        jobs.append({'id': name, 'release': rnd.choice([0, 2.5, '22:00:05', '4s']), 'task_overhead': .5, **some(
            .7, weight=rnd.randint(1, 30) / 10, deadline=seconds(15, 60), tenant=rnd.choice(['ann', 'bob']),
            intermediate_bytes=rnd.randint(1, 9) * 10 ** 7, shuffle_ratio=.3, map_work=seconds(1, 9)),
            'map_bytes_per_s': 1e7, 'reduce_bytes_per_s': 2e7, **({} if listed else {'reduces': reduces})})
        share, out = rnd.choice([0, .5, 1]), rnd.choice([0, 1])
        for k in range(maps + reduces * listed):
            kind = 'map' if k < maps else 'reduce'
            tasks.append({
                'id': '%s.%s%d' % (name, kind[0], k), 'job': name, **some(1.1 - .2 * (k < maps), kind=kind),
                'processing_time': seconds(1, 9),
                **some(.8 * (k < maps), block='b%d' % rnd.randint(1, 4)), **some(share, shuffle_delay=seconds(0, 2)),
                **some(.2, release=seconds(1, 9), weight=2), **some(out, output_bytes=rnd.randint(0, 9) * 10 ** 6),
                **some(.5, input_bytes=rnd.choice([10 ** 7, '64MiB']), cpu=rnd.choice([.5, 1]),
                       memory_bytes=rnd.choice([10 ** 9, '1.5GB'])),
                **some(.3, recorded_node=rnd.choice(nodes), recorded_start=3)})
    doc['placements'] = [{'block': 'b%d' % b, 'node': n} for b in (1, 2, 3, 4, 5)
                         for n in rnd.sample(nodes, min(len(nodes), rnd.randint(1, 2)))]
    doc.update(some(.3, cost={'local': 1, 'rack': rnd.choice([1.5, '2s']), 'remote': 3}, dependencies=[
        {'job': jobs[1]['id'], 'after': jobs[0]['id'], 'delay': 1}], delays=[
            {'from': a['id'], 'to': b['id'], 'delay': 1.5} for a, b in zip(tasks[:1], tasks[1:])
            if a['job'] == b['job']]))
    doc.update(some(.4, runs=[
        {'task': tasks[0]['id'], 'run': 'monday', 'start': -90, 'end': '2026-11-23T21:59', 'state': 'success'},
        {'task': 'gone', 'run': '=x', 'duration': '2m', 'state': 'failed', 'try': 2}]))
    if problem == 'cluster' and rnd.random() < .5:          # between jobs
        doc['delays'] = doc.get('delays', []) + [{'from': tasks[0]['id'], 'to': tasks[-1]['id'], **some(.5, delay=2)}]
    doc.update(some(.5, fixed=[{'task': tasks[0]['id'], 'node': nodes[0], 'start': rnd.choice([-.5, 14])}]))
    doc.update(some(.7, eligible=[{'job': jobs[0]['id'], 'place': racks[0]},
                                  {'task': tasks[-1]['id'], 'place': nodes[0]}],
                    unavailable=[{'node': nodes[-1], 'from': 6, 'until': '22:00:12'}, {'node': nodes[0], 'from': 900}]))
    if problem == 'cluster' and rnd.random() < .5:          # what has happened by now
        doc.pop('fixed', None)
        doc['now'], doc['grace'] = rnd.choice([5, '6s']), rnd.choice([0, 2.5])
        doc['state'] = [{'task': t['id'], 'node': rnd.choice(nodes), 'start': rnd.choice([-1, 2.5, 5]), **rnd.choice(
            [{'end': 5}, {'remaining': rnd.choice([0, 1.5])}, {}])} for t in tasks if rnd.random() < .5]
    if rnd.random() < .6:
        some = [(n, 'gpu', 2) for n in nodes] + rnd.choice([0, 1]) * [('root', 'seat', 2), (racks[0], 'seat', 1.5)]
        doc['capacities'] = [{'node': n, 'resource': r, 'amount': x} for n, r, x in some]
        doc['demands'] = [{'task': t['id'], 'resource': r, 'amount': rnd.choice([.5, 1, 1.5])}
                          for t in tasks[1::2] for r in dict.fromkeys(r for _, r, _ in some)]
    return doc
