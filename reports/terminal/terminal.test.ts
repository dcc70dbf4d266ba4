import { expect, test } from 'vitest';
import type { Report } from '../report.ts';
import { nextStep } from '../summary/next-step.ts';
import { sampleReport } from '../testing/sample.ts';
import { coloursFor } from '../words/colours.ts';
import { terminalReport } from './terminal.ts';

const written = [
  { format: 'json', path: 'assay-report/report.json' },
  { format: 'junit', path: 'assay-report/junit.xml' },
] as const;
const options = { paint: coloursFor('off'), columns: null, written };

test.for(['broken', 'green', 'nothing'] as const)('the %s sample has the approved text', async (name) => {
  const { report, evidence } = sampleReport(name);
  const text = terminalReport(report, { ...evidence, ...options });
  await expect(text).toMatchFileSnapshot(`../samples/${name}.terminal.txt`);
});

test('nothing from the target controls the terminal', () => {
  const { report, evidence } = sampleReport('broken');
  const text = terminalReport(report, { ...evidence, ...options });
  expect(text.match(/[^\P{Cc}\n]|\u202e/u)).toBeNull();
});

test('colours change nothing but colour', () => {
  const { report, evidence } = sampleReport('broken');
  const plain = terminalReport(report, { ...evidence, ...options });
  const coloured = terminalReport(report, { ...evidence, ...options, paint: coloursFor('on') });
  expect(coloured).not.toBe(plain);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what colours are made of
  expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(plain);
});

function createFailures(count: number): Report {
  const { report } = sampleReport('broken');
  const [first] = report.requirements;
  const many = Array.from({ length: count }, (_, n) => ({ ...first, id: `chat.stream.rule-${n}` }));
  return { ...report, requirements: many as never }; // as: the first is there
}

