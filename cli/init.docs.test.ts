import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startUpstream, type TestUpstream } from '../proxy/testing/upstream.ts';
import { type Reference, serveReference } from '../reference/service.ts';
import type { Report } from '../reports/report.ts';
import { BAD_TARGETS } from './testing/bad-targets.ts';
import { startBreakingProxy } from './testing/breaking-proxy.ts';
import { runAssay } from './testing/run-assay.ts';
import { startSmallService } from './testing/small-service.ts';

let reference: Reference;
let service: TestUpstream;
let cwd: string;

beforeAll(async () => {
  reference = await serveReference();
  const offered = /^\/v1\/(models\b|moderations$)/;
  service = await startBreakingProxy(reference.url, [], {
    route: (target) => (offered.test(target) ? target : null),
  });
});

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'assay-init-'));
  return () => rmSync(cwd, { recursive: true });
});

afterAll(async () => {
  await Promise.all([service.close(), reference.close()]);
});

const init = (...flags: readonly string[]) =>
  runAssay(['init', '--base-url', service.url, '--no-first-run', ...flags], { cwd });
const readIn = (file: string) => readFileSync(join(cwd, file), 'utf8');

test('init writes what it finds', async () => {
  const { code, stdout } = await init();
  expect(code).toBe(0);
  expect(stdout).toContain('The target offers moderations and models (3 of 63 operations)');
  expect(stdout).toContain('written: assay.config.json, .github/workflows/assay.yml\n');
  expect(stdout).toMatch(/the workflow fetches assay@\S+ from the npm registry: if yours does not have it/);
  expect(stdout).toContain('the workflow does not start the service: repeat this command with --start');
  expect(stdout).toContain('\nnext: npx assay run\n');
  expect(stdout).toContain('--baseline-write assay-baseline.json');
  const { model, ...values } = JSON.parse(readIn('assay.config.json'));
  expect(values).toEqual({
    format: 1,
    baseUrl: service.url,
    claim: ['moderations', 'listModels', 'retrieveModel'],
  });
  expect(model).toMatchObject({ moderation: expect.any(String) });
});

test('a run in CI without options judges what init has found', async () => {
  await init();
  const { code, stdout } = await runAssay(['run', '--report', 'json'], { cwd, env: { CI: 'true' } });
  expect(code, stdout).toBe(0);
  const report = JSON.parse(readIn('assay-report/report.json')) as Report; // as: its schema is tested elsewhere
  expect(report.claims).toEqual(['moderations', 'listModels', 'retrieveModel']);
});

test('the workflow passes the key as a secret, without its value, to the start command and to the run', async () => {
  const env = { SERVICE_KEY: 'key-that-no-service-accepts' };
  const flags = ['--base-url', service.url, '--api-key-env', 'SERVICE_KEY', '--start', 'node server.mjs'];
  const { code, stdout } = await runAssay(['init', '--no-first-run', ...flags], { cwd, env });
  expect([code, stdout.includes('does not start')]).toEqual([0, false]);
  const workflow = readIn('.github/workflows/assay.yml');
  expect(JSON.parse(readIn('assay.config.json')).apiKeyEnv).toBe('SERVICE_KEY');
  const withKey = (command: string) =>
    `- run: ${command}\n        env:\n          SERVICE_KEY: \${{ secrets.SERVICE_KEY }}\n`;
  expect(workflow).toContain(withKey('"node server.mjs &"'));
  expect(workflow).toContain(withKey(/- run: (.* run --wait-for .*)/.exec(workflow)?.[1] ?? ''));
  for (const text of [workflow, readIn('assay.config.json')]) expect(text).not.toContain(env.SERVICE_KEY);
});

