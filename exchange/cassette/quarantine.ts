import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Redactor } from '../redact.ts';
import { CassetteError } from './error.ts';
import { findLeaks } from './leaks.ts';

/**
 * Searches a finished cassette for the known secrets once more. Where one got through, the folder is put aside and
 * CassetteError thrown: nobody is to commit it.
 */
export function quarantine(work: string, dir: string, redactor: Redactor): void {
  if (!redactor.hunts) return;
  const leaks = findLeaks(work, redactor, false);
  const [first] = leaks;
  if (first === undefined) return;
  const aside = `${dir}.quarantine`;
  rmSync(aside, { recursive: true, force: true });
  renameSync(work, aside);
  rmSync(join(aside, 'lock'), { force: true });
  const place = first.file.replace(work, aside) + (first.line === null ? '' : `:${first.line}`);
  throw new CassetteError(
    'secret',
    `${leaks.length} places of the cassette hold a known secret, the first at ${place}. It was put aside as ${aside}: do not share it, and record again without that secret in the traffic.`,
  );
}
