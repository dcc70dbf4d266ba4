import { expect, test } from 'vitest';
import { type ListingEntry, listingEntries } from '../reports/formats/listing.ts';
import { families } from '../schemas/index.ts';
import { catalogue } from '../suites/index.ts';
import { runAssay } from './testing/run-assay.ts';

async function listEntries(...flags: string[]): Promise<ListingEntry[]> {
  const { code, stdout } = await runAssay(['list', '--format', 'json', ...flags]);
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

test('each id is listed once, with a sentence', async () => {
  const all = await listEntries();
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  for (const entry of all) expect(entry.says, entry.id).not.toBe('');
});

test('an entry has the facts of its requirement', async () => {
  const all = await listEntries();
  expect(all.find(({ id }) => id === 'file:bytes#type')).toMatchObject({
    kind: 'schema',
    level: 'MUST',
    basis: 'stated',
    family: 'files',
    spec: '2 File',
  });
});

// The build lists the modules that are found by name; a module that it misses would not be judged.
test('the compiled command lists the requirements, choices and exclusions of the sources', async () => {
  const sorted = (entries: readonly { readonly id: string }[]) => entries.map(({ id }) => id).toSorted();
  expect(sorted(await listEntries())).toEqual(sorted(listingEntries(await catalogue('both'))));
});

test('several filters apply together', async () => {
  // Each of the four leaves out entries that the other three select.
  const filters = ['--family', 'chat', '--section', '2 Limits', '--kind', 'rejected', '--only', '*#maximum*'];
  expect((await listEntries(...filters)).map(({ id }) => id)).toEqual([
    'createChatCompletion:body.frequency_penalty#maximum.rejected',
    'createChatCompletion:body.logit_bias.*#maximum.rejected',
    'createChatCompletion:body.presence_penalty#maximum.rejected',
  ]);
});

test('every family that can be claimed has entries under its name', async () => {
  const all = listingEntries(await catalogue());
  const listed = families().filter((family) => all.some((entry) => entry.families.includes(family)));
  expect(listed).toEqual(families());
});

test('several families are listed together', async () => {
  const listIds = async (names: string) => (await listEntries('--family', names)).map(({ id }) => id);
  const either = new Set([...(await listIds('models')), ...(await listIds('files'))]);
  expect((await listIds('models,files')).toSorted()).toEqual([...either].toSorted());
});

test('text and Markdown list the same entries', async () => {
  const flags = ['list', '--only', 'file:bytes#*'];
  const { stdout: text } = await runAssay(flags);
  const { stdout: markdown } = await runAssay([...flags, '--format', 'md']);
  expect(text).toMatch(/^MUST {2}schema {2}stated {3}files {2}file:bytes#type /m);
  expect(text).toContain('3 in all');
  const ids = ['file:bytes#minimum', 'file:bytes#required', 'file:bytes#type'];
  expect([text, markdown].map((list) => list.match(/file:bytes#\w+/g))).toEqual([ids, ids]);
});

test.each([
  [['--profiles', '--taken'], '--profiles and --taken print different lists'],
  [['--report', 'somewhere'], 'add --taken, or leave --report out'],
  [['--profiles', '--report', 'somewhere'], 'add --taken, or leave --report out'],
  [['--taken', '--format', 'md'], '--taken cannot be printed as md'],
  [
    ['--taken', '--extension', 'my.extension.json'],
    'with those of the extensions of that run: leave --extension out',
  ],
  [['--taken', '--family', 'chat'], '--family selects requirements, which --taken does not list'],
  [['--taken', '--kind', 'choice'], '--kind selects requirements, which --taken does not list'],
  [['--taken', '--only', 'chat.*'], '--only selects requirements, which --taken does not list'],
  [['--profiles', '--section', '2 File'], '--section selects requirements, which --profiles does not list'],
])('flags that contradict each other or have no effect are rejected: %j', async (flags, says) => {
  const { code, stdout, stderr } = await runAssay(['list', ...flags]);
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(says)]);
});

test('list --taken fails if there is no report of a run', async () => {
  const { code, stderr } = await runAssay(['list', '--taken'], { cwd: import.meta.dirname });
  expect([code, stderr]).toEqual([2, expect.stringContaining('assay-report/ has no report.json')]);
});

test('the alternatives that a target takes are also available as JSON', async () => {
  const flags = ['list', '--taken', '--report', 'reports/samples/reference'];
  const { code, stdout } = await runAssay([...flags, '--format', 'json']);
  expect(code).toBe(0);
  const choices: { readonly id: string; readonly taken: readonly string[] }[] = JSON.parse(stdout);
  expect(choices.length).toBeGreaterThan(0);
  const lines = (await runAssay(flags)).stdout.trimEnd().split('\n');
  expect(lines.map((line) => line.replaceAll(/ \((?:e\d+|inconsistent)\)/g, '').split(/ {2,}/))).toEqual(
    choices.map(({ id, taken }) => [id, taken.join(', ')]),
  );
});
