import { createRequire } from 'node:module';
import { nearestNames } from '../../schemas/nearest-names.ts';
import type { Fault } from '../deviations/hooks.ts';
import { type ChangeRow, hooksOf } from '../deviations/rows.ts';
import { faultsInCode } from './in-code.ts';

const ROWS = createRequire(import.meta.url)('#reference/faults/faults.json') as readonly (Omit<
  Fault,
  'does'
> &
  ChangeRow)[]; // as: cli/faults.proof.test.ts proves each row

/** The faults that the service injects itself. */
export const knownFaults: readonly Fault[] = [
  ...ROWS.map((row) => ({ ...row, does: hooksOf(row) })),
  ...faultsInCode,
];

/** A fault does not exist, or cannot be injected; the message says why. */
export class UnknownFault extends Error {
  override name = 'UnknownFault';
}

/** The faults of these ids, separated by commas. @throws UnknownFault when one does not exist. */
export function needFaults(ids: string): readonly Fault[] {
  return ids.split(',').map((id) => {
    const found = knownFaults.find((fault) => fault.id === id.trim());
    if (found !== undefined) return found;
    const names = nearestNames(
      id,
      knownFaults.map((fault) => fault.id),
    );
    throw new UnknownFault(`Unknown fault '${id}'${names}. assay serve --fault list prints all of them.`);
  });
}
