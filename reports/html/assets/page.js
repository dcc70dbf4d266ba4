// Filters findings and requirements, keeps filters and the open finding in the address, copies commands, and moves by keys. The
// page is readable without it.
const form = document.getElementById('filters');
const shown = document.getElementById('shown');
const FIELDS = { verdict: 'v', family: 'f', operation: 'o', level: 'l' };

// A row states only what differs from the defaults: a pass, a MUST, the family of its list.
const rows = [...document.querySelectorAll('.findings > li, .family .rows > li')].map((row) => ({
  row,
  facts: {
    v: row.dataset.v ?? 'pass',
    f: row.dataset.f ?? row.closest('.family')?.dataset.f,
    l: row.dataset.l ?? 'MUST',
    o: operationsOf(row),
  },
}));

/** Rows of requirements refer to their operations by number, in the order of the filter. */
function operationsOf({ dataset, parentElement }) {
  const names = dataset.o.split(' ');
  const { options } = form.elements.operation;
  return parentElement.closest('.family') ? names.map((place) => options[place]?.value) : names;
}

function readFilters() {
  return [...new FormData(form)]
    .map(([name, value]) => [name, value.trim()])
    .filter(([, value]) => value !== '');
}

const sections = [...document.querySelectorAll('main > section')];
const sectionsAbove = sections.slice(
  0,
  sections.findIndex(({ id }) => id === 'requirements'),
);

function filter() {
  const set = readFilters();
  const search = (set.find(([name]) => name === 'search')?.[1] ?? '').toLowerCase();
  const words = search.split(/\s+/);
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
  // A reader who filters looks for rows, and sections without any would push them off the screen.
  for (const section of sectionsAbove)
    section.hidden = set.length > 0 && section.querySelector('.findings > li:not([hidden])') === null;
  const total = document.querySelectorAll('.family .rows > li').length;
  const [some, all] = [count, total].map((number) => number.toLocaleString('en-US'));
  shown.textContent = set.length === 0 ? '' : `${some} of ${all} shown`;
  markMatches(search === '' ? [] : words);
}

/** Maximum number of marked matches; nobody looks at more. */
const MARKED = 2000;

function markMatches(words) {
  if (!('highlights' in CSS)) return;
  const found = [];
  for (const { row } of rows) {
    if (row.hidden || words.length === 0 || found.length > MARKED) continue;
    const texts = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode())
      for (const word of words) found.push(...matchesIn(node, word));
  }
  CSS.highlights.set('found', new Highlight(...found));
}

function matchesIn(node, word) {
  const text = node.data.toLowerCase();
  const found = [];
  // Some letters become two in lower case, which shifts places in the text.
  if (text.length !== node.length) return found;
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) {
    const range = new Range();
    range.setStart(node, at);
    range.setEnd(node, at + word.length);
    found.push(range);
  }
  return found;
}

// The address is `#ANCHOR?verdict=fail&family=chat`: links to an anchor alone work without this script.
function address() {
  const [anchor = '', query = ''] = location.hash.slice(1).split('?');
  return { anchor, query: new URLSearchParams(query) };
}

function remember(anchor) {
  const query = new URLSearchParams(readFilters()).toString();
  const hash = `${anchor}${query === '' ? '' : `?${query}`}`;
  history.replaceState(null, '', hash === '' ? location.href.split('#')[0] : `#${hash}`);
}

/** A scroll target must not end up below the filters, whose height the style sheet does not know. */
function measureFilters() {
  const height = getComputedStyle(form).position === 'sticky' ? form.offsetHeight : 0;
  document.documentElement.style.setProperty('--bar', `${height}px`);
}

/** Scrolls at once, by the current height of the filters, which an observer would see only in the next frame. */
function scrollBelowFilters(target, options) {
  measureFilters();
  target.scrollIntoView(options);
}

/** Opens the element that the address names, with everything around it. */
function open(anchor) {
  const id = decodeURIComponent(anchor);
  const target = id === '' ? null : document.getElementById(id);
  if (target === null) return;
  // The links at the top also lead to sections that a filter hides.
  if (target.tagName === 'SECTION') target.hidden = false;
  for (let at = target; at !== null; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
  target.querySelector(':scope > details')?.setAttribute('open', '');
  scrollBelowFilters(target);
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
for (const keys of document.querySelectorAll('.keys')) keys.hidden = false;
form.addEventListener('input', () => {
  filter();
  remember(address().anchor);
});
// Enter moves from the search to the first row that matches.
form.addEventListener('submit', (event) => {
  event.preventDefault();
  const first =
    readFilters().length === 0 ? undefined : rows.find(({ row }) => row.getClientRects().length > 0)?.row;
  if (first === undefined) return;
  scrollBelowFilters(first);
  first.querySelector('summary')?.focus({ preventScroll: true });
});
// The fields are reset only after the event.
form.addEventListener('reset', () =>
  setTimeout(() => {
    filter();
    remember('');
    for (const list of document.querySelectorAll('.family')) list.open = false;
  }),
);
for (const finding of document.querySelectorAll('.finding'))
  finding.querySelector('summary').addEventListener('click', () => {
    // This is the state before the change: a closed entry is about to open.
    const id = encodeURIComponent(finding.id);
    if (!finding.open) remember(id);
    else if (address().anchor === id) remember('');
  });
/** `navigator.clipboard` is absent where the page is served without TLS. */
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
}

for (const command of document.querySelectorAll('.next dd, pre[aria-label="Command"]')) {
  // Instructions on variables are not a command.
  if (command.previousElementSibling?.textContent === 'set') continue;
  const text = command.textContent;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'copy';
  button.addEventListener('click', async () => {
    await copy(text);
    button.textContent = 'copied';
  });
  command.prepend(button);
}

const STEPS = { j: 1, k: -1 };

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.('input, select')) return;
  if (event.key === '/') {
    event.preventDefault();
    form.elements.search.focus();
    return;
  }
  const step = STEPS[event.key];
  if (step === undefined) return;
  const visible = [...document.querySelectorAll('.finding > summary')].filter(
    (one) => one.offsetParent !== null,
  );
  const at = visible.indexOf(document.activeElement.closest('.finding')?.querySelector('summary'));
  const next =
    visible[
      at === -1 && step < 0 ? visible.length - 1 : Math.min(Math.max(at + step, 0), visible.length - 1)
    ];
  if (next === undefined) return;
  next.focus({ preventScroll: true });
  scrollBelowFilters(next, { block: 'nearest' });
});

new ResizeObserver(measureFilters).observe(form);
addEventListener('hashchange', restore);
restore();