test('existing files are kept, unless --force is given', async () => {
  writeFileSync(join(cwd, 'assay.config.json'), '{}');
  const refused = await init();
  expect([refused.code, readIn('assay.config.json')]).toEqual([2, '{}']);
  expect(refused.stderr).toBe(
    'assay.config.json already exists; --force replaces what assay init writes.\n(assay init --help lists its options)\n',
  );
  expect((await init('--force', '--workflow', 'none')).code).toBe(0);
  expect(readIn('assay.config.json')).toContain('"listModels"');
  expect(existsSync(join(cwd, '.github'))).toBe(false);
});

test('--force keeps the options that init does not determine', async () => {
  const old = { format: 1, baseUrl: 'http://127.0.0.1:1/v1', claim: ['chat'], baseline: 'known.json' };
  writeFileSync(join(cwd, 'assay.config.json'), JSON.stringify(old));
  writeFileSync(join(cwd, 'known.json'), '{"format":1,"known":[]}');
  const { code, stdout } = await init('--force');
  expect(code).toBe(0);
  expect(stdout).toContain(
    'kept from the earlier assay.config.json: baseline (known.json)\nnext: npx assay run\n',
  );
  expect(stdout).not.toContain('--baseline-write');
  expect(JSON.parse(readIn('assay.config.json'))).toMatchObject({
    baseUrl: service.url,
    baseline: 'known.json',
    claim: ['moderations', 'listModels', 'retrieveModel'],
  });
});

test('operations that cost more than allowed are named with the setting that has them judged', async () => {
  const advice = 'to have deleteModel judged, add "allow": ["training"] to assay.config.json';
  expect((await init()).stdout).toContain(advice);
  writeFileSync(join(cwd, 'assay.config.json'), '{"format":1,"allow":["training"]}');
  const { stdout } = await init('--force');
  expect(stdout).not.toContain('to have ');
  expect(JSON.parse(readIn('assay.config.json'))).toMatchObject({
    allow: ['training'],
    claim: ['models', 'moderations'],
  });
});

async function initWithBaseline(): Promise<string> {
  const small = await startSmallService();
  writeFileSync(join(cwd, 'assay.config.json'), '{"format":1,"baseline":"known.json"}');
  const flags = ['init', '--base-url', small.url, '--workflow', 'none', '--force'];
  const { stdout } = await runAssay(flags, { cwd });
  await small.close();
  return stdout;
}

const EXPIRED = { id: 'a', signatures: ['b'], reason: 'old', expires: '2020-01-01' };

test.each([
  [{ format: 1, known: [] }, /not judged now, because known\.json lists what is accepted\n/],
  [
    { format: 1, known: [EXPIRED] },
    /lists what is accepted; 1 entry has expired, and the next run says how to renew it\n/,
  ],
  [{ format: 1, known: [{ ...EXPIRED, id: 'client.a' }] }, /lists what is accepted\n/],
  [
    {},
    /\nnot judged now, because no run can use the baseline: known\.json is not a baseline; .*\n(?:.*\n)*next: /,
  ],
])('--force keeps the baseline %j, and says why nothing is judged', async (baseline, message) => {
  writeFileSync(join(cwd, 'known.json'), JSON.stringify(baseline));
  expect(await initWithBaseline()).toMatch(message);
  expect(JSON.parse(readIn('known.json'))).toEqual(baseline);
  expect(JSON.parse(readIn('assay.config.json')).baseline).toBe('known.json');
});

test('init names an invalid assay-baseline.json before its first run', async () => {
  writeFileSync(join(cwd, 'assay-baseline.json'), '{}');
  const { code, stderr } = await runAssay(['init', '--base-url', service.url, '--workflow', 'none'], { cwd });
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^assay-baseline\.json is not a baseline; /m)]);
  expect(existsSync(join(cwd, 'assay-report'))).toBe(false);
});

test('--force replaces a baseline whose file was removed', async () => {
  expect(await initWithBaseline()).toContain('assay-baseline.json accepts ');
  expect(JSON.parse(readIn('assay.config.json')).baseline).toBe('assay-baseline.json');
});

