import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCassette } from '../exchange/cassette/cassette-writer.ts';
import { readReport } from '../pipeline/report/read-report.ts';
import { recordingHeader } from '../proxy/record/recording-header.ts';
import { runAssay } from './testing/run-assay.ts';

const CASSETTE = resolve('cassettes/assistant-session');
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-publish-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const publish = (name: string, ...flags: readonly string[]) =>
  runAssay(['report', 'publish', join(folder, name), ...flags]);
const readText = (name: string) => readFileSync(join(folder, name), 'utf8');

async function record(name: string, content: string, began = Date.now()): Promise<string> {
  const dir = join(folder, name);
  const writer = createCassette(dir, recordingHeader('http://127.0.0.1:9/v1'), {});
  const recording = writer.begin({ method: 'GET', target: '/v1/models', headers: [], began });
  recording.response({ status: 200, reason: 'OK', headers: [['content-type', 'application/json']] });
  recording.piece(Buffer.from(content), 0);
  await recording.end({ how: 'complete', detail: null, at: 0 });
  writer.finish();
  return dir;
}

const MODELS = '{"object":"list","data":[]}';

describe('a published folder', () => {
  let stderr = '';
  let dir = '';
  let publication: { readonly command: string; readonly expires: string };
  beforeAll(async () => {
    dir = join(folder, 'site/session');
    ({ stderr } = await publish('site/session', '--cassette', CASSETTE, '--expires', '30'));
    publication = JSON.parse(readText('site/session/published.json'));
  });

  test('is announced with its verdict and the registry that its command needs', () => {
    expect(stderr).toContain('says: conforms');
    expect(stderr).toContain('The command on the page fetches assay from the npm registry');
  });

  test('contains the page, the reports and the cassette', () => {
    expect(readdirSync(dir).toSorted()).toEqual([
      'cassette',
      'index.html',
      'published.json',
      'report.html',
      'report.json',
      'support.html',
      'support.json',
      'support.md',
    ]);
  });

  test('has reports that do not name the folder in which they were written', () => {
    expect(
      ['report.html', 'report.json'].map((name) => readText(`site/session/${name}`)).join(''),
    ).not.toContain('.publishing');
  });

  test('has a command that gives the same verdict in a copy of the folder', async () => {
    const [, version] = /^npx assay@(\S+) check cassette$/.exec(publication.command) ?? [];
    expect(version).toBe(JSON.parse(readFileSync('package.json', 'utf8')).version);
    const copy = join(folder, 'copy');
    cpSync(dir, copy, { recursive: true });
    const flags = ['--report', 'json', '--report-dir', 'again'];
    const again = await runAssay(['check', 'cassette', ...flags], { cwd: copy });
    expect(again.code).toBe(0);
    const [published, repeated] = [readReport(dir), readReport(join(copy, 'again'))];
    expect(repeated.requirements).toEqual(published.requirements);
    expect(repeated.summary).toEqual(published.summary);
  });

  test('has a page with the command, its conditions and the day of expiry', () => {
    const page = readText('site/session/index.html');
    expect(page).toContain(publication.command);
    expect(page).toContain('It fetches assay from the npm registry; if yours does not have it, install');
    expect(page).toContain('Only the publisher can say where and when the traffic was recorded.');
    expect(page).toContain(`<td>${publication.expires}`);
    const recordedOn = Date.parse(readReport(dir).date ?? '');
    expect(publication.expires).toBe(new Date(recordedOn + 30 * 86_400_000).toISOString().slice(0, 10));
  });

  test('has a page that loads nothing, and links only to files next to it', () => {
    const page = readText('site/session/index.html');
    expect(page).toMatch(/default-src (?:'|&#39;)none/);
    const places = [...page.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, place = '']) => place);
    const links = places.filter((place) => place !== 'data:,' && place !== '#main');
    expect(links).toHaveLength(4);
    expect(links.filter((link) => !existsSync(join(dir, link)))).toEqual([]);
  });
});

test('a long body, which a cassette keeps in a file of its own, is published with it', async () => {
  const models = Array.from({ length: 200 }, (_, n) => ({
    id: `model-${n}`,
    object: 'model',
    created: 1,
    owned_by: 'me',
  }));
  const cassette = await record('long', JSON.stringify({ object: 'list', data: models }));
  const { code, stderr } = await publish('long-site', '--cassette', cassette);
  expect([code, stderr]).toEqual([0, expect.stringContaining('It expires on')]);
  const shown = await runAssay(['show', join(folder, 'long-site/cassette'), 'e1']);
  expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('model-199')]);
});

