import { execFileSync } from 'node:child_process';
import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exportHar } from '../har/write.ts';
import { Redactor } from '../redaction/redactor.ts';
import { propertyRuns } from '../testing/property-runs.ts';
import { takeSnapshot } from '../testing/snapshot.ts';
import { traceHeader } from '../testing/trace-header.ts';
import { openCassette, readTrace } from './cassette.ts';
import { CassetteError } from './cassette-error.ts';
import { createCassette } from './cassette-writer.ts';
import { finishCassette, recoverCassette } from './finish.ts';
import { removeCassette } from './folder.ts';
import { scanForSecrets } from './secret-scan.ts';

const header = traceHeader();
const DIGEST = 'ab'.repeat(32);

let root: string;
let contents: Record<string, string>;
let special: string[];
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'assay-hostile-'));
  contents = await recordSamples(join(root, 'sample'));
  special = [join(root, 'fifo'), join(root, 'device')];
  execFileSync('mkfifo', [join(root, 'fifo')]);
  try {
    execFileSync('mknod', [join(root, 'device'), 'c', '1', '5'], { stdio: 'ignore' });
  } catch {
    // Only root can create devices; links to one are always tried.
    special.pop();
  }
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function recordSamples(dir: string): Promise<Record<string, string>> {
  const record = async (body: string) => {
    const cassette = createCassette(dir, header, { mode: 'replace' });
    const recording = cassette.begin({ method: 'POST', target: '/v1/files', headers: [] });
    recording.requestBody(Buffer.from(body));
    recording.response({ status: 200, reason: 'OK', headers: [] });
    await recording.end({ how: 'complete' });
    return cassette;
  };
  const killed = await record('x'.repeat(20_000));
  killed.close();
  const journal = readFileSync(join(`${dir}.recording`, 'journal.jsonl'), 'utf8');
  (await record('small')).finish();
  const [first = ''] = journal.split('\n');
  return {
    cassette: readFileSync(join(dir, 'cassette.jsonl'), 'utf8'),
    timing: readFileSync(join(dir, 'timing.jsonl'), 'utf8'),
    journal,
    headerOnly: `${first}\n`,
    outside: journal.replace(/"blob":"[0-9a-f]{64}"/, '"blob":"../../../outside/victim"'),
    garbage: '{"e":"request"}\n\u0000',
    lock: '999999999 1\n',
    empty: '',
  };
}

const PLACES = ['c', 'c.recording', 'c.recording.old', 'c.quarantine', 'c.failed'];
const NAMES = [
  'cassette.jsonl',
  'cassette.jsonl.tmp',
  'timing.jsonl',
  'timing.jsonl.tmp',
  'journal.jsonl',
  'lock',
  'lock.taking',
  'blobs',
  'blobs/1.tmp',
  'blobs/sha256',
  'blobs/sha256/ab',
  `blobs/sha256/ab/${DIGEST}`,
  'blobs/notes.txt',
  'blobs/sha256/README',
  '.gitkeep',
  'README.md',
  '-rf',
  'new\nline',
];

type Kind = 'file' | 'folder' | 'link' | 'linkToFolder' | 'linkToDevice' | 'dangling' | 'special';
interface Entry {
  readonly place: string;
  readonly name: string;
  readonly kind: Kind;
  readonly content: string;
}

const kinds = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Kind>('file') },
  { weight: 2, arbitrary: fc.constant<Kind>('folder') },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Kind>('link', 'linkToFolder', 'linkToDevice', 'dangling', 'special'),
  },
);
const entries = fc.array(
  fc.record({
    place: fc.constantFrom(...PLACES.flatMap((place, k) => (k < 2 ? [place, place, place] : [place]))),
    name: fc.constantFrom('', ...NAMES, 'journal.jsonl', 'cassette.jsonl', 'timing.jsonl'),
    kind: kinds,
    content: fc.constantFrom(
      'journal',
      'headerOnly',
      'outside',
      'cassette',
      'timing',
      'garbage',
      'lock',
      'empty',
      'fitting',
    ),
  }),
  { maxLength: 9 },
);

function buildFolder(described: readonly Entry[]): string {
  const dir = mkdtempSync(join(root, 'case-'));
  mkdirSync(join(dir, 'outside', 'blobs', 'sha256', 'ab'), { recursive: true });
  for (const name of ['victim', 'cassette.jsonl', 'lock', 'blobs/1.tmp', `blobs/sha256/ab/${DIGEST}`])
    writeFileSync(join(dir, 'outside', name), 'mine');
  for (const entry of described) placeEntry(dir, entry);
  return dir;
}

function placeEntry(dir: string, { place, name, kind, content }: Entry): void {
  const path = join(dir, place, name);
  const folders = dirname(path)
    .slice(dir.length + 1)
    .split('/');
  for (let k = 1; k <= folders.length; k += 1) {
    const folder = join(dir, ...folders.slice(0, k));
    if (!lstatSync(folder, { throwIfNoEntry: false })) mkdirSync(folder);
    if (!lstatSync(folder).isDirectory()) return;
  }
  if (lstatSync(path, { throwIfNoEntry: false })) return;
  const outside = join(dir, 'outside');
  if (kind === 'file')
    writeFileSync(path, contents[content === 'fitting' ? contentFor(name) : content] ?? '');
  else if (kind === 'folder') mkdirSync(path);
  else if (kind === 'link') symlinkSync(join(outside, 'victim'), path);
  else if (kind === 'linkToFolder') symlinkSync(name === 'blobs' ? join(outside, 'blobs') : outside, path);
  else if (kind === 'linkToDevice') symlinkSync('/dev/zero', path);
  else if (kind === 'dangling') symlinkSync(join(dir, 'nowhere'), path);
  else linkSync(special[path.length % special.length] ?? '', path);
}