test('a second init of the same service prints the same, except that .gitignore already names the report folders', async () => {
  const small = await startSmallService();
  mkdirSync(join(cwd, '.git'));
  const flags = ['init', '--base-url', small.url, '--workflow', 'none', '--force', '--no-first-run'];
  const first = await runAssay(flags, { cwd });
  const second = await runAssay(flags, { cwd });
  await small.close();
  expect(first.stdout).toContain('tiny-1 accepts images, and nothing shows that it reads them');
  expect(first.stdout).toContain('assay-watch/: added to .gitignore\n');
  expect(second.stdout).toBe(first.stdout.replace(': added to .gitignore', ': .gitignore names them'));
  expect(readIn('.gitignore')).toBe('assay-report/\nassay-again/\nassay-client/\nassay-watch/\n');
});

test('the steps that init prints lead to a green gate, which new failures turn red', async () => {
  const small = await startSmallService();
  const { stdout } = await init('--base-url', small.url);
  expect(stdout).toContain('tiny-1 accepts images, and nothing shows that it reads them');
  expect(JSON.parse(readIn('assay.config.json')).model).toEqual({ chat: 'tiny-1' });
  const steps = [...stdout.matchAll(/npx assay (.+)/g)].map(([, words = '']) =>
    [...words.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted = word]) => quoted),
  );
  const [run = [], write = []] = steps;
  const first = await runAssay(run, { cwd });
  expect([first.code, first.stdout]).toEqual([1, expect.stringMatching(/\d+ MUSTs could not be decided/)]);
  const written = await runAssay(write, { cwd });
  expect([written.code, written.stderr]).toEqual([
    0,
    expect.stringMatching(
      /wrote (\d+) entries to assay-baseline\.json for \d+ known failures(?: and \d+ more for (?:a )?shared causes?)?, \d+ MUSTs that could not be decided(?: \(.*\))?\nnext: pass --baseline/,
    ),
  ]);
  const configuration = JSON.parse(readIn('assay.config.json'));
  expect(stdout).toContain('then add "baseline": "assay-baseline.json"');
  expect(readIn('assay-baseline.json')).toContain('"reason": "known, not yet reviewed"');
  const accepting = { ...configuration, baseline: 'assay-baseline.json' };
  writeFileSync(join(cwd, 'assay.config.json'), JSON.stringify(accepting));
  const gate = await runAssay(run, { cwd });
  expect([gate.code, gate.stdout]).toEqual([
    0,
    expect.stringMatching(
      /\nconforms\n {2}with \d+ known failures(?:, and \d+ more for (?:a )?shared causes?)?\n {2}\d+ MUSTs could not be decided, which is accepted by the baseline\n/,
    ),
  ]);
  const undecided = [first.stdout, written.stderr, gate.stdout].map(
    (text) => /(\d+) MUSTs (?:that )?could not be decided/.exec(text)?.[1],
  );
  expect(new Set(undecided).size).toBe(1);
  const known = [written.stderr, gate.stdout].map((text) =>
    / (\d+) known failures(?:,? and (\d+) more for (?:a )?shared causes?)?/.exec(text)?.slice(1),
  );
  expect(known[0]).toEqual(known[1]);
  const report = JSON.parse(readIn('assay-report/report.json')) as Report; // as: its schema is tested elsewhere
  expect(report.requirements.filter(({ verdict }) => verdict === 'inconclusive').length).toBeGreaterThan(20);
  const worse = await startBreakingProxy(small.url, [
    { operation: 'createChatCompletion', pointer: '/usage', value: undefined },
  ]);
  expect((await runAssay([...run, '--base-url', worse.url], { cwd })).code).toBe(1);
  await Promise.all([worse.close(), small.close()]);
});

