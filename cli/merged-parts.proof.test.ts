import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { readTrace } from '../exchange/cassette/cassette.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { isNote, type TraceHeader, type TraceItem } from '../exchange/trace.ts';
import { NameLinks } from '../judge/partial/name-links.ts';
import { SHARED, type TrafficPlaces } from '../judge/partial/traffic-plan.ts';
import type { Catalogue } from '../judge/requirements/catalogue.ts';
import {
  cutByResource,
  cutInTime,
  judgeInParts,
  judgeOneByOne,
  judgeWhole,
} from '../judge/testing/cut-trace.ts';
import { numberOf } from '../judge/trace/timed.ts';
import { startReference } from '../pipeline/faulty-reference/faulty-reference.ts';
import { getOrMake } from '../schemas/maps.ts';
import { catalogue } from '../suites/index.ts';
import { runAssay } from './testing/run-assay.ts';
import { copyUnlabelled } from './testing/unlabelled-cassette.ts';

/**
 * Requirements to break, by family: some show in a single exchange, others in a relation between several. They count
 * only if their family is claimed.
 */
const BROKEN: Readonly<Record<string, readonly string[]>> = {
  chat: ['chat.reply.id-unique', 'createChatCompletion:body.temperature#maximum.accepted'],
  completions: ['completions.text.indexes-count-up'],
  runs: ['runs.create.queued'],
  'vector-stores': ['vector-stores.counts.as-listed'],
  batches: ['batches.results.counts-are-lines'],
};
const FAULTS = ['model-without-n', ...Object.values(BROKEN).flat()];
const rotation = inject('rotation');
const ROTATING_CLAIMS = ['chat,runs', 'chat,completions,vector-stores', 'chat,completions,files,batches'];
const THOROUGH_CLAIM =
  (rotation !== null && ROTATING_CLAIMS[rotation % ROTATING_CLAIMS.length]) ||
  'chat,completions,runs,files,vector-stores,batches';
const CLAIM = inject('isThorough') ? THOROUGH_CLAIM : 'chat,runs';
/** A run that is not thorough has the fewest scenarios in which each fault of the claimed families still shows. */
const SCENARIOS = inject('isThorough')
  ? []
  : ['--scenario', 'chat.*,runs.new-thread,runs.said,runs.on-thread,runs.stream*,runs.probe.createRun.t*'];
const CUTS = { numRuns: inject('isThorough') ? 2 : 1, seed: rotation ?? 22 };

const folder = mkdtempSync(join(tmpdir(), 'assay-parts-'));
const pathOf = (name: string) => join(folder, name);
const readReportFile = (name: string) => readFileSync(join(folder, name, 'report.json'), 'utf8');
const reportFlags = (name: string) => ['--report', 'json', '--report-dir', pathOf(name)];
let context: { readonly catalogue: Catalogue; readonly header: TraceHeader };
let items: readonly TraceItem[];

beforeAll(async () => {
  const faulty = await startReference({ pace: 5, fault: FAULTS.join(',') });
  const claimed = ['--claim', CLAIM, '--allow', 'batches', ...SCENARIOS];
  await runAssay(['run', '--base-url', faulty.url, ...claimed, '--report-dir', folder]);
  await faulty.close();
  const trace = await readTrace(join(folder, 'cassette'));
  context = { catalogue: await catalogue(), header: trace.header };
  items = trace.items;
  copyUnlabelled(pathOf('cassette'), pathOf('plain'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function stripLabels(): readonly Exchange[] {
  return items.flatMap((item) => (isNote(item) ? [] : [{ ...item, scenario: null, probe: null }]));
}

test('random parts of a run add up to the whole', async () => {
  const expected = judgeWhole(context, [items]);
  const failed = expected.requirements.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
  const broken = CLAIM.split(',').flatMap((family) => BROKEN[family] ?? []);
  expect(broken.length).toBeGreaterThan(2);
  expect(failed).toEqual(expect.arrayContaining(broken));
  expect(expected.diagnoses?.map(({ feature }) => feature)).toContain('body.n>1');
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 4 }), fc.infiniteStream(fc.nat(11)), (parts, draws) => {
      expect(judgeInParts(context, [items], assignRandomParts(parts, draws))).toEqual(expected);
    }),
    CUTS,
  );
});

test('traffic that is split by resource adds up to the whole', () => {
  const traffic = stripLabels();
  const expected = judgeWhole(context, [traffic]);
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 6 }), (parts) => {
      const cutting = cutByResource(traffic, parts);
      const split = cutting.places.filter((place) => place < SHARED);
      expect(split.length).toBeGreaterThan(traffic.length / 4);
      expect(judgeInParts(context, [traffic], cutting)).toEqual(expected);
    }),
    CUTS,
  );
});

