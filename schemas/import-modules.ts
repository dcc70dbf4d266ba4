// Finds modules by the names of their files, so that a new one needs no registration. The build of the package puts a list
// of all of them in the place of this file (`scripts/build/bundle.mjs`), as reading folders and files one by one takes time.
import { readdir } from 'node:fs/promises';
import { isAbsolute, join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The exports of a module, unknown until they are inspected. */
export type Module = Readonly<Record<string, unknown>>;

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Imports the modules of a folder, and of the folders in it, whose file names match. `folder`: below the root of the
 * sources, or absolute. Returns them in the order of their paths, which are relative to the folder.
 */
export async function importModules(folder: string, file: RegExp): Promise<ReadonlyMap<string, Module>> {
  const home = isAbsolute(folder) ? folder : join(root, folder);
  const entries = await readdir(home, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && file.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return new Map(
    await Promise.all(
      paths.map(async (path): Promise<[string, Module]> => {
        // as: whatever a module exports
        const module = (await import(pathToFileURL(path).href)) as Module;
        return [path.slice(home.length).split(sep).filter(Boolean).join('/'), module];
      }),
    ),
  );
}
