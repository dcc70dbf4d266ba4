import { expect, test } from 'vitest';
import { sampleReport } from '../testing/sample.ts';
import { coloursFor } from '../words/colours.ts';
import { terminalReport } from './terminal.ts';

const options = { paint: coloursFor('off'), columns: null, written: [] } as const;

test('at 80 columns no line is wider than that, except for a word that cannot be broken', () => {
  const { report, evidence } = sampleReport('broken');
  const text = terminalReport(report, { ...evidence, ...options, columns: 80, width: 80 });
  const long = text.split('\n').filter((line) => line.length > 80);
  // The body in a curl line is one word for a shell.
  for (const line of long) expect(line.trim()).toMatch(/^--data-raw \S/);
});

test('at 80 columns each line of a curl command but the last ends in a backslash, so that a shell joins them', () => {
  const { report, evidence } = sampleReport('broken');
  const text = terminalReport(report, { ...evidence, ...options, columns: 80, width: 80 });
  const curl = text.slice(text.indexOf('curl   curl -sS'), text.indexOf('whole  '));
  expect(curl).toContain('\n');
  for (const line of curl.trimEnd().split('\n').slice(0, -1)) expect(line.endsWith(' \\')).toBe(true);
});

test('at 80 columns an id of 80 characters fits in the terminal', () => {
  const { report, evidence } = sampleReport('broken');
  const [first] = report.requirements;
  const long = `createChatCompletion:body.${'x'.repeat(38)}#type.accepted`;
  const ids = Array.from({ length: 40 }, (_, n) => (n > 10 ? `${long}${n}` : `chat.stream.rule-${n}`));
  const changedReport = { ...report, requirements: ids.map((id) => ({ ...first, id })) };
  // as: the sample has requirements
  const text = terminalReport(changedReport as never, { ...evidence, ...options, columns: 80, width: 80 });
  const lines = text.split('\n').filter((line) => line.includes(long));
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});

test('at 80 columns a long finding of a failure in brief ends in an ellipsis', () => {
  const { report, evidence } = sampleReport('broken');
  const [first] = report.requirements;
  const findings = [{ ...first?.findings[0], expected: 'word '.repeat(60) }];
  const requirements = Array.from({ length: 30 }, (_, n) => ({ ...first, id: `chat.rule-${n}`, findings }));
  // as: the sample has requirements
  const longReport = { ...report, diagnoses: [], requirements } as never;
  const text = terminalReport(longReport, { ...evidence, ...options, columns: 80, width: 80 });
  expect(text).toMatch(/^ {6}at .*\n {8}word.*\n {8}word.*\n {8}…$/m);
});

test('at 80 columns the rows of several known failures fit in the terminal', () => {
  const { report, evidence } = sampleReport('broken');
  const [first] = report.requirements;
  const requirements = [1, 2].map((n) => ({
    ...first,
    id: `chat.rule-${n}`,
    says: 'word '.repeat(30),
    baseline: 'a',
  }));
  const knownReport = { ...report, requirements };
  const text = terminalReport(
    knownReport as never, // as: the sample has requirements
    { ...evidence, ...options, columns: 80, width: 80, only: ['*'] },
  );
  expect(text.match(/^KNOWN {2}chat\.rule-\d {2}.*/gm)?.map((row) => row.length)).toEqual([80, 80]);
});

test('at 80 columns the row of a family wraps', () => {
  const { report, evidence } = sampleReport('broken');
  const verdicts = ['pass', 'fail', 'warn', 'inconclusive', 'untested', 'excused', 'error'];
  const family = 'vector-store-file-batches';
  const rows = verdicts.map((verdict) => ({ ...report.requirements[5], id: verdict, family, verdict }));
  const changedReport = { ...report, claims: [family], requirements: rows };
  // as: the sample has at least six requirements
  const text = terminalReport(changedReport as never, { ...evidence, ...options, columns: 80, width: 80 });
  expect(text).toMatch(/^vector-store-file-batches {2}1 of 7 pass {2}.*1 fail.*,?\n {30,}\S/m);
});

test('at 80 columns families that are left out are counted in one line', () => {
  const { report, evidence } = sampleReport('broken');
  const cause = { kind: 'not-claimed', family: null };
  const left = Array.from({ length: 16 }, (_, n) => ({
    ...report.requirements[5],
    family: `family-${n}`,
    verdict: 'untested',
    cause,
  }));
  const [operation] = report.operations;
  const unclaimed = left.map((one) => ({ ...operation, family: one.family, claimed: false }));
  const operations = [...report.operations.filter(({ claimed }) => claimed), ...unclaimed];
  const changedReport = { ...report, requirements: left, operations };
  // as: the sample has at least six requirements
  const text = terminalReport(changedReport as never, { ...evidence, ...options, columns: 80, width: 80 });
  expect(text).toContain('16 requirements left out, not claimed: 16 families\n');
});

test('a narrower terminal gets shorter lines of requests and responses', () => {
  const { report, evidence } = sampleReport('broken');
  const wireLengths = (width: number) =>
    terminalReport(report, { ...evidence, ...options, width })
      .split('\n')
      .flatMap((line) => (/^ {6}[<>] /.test(line) ? [line.length] : []));
  expect([50, 80, 110].map((width) => Math.max(...wireLengths(width)))).toEqual([75, 80, 82]);
});

test('a long line on tolerated failures continues below its text', () => {
  const { report, evidence } = sampleReport('broken');
  const causes = [{ kind: 'clients', count: 1, operations: [], tolerated: true }];
  const tolerated = { ...report.requirements[0], basis: 'clients', says: 'word '.repeat(30) };
  const changedReport = { ...report, requirements: [tolerated], summary: { ...report.summary, causes } };
  // as: the sample has requirements
  const text = terminalReport(changedReport as never, { ...evidence, ...options, columns: 80, width: 80 });
  expect(text).toMatch(/^TOLERATED .*\n {10}word/m);
});
