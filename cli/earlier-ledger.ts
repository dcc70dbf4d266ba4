import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { readLedger } from '../drive/ledger.ts';

/** A run that broke off leaves a ledger of things still on its target: it is put aside, never written over. */
export function keepEarlierLedger(reportDir: string): void {
  const file = join(reportDir, 'ledger.jsonl');
  if (!existsSync(file)) return;
  const { header, entries } = readLedger(file);
  const open = entries.filter(({ state }) => state === 'intended' || state === 'made').length;
  if (open === 0) return;
  const aside = join(reportDir, `ledger-${header.tag}.jsonl`);
  renameSync(file, aside);
  process.stderr.write(
    `An earlier run broke off and left up to ${open} objects on ${header.baseUrl}.\n` +
      `Remove them with: npx assay cleanup --ledger ${aside}\n`,
  );
}
