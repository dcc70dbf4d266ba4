import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { readBaseline } from '../../judge/baseline/baseline-file.ts';
import type { Judgement } from '../../judge/verdict/verdict.ts';
import { sampleReport } from '../../reports/testing/sample.ts';
import { applyKnownFailures, dayAfter, readKnownFailures, UNREVIEWED_DAYS } from './known-failures.ts';

let file: string;
beforeEach(() => {
  const dir = mkdtempSync(join(tmpdir(), 'assay-known-'));
  file = join(dir, 'assay-baseline.json');
  return () => rmSync(dir, { recursive: true });
});

function createJudgement(): Judgement {
  const { report } = sampleReport('broken');
  const failing = report.requirements.find(({ verdict }) => verdict === 'fail');
  const open = report.requirements.find(({ verdict }) => verdict === 'inconclusive');
  if (failing === undefined || open === undefined)
    throw new Error('The sample lacks a failed or an inconclusive requirement.');
  const capacity = { kind: 'capacity', exchange: 'e3', arrival: null } as const;
  const requirements = [failing, open, { ...open, id: 'chat.busy', cause: capacity }];
  return { ...report, errata: [], requirements, stopReason: 'completed' };
}

test('verdicts that a baseline cannot accept are not written, and are named with their cause', () => {
  const write = { path: file, reason: 'known' };
  const { written } = applyKnownFailures(createJudgement(), { baseline: null, write }, { isRun: true });
  expect(written).toMatchObject({
    entries: 2,
    failures: 1,
    undecided: 1,
    left: [{ id: 'chat.busy', kind: 'capacity' }],
  });
  expect(readBaseline(readFileSync(file, 'utf8'), file).known.map(({ id }) => id)).not.toContain('chat.busy');
});

test('the number of entries is the sum of failures, undecided MUSTs, further causes and unseen entries', () => {
  const [failing, open, busy] = createJudgement().requirements;
  const [finding] = failing?.findings ?? [];
  const causes = ['tools', 'logprobs'].map((name) => `createChatCompletion:accepts#body.${name}`);
  const findings = causes.map((causeId) => ({ ...finding, causeId, signature: causeId }));
  const acceptance = { ...failing, id: 'createChatCompletion:accepts', findings, findingsTotal: 2 };
  const requirements = [acceptance, failing, open, busy] as Judgement['requirements']; // as: the sample has them
  const unseen = { id: 'chat.busy', signatures: ['abc'], reason: 'old', link: null, expires: null };
  const baseline = { format: 1, known: [unseen] } as const;
  const write = { path: file, reason: 'known' };
  const { written } = applyKnownFailures(
    { ...createJudgement(), requirements },
    { baseline, write },
    { isRun: true },
  );
  // 5 entries: 2 failures, 1 undecided MUST, one more cause than requirements with causes, and 1 unseen entry.
  expect(written).toMatchObject({ entries: 5, failures: 2, undecided: 1, unseen: 1 });
  expect(written?.causes).toEqual({ entries: 2, requirements: 1 });
});

test('if nothing was decided, no file is written, and no entry counts as left or expired', () => {
  const entry = { id: 'chat.busy', signatures: ['abc'], reason: 'old', link: null, expires: '2020-01-01' };
  const judgement = createJudgement();
  const requirements = judgement.requirements.filter(({ verdict }) => verdict === 'inconclusive');
  const known = { baseline: { format: 1, known: [entry] }, write: { path: file, reason: 'new' } } as const;
  const { written } = applyKnownFailures({ ...judgement, requirements }, known, { isRun: true });
  expect(written).toMatchObject({ isWritten: false, left: [], expired: [] });
  expect(existsSync(file)).toBe(false);
});

test('an entry for a failure stays if the service lacked capacity to show it again', () => {
  const entry = { id: 'chat.busy', signatures: ['abc'], reason: 'old', link: null, expires: null };
  const known = { baseline: { format: 1, known: [entry] }, write: { path: file, reason: 'new' } } as const;
  applyKnownFailures(createJudgement(), known, { isRun: true });
  expect(readBaseline(readFileSync(file, 'utf8'), file).known).toContainEqual(entry);
});

test('the entries of a new file are compared with the earlier one: kept, added, changed or removed', () => {
  const write = { path: file, reason: 'new' };
  const facts = { reason: 'old', link: null, expires: null };
  const [failing, open] = createJudgement().requirements;
  if (failing === undefined || open?.cause == null)
    throw new Error('The sample lacks a failed or an inconclusive requirement.');
  const changesWith = (
    isStrict: boolean,
    ...known: { id: string; signatures: string[]; undecided?: 'no-evidence' }[]
  ) => {
    const baseline = { format: 1, known: known.map((one) => ({ ...one, ...facts })) } as const;
    return applyKnownFailures(createJudgement(), { baseline, write }, { isRun: true, isStrict }).written
      ?.changes;
  };
  const first = applyKnownFailures(createJudgement(), { baseline: null, write }, { isRun: true }).written;
  expect(first?.changes).toBeNull();
  const unseen = { id: 'chat.busy', signatures: ['abc'] };
  expect(changesWith(false, unseen)).toEqual({ kept: 1, added: 2, changed: [], removed: [] });
  const writtenEntries = readBaseline(readFileSync(file, 'utf8'), file).known;
  const same = writtenEntries.find(({ id }) => id === failing.id)?.signatures ?? [];
  expect(changesWith(false, { id: failing.id, signatures: [...same] })).toEqual({
    kept: 1,
    added: 1,
    changed: [],
    removed: [],
  });
  const otherEntries = [
    { id: failing.id, signatures: ['other'] },
    { id: 'no.such', signatures: ['abc'] },
  ];
  const changed = [failing.id];
  expect(changesWith(false, ...otherEntries)).toEqual({ kept: 1, added: 1, changed, removed: [] });
  expect(changesWith(true, ...otherEntries)).toEqual({ kept: 0, added: 1, changed, removed: ['no.such'] });
});

