// The output of `assay watch` when a violation is found.
import type { Exchange } from '../../exchange/exchange.ts';
import { briefJson, printable } from '../../exchange/printable.ts';
import type { Requirement } from '../../judge/requirements/catalogue.ts';
import type { Violation } from '../../judge/requirements/requirement.ts';
import { wireLines } from '../failure/wire.ts';
import type { Colours } from '../words/layout.ts';
import { levelWords } from '../words/text.ts';

const EXCHANGES = 2;

export interface ViolationPage {
  readonly width: number;
  readonly paint: Colours;
}

/** One line, for when the report soon shows it in full: `FAIL  id  expected …, actual … (e3)`. */
export function violationLine(
  { id, level }: Requirement,
  { at, expected, actual, exchange }: Violation,
  evidence: readonly Exchange[],
  { width, paint }: ViolationPage,
): string {
  const found = `at ${at === '' ? 'the whole body' : printable(at)}: expected ${printable(expected)}, actual ${briefJson(actual, width)}`;
  const named = exchange ?? evidence.at(-1)?.id ?? 'no exchange';
  return `${paint.bold(wordOf(level, paint))}  ${paint.bold(id)}  ${found} (${named})`;
}

function wordOf(level: Requirement['level'], paint: Colours): string {
  return level === 'MUST' ? paint.red('FAIL') : paint.yellow('WARN');
}

export function violationLines(
  { id, level, basis, says, spec }: Requirement,
  { at, expected, actual, exchange }: Violation,
  evidence: readonly Exchange[],
  { width, paint }: ViolationPage,
): string {
  const word = wordOf(level, paint);
  // Unless the check names an exchange, the last one of the evidence completed it.
  const named = exchange ?? evidence.at(-1)?.id ?? '';
  const finding = { at, expected, exchange: named, signature: '', ...(actual !== undefined && { actual }) };
  const shown = evidence.filter((one) => one.id === named || evidence.length <= EXCHANGES).slice(-EXCHANGES);
  const lines = [
    `${levelWords({ level, basis })}  ${says}  [${spec}]`,
    `at        ${at === '' ? 'the whole body' : printable(at)}`,
    `expected  ${paint.green(printable(expected))}`,
    `actual    ${briefJson(actual, Math.max(width - 16, 40) * 2)}`,
    ...shown.flatMap((one) => wireLines(one, one.id === named ? [finding] : [], Math.max(width - 6, 40))),
    `exchange  ${named}`,
  ];
  return `${paint.bold(word)}  ${paint.bold(id)}\n${lines.map((line) => `      ${line}`).join('\n')}\n`;
}
