// Works the filters, opens what a link points to, and opens everything before printing. The page reads without it.
const form = document.getElementById('filters');
const shown = document.getElementById('shown');
const rows = [...document.querySelectorAll('.rows > li')].map((row) => ({
  row,
  words: row.textContent.toLowerCase(),
}));

function filter() {
  const wanted = new FormData(form);
  const search = String(wanted.get('search')).trim().toLowerCase().split(/\s+/);
  const facts = [...wanted].filter(([name, value]) => name !== 'search' && value !== '');
  let count = 0;
  for (const { row, words } of rows) {
    const fits =
      facts.every(([name, value]) => row.dataset[name] === value) &&
      search.every((word) => words.includes(word));
    row.hidden = !fits;
    if (fits) count += 1;
  }
  shown.textContent = `${count.toLocaleString('en-US')} shown`;
}

function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target?.tagName === 'DETAILS') target.open = true;
  target?.scrollIntoView();
}

form.addEventListener('input', filter);
form.addEventListener('submit', (event) => event.preventDefault());
form.addEventListener('reset', () => setTimeout(filter));
addEventListener('hashchange', openTarget);
addEventListener('beforeprint', () => {
  for (const details of document.querySelectorAll('details')) details.open = true;
});
if (location.hash !== '') openTarget();