test('an expired entry of the judged side is dropped, or replaced by one with its link and a new last day if still needed', () => {
  const [failing, open] = createJudgement().requirements;
  if (failing === undefined || open?.cause == null)
    throw new Error('The sample lacks a failed or an inconclusive requirement.');
  const expiredFacts = { signatures: ['abc'], reason: 'old', link: null, expires: '2020-01-01' };
  const link = 'https://tracker.example/7';
  const undecided = { ...expiredFacts, link, id: open.id, signatures: [], undecided: open.cause.kind };
  const current = { ...expiredFacts, id: 'chat.busy', expires: null };
  const clientEntry = { ...expiredFacts, id: 'client.ids.given' };
  const unseenExpired = { ...expiredFacts, id: 'no.such' };
  const known = [undecided, { ...expiredFacts, id: failing.id }, unseenExpired, current, clientEntry];
  const write = { path: file, reason: 'looked at again' };
  const baseline = { format: 1, known } as const;
  const { written, problems } = applyKnownFailures(createJudgement(), { baseline, write }, { isRun: true });
  expect(problems.filter(({ why }) => why === 'expired')).toEqual([]);
  expect(written).toMatchObject({ failures: 1, undecided: 1, unseen: 2, left: [] });
  expect(written?.expired).toEqual([open.id, failing.id, unseenExpired.id]);
  expect(written?.changes).toEqual({ kept: 2, added: 2, changed: [], removed: [] });
  const entries = readBaseline(readFileSync(file, 'utf8'), file).known;
  const expires = dayAfter(UNREVIEWED_DAYS);
  const fresh = { reason: 'looked at again', expires };
  expect(entries).toHaveLength(4);
  expect(entries).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: failing.id, ...fresh }),
      { ...undecided, ...fresh },
      current,
      clientEntry,
    ]),
  );
});

test('new entries of a file without expired entries never expire', () => {
  const current = { id: 'chat.busy', signatures: ['abc'], reason: 'old', link: null, expires: null };
  const write = { path: file, reason: 'new' };
  applyKnownFailures(
    createJudgement(),
    { baseline: { format: 1, known: [current] }, write },
    { isRun: true },
  );
  const later = readBaseline(readFileSync(file, 'utf8'), file).known;
  expect(later.map((entry) => entry.expires)).toEqual([null, null, null]);
});

test('entries of the other side stay in their file, by whatever path it is written, and are not copied to another', () => {
  const entry = { id: 'client.ids.given', signatures: ['abc'], reason: 'old', link: null, expires: null };
  const baseline = { format: 1, known: [entry] } as const;
  const writeAndListIds = (path: string) => {
    writeFileSync(file, JSON.stringify(baseline));
    const write = { path, reason: 'new' };
    applyKnownFailures(createJudgement(), { baseline, path: file, write }, { isRun: true });
    return readBaseline(readFileSync(path, 'utf8'), path).known.map(({ id }) => id);
  };
  expect(writeAndListIds(`${dirname(file)}/../${basename(dirname(file))}/${basename(file)}`)).toContain(
    entry.id,
  );
  symlinkSync(file, `${file}.link`);
  expect(writeAndListIds(`${file}.link`)).toContain(entry.id);
  expect(writeAndListIds(`${file}.new`)).not.toContain(entry.id);
});

test('an existing file is not written in place of the baseline that is read, because its entries would be lost', () => {
  const other = `${file}.other`;
  for (const path of [file, other]) writeFileSync(path, JSON.stringify({ format: 1, known: [] }));
  expect(() => readKnownFailures(file, { baselineWrite: other })).toThrow(
    `Also give --baseline ${other} to extend it, or name a new file.`,
  );
  expect(readKnownFailures(file, { baselineWrite: file }).path).toBe(file);
  expect(readKnownFailures(file, { baselineWrite: `${file}.new` }).path).toBe(file);
});

test('a missing baseline is an error, unless it is also the file to write', () => {
  expect(() => readKnownFailures(file)).toThrow(
    `The baseline ${file} does not exist. Write it with --baseline-write ${file} `,
  );
  const options = { baselineWrite: file, baselineReason: 'known' };
  expect(readKnownFailures(file, options)).toEqual({
    baseline: null,
    write: { path: file, reason: 'known', expires: null },
  });
  expect(() => readKnownFailures(`${file}.other`, options)).toThrow('does not exist');
});
