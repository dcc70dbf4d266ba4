import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Baseline } from '../judge/baseline/baseline-file.ts';
import { serveReference } from '../reference/service.ts';
import { startBreakingProxy } from './testing/breaking-proxy.ts';
import { runAssay } from './testing/run-assay.ts';

describe('a target that is broken in one field', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-gate-'));
  const [good, bad] = ['good', 'bad'].map((name) => join(folder, name, 'cassette')) as [string, string]; // as: two names
  const written = join(folder, 'written.json');
  const filled = join(folder, 'filled.json');

  function fillIn(file: string, edit: (known: Baseline['known']) => unknown): string {
    const { known } = JSON.parse(readFileSync(written, 'utf8')) as Baseline; // as: our own file
    writeFileSync(file, JSON.stringify({ format: 1, known: edit(known) }));
    return file;
  }

  const addReasons = (known: Baseline['known']) =>
    known.map((entry) => ({ ...entry, reason: 'fixed in the next release' }));

  const STALE = 'the baseline lists file:bytes#type, which passes now: remove the entry';

  beforeAll(async () => {
    const reference = await serveReference();
    const proxy = await startBreakingProxy(reference.url, [
      { operation: 'createFile', pointer: '/bytes', value: '12' },
    ]);
    const flags = ['--claim', 'files', '--only', 'file:*', '--report', 'json', '--report-dir'];
    await runAssay(['run', '--base-url', reference.url, ...flags, join(folder, 'good')]);
    const { code } = await runAssay(['run', '--base-url', proxy.url, ...flags, join(folder, 'bad')]);
    expect(code).toBe(1);
    await Promise.all([proxy.close(), reference.close()]);
    const { stdout } = await runAssay(['check', bad, '--baseline-write', written]);
    expect(stdout).toContain(`written to ${written}`);
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  test.for([
    { what: 'fails the gate', flags: [], code: 1, says: '1 MUST is broken' },
    {
      what: 'fails the gate',
      flags: ['--fail-on', 'should'],
      code: 1,
      says: '1 MUST is broken',
    },
    {
      what: 'does not fail the gate',
      flags: ['--fail-on', 'never'],
      code: 0,
      says: 'does not conform',
    },
  ])('$what with the flags $flags', async ({ flags, code, says }) => {
    const result = await runAssay(['check', bad, ...flags]);
    expect(result.stdout).toContain(says);
    expect(result.code).toBe(code);
  });

  test('no baseline is written if no requirement was judged', async () => {
    const file = join(folder, 'empty.json');
    const idle = join(folder, 'idle');
    // Nothing listens on port 1, so the trace has no exchange to judge.
    await runAssay(['run', '--base-url', 'http://127.0.0.1:1/v1', '--claim', 'files', '--report-dir', idle]);
    const { stderr, stdout } = await runAssay(['check', join(idle, 'cassette'), '--baseline-write', file]);
    expect(stderr).toContain(`${file}: not written, because no requirement was judged`);
    expect(stdout).not.toContain(`written to ${file}`);
    expect(existsSync(file)).toBe(false);
  });

  test('a new baseline without reasons is rejected', async () => {
    const { code, stderr } = await runAssay(['check', bad, '--baseline', written]);
    expect(code).toBe(2);
    expect(stderr).toContain(': 1 entry has no reason (file:bytes#type). Say why each failure is accepted, ');
  });

  test('a baseline that is written with a reason makes the gate green', async () => {
    const file = join(folder, 'reasoned.json');
    const reason = 'fixed in release 4';
    await runAssay(['check', bad, '--baseline-write', file, '--baseline-reason', reason]);
    const { known } = JSON.parse(readFileSync(file, 'utf8')) as Baseline; // as: our own file
    expect(new Set(known.map((entry) => entry.reason))).toEqual(new Set([reason]));
    expect((await runAssay(['check', bad, '--baseline', file])).code).toBe(0);
  });

  test('a baseline that does not exist is an error that says how to write it', async () => {
    const file = join(folder, 'not-yet.json');
    const { code, stderr } = await runAssay(['check', bad, '--baseline', file]);
    expect(code).toBe(2);
    expect(stderr).toContain(`The baseline ${file} does not exist.`);
    expect(stderr).toContain(`--baseline-write ${file} --baseline-reason`);
  });

  test('a reason without a file to write it to is rejected', async () => {
    const { code, stderr } = await runAssay(['check', bad, '--baseline-reason', 'because']);
    expect([code, stderr]).toEqual([
      2,
      '--baseline-reason applies only to new entries. Also give --baseline-write FILE.\n(assay check --help lists its options)\n',
    ]);
  });

  test('a failure that the baseline lists with a reason is known and shown in full, and the gate is green', async () => {
    const { code, stdout } = await runAssay(['check', bad, '--baseline', fillIn(filled, addReasons)]);
    expect(stdout).toContain('with 1 known failure');
    expect(stdout).toMatch(
      /^KNOWN {2}file:bytes#type$[\s\S]*^ {6}known because: fixed in the next release$/m,
    );
    expect(stdout).toMatch(/^ {6}actual +"12"$/m);
    expect(code).toBe(0);
  });

  test.for([
    [
      'another signature',
      (known) => known.map((entry) => ({ ...entry, signatures: ['another'] })),
      'does not list',
    ],
    [
      'an unknown id',
      (known) => known.map((entry) => ({ ...entry, id: 'file:byte#type' })),
      'which is not the id of a requirement',
    ],
    [
      'an expired entry',
      (known) => known.map((entry) => ({ ...entry, expires: '2020-01-01' })),
      'expired on 2020-01-01',
    ],
  ] as const satisfies [string, (known: Baseline['known']) => unknown, string][])(
    '%s fails the gate',
    async ([name, edit, says]) => {
      const file = fillIn(join(folder, `${name}.json`), (known) => edit(addReasons(known)));
      const { code, stdout } = await runAssay(['check', bad, '--baseline', file]);
      expect(stdout).toContain(says);
      expect(code).toBe(1);
    },
  );

  describe('the command that a run prints for expired entries', () => {
    const pastDate = '2020-01-01';
    const kept = { id: 'file:id#type', signatures: ['a'], reason: 'not expired', link: null, expires: null };

    async function paste(cassette: string, file: string, intro: RegExp) {
      const check = ['check', cassette, '--baseline', file];
      const red = await runAssay(check);
      const [, command = ''] = new RegExp(`^${intro.source}\\n  npx assay (.+)`, 'm').exec(red.stdout) ?? [];
      const words = [...command.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted = word]) => quoted);
      const pasted = await runAssay(words);
      const { known } = JSON.parse(readFileSync(file, 'utf8')) as Baseline; // as: our own file
      return { red, command, pasted, known, check };
    }

    test('gives those that still fail another 90 days and a new reason, removes the other expired ones, and keeps the rest', async () => {
      const file = fillIn(join(folder, 'day-91.json'), (known) => [
        ...known.map((entry) => ({ ...entry, reason: 'old', expires: pastDate })),
        { ...kept, id: 'file:filename#type', expires: pastDate },
        kept,
      ]);
      const intro = /or accept what is new or expired, with your reason:/;
      const { red, pasted, known, check } = await paste(bad, file, intro);
      expect(red.code).toBe(1);
      expect(red.stdout).toContain(`\n  2 entries of the baseline expired on ${pastDate}: file:`);
      const until = new Date(Date.now() + 90 * 24 * 3_600_000).toISOString().slice(0, 10);
      const reason = 'known, not yet reviewed';
      expect(known).toEqual([
        expect.objectContaining({ id: 'file:bytes#type', reason, expires: until }),
        kept,
      ]);
      expect([pasted.code, pasted.stdout]).toEqual([0, expect.stringContaining('with 1 known failure')]);
      expect(pasted.stderr).toContain(': 1 kept, 1 added; this traffic shows 1 known failure (');
      expect(pasted.stderr).toContain('\nexpired: 2 entries, not kept: file:');
      expect(pasted.stderr).not.toContain('fill in');
      expect((await runAssay(check)).code).toBe(0);
    });

    test('makes the gate green at once if none of them still fails, and removes no other entry', async () => {
      const file = fillIn(join(folder, 'gone.json'), (known) => [
        ...known.map((entry) => ({ ...entry, reason: 'old', expires: pastDate })),
        kept,
      ]);
      const { red, command, pasted, known, check } = await paste(
        good,
        file,
        /next: take these entries out .*/,
      );
      expect([red.code, pasted.code, known]).toEqual([1, 0, [kept]]);
      expect(command).not.toContain('--strict-baseline');
      expect((await runAssay(check)).code).toBe(0);
    });
  });

  test('an entry whose requirement passes in a run with --only is not stale, unless the gate is strict', async () => {
    const check = ['check', good, '--baseline', fillIn(filled, addReasons)];
    const told = await runAssay(check);
    expect(told.stdout).toContain(
      'the baseline lists file:bytes#type, which passes in the selected scenarios',
    );
    expect(told.stdout).not.toContain('--baseline-write');
    expect(told.code).toBe(0);
    const strict = await runAssay([...check, '--strict-baseline']);
    expect(strict.stdout).toContain(STALE);
    expect(strict.code).toBe(1);
  });

  test('an entry whose requirement passes is stale unless --skip left out scenarios; the command that removes it is printed', async () => {
    const reference = await serveReference();
    const runDir = join(folder, 'whole');
    const run = ['run', '--base-url', reference.url, '--claim', 'files', '--report-dir', runDir];
    const known = ['--baseline', fillIn(filled, addReasons)];
    const whole = await runAssay([...run, ...known]);
    // The first --skip excludes the scenarios that send no key and show nothing else; the second excludes none.
    const skipping = await runAssay([...run, ...known, '--skip', 'auth.*,*:accepts']);
    const keeping = await runAssay([...run, ...known, '--skip', 'file:id#type']);
    await reference.close();
    expect(skipping.stdout).not.toContain(STALE);
    expect(skipping.stdout).toContain('which passes in the selected scenarios');
    expect(keeping.stdout).toContain(STALE);
    expect(whole.stdout).toContain(STALE);
    expect(whole.code).toBe(0);
    expect(whole.stdout).toMatch(
      /^next: if these failures are gone for good, .*\n {2}npx assay check .* --strict-baseline /m,
    );
  });

  test('a printed command applies the baseline of the run that prints it, and no other', async () => {
    const cwd = mkdtempSync(join(folder, 'configured-'));
    cpSync(fillIn(filled, addReasons), join(cwd, 'known.json'));
    writeFileSync(join(cwd, 'other.json'), '{"format":1,"known":[]}');
    writeFileSync(join(cwd, 'assay.config.json'), '{"format":1,"baseline":"known.json"}');
    const check = (...flags: readonly string[]) => runAssay(['check', bad, ...flags], { cwd });
    const [usual, without, other] = [
      await check(),
      await check('--no-config'),
      await check('--baseline', 'other.json'),
    ];
    expect([usual.code, without.code, other.code]).toEqual([0, 1, 1]);
    const findAgainLine = ({ stdout }: { readonly stdout: string }) => /^ +again .*/m.exec(stdout)?.[0] ?? '';
    expect(findAgainLine(usual)).not.toMatch(/--no-config|--baseline/);
    expect(findAgainLine(without)).toMatch(/ --no-config .*--only 'file:bytes#type'/);
    expect(findAgainLine(other)).toMatch(/ --baseline other\.json .*--only 'file:bytes#type'/);
    expect(without.stdout).toMatch(/^ {2}npx assay check .* --no-config --baseline-write /m);
  });

  test('a printed command repeats the gate options of its run that are not in the configuration', async () => {
    const cwd = mkdtempSync(join(folder, 'gated-'));
    const gate = { failOn: 'should', tolerate: ['clients'] };
    writeFileSync(join(cwd, 'assay.config.json'), JSON.stringify({ format: 1, ...gate }));
    const findAgainLine = async (...flags: readonly string[]) => {
      const { stdout } = await runAssay(['check', bad, ...flags], { cwd });
      return /^ +again .*/m.exec(stdout)?.[0] ?? '';
    };
    expect(await findAgainLine()).not.toMatch(/--fail-on|--tolerate|--strict-baseline/);
    expect(
      await findAgainLine('--fail-on', 'must', '--tolerate', 'lenient-validation', '--strict-baseline'),
    ).toContain(' --fail-on must --tolerate lenient-validation --strict-baseline ');
    expect(await findAgainLine('--tolerate', '')).toContain(" --tolerate '' ");
    expect(await findAgainLine('--no-config')).not.toMatch(/--fail-on|--tolerate/);
    expect(await findAgainLine('--no-config', '--fail-on', 'should', '--allow-inconclusive')).toContain(
      ' --fail-on should --allow-inconclusive ',
    );
  });
});
