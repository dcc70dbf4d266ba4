import { printable } from '../../exchange/printable.ts';
import type { Requirement, ShownViolation } from '../../judge/requirements/catalogue.ts';
import { findingWords, levelWords, printableFinding } from '../failure/failure.ts';
import { MIN_COLUMNS, wireLines } from '../failure/wire.ts';
import type { Colours } from '../words/colours.ts';
import { MARGIN } from './failures.ts';

interface ViolationStyle {
  readonly width: number;
  readonly paint: Colours;
}

export function violationLine(
  { requirement: { id, level }, violation: { at, expected, actual }, exchange }: ShownViolation,
  { width, paint }: ViolationStyle,
): string {
  const shown = { at: printable(at), expected: printable(expected), ...(actual !== undefined && { actual }) };
  return `${paint.bold(wordOf(level, paint))}  ${paint.bold(id)}  ${findingWords(shown, width)} (${exchange ?? 'no exchange'})`;
}

function wordOf(level: Requirement['level'], paint: Colours): string {
  return level === 'MUST' ? paint.red('FAIL') : paint.yellow('WARN');
}

export function violationBlock(
  { requirement, violation, exchange, evidence }: ShownViolation,
  { width, paint }: ViolationStyle,
): string {
  const { id, level, basis, says, spec } = requirement;
  const { at, expected, actual } = violation;
  const shownBy = exchange ?? '';
  const finding = { at, expected, exchange: shownBy, signature: '', ...(actual !== undefined && { actual }) };
  const text = printableFinding(finding, width);
  const lines = [
    `${levelWords({ level, basis })}  ${says}  [${spec}]`,
    `at        ${text.at}`,
    `expected  ${paint.green(text.expected)}`,
    `actual    ${text.actual}`,
    ...evidence.flatMap((one) =>
      wireLines(one, one.id === shownBy ? [finding] : [], Math.max(width - MARGIN.length, MIN_COLUMNS)),
    ),
    `exchange  ${exchange ?? 'none'}`,
  ];
  return `${paint.bold(wordOf(level, paint))}  ${paint.bold(id)}\n${lines.map((line) => `${MARGIN}${line}`).join('\n')}\n`;
}
