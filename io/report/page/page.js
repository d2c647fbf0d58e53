// What the page does beyond what it says: themes, one result at a time, larger schedules.

const root = document.documentElement;
root.classList.add('js');

// The theme is the system's until somebody chooses.
const dark = matchMedia('(prefers-color-scheme: dark)');
const button = document.getElementById('theme');
const isDark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : dark.matches);
const themed = () => button.setAttribute('aria-pressed', isDark());
button.addEventListener('click', () => {
  root.dataset.theme = isDark() ? 'light' : 'dark';
  themed();
});
dark.addEventListener('change', themed);
themed();

// A picture grows inside its frame, which scrolls; its middle stays where it is.
for (const b of document.querySelectorAll('[data-zoom]')) {
  b.addEventListener('click', () => {
    const frame = b.closest('figure').querySelector('.picture');
    const zoom = Math.min(Math.max((Number(frame.dataset.size) || 1) * Number(b.dataset.zoom), 1), 64);
    const middle = (frame.scrollLeft + frame.clientWidth / 2) / frame.scrollWidth;
    frame.dataset.size = zoom;
    for (const svg of frame.querySelectorAll('svg')) svg.style.width = 100 * zoom + '%';
    frame.scrollLeft = middle * frame.scrollWidth - frame.clientWidth / 2;
  });
}

// One result is shown: the one that the address names, else the first.
const pick = document.getElementById('pick');
const choose = (id) => {
  const articles = [...document.querySelectorAll('.result')];
  const chosen = articles.find((a) => a.id === id) || articles.find((a) => a.id === pick.options[0].value);
  if (!chosen) return;
  for (const a of articles) a.classList.toggle('on', a === chosen);
  pick.value = chosen.id;
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
choose(location.hash.slice(1));
