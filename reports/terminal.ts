import type { RequirementVerdict } from '../judge/verdict.ts';
import { type Evidence, type FailureText, failureBlocks, failureText } from './failure.ts';
import type { Paint } from './paint.ts';
import { known, type Report, unexcused } from './report.ts';
import { errataLines, summary } from './summary.ts';

/** Failures shown in full; a broken target is understood from the first few, the report has all. */
const IN_FULL = 12;
/** Further ones, a line each. */
const IN_BRIEF = 60;

export interface TerminalOptions extends Evidence {
  readonly paint: Paint;
  /** What was written and where, a line at the end: `assay-report/report.json`; empty when nothing was. */
  readonly written: readonly string[];
}

/** The whole report for a terminal: failures, warnings, then the summary, because a terminal is read from its end. */
export function terminal(report: Report, options: TerminalOptions): string {
  return [
    ...broken(unexcused(report, 'fail'), options),
    ...broken(unexcused(report, 'warn'), options),
    ...excused(known(report), options.paint),
    ...errata(report, options.paint),
    ...defects(report, options.paint),
    ...summary(report, options),
    '',
  ].join('\n');
}

function broken(requirements: readonly RequirementVerdict[], options: TerminalOptions): string[] {
  const full = requirements
    .slice(0, IN_FULL)
    .flatMap((one) => failure(failureText(one, options), options.paint));
  const rest = requirements.slice(IN_FULL);
  const lines = rest.slice(0, IN_BRIEF).map(({ id, says }) => `      ${id}  ${options.paint.dim(says)}`);
  if (rest.length > 0)
    lines.unshift(`${rest[0]?.verdict === 'warn' ? 'WARN' : 'FAIL'}  ${rest.length} more:`);
  if (rest.length > IN_BRIEF) lines.push(`      … and ${rest.length - IN_BRIEF} more, in the report`);
  return lines.length > 0 ? [...full, ...lines, ''] : full;
}

function failure(text: FailureText, paint: Paint): string[] {
  const word = text.word === 'FAIL' ? paint.red : paint.yellow;
  const lines = failureBlocks(text, paint).flatMap((block) => ['', ...block.map((line) => `      ${line}`)]);
  return [`${paint.bold(word(text.word))}  ${paint.bold(text.id)}`, ...lines, ''];
}

/** Failures that the baseline lists, a line each. */
function excused(requirements: readonly RequirementVerdict[], paint: Paint): string[] {
  if (requirements.length === 0) return [];
  const lines = requirements.map(
    ({ id, baseline }) => `${paint.bold(paint.cyan('KNOWN'))} ${id}  ${baseline}`,
  );
  return [...lines, ''];
}

/** What the dialect in force excused, a line each. */
function errata(report: Report, paint: Paint): string[] {
  const lines = errataLines(report).map((line) => `${paint.bold(paint.cyan('EXCUSED'))} ${line}`);
  return lines.length === 0 ? [] : [...lines, ''];
}

/** Requirements on which the suite itself broke down: no word about the target. */
function defects({ requirements }: Report, paint: Paint): string[] {
  return requirements
    .filter(({ verdict }) => verdict === 'error')
    .flatMap(({ id, reason }) => [
      `${paint.bold(paint.magenta('ERROR'))} ${id}`,
      `      a defect of assay, not of the target: ${reason ?? 'no reason given'}`,
      '',
    ]);
}
