import { printable } from '../../exchange/printable.ts';
import { takenWords } from '../../reports/summary/choices.ts';
import { alignColumns } from '../../reports/words/layout.ts';
import { UsageError } from '../setup/usage-error.ts';
import { NO_REPORT, readLastRun } from './last-run.ts';

export function listTakenChoices(reportPath: string | null, format: 'text' | 'json'): string {
  const last = readLastRun(reportPath);
  if (last === null) throw new UsageError(`list --taken: ${NO_REPORT}.`);
  const observed = last.report.choices.filter(({ taken }) => taken.length > 0);
  if (format === 'json')
    return `${JSON.stringify(observed, ['id', 'taken', 'exchanges', 'consistent'], 1)}\n`;
  if (observed.length === 0) return `${last.path}: no choice was observed\n`;
  const rows = observed.map((choice) => [
    choice.id,
    `${takenWords(choice).map(printable).join(', ')}${choice.consistent ? '' : ' (inconsistent)'}`,
  ]);
  return `${alignColumns(rows).join('\n')}\n`;
}