test('a publication is replaced by the next', async () => {
  const cassette = await record('models', MODELS);
  expect((await publish('mine', '--cassette', cassette)).code).toBe(0);
  expect((await publish('mine', '--cassette', cassette, '--dialect', 'openai')).code).toBe(0);
  expect(readText('mine/published.json')).toContain('check cassette --dialect openai"');
});

test('a folder with other files is not replaced', async () => {
  const cassette = await record('for-foreign', MODELS);
  mkdirSync(join(folder, 'foreign'));
  writeFileSync(join(folder, 'foreign/thesis.txt'), 'years of work');
  const { code, stderr } = await publish('foreign', '--cassette', cassette);
  expect([code, readText('foreign/thesis.txt')]).toEqual([2, 'years of work']);
  expect(stderr).toContain('holds files that assay report publish did not write');
});

test('a folder without a cassette is not published', async () => {
  const { code, stderr } = await publish('none', '--cassette', 'docs');
  expect(stderr).toContain('contains no cassette, which others need to judge again');
  expect([code, existsSync(join(folder, 'none'))]).toEqual([2, false]);
});

test('a dialect file is published, and the command names it', async () => {
  const cassette = await record('with-dialect', MODELS);
  cpSync('judge/dialects/openai.json', join(folder, 'mine.json'));
  const { code, stderr } = await publish(
    'dialect',
    '--cassette',
    cassette,
    '--dialect',
    join(folder, 'mine.json'),
  );
  expect([code, stderr]).toEqual([0, expect.stringContaining('It expires on')]);
  expect(readText('dialect/published.json')).toContain('check cassette --dialect dialect/mine.json"');
  const again = await runAssay(['check', 'cassette', '--dialect', 'dialect/mine.json'], {
    cwd: join(folder, 'dialect'),
  });
  expect(again.stderr).toBe('');
});

test('the commands in published reports name the published dialect file', async () => {
  const cassette = await record('failing', '{"object":"list","data":[{"id":"a"}]}');
  const dialect = join(folder, 'own.json');
  cpSync('judge/dialects/openai.json', dialect);
  await publish('failing-site', '--cassette', cassette, '--dialect', dialect);
  const page = readText('failing-site/report.html');
  expect(page).toContain('npx assay run --base-url http://127.0.0.1:9/v1 --dialect dialect/own.json');
  expect(page).not.toContain(dialect);
});

test('a dialect file with the name of a report replaces none, and is searched for secrets', async () => {
  const cassette = await record('with-report-name', MODELS);
  const dialect = join(folder, 'report.json');
  cpSync('judge/dialects/openai.json', dialect);
  const flags = ['--cassette', cassette, '--dialect', dialect];
  expect((await publish('report-name', ...flags)).code).toBe(0);
  expect(readText('report-name/dialect/report.json')).toBe(readText('report.json'));
  expect(JSON.parse(readText('report-name/report.json'))).toHaveProperty('requirements');
  writeFileSync(dialect, readText('report.json').replace('./dialect.schema.json', `sk-${'aB3'.repeat(8)}`));
  const { code, stderr } = await publish('secret-dialect', ...flags);
  expect([code, existsSync(join(folder, 'secret-dialect'))]).toEqual([2, false]);
  expect(stderr).toMatch(/report\.json:2 may hold a secret .* lists them all\. Remove it\.\n/);
});

test('an extension file is rejected, because its other files would be missing', async () => {
  const cassette = await record('with-extension', MODELS);
  const file = join(folder, 'extension.json');
  writeFileSync(file, '{"format":1,"name":"mine","openapi":"openapi.json"}');
  const { code, stderr } = await publish('own', '--cassette', cassette, '--extension', file);
  expect([code, existsSync(join(folder, 'own'))]).toEqual([2, false]);
  expect(stderr).toContain('cannot copy the files of an extension of your own. Publish without it');
});

test('--expires above its upper bound is rejected', async () => {
  const { code, stderr } = await publish('far', '--cassette', CASSETTE, '--expires', '100001');
  expect([code, stderr]).toEqual([2, expect.stringContaining('whole number of days, up to 100000')]);
});

