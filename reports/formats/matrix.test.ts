import { expect, test } from 'vitest';
import { sampleReport } from '../testing/sample.ts';
import { keepDifferences, makeMatrix, matrixHtml, matrixMarkdown } from './matrix.ts';

const matrix = makeMatrix([
  { name: 'good', report: sampleReport('green').report },
  { name: 'bad <b>', report: sampleReport('broken').report },
]);

test('the matrix has a cell for each service, and lists only requirements and choices that differ', () => {
  expect(matrix.families.find(({ family }) => family === 'chat')?.cells).toEqual([
    null,
    { pass: 0, total: 5, fail: 2 },
  ]);
  expect(matrix.differing.map(({ id }) => id)).not.toContain('model:id#type');
  expect(matrix.differing.find(({ id }) => id === 'file:bytes#type')?.cells).toEqual([null, 'fail']);
  expect(matrix.choices).toEqual([
    expect.objectContaining({ id: 'chat.model.echo', cells: [null, 'another name, as requested'] }),
  ]);
});

test('the matrix has the approved text', async () => {
  await expect(matrixMarkdown(matrix)).toMatchFileSnapshot('../samples/green-broken.matrix.md');
});

test('a service has its first four reasons, and the number of the others', () => {
  const { report } = sampleReport('broken');
  const summary = { ...report.summary, reasons: ['a', 'b', 'c', 'd', 'e', 'f'] };
  const [service] = makeMatrix([{ name: 'one', report: { ...report, summary } }]).services;
  expect(service?.reasons).toEqual(['a', 'b', 'c', 'd', '2 more']);
});

test('a single service, or services that are equal, have no table of differences', () => {
  const { report } = sampleReport('broken');
  const titlesOf = (...names: readonly string[]) =>
    matrixMarkdown(makeMatrix(names.map((name) => ({ name, report })))).match(/(?<=^## ).*$/gm);
  const same = ['Services', 'Requirements that pass, by family', 'Fields of requests'];
  expect([titlesOf('one'), titlesOf('one', 'two')]).toEqual([same, same]);
});

test('keepDifferences keeps only differences', () => {
  const twice = makeMatrix(['one', 'two'].map((name) => ({ name, report: sampleReport('broken').report })));
  expect(twice.families).not.toEqual([]);
  expect(keepDifferences(twice)).toMatchObject({ families: [], differing: [], support: [], choices: [] });
  expect(keepDifferences(matrix).families.map(({ family }) => family)).toContain('chat');
});

test('ids are code in Markdown', () => {
  const differing = [{ id: 'chat.completion:choices[]#type', says: 'It is.', cells: ['pass', 'fail'] }];
  expect(matrixMarkdown({ ...matrix, differing })).toContain(
    '\n| `chat.completion:choices[]#type` | It is. | pass | fail |\n',
  );
});

test('requirements that one fails and another passes come first, then other failures and warnings', () => {
  const { report } = sampleReport('green');
  const [requirement] = report.requirements;
  const reportWith = (verdicts: readonly string[]) => ({
    ...report,
    requirements: verdicts.map((verdict, n) => ({ ...requirement, id: 'abcde'[n], verdict })),
  });
  const first = reportWith(['pass', 'untested', 'fail', 'pass', 'pass']);
  const second = reportWith(['untested', 'fail', 'pass', 'inconclusive', 'warn']);
  // as: `requirement` is defined
  const sorted = makeMatrix([first, second].map((one) => ({ name: 'one', report: one as never })));
  expect(sorted.differing.map(({ id }) => id)).toEqual(['c', 'b', 'e', 'd', 'a']);
  expect(keepDifferences(sorted).differing).toEqual(sorted.differing);
});

test('only several services that differ in nothing are said to be equal', () => {
  const equal = 'The services differ in no requirement, choice or field.';
  const twice = makeMatrix(['one', 'two'].map((name) => ({ name, report: sampleReport('broken').report })));
  for (const shown of [twice, keepDifferences(twice)]) {
    expect(matrixMarkdown(shown)).toContain(`## Services\n\n${equal}\n\n| service |`);
    expect(matrixHtml(shown)).toContain(`<p class="facts">${equal}</p>`);
  }
  expect(matrixMarkdown(matrix)).not.toContain(equal);
  expect(matrixMarkdown(makeMatrix([{ name: 'one', report: sampleReport('broken').report }]))).not.toContain(
    equal,
  );
});

test('the page shows verdicts and failures in their colours', () => {
  const page = matrixHtml(matrix);
  expect(page).toContain(
    '<th scope="row"><code>file:bytes#type</code></th><td data-column="sentence">file: bytes is an integer.</td><td data-column="good">–</td><td data-column="bad &lt;b&gt;"><b class="word fail">fail</b></td>',
  );
  expect(page).toContain('<b class="word fail">0/5, 2 fail</b>');
});

test('the page and the Markdown explain the treatment of fields', () => {
  const legend = 'other: accepted in part, or with an uncertain effect; not shown: ';
  for (const text of [matrixHtml(matrix), matrixMarkdown(matrix)]) expect(text).toContain(legend);
});

test('the heading of the page counts the services', () => {
  expect(matrixHtml(matrix)).toContain('<h1>2 services</h1>');
  const alone = makeMatrix([{ name: 'one', report: sampleReport('green').report }]);
  expect(matrixHtml(alone)).toContain('<h1>1 service</h1>');
});

test('the page escapes the names of services', () => {
  const page = matrixHtml(matrix);
  expect(page).toContain('bad &lt;b&gt;');
  expect(page).not.toContain('bad <b>');
});

test('the page has no scripts and loads nothing', () => {
  expect(matrixHtml(matrix)).not.toMatch(/<script|https?:/);
});