function contentFor(name: string): string {
  const content = ['cassette', 'timing', 'journal', 'lock'].find(
    (fileName) => name === fileName || name === `${fileName}.jsonl`,
  );
  return content ?? 'garbage';
}

async function attempt(action: () => unknown): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!(error instanceof CassetteError)) throw error;
  }
}

const readers: Record<string, (dir: string) => unknown> = {
  readTrace,
  'openCassette for replay': async (dir) => {
    const cassette = await openCassette(dir, { replay: true });
    for (let k = 0; k < cassette.size; k += 1) cassette.answer(k);
    cassette.close();
  },
  scanForSecrets: (dir) =>
    scanForSecrets(dir, new Redactor({ secrets: ['a-secret-of-mine-1'] }), 'known-and-shapes'),
  exportHar: (dir) => exportHar(dir, join(root, 'out.har')),
};

async function recordInto(dir: string, mode: 'create' | 'append' | 'replace'): Promise<void> {
  const cassette = createCassette(dir, header, { mode });
  try {
    const recording = cassette.begin({ method: 'POST', target: '/v1/files', headers: [] });
    recording.requestBody(Buffer.from('y'.repeat(10_000)));
    recording.response({ status: 200, reason: 'OK', headers: [] });
    await recording.end({ how: 'complete' });
  } finally {
    cassette.finish();
  }
}

const writers: Record<string, (dir: string) => unknown> = {
  create: (dir) => recordInto(dir, 'create'),
  append: (dir) => recordInto(dir, 'append'),
  replace: (dir) => recordInto(dir, 'replace'),
  recoverCassette,
  finishCassette,
  removeCassette,
};

describe.each(Object.keys(readers))('%s', (name) => {
  test('changes nothing, whatever the folder contains', async () => {
    await fc.assert(
      fc.asyncProperty(entries, async (described) => {
        const dir = buildFolder(described);
        const before = takeSnapshot(dir);
        await attempt(() => readers[name]?.(join(dir, 'c')));
        expect(takeSnapshot(dir)).toEqual(before);
        rmSync(dir, { recursive: true });
      }),
      { numRuns: propertyRuns(70) },
    );
  });
});

const FORMAT =
  /^c(?:\.recording|\.recording\.old|\.quarantine|\.failed)?(?:\/(?:(?:cassette|timing|journal)\.jsonl(?:\.tmp)?|lock(?:\.taking)?|blobs\/\d+\.tmp|blobs\/sha256\/ab\/[0-9a-f]{64}))$/;
const FOLDERS =
  /^c(?:\.recording|\.recording\.old|\.quarantine|\.failed)?(?:\/blobs(?:\/sha256(?:\/[0-9a-f]{2})?)?)?$/;

function isOwn(path: string, what: string): boolean {
  return (what.startsWith('file') && FORMAT.test(path)) || (what === 'folder' && FOLDERS.test(path));
}

function placesAfter(path: string): readonly string[] {
  return [
    path.replace(/^c[^/]*\/(\.gitkeep)$/, 'c/$1'),
    path.replace(/^c\/(\.gitkeep)$/, 'c.recording.old/$1'),
    path.replace(/^c\.recording\//, 'c.interrupted/'),
  ];
}

describe.each(Object.keys(writers))('%s', (name) => {
  test('keeps every entry that is not part of the format, and creates nothing through a link', async () => {
    await fc.assert(
      fc.asyncProperty(entries, async (described) => {
        const dir = buildFolder(described);
        const before = takeSnapshot(dir);
        await attempt(() => writers[name]?.(join(dir, 'c')));
        const after = takeSnapshot(dir);
        for (const [path, what] of before) {
          if (isOwn(path, what)) continue;
          const places = what.startsWith('file') ? [path, ...placesAfter(path)] : [path];
          expect([path, places.map((place) => after.get(place))]).toEqual([
            path,
            expect.arrayContaining([what]),
          ]);
        }
        const behindLinks = [...after.keys()].filter((path) => /^(?:outside|nowhere)/.test(path));
        expect(behindLinks.filter((path) => !before.has(path))).toEqual([]);
        rmSync(dir, { recursive: true });
      }),
      { numRuns: propertyRuns(70) },
    );
  });
});

test('a folder with a one-line journal and a link instead of its blobs can be read, but no writer changes it', async () => {
  const dir = buildFolder([
    { place: 'c', name: 'journal.jsonl', kind: 'file', content: 'headerOnly' },
    { place: 'c', name: 'blobs', kind: 'linkToFolder', content: 'empty' },
  ]);
  const before = takeSnapshot(dir);
  expect((await readTrace(join(dir, 'c'))).items).toEqual([]);
  for (const write of Object.values(writers)) {
    await expect((async () => write(join(dir, 'c')))()).rejects.toThrow(
      /c\/blobs is not what a cassette has/,
    );
  }
  expect(takeSnapshot(dir)).toEqual(before);
});

test.each([
  ['a FIFO or a device', 'special'],
  ['a link to a device', 'linkToDevice'],
] as const)('%s instead of a file is rejected, and does not block the reader', async (_, kind) => {
  for (const name of ['cassette.jsonl', 'journal.jsonl', 'timing.jsonl']) {
    const dir = buildFolder([
      { place: 'c', name, kind, content: 'empty' },
      { place: 'c', name: 'cassette.jsonl', kind: 'file', content: 'cassette' },
    ]);
    await expect(readTrace(join(dir, 'c'))).rejects.toThrow(/is not a regular file/);
  }
});
