import { importModules } from '../../schemas/import-modules.ts';
import { nearestNames } from '../../schemas/nearest-names.ts';
import type { Fault, KnownFault } from '../deviations/hooks.ts';

/** Every fault: those of `families/` by family, then those of `filed/`, which real services have had, by subject. */
export async function knownFaults(): Promise<readonly KnownFault[]> {
  return [...(await faultsIn('families', '')), ...(await faultsIn('filed', 'filed/'))];
}

/** The faults of each file in a folder; `prefix` precedes the file name in the name of their family. */
async function faultsIn(name: string, prefix: string): Promise<readonly KnownFault[]> {
  // Found by their place, as families are: adding a fault touches one file.
  const modules = await importModules(`reference/faults/${name}`, /^[a-z0-9-]+\.[jt]s$/);
  return [...modules].flatMap(([file, module]) => {
    const { faults } = module as { faults: readonly Fault[] }; // as: every file of the folder exports its faults
    return faults.map((fault) => ({ ...fault, family: prefix + file.replace(/\.[jt]s$/, '') }));
  });
}

/** The value of `--fault` is unknown; the message has the nearest ids. */
class UnknownFault extends Error {
  constructor(id: string, ids: readonly string[]) {
    super(`Unknown fault '${id}'${nearestNames(id, ids)}. assay serve --fault list prints all of them.`);
    this.name = 'UnknownFault';
  }
}

/** The faults of these ids, separated by commas. @throws UnknownFault when one does not exist. */
export async function needFaults(ids: string): Promise<readonly Fault[]> {
  const known = await knownFaults();
  return ids.split(',').map((id) => {
    const found = known.find((fault) => fault.id === id.trim());
    if (found !== undefined) return found;
    throw new UnknownFault(
      id,
      known.map((fault) => fault.id),
    );
  });
}
