// Each erratum of the dialects that come with assay excuses what it says, and no more.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { brokenIds, includedDialect, judged, type Sketch } from './testing/service-traffic.ts';
import { COMPATIBLE } from './testing/today/compatible.ts';
import { ERRATA } from './testing/today/errata.ts';

const dialects = { openai: includedDialect('openai'), compatible: includedDialect('compatible') } as const;
const CASES = [
  ...ERRATA.map((one) => ({ ...one, dialect: dialects.openai })),
  ...COMPATIBLE.map((one) => ({ ...one, dialect: dialects.compatible })),
];
const broken = async (traffic: readonly Sketch[], dialect: typeof dialects.openai | null) =>
  brokenIds(await judged(traffic, dialect));

test.each(CASES)('$erratum excuses what it is for', async ({ erratum, excused, dialect }) => {
  expect(await broken(excused, null)).not.toEqual([]);
  const judgement = await judged(excused, dialect);
  expect(brokenIds(judgement)).toEqual([]);
  expect(judgement.errata.map(({ id }) => id)).toContain(erratum);
});

test.each(
  CASES.flatMap(({ erratum, beyond, dialect }) => beyond.map((one, n) => ({ erratum, n, dialect, ...one }))),
)('$erratum excuses no more: $n, $breaks', async ({ traffic, breaks, dialect }) => {
  expect(await broken(traffic, dialect)).toContain(breaks);
});

interface ErratumFile {
  readonly errata: readonly {
    readonly id: string;
    readonly reason: string;
    readonly since?: string;
    readonly excuses?: readonly object[];
  }[];
}

const fileOf = (name: string): ErratumFile =>
  JSON.parse(readFileSync(createRequire(import.meta.url).resolve(`#dialects/${name}.json`), 'utf8'));

/** Errata of the first version of the dialect; `cli/dialect.slow.test.ts` tests them on a service. */
const EARLIER = [
  'file-batch-paths',
  'expiry-in-days',
  'run-step-without-metadata',
  'message-without-state',
  'message-attachments',
  'batch-fields-until-set',
  'system-fingerprint',
  'choice-without-logprobs',
  'incomplete-run-event',
];

test.each([
  ['openai', ERRATA],
  ['compatible', COMPATIBLE],
] as const)(
  'each erratum of %s has its reason and its time, and a case here where it excuses',
  (name, cases) => {
    const { errata } = fileOf(name);
    expect(errata.filter(({ since }) => since === undefined)).toEqual([]);
    const own = errata.filter(({ id, excuses }) => excuses !== undefined && !EARLIER.includes(id));
    expect(own.map(({ id }) => id)).toEqual(cases.map(({ erratum }) => erratum));
  },
);
