// What the page's schedules are packed as: see the package's pack.go.

// unpack reads a blob.
const unpack = async (text) => {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
};

// reader reads variable-length integers one after another. Products, not shifts: numbers reach beyond 32 bits.
const reader = (bytes) => {
  let at = 0;
  const count = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++];
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  return {
    count,
    signed: () => {
      const u = count();
      return u % 2 ? -(u + 1) / 2 : u / 2;
    },
    take: (n) => bytes.subarray(at, (at += n)),
    more: () => at < bytes.length,
  };
};

// numbers reads a column of numbers.
const numbers = (bytes, n) => {
  const r = reader(bytes);
  const list = new Float64Array(n);
  for (let i = 0, value = 0; i < n; i++) list[i] = value += r.signed();
  return list;
};

// names reads a column of texts.
const names = (bytes) => {
  const r = reader(bytes);
  const decoder = new TextDecoder();
  const list = [];
  let buffer = new Uint8Array(256);
  while (r.more()) {
    const same = r.count();
    const rest = r.take(r.count());
    if (same + rest.length > buffer.length) {
      const wider = new Uint8Array(2 * (same + rest.length));
      wider.set(buffer.subarray(0, same));
      buffer = wider;
    }
    buffer.set(rest, same);
    list.push(decoder.decode(buffer.subarray(0, same + rest.length)));
  }
  return list;
};

// schedule reads one result's schedule and sorts its tasks by machine and start.
const schedule = async (data, k) => {
  const r = data.results[k];
  const n = r.tasks;
  const blob = (i) => unpack(data.blobs[i]);
  const column = async (i) => numbers(await blob(i), n);
  const [id, jobs, machines, job, machine, reduce, start, length] = await Promise.all([
    blob(r.id).then(names), blob(r.jobs).then(names), blob(r.names).then(names),
    column(r.job), column(r.machine), column(r.reduce), column(r.start), column(r.length),
  ]);
  const own = await Promise.all(r.own.map(async (c) => {
    const [values, index] = await Promise.all([blob(c.values).then(names), column(c.index)]);
    return { name: c.name, names: values, looks: c.looks, of: (u) => index[u], at: (u) => values[index[u]] };
  }));
  const levels = await Promise.all(r.levels.map((i) => blob(i).then(names)));
  const ofJobs = async (i) => numbers(await blob(i), jobs.length);
  const [release, due] = [await ofJobs(r.release), await ofJobs(r.due)];
  const some = new Uint32Array(jobs.length); // a task of each job
  job.forEach((j, u) => { some[j] = u; });
  const end = start.map((s, u) => s + length[u]);
  const order = Uint32Array.from(start.keys()).sort((a, b) => machine[a] - machine[b] || start[a] - start[b] || a - b);
  const first = new Uint32Array(machines.length + 1); // of a machine's tasks in order
  for (const m of machine) first[m + 1]++;
  for (let m = 0; m < machines.length; m++) first[m + 1] += first[m];
  const place = new Uint32Array(n); // of a task in order
  order.forEach((u, i) => { place[u] = i; });
  return {
    n, id, jobs, machines, levels, job, machine, reduce, start, end, own, order, first, place, release, due, some, size: r.machines,
    keys: [{ name: 'job', job: true, names: jobs, looks: r.looks, of: (u) => job[u] }, ...own],
    key: r.key,
    mixed: reduce.includes(0) && reduce.includes(1),
    horizon: Math.max(r.until, 1),
  };
};
