// What the page does beyond what it says: themes, one result at a time, pictures as files, live Gantt charts.

const root = document.documentElement;
root.classList.add('js');
const data = JSON.parse(document.getElementById('data').textContent);
const charts = new Map(); // Gantt charts by result

// The theme is the system's until somebody chooses.
const dark = matchMedia('(prefers-color-scheme: dark)');
const button = document.getElementById('theme');
const isDark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : dark.matches);
const themed = () => {
  button.setAttribute('aria-pressed', isDark());
  for (const g of charts.values()) g.draw();
};
button.addEventListener('click', () => {
  root.dataset.theme = isDark() ? 'light' : 'dark';
  themed();
});
dark.addEventListener('change', themed);

// A picture as a file is the picture with its style.
const NS = 'http://www.w3.org/2000/svg';
const pictureFile = (svg) => {
  const copy = svg.cloneNode(true);
  const { width, height } = svg.viewBox.baseVal;
  const make = (name, attributes, text) => {
    const e = document.createElementNS(NS, name);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    if (text) e.textContent = text;
    return e;
  };
  copy.setAttribute('width', width);
  copy.setAttribute('height', height);
  copy.prepend(make('title', {}, svg.getAttribute('aria-label')), make('style', {}, data.svg), make('rect', { class: 'paper', width: '100%', height: '100%' }));
  return new XMLSerializer().serializeToString(copy) + '\n';
};
const save = (name, text) => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
};
for (const b of document.querySelectorAll('button.save')) {
  const figure = b.closest('figure');
  b.setAttribute('aria-label', 'Save as SVG: ' + figure.querySelector('h4').textContent);
  b.addEventListener('click', () => save(b.dataset.file, pictureFile(figure.querySelector('.picture svg'))));
}