test('--expires is rejected for an index', async () => {
  const { code, stderr } = await runAssay(['report', 'index', folder, '--expires', '30']);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('--expires has no effect on report index. Give it to report publish.'),
  ]);
});

test('an empty name, cassette or extension is rejected', async () => {
  const publishing = ['report', 'publish', join(folder, 'bad'), '--cassette'];
  for (const [words, says] of [
    [['report', 'publish', ''], 'report publish: the name of the folder is empty'],
    [['report', 'index', ''], 'report index: the name of the folder is empty'],
    [[...publishing, ''], 'It is empty'],
    [[...publishing, CASSETTE, '--extension', ''], 'It is empty'],
  ] as const) {
    const { code, stderr } = await runAssay([...words]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
  }
});

test('a folder with a broken report is named, and omitted from the index', async () => {
  const cassette = await record('for-index', MODELS);
  for (const name of ['partly/good', 'partly/broken']) await publish(name, '--cassette', cassette);
  writeFileSync(join(folder, 'partly/broken/report.json'), '{');
  const { code, stderr } = await runAssay(['report', 'index', join(folder, 'partly')]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/partly\/broken is left out: .*not valid JSON[\s\S]*lists 1 published folder: good/);
  expect(readText('partly/index.html')).not.toContain('broken/index.html');
});

test('an index of broken reports alone lists no folder', async () => {
  await publish('broken/only', '--cassette', await record('for-broken', MODELS));
  writeFileSync(join(folder, 'broken/only/report.json'), '{');
  const { code, stderr } = await runAssay(['report', 'index', join(folder, 'broken')]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/index\.html lists no folder, because none/)]);
});

test('nothing that may contain a secret is published', async () => {
  const key = `sk-${'aB3'.repeat(8)}`;
  const cassette = await record('leaky', `{"object":"list","data":[],"note":"${key}"}`);
  const { code, stderr } = await publish('leaked', '--cassette', cassette);
  expect(code).toBe(2);
  expect(stderr).toContain(`Nothing was published: ${join(cassette, 'cassette.jsonl')}:`);
  expect(stderr).toContain('may hold a secret (an API key)');
  expect(stderr).not.toContain(key);
  expect(['leaked', 'leaked.publishing'].filter((name) => existsSync(join(folder, name)))).toEqual([]);
});

test('one page lists all publications of a folder, and which have expired', async () => {
  const old = await record('old', MODELS, Date.parse('2020-02-01T00:00:00Z'));
  await publish('site/old <b>', '--cassette', old);
  await publish('site/session', '--cassette', CASSETTE, '--expires', '90000');
  const { code, stderr } = await runAssay(['report', 'index', join(folder, 'site')]);
  expect([code, stderr]).toEqual([0, expect.stringContaining('lists 2 published folders: old <b>, session')]);
  const page = readText('site/index.html');
  expect(page).toContain('expired on 2020-05-01');
  expect(page.match(/expired on/g)).toHaveLength(1);
  expect(page).toContain('<a href="session/index.html">session</a>');
  expect(page).toContain('<a href="old%20%3Cb%3E/index.html">old &lt;b&gt;</a>');
  expect(page).toMatch(/default-src (?:'|&#39;)none/);
});

test('a folder without publications gets no index', async () => {
  const { code, stderr } = await runAssay(['report', 'index', CASSETTE]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('has no published folder')]);
});

test('an unknown action is rejected with the known ones', async () => {
  const { code, stderr } = await runAssay(['report', 'print', folder]);
  expect(stderr).toContain('unknown action. Use report publish DIR, or report index DIR');
  expect(code).toBe(2);
});

test('a folder is published again under its name with a slash, and nothing is left next to it', async () => {
  for (const name of ['again/site', 'again/site/']) {
    const { code, stderr } = await publish(name, '--cassette', CASSETTE);
    expect(code, stderr).toBe(0);
  }
  expect(readdirSync(join(folder, 'again'))).toEqual(['site']);
  expect(existsSync(join(folder, 'again/site/index.html'))).toBe(true);
});

test('a published folder has the usual permissions, so that a web server of another user can read it', async () => {
  await publish('readable', '--cassette', await record('for-readable', MODELS));
  mkdirSync(join(folder, 'usual'));
  expect(statSync(join(folder, 'readable')).mode).toBe(statSync(join(folder, 'usual')).mode);
});
