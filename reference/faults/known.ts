import { readdir } from 'node:fs/promises';
import type { Fault, KnownFault } from './fault.ts';

/** Every fault: those of `families/` by family, then those of `filed/`, which real services have had, by subject. */
export async function knownFaults(): Promise<readonly KnownFault[]> {
  return [...(await faultsIn('families', '')), ...(await faultsIn('filed', 'filed/'))];
}

/** The faults of each file in a folder; `prefix` precedes the file name in the name of their family. */
async function faultsIn(name: string, prefix: string): Promise<readonly KnownFault[]> {
  const folder = new URL(`./${name}/`, import.meta.url);
  // Found by their place, as families are: adding a fault touches one file.
  const files = (await readdir(folder)).filter((file) => /^[a-z0-9-]+\.(ts|js)$/.test(file)).sort();
  const found = await Promise.all(
    files.map(async (file) => {
      const module: { faults: readonly Fault[] } = await import(new URL(file, folder).href);
      return module.faults.map((fault) => ({ ...fault, family: prefix + file.replace(/\.[jt]s$/, '') }));
    }),
  );
  return found.flat();
}

/** The value of `--fault` is unknown. */
class UnknownFault extends Error {
  constructor(id: string) {
    super(`Unknown fault '${id}'. Run assay serve --fault list to see all faults.`);
    this.name = 'UnknownFault';
  }
}

/** The fault of this id. @throws UnknownFault when it does not exist. */
export async function needFault(id: string): Promise<Fault> {
  const found = (await knownFaults()).find((fault) => fault.id === id);
  if (found === undefined) throw new UnknownFault(id);
  return found;
}