test('traces cut from one run add up to the whole when they are judged one by one', () => {
  const traffic = stripLabels();
  fc.assert(
    fc.property(fc.integer({ min: 1, max: traffic.length - 1 }), (first) => {
      const traces = cutInTime(traffic, first);
      expect(judgeOneByOne(context, traces)).toEqual(judgeWhole(context, traces));
    }),
    CUTS,
  );
});

/** Judgements of cassettes by one thread, which several tests compare with others. */
const judgedByOne = new Map<string, Promise<{ readonly code: number | null; readonly report: string }>>();

function judgeByOne(...names: readonly string[]) {
  const name = `one-${names.join('-')}`;
  return getOrMake(judgedByOne, name, async () => {
    const { code } = await runAssay(['check', ...names.map(pathOf), ...reportFlags(name)]);
    return { code, report: readReportFile(name) };
  });
}

describe('partial verdicts of cassettes', () => {
  const [first, second] = ['first.json', 'second.json'].map(pathOf) as [string, string]; // as: two names
  let size = 0;
  beforeAll(async () => {
    size = items.filter((item) => !isNote(item)).length;
    await runAssay(['check', pathOf('cassette'), '--partial', first]);
    await runAssay(['check', pathOf('cassette'), '--partial', second, '--before', `${size}`]);
  });

  test('merge into the report of all, byte for byte', async () => {
    const judgedAtOnce = await judgeByOne('cassette', 'cassette');
    const merged = await runAssay(['merge', second, first, ...reportFlags('merged')]);
    expect(merged.code).toBe(judgedAtOnce.code);
    expect(readReportFile('merged')).toBe(judgedAtOnce.report);
  });

  test('are rejected if they number the same exchanges', async () => {
    const { code, stderr } = await runAssay(['merge', first, first]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`Judge the second with --before ${size}.`)]);
  });

  test('are rejected if another version wrote them', async () => {
    const other = { ...JSON.parse(readFileSync(first, 'utf8')), version: '0.0.0' };
    writeFileSync(pathOf('other.json'), JSON.stringify(other));
    const { code, stderr } = await runAssay(['merge', pathOf('other.json')]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('was written by assay 0.0.0')]);
  });
});

test('a file that is not a partial verdict is not merged', async () => {
  writeFileSync(pathOf('none.json'), '{}');
  const { code, stderr } = await runAssay(['merge', pathOf('none.json')]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('is not a partial verdict')]);
});

describe('the parts of cassettes that are split by resource', () => {
  const [plain, parts] = ['plain', 'parts'].map(pathOf) as [string, string]; // as: two names
  beforeAll(async () => {
    const cut = await runAssay(['partition', plain, plain, '--parts', '2', '--out', parts]);
    expect(cut.stdout).toContain(`${parts}/1  `);
    for (const part of ['0', '1'])
      await runAssay(['check', join(parts, part), '--partial', pathOf(`${part}.json`)]);
  });

  test('merge into the report of all, byte for byte', async () => {
    const judgedAtOnce = await judgeByOne('plain', 'plain');
    const merged = await runAssay(['merge', pathOf('1.json'), pathOf('0.json'), ...reportFlags('of-parts')]);
    expect(merged.code).toBe(judgedAtOnce.code);
    expect(readReportFile('of-parts')).toBe(judgedAtOnce.report);
  });

  test('do not merge if one is missing', async () => {
    const { code, stderr } = await runAssay(['merge', pathOf('1.json')]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('of which part 0 is missing')]);
  });

  test('are judged only with --partial, each alone, and without --api-root', async () => {
    const part = join(parts, '0');
    const { code, stderr } = await runAssay(['check', part]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('with --partial')]);
    const judge = (...args: readonly string[]) =>
      runAssay(['check', ...args, '--partial', pathOf('no.json')]);
    expect((await judge(plain, part)).stderr).toContain(`${part} is a part of a partition. Judge it alone`);
    expect((await judge(part, '--api-root', 'http://127.0.0.1/v1')).stderr).toContain(
      `${part} is a part of a partition, with the paths as recorded: --api-root is for files of other recorders`,
    );
  });

  test('are not written into a folder that is not empty', async () => {
    const again = await runAssay(['partition', plain, '--parts', '2', '--out', parts]);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('is not empty')]);
  });
});

test.each([
  ['two cassettes', ['plain', 'plain']],
  ['the resources of one cassette', ['plain']],
  ['a run', ['cassette']],
])('two threads produce the report of one for %s, byte for byte', async (_, names) => {
  const one = await judgeByOne(...names);
  const two = await runAssay(['check', ...names.map(pathOf), ...reportFlags('two'), '--jobs', '2']);
  expect(two.code).toBe(one.code);
  expect(readReportFile('two')).toBe(one.report);
});

function assignRandomParts(parts: number, draws: fc.Stream<number>): TrafficPlaces {
  const places = new Uint16Array(items.length + 1);
  for (const item of items)
    if (!isNote(item)) places[numberOf(item.id)] = ((draws.next().value ?? 0) % parts) + SHARED;
  return { parts, places, links: new NameLinks().slots };
}