// tools joins a chart to its buttons, keys, wheel, pointer and search.
const tools = (figure, g) => {
  const { canvas, s } = g;
  const say = figure.querySelector('.live');
  const state = figure.querySelector('.state');
  const hint = figure.querySelector('.hint');
  const chips = figure.querySelector('.jobs');
  g.told = (text) => { state.textContent = text; };
  canvas.setAttribute('aria-label', `${s.n} tasks of ${s.jobs.length} jobs on ${s.machines.length} machines; arrow keys go from task to task`);

  const highlight = (i) => {
    g.picked = g.picked === i ? -1 : i;
    for (const b of chips.querySelectorAll('button')) {
      b.setAttribute('aria-pressed', Number(b.dataset.index) === g.picked);
      b.firstChild.style.background = `var(--${g.look(Number(b.dataset.index))})`;
    }
    g.draw();
  };
  const focus = (u, closely) => {
    g.task = u;
    g.near(u, closely);
    const lines = g.lines(u);
    g.show(s.id[u], lines, clamp(g.x(s.start[u]), g.left, g.width), g.y(s.machine[u]) + g.row);
    say.textContent = s.id[u] + ': ' + lines.map((l) => l.join(' ')).join(', ');
  };
  const forget = () => {
    g.task = -1;
    g.hide();
    if (g.picked >= 0) highlight(g.picked); else g.draw();
  };

  const actions = {
    in: () => g.zoom(1 / 1.6), out: () => g.zoom(1.6), taller: () => g.zoomMachines(1 / 1.6), flatter: () => g.zoomMachines(1.6),
    all: () => { g.all(); forget(); },
  };
  for (const b of figure.querySelectorAll('[data-do]')) b.addEventListener('click', () => { g.hide(); actions[b.dataset.do](); });

  // beside is the task that an arrow leads to.
  const beside = (key) => {
    if (g.task < 0) {
      for (let m = Math.floor(g.m0); m < Math.min(s.machines.length, g.m1); m++) {
        const [a, b] = g.range(m);
        if (a < b) return s.order[a];
      }
      return s.n ? s.order[0] : -1;
    }
    const m = s.machine[g.task];
    if (key === 'ArrowLeft' || key === 'ArrowRight') {
      const i = g.s.place[g.task] + (key === 'ArrowRight' ? 1 : -1);
      return i >= s.first[m] && i < s.first[m + 1] ? s.order[i] : g.task;
    }
    const next = m + (key === 'ArrowDown' ? 1 : -1);
    if (next < 0 || next >= s.machines.length) return g.task;
    let best = -1;
    const from = s.start[g.task];
    for (let i = s.first[next]; i < s.first[next + 1]; i++) {
      const u = s.order[i];
      if (best < 0 || Math.abs(s.start[u] - from) < Math.abs(s.start[best] - from)) best = u;
    }
    return best < 0 ? g.task : best;
  };

  canvas.addEventListener('keydown', (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const moves = { ArrowLeft: [-60, 0], ArrowRight: [60, 0], ArrowUp: [0, -60], ArrowDown: [0, 60] };
    if (moves[e.key] && e.shiftKey) { g.hide(); g.pan(...moves[e.key]); }
    else if (moves[e.key]) { const u = beside(e.key); if (u >= 0) focus(u); }
    else if (e.key === 'Enter' && g.task >= 0) focus(g.task, true);
    else if (e.key === '+' || e.key === '=') actions.in();
    else if (e.key === '-' || e.key === '_') actions.out();
    else if (e.key === 't') actions.taller();
    else if (e.key === 'f') actions.flatter();
    else if (e.key === '0' || e.key === 'Home') actions.all();
    else if (e.key === 'Escape') forget();
    else return;
    e.preventDefault();
  });

  let hinted;
  canvas.addEventListener('wheel', (e) => {
    if (!e.ctrlKey && document.activeElement !== canvas) {
      hint.hidden = false;
      clearTimeout(hinted);
      hinted = setTimeout(() => { hint.hidden = true; }, 1500);
      return;
    }
    e.preventDefault();
    g.hide();
    const factor = Math.exp(clamp((e.deltaY || e.deltaX) * (e.deltaMode ? 30 : 1), -300, 300) * 0.0022);
    if (e.shiftKey) g.zoomMachines(factor, e.offsetY); else g.zoom(factor, e.offsetX, e.offsetY);
  }, { passive: false });

  let from = null;
  canvas.addEventListener('pointerdown', (e) => {
    from = { x: e.offsetX, y: e.offsetY, far: false };
    canvas.setPointerCapture(e.pointerId);
  });
  canvas.addEventListener('pointermove', (e) => {
    if (from) {
      if (!from.far && Math.hypot(e.offsetX - from.x, e.offsetY - from.y) < 4) return;
      canvas.classList.add('moving');
      g.hide();
      g.pan(from.x - e.offsetX, from.y - e.offsetY);
      from = { x: e.offsetX, y: e.offsetY, far: true };
      return;
    }
    const u = g.heat ? -1 : g.taskAt(e.offsetX, e.offsetY);
    const cell = g.heat ? g.cellLines(e.offsetX, e.offsetY) : null;
    const events = g.eventsAt(e.offsetX, e.offsetY);
    if (events.length) g.show('Jobs', events, e.offsetX, e.offsetY);
    else if (u >= 0) g.show(s.id[u], g.lines(u), e.offsetX, e.offsetY);
    else if (cell) g.show(cell[0], cell[1], e.offsetX, e.offsetY);
    else g.hide();
  });
  canvas.addEventListener('pointerup', (e) => {
    canvas.classList.remove('moving');
    if (from && !from.far) {
      const u = g.heat ? -1 : g.taskAt(e.offsetX, e.offsetY);
      if (u < 0) forget();
      else { g.task = u; if (g.picked !== g.key.of(u)) highlight(g.key.of(u)); else g.draw(); }
    }
    from = null;
  });
  canvas.addEventListener('pointercancel', () => { from = null; });
  canvas.addEventListener('pointerleave', () => g.hide());
  canvas.addEventListener('dblclick', (e) => g.zoom(1 / 2.5, e.offsetX, e.offsetY));
  canvas.addEventListener('blur', () => g.hide());

  const form = figure.querySelector('.find');
  const input = form.querySelector('input');
  form.addEventListener('submit', (e) => {
    e.preventDefault();
    const text = input.value.trim();
    if (!text) return;
    let u = s.id.indexOf(text);
    const j = s.jobs.indexOf(text);
    if (u < 0 && j >= 0) {
      if (g.key !== keys[0]) colour(0);
      if (g.picked !== j) highlight(j);
      u = s.job.indexOf(j);
      focus(u);
      return;
    }
    if (u < 0) u = s.id.findIndex((id) => id.includes(text));
    if (u >= 0) focus(u, true); else { g.hide(); say.textContent = state.textContent = `There is no task or job ${text}`; }
  });

  // What colours may stand for: jobs, or what another column says, if its values have colours.
  const keys = s.keys.filter((key, k) => k === 0 || key.looks && key.names.length > 1 || k === s.key);
  const MOST = 24; // chips
  const colour = (k) => {
    g.key = keys[k];
    g.picked = -1;
    chips.replaceChildren(...g.key.names.slice(0, MOST).map((name, i) => {
      const b = document.createElement('button');
      const swatch = document.createElement('i');
      b.type = 'button';
      b.dataset.index = i;
      b.setAttribute('aria-pressed', 'false');
      swatch.style.background = `var(--${g.look(i)})`;
      b.append(swatch, name === '' ? 'none' : name);
      b.addEventListener('click', () => highlight(i));
      return b;
    }));
    if (g.key.names.length > MOST) {
      const more = document.createElement('span');
      more.textContent = `and ${g.key.names.length - MOST} more; Find highlights any`;
      chips.append(more);
    }
    const marks = [[s.release.some((t) => t > 0), '▷ released'], [s.due.some((t) => t >= 0), '✕ due'], [s.due.some((t) => t > s.horizon), '» due later than the chart shows']];
    for (const [there, text] of marks) if (there) chips.append(Object.assign(document.createElement('span'), { textContent: text }));
    by.value = k;
    g.draw();
  };
  const by = figure.querySelector('.by select');
  keys.forEach((key, k) => by.append(new Option(key.name.replaceAll('_', ' '), k)));
  by.closest('label').hidden = keys.length < 2;
  by.addEventListener('change', () => colour(Number(by.value)));
  colour(keys.indexOf(s.keys[s.key]));
};

