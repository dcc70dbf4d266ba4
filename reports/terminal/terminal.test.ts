import { expect, test } from 'vitest';
import { sampleReport } from '../samples/sample.ts';
import { coloursFor } from './colours.ts';
import { terminalReport } from './terminal.ts';

const written = [
  { format: 'json', path: 'assay-report/report.json' },
  { format: 'junit', path: 'assay-report/junit.xml' },
] as const;
const options = { paint: coloursFor('off'), written };

test.for(['broken', 'green', 'nothing'] as const)('the %s sample reads as approved', async (name) => {
  const { report, evidence } = sampleReport(name);
  const text = terminalReport(report, { ...evidence, ...options });
  await expect(text).toMatchFileSnapshot(`../samples/${name}.terminal.txt`);
});

test('nothing of the target steers the terminal', () => {
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

test('many failures are printed in full first, then a line each', () => {
  const { report, evidence } = sampleReport('broken');
  const [first] = report.requirements;
  const many = Array.from({ length: 100 }, (_, n) => ({ ...first, id: `chat.stream.rule-${n}` }));
  const text = terminalReport({ ...report, requirements: many as never }, { ...evidence, ...options }); // as: `first` is there
  expect(text.match(/^FAIL {2}chat/gm)).toHaveLength(12);
  expect(text).toContain('FAIL  88 more:');
  expect(text).toContain('… and 28 more, in the report');
});

test('a failure that the baseline lists is one line', () => {
  const { report, evidence } = sampleReport('broken');
  const requirements = report.requirements.map((one) =>
    one.verdict === 'fail' ? { ...one, baseline: 'mended in 2.0' } : one,
  );
  const text = terminalReport({ ...report, requirements }, { ...evidence, ...options });
  expect(text).not.toMatch(/^FAIL/m);
  expect(text).toContain('KNOWN file:bytes#type  mended in 2.0');
});

test('invalid requests that one operation accepts are printed once, after failures of its responses', () => {
  const { report, evidence } = sampleReport('broken');
  const [first] = report.requirements;
  const rejected = ['n#maximum', 'n#type', 'seed#type'].map((place) => ({
    ...first,
    id: `createChatCompletion:body.${place}.rejected`,
    kind: 'rejected' as const,
  }));
  const odd = { ...report, requirements: [...rejected, first] };
  const text = terminalReport(odd as never, { ...evidence, ...options }); // as: `first` is there
  expect([...text.matchAll(/^FAIL {2}(\S+)/gm)].map(([, id]) => id)).toEqual([
    first?.id,
    'createChatCompletion:body.n#maximum.rejected',
  ]);
  expect(text).toContain('and 2 more requests that createChatCompletion does not turn down:');
  expect(text).toContain('        body.n#type, body.seed#type\n');
  expect(text).toContain("each   npx assay explain 'createChatCompletion:body.n#type'");
});

test('the command to paste stands last, and is a whole one', () => {
  const { report, evidence } = sampleReport('broken');
  const lines = terminalReport(report, { ...evidence, ...options })
    .trimEnd()
    .split('\n');
  expect(lines.at(-1)).toBe(
    '  npx assay run --base-url http://127.0.0.1:4010/v1 --claim files,chat,listModels,retrieveModel',
  );
});

test('a narrow terminal gets short lines of what the target said', () => {
  const { report, evidence } = sampleReport('broken');
  const text = terminalReport(report, { ...evidence, ...options, width: 50 });
  const wire = text.split('\n').filter((line) => /^ {6}[<>] /.test(line));
  expect(wire.length).toBeGreaterThan(0);
  for (const line of wire) expect(line.length).toBeLessThanOrEqual(110);
  expect(Math.max(...wire.map(({ length }) => length))).toBeLessThan(
    Math.max(
      ...terminalReport(report, { ...evidence, ...options })
        .split('\n')
        .map(({ length }) => length),
    ),
  );
});

test('a family that is claimed is not listed as left out, though a rule of it needs another one', () => {
  const { report, evidence } = sampleReport('broken');
  const [first] = report.requirements;
  const requirements = ['files', 'images'].map((family) => ({
    ...first,
    family,
    verdict: 'untested',
    cause: { kind: 'not-claimed', family: 'images' },
  }));
  const odd = { ...report, claims: ['files'], requirements };
  const text = terminalReport(odd as never, { ...evidence, ...options }); // as: `first` is there
  expect(text).toContain('2 requirements left out by --claim, --only or --skip (not claimed: images)\n');
});
