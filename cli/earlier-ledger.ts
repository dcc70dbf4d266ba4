import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError } from '../drive/configuration.ts';
import { isOpen, readLedger } from '../drive/ledger.ts';
import { quote } from '../reports/again.ts';
import { plural } from '../reports/report.ts';

/** A run that broke off leaves a ledger of things still on its target: it is put aside, never written over. */
export function keepEarlierLedger(reportDir: string): void {
  const file = join(reportDir, 'ledger.jsonl');
  if (!isBegun(file)) return;
  const read = contents(file);
  const open = read?.entries.filter(isOpen).length ?? 0;
  if (read !== null && open === 0) return;
  const aside = join(reportDir, `ledger-${read?.header.tag ?? `unreadable-${Date.now()}`}.jsonl`);
  renameSync(file, aside);
  const words =
    read === null
      ? `${file} cannot be read as the ledger of an earlier run; it is kept as ${aside}.`
      : `An earlier run left up to ${plural(open, 'object')} on ${read.header.baseUrl}.\n` +
        `Remove them with: npx assay cleanup --ledger ${quote(aside)}`;
  process.stderr.write(`${words}\n`);
}

/** The first line is written before anything is made: without it there is nothing to remember. */
function isBegun(file: string): boolean {
  try {
    return readFileSync(file, 'utf8').includes('\n');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

function contents(file: string): ReturnType<typeof readLedger> | null {
  try {
    return readLedger(file);
  } catch (error) {
    if (error instanceof ConfigurationError) return null;
    throw error;
  }
}