describe('a first run of a service that conforms', () => {
  test('writes a baseline that records only choices', async () => {
    const { code, stdout } = await runAssay(['init', '--base-url', service.url], { cwd });
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /\nconforms: \d+ of \d+ requirements pass, .*\n(?:.*\n)*the gate is green\nassay-baseline\.json records \d+ choices in which .*\nstricter: --fail-on should /,
      ),
    ]);
    expect(JSON.parse(readIn('assay-baseline.json')).known).toEqual([]);
    expect(JSON.parse(readIn('assay.config.json')).baseline).toBe('assay-baseline.json');
    expect(readIn('.github/workflows/assay.yml')).not.toContain('first day');
  });

  test('makes later judgements name a choice that has changed', async () => {
    await runAssay(['init', '--base-url', service.url], { cwd });
    const green = JSON.parse(readIn('assay-baseline.json'));
    const [[choice = '', alternative] = []] = Object.entries<string>(green.choices);
    const changed = { ...green, choices: { [choice]: 'another' } };
    writeFileSync(join(cwd, 'assay-baseline.json'), JSON.stringify(changed));
    const { code, stdout } = await runAssay(['check', 'assay-report/cassette'], { cwd });
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining(
        `changed since the baseline: ${choice} is ${JSON.stringify(alternative)}, was "another"; `,
      ),
    ]);
  });
});

describe('a first run of a service with a failure', () => {
  let broken: TestUpstream;
  let stdout = '';
  let until = '';
  beforeAll(async () => {
    broken = await startBreakingProxy(service.url, [
      { operation: 'createModeration', pointer: '/results/0/flagged', value: 'no' },
    ]);
  });
  beforeEach(async () => {
    ({ stdout } = await runAssay(['init', '--base-url', broken.url], { cwd }));
    [, until = ''] =
      /assay-baseline\.json accepts \d+ known failures?.* until (\S+): the gate is green today/.exec(
        stdout,
      ) ?? [];
  });
  afterAll(() => broken.close());

  test('prints the failure, and the next run as the only next step', () => {
    expect(stdout).toMatch(
      /does not conform: .*\n\nFAIL {2}moderation.*\n {6}at \/results\/0\/flagged: expected a boolean, actual "no"\n/,
    );
    expect(stdout.split('\n').length).toBeLessThan(40);
    expect(stdout).toMatch(/^stricter: .*--strict-baseline .*--fail-on should /m);
    expect(stdout).not.toContain('--baseline-write');
    expect(stdout.match(/^next: .*/gm)).toEqual(['next: npx assay run']);
  });

  test('accepts the failure with a reason and an expiry date', () => {
    const { known } = JSON.parse(readIn('assay-baseline.json'));
    expect(known.length).toBeGreaterThan(0);
    for (const { reason, expires } of known)
      expect([reason, expires]).toEqual([
        expect.stringMatching(/^accepted on the day of assay init, \d/),
        until,
      ]);
    expect(Date.parse(until)).toBeGreaterThan(Date.now());
    expect(JSON.parse(readIn('assay.config.json')).baseline).toBe('assay-baseline.json');
    expect(readIn('.github/workflows/assay.yml')).toContain(
      `first day, until ${until}; only what is new fails`,
    );
  });

  test('makes the gate green until the entries expire', async () => {
    expect((await runAssay(['run'], { cwd })).code).toBe(0);
    const { known } = JSON.parse(readIn('assay-baseline.json'));
    const past = known.map((one: object) => ({ ...one, expires: '2020-01-01' }));
    writeFileSync(join(cwd, 'assay-baseline.json'), JSON.stringify({ format: 1, known: past }));
    const check = ['check', 'assay-report/cassette', '--baseline', 'assay-baseline.json'];
    expect((await runAssay(check, { cwd })).code).toBe(1);
  });
});

test('a model name from the specification that the service does not list is not written', async () => {
  const data = [{ id: 'text-base', object: 'model', created: 1, owned_by: 'me' }];
  const unlisting = await startBreakingProxy(service.url, [
    { operation: 'listModels', pointer: '/data', value: data },
  ]);
  const { code } = await init('--base-url', unlisting.url);
  await unlisting.close();
  const { claim, model = {} } = JSON.parse(readIn('assay.config.json'));
  expect([code, claim, model]).toEqual([0, ['moderations', 'listModels', 'retrieveModel'], {}]);
});