test.for([
  { count: 68, columns: null },
  { count: 68, columns: 80 },
  { count: 1000, columns: 80 },
])('20 of $count failures, one in full, take at most 60 rows (columns: $columns)', ({ count, columns }) => {
  const { evidence } = sampleReport('broken');
  const text = terminalReport(createFailures(count), {
    ...evidence,
    ...options,
    columns,
    width: columns ?? 120,
  });
  const lines = text.split('\n');
  const end = lines.findIndex((line) => /^chat +\d/.test(line));
  expect(end).toBeGreaterThan(20);
  // A terminal wraps longer lines, so each takes several rows.
  const rows = lines.slice(0, end).map((line) => Math.max(1, Math.ceil(line.length / (columns ?? 1000))));
  expect(rows.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(60);
  for (const [n, line] of lines.slice(0, 20).entries())
    expect(line).toMatch(new RegExp(`^FAIL  chat\\.stream\\.rule-${n}  The finish_reason is null`));
  expect(text).toContain(`… and ${count - 20} more, in assay-report/report.json`);
  expect(text).toMatch(/^FAIL {2}chat\.stream\.rule-0\n\n {6}MUST/m);
  expect(text).toContain('> POST /v1/chat/completions');
  expect(text.match(/^ +(?:again|curl|whole) {2,3}\S/gm)?.length).toBeGreaterThanOrEqual(3);
  expect(text.match(/^ +any of them: npx assay explain ID names the exchange/gm)).toHaveLength(1);
});

test('a thousand failures are laid out no more often than a hundred', () => {
  const { evidence } = sampleReport('broken');
  // Laying out a truncated list looks up the file that has the whole list.
  const countLookUps = (count: number) => {
    let lookUps = 0;
    const counted = {
      path: 'assay-report/report.json',
      get format() {
        lookUps += 1;
        return 'json' as const;
      },
    };
    terminalReport(createFailures(count), { ...evidence, ...options, columns: 80, written: [counted] });
    return lookUps;
  };
  expect(countLookUps(100)).toBeGreaterThan(0);
  expect(countLookUps(1000)).toBe(countLookUps(100));
});

test('wrong responses come first, then causes of refusals', () => {
  const { report, evidence } = sampleReport('broken');
  const text = terminalReport(report, { ...evidence, ...options });
  const heads = [...text.matchAll(/^(?:FAIL|WARN) {2}(\S+)$/gm)].map(([, id]) => id);
  expect(heads.slice(0, 4)).toEqual([
    'listModels:answer#json',
    'chat.stream.finish-reason-ends-choice',
    'file:bytes#type',
    'createChatCompletion:accepts#body.n>1',
  ]);
});

test('the first lines name each failure in order, and fit in 80 columns', () => {
  const { report, evidence } = sampleReport('broken');
  const text = terminalReport(report, { ...evidence, ...options, columns: 80, width: 80 });
  const lines = text.split('\n').slice(0, 5);
  expect(lines.map((line) => line.split('  ', 2).join('  '))).toEqual([
    'FAIL  listModels:answer#json',
    'FAIL  chat.stream.finish-reason-ends-choice',
    'FAIL  file:bytes#type',
    'FAIL  createChatCompletion:accepts#body.n>1',
    'WARN  listModels:answer#contentType',
  ]);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
});

test('choices in which the target differs from most services are listed, and inconsistent ones as well', () => {
  const { report, evidence } = sampleReport('broken');
  const choice = { spec: '2', says: 'Which.', taken: ['length'], consistent: true };
  const choices = [
    { ...choice, id: 'chat.finish-reason.json-mode', usual: ['stop'] },
    { ...choice, id: 'chat.finish-reason.at-limit', usual: ['length'] },
    { ...choice, id: 'chat.free' },
    { ...choice, id: 'errors.status.of-violation', taken: ['400', '422'], usual: ['400'] },
    { ...choice, id: 'errors.status.unknown-id', taken: ['400', '404'], usual: ['404'], consistent: false },
  ];
  const text = terminalReport({ ...report, choices }, { ...evidence, ...options });
  expect(text.match(/^unlike most services: .*$/gm)).toEqual([
    'unlike most services: chat.finish-reason.json-mode is "length", usually "stop"',
    'unlike most services: errors.status.of-violation is "400" or "422", depending on the request, usually "400"',
    'unlike most services: errors.status.unknown-id is "400" or "404", usually "404"',
  ]);
  expect(text).toContain('is inconsistent in choice errors.status.unknown-id: 400, 404\n');
  expect(text).not.toContain('is inconsistent in choice errors.status.of-violation');
});

test('a choice that changed since the baseline is reported in the first line', () => {
  const { report, evidence } = sampleReport('green');
  const choice = { spec: '2', says: 'Which.', consistent: true };
  const choices = [{ ...choice, id: 'chat.finish-reason.at-limit', taken: ['stop'], before: 'length' }];
  const text = terminalReport({ ...report, choices }, { ...evidence, ...options });
  expect(text.split('\n')[0]).toBe(
    'changed since the baseline: chat.finish-reason.at-limit is "stop", was "length"; npx assay explain chat.finish-reason.at-limit says how to pin it',
  );
});

test('a pinned choice that the traffic does not show is reported', () => {
  const { report, evidence } = sampleReport('green');
  const choice = { id: 'models.list.order', spec: '2', says: 'Which.', consistent: true };
  const choices = [{ ...choice, taken: [], unshown: 'oldest first' }];
  const text = terminalReport({ ...report, choices }, { ...evidence, ...options });
  expect(text).toContain('\npinned, but not shown by this traffic: models.list.order\n');
});

test('a violated pin of a choice is the first failure, shows its exchange, and cannot be accepted', () => {
  const { report, evidence } = sampleReport('broken');
  const id = 'chat.finish-reason.at-limit';
  const choice = { id, spec: '2 Chat completion', says: 'Which.', consistent: true, pinned: 'length' };
  const choices = [{ ...choice, taken: ['stop'], exchanges: ['e3'] }];
  const text = terminalReport({ ...report, choices }, { ...evidence, ...options, columns: null });
  expect(
    text.startsWith(`FAIL  ${id}  Left open by the specification, pinned by the dialect: Which.\n`),
  ).toBe(true);
  const [, block = ''] = text.split(/^FAIL {2}chat\.finish-reason\.at-limit\n/m);
  expect(block).toMatch(
    /^\n +PINNED {2}Left open by .*\n +spec {2}2 Chat completion\n\n +at +the choice\n +expected {2}"length", pinned by the dialect\n +actual +"stop"\n\n +> /,
  );
  expect(block).toMatch(/^ +again .* --only 'chat\.finish-reason\.at-limit'$/m);
  expect(block).toMatch(/^ +whole {2}npx assay show assay-report\/cassette e3$/m);
  // A baseline cannot accept a pinned choice, so no alternative is offered.
  const step = nextStep({ ...report, operations: [], choices }, { ...evidence, newBaselineFile: 'new.json' });
  expect(step).toMatchObject({ command: expect.stringContaining(id) });
  expect(step?.alternative).toBeUndefined();
});

test('few failures are printed in full', () => {
  const { evidence } = sampleReport('broken');
  const text = terminalReport(createFailures(2), { ...evidence, ...options });
  expect(text.match(/^ +whole {2}npx assay show/gm)).toHaveLength(2);
  expect(text).not.toContain('… and ');
  expect(text).not.toContain('any of them');
});

test('a single failure is printed even if it takes more than 60 rows', () => {
  const { evidence } = sampleReport('broken');
  const report = createFailures(1);
  const requirements = report.requirements.map((one) => ({ ...one, says: 'word '.repeat(2000) }));
  const text = terminalReport(
    { ...report, diagnoses: [], requirements },
    { ...evidence, ...options, columns: 80 },
  );
  expect(text).toMatch(/^FAIL {2}chat\.stream\.rule-0\n {6}word/m);
});

test('the command for further failures names the folder of the report if it is not the default one', () => {
  const { evidence } = sampleReport('broken');
  const text = terminalReport(createFailures(68), { ...evidence, ...options, reportDir: "it's here" });
  expect(text).toContain("any of them: npx assay explain ID --report 'it'\\''s here' names");
});

test('at 80 columns a first failure with long lists keeps its commands', () => {
  const { report, evidence } = sampleReport('broken');
  const [cause] = report.diagnoses ?? [];
  const [first] = report.requirements;
  const name = (n: number) =>
    `createChatCompletion:body.tool_choice(object).function.name#rule-${n}.accepted`;
  const many = Array.from({ length: 30 }, (_, n) => ({
    ...first,
    id: name(n),
    verdict: 'fail',
    baseline: null,
  }));
  const consequences = many.map(({ id }) => id);
  const changedReport = {
    ...report,
    diagnoses: [{ ...cause, consequences, withoutEvidence: consequences }],
    requirements: [
      ...report.requirements.filter(({ id }) => id === cause?.operations[0]?.requirement),
      ...many.map((one) => ({ ...one, consequenceOf: [cause?.operations[0]?.id] })),
    ],
  };
  const text = terminalReport(changedReport as never, { ...evidence, ...options, columns: 80, width: 80 }); // as: both are there
  const part = text.slice(0, text.indexOf('\n\nchat '));
  expect(part).toMatch(/^FAIL {2}createChatCompletion:accepts#body\.n>1\n/m);
  expect(part).toContain('30 more requirements fail because of the same requests:');
  for (const command of ['again', 'curl', 'whole'])
    expect(part).toMatch(new RegExp(`^ +${command} {2,3}\\S`, 'm'));
});

test('the last lines give the verdict, the reason, the next step, and the path of the report', () => {
  const { report, evidence } = sampleReport('broken');
  const lastLines = (shown: typeof report) => {
    const lines = terminalReport(shown, { ...evidence, ...options })
      .trimEnd()
      .split('\n');
    return lines.slice(lines.findIndex((line) => /^(conforms|does not conform|cannot tell)$/.test(line)));
  };
  expect(lastLines(report)).toEqual([
    'does not conform',
    ...report.summary.reasons.map((reason) => `  ${reason}`),
    'hint: to judge what needs another model, name it in addition to those given: --model vision=…',
    'to judge only what this target offers:',
    '  npx assay run --base-url http://127.0.0.1:4010/v1 --claim files,chat,listModels,retrieveModel',
    'written to assay-report/report.json, assay-report/junit.xml',
  ]);
  const offered = {
    ...report,
    operations: report.operations.filter(({ notImplemented }) => !notImplemented),
  };
  expect(lastLines(offered).slice(-3)).toEqual([
    'next: fix the first failure, then judge it alone:',
    "  npx assay run --base-url http://127.0.0.1:4010/v1 --only 'listModels:answer#json'",
    'written to assay-report/report.json, assay-report/junit.xml',
  ]);
  const open = report.requirements.filter(({ verdict }) => verdict === 'inconclusive');
  const summary = { ...offered.summary, verdict: 'cannot-tell' } as const;
  const undecided = { ...offered, summary, diagnoses: [], requirements: open };
  expect(lastLines(undecided).slice(-3, -1)).toEqual([
    'next: see why one could not be decided, or accept those of today with --baseline-write FILE:',
    "  npx assay explain 'createChatCompletion:body.temperature#maximum.rejected' --base-url http://127.0.0.1:4010/v1",
  ]);
});

test('a bad verdict counts the failures that the baseline accepts', () => {
  const { report, evidence } = sampleReport('broken');
  const [first, ...others] = report.requirements.filter(({ verdict }) => verdict === 'fail');
  const known = { ...report, diagnoses: [], requirements: [{ ...first, baseline: 'soon' }, ...others] };
  const text = terminalReport(known as typeof report, { ...evidence, ...options }); // as: the first is there
  expect(text).toContain('\ndoes not conform, plus 1 known failure\n');
});

test('undecided requirements are named, with a file that lists all of them, not the truncated summary', () => {
  const { report: sample, evidence } = sampleReport('broken');
  const undecided = sample.requirements.filter(({ verdict }) => verdict === 'inconclusive');
  expect(terminalReport(sample, { ...evidence, ...options })).toContain(
    `could not be decided: ${undecided.map(({ id }) => id).join(', ')}`,
  );
  const more = undecided.flatMap((one) => [1, 2].map((n) => ({ ...one, id: `${one.id}.${n}` })));
  const report = { ...sample, requirements: [...sample.requirements, ...more] };
  const files = [{ format: 'markdown', path: 'out/summary.md' } as const, ...written];
  const words = `lists all ${undecided.length * 3}`;
  const both = terminalReport(report, { ...evidence, ...options, written: files });
  expect(both).toContain(`assay-report/report.json ${words}`);
  const alone = terminalReport(report, { ...evidence, ...options, written: files.slice(0, 1) });
  expect(alone).toContain(`--report html ${words}`);
});

test('if nothing responds, the verdict and its reason come first, without a table', () => {
  const { report, evidence } = sampleReport('nothing');
  const reasons = [
    'no operation of the target could be reached: Nothing answers at http://127.0.0.1:1/v1: ECONNREFUSED',
  ];
  const unreached = { ...report, stopReason: 'target-unreachable', summary: { ...report.summary, reasons } };
  const text = terminalReport(unreached as never, { ...evidence, ...options }); // as: parts of a report
  expect(text.split('\n').slice(0, 3)).toEqual([
    'cannot tell',
    `  ${reasons[0]}`,
    expect.stringMatching(/^next: start the service or fix --base-url/),
  ]);
  expect(text).not.toContain('0 of ');
});

test('accepted failures are listed once for each reason', () => {
  const { report, evidence } = sampleReport('broken');
  const reasons = new Map([
    ['fail', 'mended in 2.0'],
    ['inconclusive', 'slow model'],
  ]);
  const requirements = report.requirements.map((one) => ({
    ...one,
    baseline: reasons.get(one.verdict) ?? one.baseline,
  }));
  const text = terminalReport({ ...report, requirements }, { ...evidence, ...options });
  expect(text).not.toMatch(/^FAIL/m);
  expect(text.match(/^KNOWN .*$/gm)).toEqual([
    expect.stringMatching(/^KNOWN 4 known failures: mended in 2\.0 \((?:\S+, ){3}… and 1 more, in \S+\)$/),
    expect.stringMatching(/^KNOWN 3 MUSTs not decided: slow model \(\S+, \S+, \S+\)$/),
  ]);
  expect(text).toMatch(/^models .* 1 fail \(1 known\), 1 warn$/m);
});

test('with --only, known failures are shown in full, with the reason', () => {
  const { report, evidence } = sampleReport('broken');
  const [first] = report.requirements;
  const known = { ...report, requirements: [{ ...first, baseline: 'mended in 2.0' }] };
  const shown = (only: readonly string[]) =>
    terminalReport(known as never, { ...evidence, ...options, only }); // as: the first is there
  expect(shown([])).not.toContain('expected  ');
  expect(shown(['*'])).not.toMatch(/^FAIL/m);
  expect(shown(['*'])).toMatch(
    new RegExp(
      `^KNOWN {2}${first?.id}\n\n {6}MUST.*\n {6}spec .*\n\n {6}known because: mended in 2\\.0\n`,
      'm',
    ),
  );
  for (const word of ['expected', 'actual', 'again', 'whole'])
    expect(shown(['*'])).toMatch(new RegExp(`^ {6}${word} +\\S`, 'm'));
});

test('invalid requests that one operation accepts are printed once, after failures of its responses', () => {
  const { report, evidence } = sampleReport('broken');
  const [first] = report.requirements;
  const rejected = ['n#maximum', 'n#type', 'seed#type'].map((place) => ({
    ...first,
    id: `createChatCompletion:body.${place}.rejected`,
    kind: 'rejected' as const,
  }));
  const changedReport = { ...report, requirements: [...rejected, first] };
  const text = terminalReport(changedReport as never, { ...evidence, ...options }); // as: `first` is there
  expect([...text.matchAll(/^FAIL {2}(\S+)$/gm)].map(([, id]) => id)).toEqual([
    first?.id,
    'createChatCompletion:body.n#maximum.rejected',
  ]);
  expect(text).toContain('and 2 more requests that createChatCompletion does not reject:');
  expect(text).toContain('        body.n#type, body.seed#type\n');
  expect(text).toContain("each   npx assay explain 'createChatCompletion:body.n#type.rejected'");

  const single = { ...report, requirements: rejected.slice(0, 1) };
  expect(terminalReport(single as never, { ...evidence, ...options })).not.toContain('more request'); // as: `first` is there
});

test('a claimed family is not listed as left out, although one of its requirements needs another one', () => {
  const { report, evidence } = sampleReport('broken');
  const [first] = report.requirements;
  const requirements = ['files', 'images'].map((family) => ({
    ...first,
    family,
    verdict: 'untested',
    cause: { kind: 'not-claimed', family: 'images' },
  }));
  const changedReport = { ...report, claims: ['files'], requirements };
  const text = terminalReport(changedReport as never, { ...evidence, ...options }); // as: `first` is there
  expect(text).toContain('2 requirements left out, not claimed: images\n');
});
