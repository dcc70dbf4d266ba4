import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startReference } from '../pipeline/faulty-reference/faulty-reference.ts';
import { knownFaults } from '../reference/faults/known.ts';
import { type ListingEntry, listingEntries } from '../reports/formats/listing.ts';
import { families } from '../schemas/index.ts';
import { catalogue } from '../suites/index.ts';
import { runAssay } from './testing/run-assay.ts';

async function listEntries(...flags: string[]): Promise<ListingEntry[]> {
  const { code, stdout } = await runAssay(['list', '--format', 'json', ...flags]);
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

test('the list contains everything once, with all its facts', async () => {
  const all = await listEntries();
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  expect(all.find(({ id }) => id === 'file:bytes#type')).toMatchObject({
    kind: 'schema',
    level: 'MUST',
    basis: 'stated',
    family: 'files',
    spec: '2 File',
  });
  for (const entry of all) expect(entry.says, entry.id).not.toBe('');
});

// The build lists the modules that are found by name; a module that it misses would not be judged.
test('the compiled command lists the same as the sources', async () => {
  const sorted = (entries: readonly { readonly id: string }[]) => entries.map(({ id }) => id).toSorted();
  expect(sorted(await listEntries())).toEqual(sorted(listingEntries(await catalogue('both'))));
  const faults = knownFaults.map(({ id }) => id);
  const { stdout } = await runAssay(['serve', '--fault', 'list']);
  expect(stdout.match(/^ {2}\S+/gm)?.map((id) => id.trim())).toEqual([
    ...faults,
    ...['refuse:OPERATION', 'empty:OPERATION', 'cut:OPERATION', 'ignore:OPERATION.FIELD'],
    ...['REQUIREMENT', 'REQUIREMENT/CHANGE'],
  ]);
});

test('several filters apply together', async () => {
  const some = await listEntries(
    '--family',
    'files',
    '--section',
    '2 File',
    '--kind',
    'schema',
    '--only',
    'file:b*',
  );
  expect(some.map(({ id }) => id)).toEqual(['file:bytes#minimum', 'file:bytes#required', 'file:bytes#type']);
});

test('every family can be listed by the name under which it can be claimed', async () => {
  const all = listingEntries(await catalogue());
  const listed = families().filter((family) => all.some((entry) => entry.families.includes(family)));
  expect(listed).toEqual(families());
});

test('several families are listed together', async () => {
  const count = async (names: string) =>
    JSON.parse((await runAssay(['list', '--family', names, '--format', 'json'])).stdout).length;
  expect(await count('models,files')).toBeGreaterThan(await count('files'));
});

test('text and Markdown have the same content', async () => {
  const flags = ['list', '--only', 'file:bytes#*'];
  const text = await runAssay(flags);
  expect(text.stdout).toMatch(/^MUST {2}schema {2}stated {3}files {2}file:bytes#type /m);
  expect(text.stdout).toContain('3 in all');
  const { stdout } = await runAssay([...flags, '--format', 'md']);
  expect(stdout.split('\n').filter((line) => line.startsWith('| file:'))).toHaveLength(3);
});

test('an explanation shows one entry in full', async () => {
  const { code, stdout } = await runAssay(['explain', 'file:bytes#type']);
  expect(code).toBe(0);
  for (const word of [
    'MUST, stated',
    'schema',
    '2 File',
    "assay run --only 'file:bytes#type'",
    'passes',
    'fails: null instead',
    'mutants (traces broken on purpose) killed: null ',
  ]) {
    expect(stdout).toContain(word);
  }
});

test('the explanation of a choice says what most services do, and how to pin it', async () => {
  const { code, stdout } = await runAssay(['explain', 'chat.finish-reason.at-limit']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ +open +length or stop$/m);
  expect(stdout).toMatch(/^ +usual +length$/m);
  expect(stdout).toContain(
    ' {"format":1,"name":"my-service","choices":{"chat.finish-reason.at-limit":"length"}} in a file that --dialect names\n',
  );
});

test('an id without its side is explained for both sides', async () => {
  const rule = 'createChatCompletion:body.n#type';
  const { code, stdout } = await runAssay(['explain', rule, '--no-example']);
  expect(code).toBe(0);
  expect(stdout).toContain(`--only '${rule}.rejected'`);
  const { stderr } = await runAssay(['explain', 'body.n#type']);
  expect(stderr).toContain(`${rule}.`);
});

test('the explanation of the rejections of an operation shows the requests that were accepted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-rejections-'));
  const broken = 'createModeration:body#type.rejected';
  const server = await startReference({ fault: broken });
  await runAssay(['run', '--base-url', server.url, '--only', 'createModeration:*', '--report-dir', folder]);
  await server.close();
  const { code, stdout } = await runAssay(['explain', 'createModeration:rejects', '--report', folder]);
  rmSync(folder, { recursive: true });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^createModeration:rejects$/m);
  expect(stdout).toContain(`npx assay run --base-url ${server.url}`);
  expect(stdout).toContain(`--only 'createModeration:*.rejected'`);
  expect(stdout).toMatch(
    /^ +fail +MUST +createModeration:body#type\.rejected .*\n {8}e\d+ {2}POST \/v1\/moderations/m,
  );
  expect(stdout).toMatch(/^ +pass +MUST +createModeration:body\.input#required\.rejected /m);
});

test('the rejections of an unknown operation are not found', async () => {
  const { code, stderr } = await runAssay(['explain', 'createNothing:rejects']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('createNothing:rejects not found')]);
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
])('a flag without effect is rejected: %j', async (flags, says) => {
  const { code, stdout, stderr } = await runAssay(['list', ...flags]);
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(says)]);
});

test('the alternatives that a target takes are also available as JSON', async () => {
  const flags = ['list', '--taken', '--report', 'reports/samples/reference'];
  const { code, stdout } = await runAssay([...flags, '--format', 'json']);
  expect(code).toBe(0);
  const met: { readonly id: string; readonly taken: readonly string[] }[] = JSON.parse(stdout);
  expect(met.length).toBeGreaterThan(0);
  const text = (await runAssay(flags)).stdout.trimEnd().split('\n');
  expect(text.map((line) => line.split(' ')[0])).toEqual(met.map(({ id }) => id));
});
