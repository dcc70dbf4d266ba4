import { printable } from '../../reports/failure/excerpt.ts';
import { columns } from '../../reports/terminal/columns.ts';
import { takenWords } from '../../reports/words/taken.ts';
import { UsageError } from '../usage-error.ts';
import { lastRun, NO_REPORT } from './last-run.ts';

/** Lists the choices that the last run met, each with the alternatives that its target takes. Throws UsageError without a report. */
export function listTaken(named: string | null, format: 'text' | 'json'): string {
  const last = lastRun(named);
  if (last === null) throw new UsageError(`list --taken: ${NO_REPORT}.`);
  const met = last.report.choices.filter(({ taken }) => taken.length > 0);
  if (format === 'json')
    return `${JSON.stringify(
      met.map(({ id, taken, exchanges, consistent }) => ({ id, taken, exchanges, consistent })),
      null,
      1,
    )}\n`;
  if (met.length === 0) return `${last.path}: no point left open was met\n`;
  const rows = met.map((one) => [
    one.id,
    `${takenWords(one).map(printable).join(', ')}${one.consistent ? '' : ' (inconsistent)'}`,
  ]);
  return `${columns(rows).join('\n')}\n`;
}
