import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CLAIM_PROFILES } from '../drive/configuration/profiles.ts';
import { startReference } from '../pipeline/faulty-reference/faulty-reference.ts';
import type { TestUpstream } from '../proxy/testing/upstream.ts';
import { type Reference, serveReference } from '../reference/service.ts';
import type { Report } from '../reports/report.ts';
import { families, operations } from '../schemas/index.ts';
import { startBreakingProxy } from './testing/breaking-proxy.ts';
import { runAssay } from './testing/run-assay.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-claims-'));
const services: (TestUpstream | Reference)[] = [];
let reference: Reference;
let withRetrieval: TestUpstream;
let listOnly: TestUpstream;
let runClaimedByName: Awaited<ReturnType<typeof run>>;

beforeAll(async () => {
  reference = await serveReference();
  const offering = (paths: RegExp) =>
    startBreakingProxy(reference.url, [], { route: (target) => (paths.test(target) ? target : null) });
  withRetrieval = await offering(/^\/v1\/(models\b|chat\/completions$)/);
  listOnly = await offering(/^\/v1\/(models$|chat\/completions$)/);
  services.push(withRetrieval, listOnly, reference);
  runClaimedByName = await run(withRetrieval, 'named', ['--claim', 'chat,listModels,retrieveModel']);
});

afterAll(async () => {
  for (const service of services) await service.close();
  rmSync(folder, { recursive: true });
});

async function run(service: TestUpstream, name: string, flags: readonly string[]) {
  const dir = join(folder, name);
  const only = ['model:*', 'model.list:*', 'models.*', 'chat.completion:id#*', 'file:id#*'];
  const result = await runAssay([
    ...['run', '--base-url', service.url, '--model', 'chat=chat-large', '--report-dir', dir],
    ...only.flatMap((glob) => ['--only', glob]),
    ...['--scenario', 'chat.plain,models.*'],
    ...flags,
  ]);
  const report = JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8')) as Report; // as: its schema is tested elsewhere
  const claimed = report.operations.filter((one) => one.claimed).map(({ id }) => id);
  return { ...result, report, claimed };
}

test('a server that offers chat and two operations on models conforms if these are claimed by name', () => {
  const { code, report, claimed } = runClaimedByName;
  expect({ code, claims: report.claims, claimed }).toEqual({
    code: 0,
    claims: ['chat', 'listModels', 'retrieveModel'],
    claimed: ['listModels', 'retrieveModel', 'createChatCompletion'],
  });
  const verdicts = new Map(report.requirements.map(({ id, verdict }) => [id, verdict]));
  expect([verdicts.get('models.retrieve.as-asked'), verdicts.get('models.delete.tells-id')]).toEqual([
    'pass',
    'untested',
  ]);
  const deletion = report.requirements.find(({ id }) => id === 'models.delete.tells-id');
  expect(deletion?.cause?.kind).toBe('not-claimed');
});

test('the claim is part of the cassette: a check judges the same operations', async () => {
  const dir = join(folder, 'named-again');
  await runAssay(['check', join(folder, 'named', 'cassette'), '--report', 'json', '--report-dir', dir]);
  const report = JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8')) as Report; // as: its schema is tested elsewhere
  expect(report.claims).toEqual(runClaimedByName.report.claims);
  expect(report.requirements).toEqual(runClaimedByName.report.requirements);
});

test('a claimed operation that is missing fails the run, and those that exist are named', async () => {
  const { code, report, stdout } = await run(listOnly, 'absent', [
    '--claim',
    'chat,listModels,retrieveModel',
  ]);
  expect([code, report.summary.reasons]).toEqual([1, ['claimed, but not implemented: retrieveModel']]);
  expect(stdout).toMatch(/to judge only what this target offers:\n.* --claim chat,listModels\n/);
});