test('a model that was given for images keeps that role, although it shows no sign that it reads them', async () => {
  const small = await startSmallService();
  const model = { chat: 'tiny-1', vision: 'tiny-1' };
  writeFileSync(join(cwd, 'assay.config.json'), JSON.stringify({ format: 1, model }));
  const { code, stdout } = await init('--base-url', small.url, '--force');
  await small.close();
  expect([code, stdout.includes('accepts images')]).toEqual([0, false]);
  expect(JSON.parse(readIn('assay.config.json')).model).toEqual(model);
});

test('the workflow of a project that depends on assay uses its own version', async () => {
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ devDependencies: { assay: 'file:assay.tgz' } }));
  writeFileSync(join(cwd, 'package-lock.json'), '{}');
  const { stdout } = await init();
  expect(stdout).not.toContain('npm registry');
  expect(stdout).not.toContain('CI will not find');
  expect(readIn('.github/workflows/assay.yml')).toMatch(
    /- run: npm ci\n(?:.*\n)*.*- run: npx assay run --wait-for/,
  );
});

test('the workflow uses the package that --package names', async () => {
  await init('--package', './assay-0.1.0.tgz');
  expect(readIn('.github/workflows/assay.yml')).toContain(
    '- run: npx --yes --package=./assay-0.1.0.tgz assay run ',
  );
});

test('a dependency on a file that is missing in CI is reported if a workflow is written', async () => {
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ dependencies: { assay: 'file:../assay.tgz' } }));
  expect((await init()).stdout).toMatch(
    /^package\.json takes assay from \.\.\/assay\.tgz, outside the repository: CI will not find it, and npm install fails there; copy it .* \.\/assay\.tgz; or /m,
  );
  expect((await init('--force', '--workflow', 'none')).stdout).not.toContain('CI will not find');
});

test('for GitLab, init writes a file to include', async () => {
  expect((await init('--workflow', 'gitlab')).code).toBe(0);
  expect(readIn('assay.gitlab-ci.yml')).toContain('junit: assay-report/junit.xml');
});

test('a target that does not respond leaves no file', async () => {
  const unreachable = await runAssay(['init', '--base-url', 'http://127.0.0.1:1/v1'], { cwd });
  expect([unreachable.code, unreachable.stderr]).toEqual([
    2,
    expect.stringContaining('Nothing answers at http://127.0.0.1:1/v1'),
  ]);
  expect(readdirSync(cwd)).toEqual([]);
});

test('a target that offers nothing known leaves no file', async () => {
  const empty = await startBreakingProxy(reference.url, [], { route: () => null });
  const { code, stderr } = await runAssay(['init', '--base-url', empty.url], { cwd });
  await empty.close();
  expect(code).toBe(2);
  expect(stderr).toContain('offers none of the operations that assay knows');
  expect(readdirSync(cwd)).toEqual([]);
});

test('if the service rejects the requests, init writes nothing and says which key it sent, or that it sent none', async () => {
  const refusing = await startUpstream(BAD_TARGETS['answers 401']);
  const { code, stderr } = await init('--base-url', refusing.url);
  const withKeyName = await runAssay(['init', '--base-url', refusing.url, '--api-key-env', 'SERVICE_KEY'], {
    cwd,
    env: { SERVICE_KEY: 'another-key' },
  });
  await refusing.close();
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining(
      'No key was sent: put it in ASSAY_API_KEY, or name its variable with --api-key-env.',
    ),
  ]);
  expect(stderr).toContain('answers 401 to every request, as it does to a path that no service has');
  expect([withKeyName.code, withKeyName.stderr]).toEqual([
    2,
    expect.stringContaining('The key in SERVICE_KEY was sent and refused'),
  ]);
  expect(readdirSync(cwd)).toEqual([]);
});
