// One line per failure, or per group of failures with one defect, in the format of compilers: `file:line:column: error:
// message`, for VS Code's `$gcc` matcher and Vim's quickfix list. The file is the OpenAPI document of the package.
import { failsGate } from '../../judge/baseline/baseline-gate.ts';
import type { Finding } from '../../judge/verdict/verdict.ts';
import { type BrokenItem, brokenPins, groupFailures, itemLine } from '../failure/broken-items.ts';
import { findingWords } from '../failure/failure.ts';
import { printableReport } from '../printable-report.ts';
import type { Report, ReportedRequirement } from '../report.ts';
import { unexcusedRequirements } from '../selection.ts';
import { verdictSentence } from '../verdict-words.ts';
import { capitalise } from '../words/text.ts';
import { openApiFile, operationLine } from './operation-line.ts';

const MAX_ACTUAL_LENGTH = 120;

/**
 * The lines for broken pins, failures and warnings, except known and tolerated ones, and those that a cause of refusals
 * explains. If the gate fails without an error among them, its reasons are errors, because an empty list would read as
 * a pass.
 */
export function problemLines(rawReport: Report): string {
  const report = printableReport(rawReport);
  const linesOf = (requirements: readonly ReportedRequirement[], level: 'error' | 'warning') =>
    groupFailures(requirements).map((item) => problemLine(item, level));
  const errors = linesOf([...brokenPins(report), ...unexcusedRequirements(report, 'fail')], 'error');
  const { exitCode, causes, reasons } = report.summary;
  const isStrict = report.summary.strictBaseline ?? wasStrict(causes);
  const failing = reasons.filter((_, n) => causes[n] !== undefined && failsGate(causes[n], isStrict));
  if (exitCode !== 0 && errors.length === 0)
    errors.push(...failing.map((why) => `${openApiFile()}:1:1: error: ${verdictSentence(report)}: ${why}`));
  return [...errors, ...linesOf(unexcusedRequirements(report, 'warn'), 'warning')]
    .map((line) => `${line}\n`)
    .join('');
}

/**
 * Older reports do not say whether the gate was strict. A strict gate lists stale entries before other causes, or has
 * no other cause.
 */
function wasStrict(causes: Report['summary']['causes']): boolean {
  const firstOther = causes.findIndex(({ kind }) => kind !== 'baseline');
  const areStale = causes.map((cause) => !failsGate(cause, false));
  return areStale.slice(0, Math.max(firstOther, 0)).includes(true) || !areStale.includes(false);
}

function problemLine(item: BrokenItem, level: 'error' | 'warning'): string {
  const { id, says, operations, findings } = item.first;
  const [finding = null] = findings;
  const words = item.shape === null ? says : `${itemLine(item)}; the first: ${says}`;
  return `${openApiFile()}:${operationLine(operations[0])}:1: ${level}: ${problemMessage(words, finding, MAX_ACTUAL_LENGTH)} [${id}]`;
}

/** `limit`: maximum length of the actual value, in characters. */
export function problemMessage(says: string, finding: Finding | null, limit: number): string {
  if (finding === null) return says;
  const words = findingWords(finding, limit);
  return `${says} ${capitalise(words)} (${finding.exchange}).`;
}
