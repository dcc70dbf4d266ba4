import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countFailures, countKnownFailures } from '../judge/verdict/failure-count.ts';
import { acceptedGroups } from './accepted-groups.ts';
import { listFamilies } from './families.ts';
import { htmlReport } from './html/page.ts';
import type { Report } from './report.ts';
import { unjudgedLines } from './summary/unjudged.ts';
import { terminalReport } from './terminal/terminal.ts';
import { sampleReport } from './testing/sample.ts';
import { coloursFor } from './words/colours.ts';

const { report: sample, evidence } = sampleReport('broken');
const ACCEPTS = 'createChatCompletion:accepts';
const [CAUSE] = sample.diagnoses ?? [];
const CAUSES = ['tools', 'logprobs'].map((name) => `${ACCEPTS}#body.${name}`);

const requirement = fc.record({
  verdict: fc.constantFrom('pass', 'fail', 'warn', 'inconclusive', 'untested', 'excused', 'error'),
  family: fc.constantFrom('chat', 'files'),
  baseline: fc.option(fc.constantFrom('soon', 'later')),
  consequenceOf: fc.subarray(CAUSES),
});

const reports = fc.array(requirement, { minLength: 1, maxLength: 12 }).map((sketches) => {
  const shape = sample.requirements.find(({ id }) => id === ACCEPTS);
  const requirements = sketches.map((one, n) => ({
    ...shape,
    ...one,
    id: n === 0 ? ACCEPTS : `some.${n}`,
    // Only failures, warnings and undecided requirements are accepted by a baseline or explained by a cause.
    ...(['pass', 'untested', 'excused', 'error'].includes(one.verdict) && {
      baseline: null,
      consequenceOf: [],
    }),
    ...(n === 0 && { consequenceOf: [] }),
    level: one.verdict === 'warn' || (one.verdict === 'inconclusive' && n % 2 === 1) ? 'SHOULD' : 'MUST',
    cause: null,
  }));
  const diagnoses = CAUSES.map((id) => ({
    ...CAUSE,
    operations: [{ ...CAUSE?.operations[0], id, requirement: ACCEPTS }],
    consequences: requirements.filter((one) => one.consequenceOf.includes(id)).map((one) => one.id),
  }));
  return { ...sample, requirements, diagnoses, blockers: [] } as unknown as Report; // as: made of parts of a report
});

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
const numberOf = (text: string | undefined) =>
  Number((/^[\d,]+/.exec(text ?? '')?.[0] ?? '0').replaceAll(',', ''));

test('each failure is counted once in the verdict and once in a family', () => {
  fc.assert(
    fc.property(reports, (report) => {
      const { requirements } = report;
      const rows = listFamilies(report).map(({ failures }) => failures);
      for (const [level, verdict] of [
        ['MUST', 'fail'],
        ['SHOULD', 'warn'],
      ] as const) {
        const { count, consequences } = countFailures(report, level);
        const broken = requirements.filter((one) => one.verdict === verdict && one.baseline === null);
        expect(count + consequences).toBe(broken.length);
        const counts = rows.map((row) => (level === 'MUST' ? row.must : row.should));
        expect([sum(counts.map((row) => row.count)), sum(counts.map((row) => row.consequences))]).toEqual([
          count,
          consequences,
        ]);
      }
    }),
  );
});

test('each known failure is counted once in a group', () => {
  fc.assert(
    fc.property(reports, (report) => {
      const known = countKnownFailures(report);
      const groups = acceptedGroups(report).map(({ counts }) => counts.failures);
      expect(sum(groups.map(({ count }) => count))).toBe(known.count);
      expect(sum(groups.map(({ consequences }) => consequences))).toBe(known.consequences);
    }),
  );
});

test('the numbers in a row of the terminal add up to those of the family, and numbers in brackets are parts of them', () => {
  fc.assert(
    fc.property(reports, (report) => {
      const paint = coloursFor('off');
      const text = terminalReport(report, { ...evidence, paint, columns: null, written: [] });
      for (const { family, counts } of listFamilies(report)) {
        const row = new RegExp(
          `^${family} +(\\d+) of +(\\d+) pass(?:  \\d+ of \\d+ operations)?(.*)$`,
          'm',
        ).exec(text);
        const others = [
          ...(row?.[3] ?? '').matchAll(/(\d+) (?:fail|warn|inconclusive|excused|error|untested)( \(.*?\))?/g),
        ];
        expect(Number(row?.[1]) + sum(others.map(([, count]) => Number(count)))).toBe(Number(row?.[2]));
        expect(Number(row?.[2])).toBe(counts.total);
        for (const [, count, parts = ''] of others) {
          const inside = [...parts.matchAll(/\d+/g)].map(Number);
          expect(sum(inside)).toBeLessThanOrEqual(Number(count));
        }
      }
    }),
  );
});

function groupUnjudged(report: Report) {
  return ['untested', 'inconclusive'].map((verdict) => {
    const pattern = new RegExp(`^(\\d+) requirements? ${verdict}: `);
    const lines = unjudgedLines(report).filter((line) => pattern.test(line));
    return { lines, members: report.requirements.filter((one) => one.verdict === verdict) };
  });
}

test('the lines on requirements that were not judged add up to their number', () => {
  fc.assert(
    fc.property(reports, (report) => {
      for (const { lines, members } of groupUnjudged(report))
        expect(sum(lines.map(numberOf))).toBe(members.length);
    }),
  );
});

test('the lines on requirements that were not judged name causes if, and only if, each requirement has one', () => {
  fc.assert(
    fc.property(reports, (report) => {
      for (const { lines, members } of groupUnjudged(report)) {
        const isCaused =
          members.length > 0 && members.every(({ consequenceOf = [] }) => consequenceOf.length > 0);
        expect(lines.some((line) => line.includes(` for ${ACCEPTS}#`))).toBe(isCaused);
      }
    }),
  );
});

test('the cells of a row in the coverage table add up to the family, and the parts of a cell to the cell', () => {
  fc.assert(
    fc.property(reports, (report) => {
      const page = htmlReport(report, evidence, { proof: null });
      for (const { family, counts } of listFamilies(report)) {
        const row = new RegExp(`<tr><th scope="row">${family}</th>.*?</tr>`, 's').exec(page)?.[0] ?? '';
        const cells = [...row.matchAll(/<td class="n [^"]*">(.*?)<\/td>/gs)].map(([, text]) => text ?? '');
        expect(sum(cells.map(numberOf))).toBe(counts.total);
        for (const cell of cells.slice(1)) {
          const parts = [...cell.matchAll(/<small>(.*?)<\/small>/g)].map(([, words]) => numberOf(words));
          if (parts.length > 0) expect(sum(parts)).toBe(numberOf(cell));
        }
      }
    }),
    { numRuns: 40 },
  );
});