// enliven puts a live chart in the place of the still one.
const enliven = async (article) => {
  const k = Number(article.dataset.gantt);
  const figure = article.querySelector('figure[data-live]');
  if (charts.has(k) || !figure || !data.results[k].whole) return;
  charts.set(k, { draw() {} });
  const s = await schedule(data, k);
  figure.querySelector('.picture').before(document.getElementById('gantt').content.cloneNode(true));
  figure.classList.add('live-on');
  const g = new Gantt(figure.querySelector('.stage'), s);
  charts.set(k, g);
  tools(figure, g);
  g.draw(true);
  figure.dataset.ready = 'true';
  performance.mark('gantt');
};

// One result is shown: the one that the address names, else the first.
const pick = document.getElementById('pick');
const choose = (id) => {
  const articles = [...document.querySelectorAll('.result')];
  const chosen = articles.find((a) => a.id === id) || articles.find((a) => a.id === pick.options[0].value);
  if (!chosen) return;
  for (const a of articles) a.classList.toggle('on', a === chosen);
  pick.value = chosen.id;
  enliven(chosen);
};
pick.addEventListener('change', () => {
  history.replaceState(null, '', '#' + pick.value);
  choose(pick.value);
});
addEventListener('hashchange', () => {
  const id = location.hash.slice(1);
  if (!document.querySelector('.result[id="' + CSS.escape(id) + '"]')) return;
  choose(id);
  document.getElementById('schedules').scrollIntoView();
});
themed();
choose(location.hash.slice(1));
