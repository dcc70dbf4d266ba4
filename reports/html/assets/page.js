// Filters findings and requirements, and keeps filters and the open finding in the address. The page reads without it.
const form = document.getElementById('filters');
const shown = document.getElementById('shown');
const FIELDS = { verdict: 'v', family: 'f', operation: 'o', level: 'l' };

// A row names what differs from the usual: a pass, a MUST, the family of its list.
const rows = [...document.querySelectorAll('.findings > li, .family .rows > li')].map((row) => ({
  row,
  facts: {
    v: row.dataset.v ?? 'pass',
    f: row.dataset.f ?? row.closest('.family')?.dataset.f,
    l: row.dataset.l ?? 'MUST',
    o: row.dataset.o.split(' '),
  },
}));

/** The filters that are set, by name. */
function wanted() {
  return [...new FormData(form)]
    .map(([name, value]) => [name, value.trim()])
    .filter(([, value]) => value !== '');
}

function filter() {
  const set = wanted();
  const words = (set.find(([name]) => name === 'search')?.[1] ?? '').toLowerCase().split(/\s+/);
  const facts = set.flatMap(([name, value]) => (name in FIELDS ? [[FIELDS[name], value]] : []));
  let count = 0;
  for (const { row, facts: own } of rows) {
    const fits =
      facts.every(([name, value]) => (name === 'o' ? own.o.includes(value) : own[name] === value)) &&
      words.every((word) => row.textContent.toLowerCase().includes(word));
    row.hidden = !fits;
    if (fits && row.closest('.family')) count += 1;
  }
  for (const list of document.querySelectorAll('.family')) {
    const some = list.querySelector('.rows > li:not([hidden])') !== null;
    list.hidden = !some;
    if (set.length > 0) list.open = some;
  }
  const total = document.querySelectorAll('.family .rows > li').length;
  const [some, all] = [count, total].map((number) => number.toLocaleString('en-US'));
  shown.textContent = set.length === 0 ? '' : `${some} of ${all} shown`;
}

// The address is `#ANCHOR?verdict=fail&family=chat`: links to an anchor alone work without this script.
function address() {
  const [anchor = '', query = ''] = location.hash.slice(1).split('?');
  return { anchor, query: new URLSearchParams(query) };
}

function remember(anchor) {
  const query = new URLSearchParams(wanted()).toString();
  const hash = `${anchor}${query === '' ? '' : `?${query}`}`;
  history.replaceState(null, '', hash === '' ? location.href.split('#')[0] : `#${hash}`);
}

/** Opens what the address names, with everything around it. */
function open(anchor) {
  const id = decodeURIComponent(anchor);
  const target = id === '' ? null : document.getElementById(id);
  if (target === null) return;
  for (let at = target; at !== null; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
  target.querySelector(':scope > details')?.setAttribute('open', '');
  target.scrollIntoView();
}

function restore() {
  const { anchor, query } = address();
  if (location.hash.includes('?')) {
    for (const { name } of [...form.elements].filter((field) => field.name))
      form.elements[name].value = query.get(name) ?? '';
    filter();
  }
  open(anchor);
}

form.hidden = false;
form.addEventListener('input', () => {
  filter();
  remember(address().anchor);
});
form.addEventListener('submit', (event) => event.preventDefault());
// The fields are empty only after the event.
form.addEventListener('reset', () =>
  setTimeout(() => {
    filter();
    remember('');
    for (const list of document.querySelectorAll('.family')) list.open = false;
  }),
);
for (const finding of document.querySelectorAll('.finding'))
  finding.querySelector('summary').addEventListener('click', () => {
    // Before the change: what is closed now opens.
    const id = encodeURIComponent(finding.id);
    if (!finding.open) remember(id);
    else if (address().anchor === id) remember('');
  });
addEventListener('hashchange', restore);
restore();