test('an operation that is not claimed is not accused', async () => {
  const { code, report } = await run(listOnly, 'unclaimed', ['--claim', 'listModels']);
  expect([code, report.claims]).toEqual([0, ['listModels']]);
  expect(report.requirements.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
});

test.for([
  ['chat,listModels,retrieveModel', '3 of 63', () => withRetrieval],
  ['chat,listModels', '2 of 63', () => listOnly],
] as const)(
  'with --claim auto, a server that offers %s is judged by these',
  async ([names, count, service]) => {
    const { code, report, stderr } = await run(service(), `auto-${names}`, ['--claim', 'auto']);
    expect([code, report.claims.join(',')]).toEqual([0, names]);
    expect(stderr).toContain(`The target offers chat and models (${count} operations); models `);
    expect(stderr).toContain(`--claim ${names} the same without detection`);
  },
);

test('a profile claims exactly what it lists', async () => {
  const { report } = await run(withRetrieval, 'profile', ['--claim', 'chat-server']);
  expect(report.claims.join(',')).toBe('chat,completions,listModels,retrieveModel');
});

test('profiles name what can be claimed, and give a reason for each part', async () => {
  const { code, stdout } = await runAssay(['list', '--profiles']);
  expect(code).toBe(0);
  const known: readonly string[] = [...families(), ...operations().map(({ id }) => id)];
  for (const { name, claims } of CLAIM_PROFILES) {
    expect(stdout).toContain(`${name}: `);
    for (const part of claims) {
      expect(known).toContain(part.name);
      expect(stdout).toContain(part.reason);
    }
  }
  const { profiles } = JSON.parse((await runAssay(['list', '--profiles', '--format', 'json'])).stdout);
  expect(profiles).toEqual(CLAIM_PROFILES);
});

test.for([
  ['chta', 'is chat.'],
  ['chat-servre', 'is chat-server.'],
  ['listModel', 'are listModels, '],
] as const)('--claim %s is an error: the nearest %s', async ([claim, nearest]) => {
  const { code, stderr } = await runAssay(['run', '--claim', claim]);
  expect(code).toBe(2);
  expect(stderr).toContain(
    `--claim is "${claim}"; it takes all or auto alone, or families, operations and profiles (assay list --profiles prints the profiles); the nearest ${nearest}`,
  );
});

describe('with a claim in the configuration', () => {
  const fault = 'moderations.results.in-order';
  const cwd = join(folder, 'configured');
  /** Returns the words of the command that `pattern` captures; only quoted ones contain spaces. */
  const findCommand = (text: string, pattern: RegExp) =>
    pattern
      .exec(text)?.[1]
      ?.match(/'[^']*'|\S+/g)
      ?.map((word) => word.replaceAll("'", '')) ?? [];
  const explain = async (id: string, ...flags: readonly string[]) =>
    (await runAssay(['explain', id, '--no-example', ...flags], { cwd })).stdout;
  let faulty: Reference;
  let stdout = '';

  beforeAll(async () => {
    faulty = await startReference({ fault });
    services.push(faulty);
    mkdirSync(cwd);
    const configuration = { format: 1, baseUrl: faulty.url, claim: ['listModels'] };
    writeFileSync(join(cwd, 'assay.config.json'), JSON.stringify(configuration));
    ({ stdout } = await runAssay(['run', '--claim', 'moderations', '--only', fault], { cwd }));
  });

  test('the command that repeats a run with another claim contains that claim', async () => {
    const again = findCommand(stdout, /^ +again {2}npx assay (.+)$/m);
    expect(again.join(' ')).toContain(' --claim moderations ');
    expect((await runAssay(again, { cwd })).code).toBe(1);
  });

  test('the command that writes the baseline of a run with another claim contains that claim', async () => {
    const accept = findCommand(stdout, /accept what is known.*\n +npx assay (.+)/);
    expect(accept.join(' ')).toContain(' --claim moderations ');
    expect((await runAssay(accept, { cwd })).stderr).toMatch(/^wrote 1 entry to assay-baseline\.json /m);
  });

  test('the command that explain prints after a run with another claim contains that claim', async () => {
    expect(await explain(fault)).toMatch(/^ +alone +npx assay .+ --claim moderations /m);
  });

  test('the command that explain prints for a requirement outside the claim adds its family', async () => {
    expect(await explain('createChatCompletion:answer#json')).toMatch(
      /^ +alone .* --claim moderations,chat --only 'createChatCompletion/m,
    );
  });

  test('the command that explain prints for the rejections of an operation outside the claim adds its family', async () => {
    expect(await explain('createChatCompletion:rejects')).toMatch(
      /^ +alone .* --claim moderations,chat --only 'createChatCompletion:\*\.rejected'/m,
    );
  });

  test('the command that explain prints with --no-config contains that flag', async () => {
    expect(await explain(fault, '--no-config')).toMatch(/^ +alone +npx assay run .* --no-config --only /m);
  });

  test('the command that repeats a run without a claim of its own contains no claim', async () => {
    const sameClaim = join(cwd, 'same-claim');
    mkdirSync(sameClaim);
    const configuration = { format: 1, baseUrl: faulty.url, claim: ['moderations'] };
    writeFileSync(join(sameClaim, 'assay.config.json'), JSON.stringify(configuration));
    const configured = await runAssay(['run', '--only', fault], { cwd: sameClaim });
    expect(configured.stdout).toMatch(/^ +again {2}npx assay run /m);
    expect(configured.stdout).not.toContain('--claim');
  });
});

test('a run names what --only selects but the claim omits, with the claim to add', async () => {
  const only = ['--claim', 'listModels', '--only', 'chat.usage.total-is-sum'];
  const { code, stdout } = await runAssay(['run', '--base-url', withRetrieval.url, ...only], { cwd: folder });
  expect(code).toBe(2);
  expect(stdout).toContain(
    'chat.usage.total-is-sum was not judged, because it is not claimed: claim chat, too:',
  );
  expect(stdout).toContain(' --claim listModels,chat --only chat.usage.total-is-sum\n');
});
