import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { needsCleanup, readLedger } from '../../drive/cleanup/resource-ledger.ts';
import { isRunTag } from '../../drive/cleanup/run-tag.ts';
import { ConfigurationError } from '../../drive/configuration/configuration.ts';
import { readRegularFile } from '../../exchange/regular-file.ts';
import { errorCode } from '../../schemas/error-message.ts';

export const LEDGER_FILE = 'ledger.jsonl';

/** The ledger of an earlier run, set aside for `assay cleanup`. */
export interface EarlierLedger {
  readonly file: string;
  /** In the same folder, named after the tag of its run, or after the time if it has no usable tag. */
  readonly aside: string;
  /** The objects that may still be on the target; null if the file could not be read as a ledger. */
  readonly left: { readonly baseUrl: string; readonly objects: number } | null;
}

/** Renames the ledger of an earlier run if objects may be left. Otherwise returns null: the next run replaces it. */
export function keepEarlierLedger(reportDir: string): EarlierLedger | null {
  const file = join(reportDir, LEDGER_FILE);
  if (!hasHeader(file)) return null;
  const ledger = readLedgerOrNull(file);
  const objects = ledger?.entries.filter(needsCleanup).length ?? 0;
  if (ledger !== null && objects === 0) return null;
  // A tag of any other form, such as `/../../x`, could name a file outside the folder.
  const tag = ledger !== null && isRunTag(ledger.header.tag) ? ledger.header.tag : `unreadable-${Date.now()}`;
  const aside = join(reportDir, `ledger-${tag}.jsonl`);
  renameSync(file, aside);
  return { file, aside, left: ledger === null ? null : { baseUrl: ledger.header.baseUrl, objects } };
}

/** Whether a ledger has its first line, which is written before any object is created. */
function hasHeader(file: string): boolean {
  try {
    return readRegularFile(file).includes('\n');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Null if the file cannot be read as a ledger. The caller still sets it aside, because it may list objects. */
function readLedgerOrNull(file: string): ReturnType<typeof readLedger> | null {
  try {
    return readLedger(file);
  } catch (error) {
    if (error instanceof ConfigurationError) return null;
    throw error;
  }
}
