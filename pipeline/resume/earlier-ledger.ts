import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { needsCleanup, readLedger } from '../../drive/cleanup/resource-ledger.ts';
import { ConfigurationError } from '../../drive/configuration/configuration.ts';
import { errorCode } from '../../schemas/error-message.ts';

/** The ledger of an earlier run that was put aside, for `assay cleanup`. */
export interface EarlierLedger {
  /** Where it was, and where it is now. */
  readonly file: string;
  /** Beside the file, named after the tag of its run, so that several interrupted runs keep theirs apart. */
  readonly aside: string;
  /** The target, and how many objects may still be on it; null where the file could not be read. */
  readonly left: { readonly baseUrl: string; readonly objects: number } | null;
}

/** A run that broke off leaves a ledger of things still on its target: it is put aside, never written over. Null without one. */
export function keepEarlierLedger(reportDir: string): EarlierLedger | null {
  const file = join(reportDir, 'ledger.jsonl');
  if (!isBegun(file)) return null;
  const read = contents(file);
  const objects = read?.entries.filter(needsCleanup).length ?? 0;
  // Everything in it was removed, so that it can be replaced.
  if (read !== null && objects === 0) return null;
  const aside = join(reportDir, `ledger-${read?.header.tag ?? `unreadable-${Date.now()}`}.jsonl`);
  renameSync(file, aside);
  return { file, aside, left: read === null ? null : { baseUrl: read.header.baseUrl, objects } };
}

/** The first line is written before anything is made: without it there is nothing to remember. */
function isBegun(file: string): boolean {
  try {
    return readFileSync(file, 'utf8').includes('\n');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/**
 * The ledger; null where the file is not one. An unreadable file is kept, too: it may list objects on a
 * target.
 */
function contents(file: string): ReturnType<typeof readLedger> | null {
  try {
    return readLedger(file);
  } catch (error) {
    if (error instanceof ConfigurationError) return null;
    throw error;
  }
}
