// Imports modules by file name, so that a new one needs no registration. The package build replaces this file with a
// list of all modules (`scripts/build/bundle.mjs`), because reading folders and files takes time.
import { readdir } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export type Module = Readonly<Record<string, unknown>>;

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Imports the files in `folder` whose base name matches `pattern`. `folder` is absolute, or relative to the root of the
 * sources. The keys are paths relative to the folder, with slashes, sorted.
 */
export async function importModules(folder: string, pattern: RegExp): Promise<ReadonlyMap<string, Module>> {
  const home = isAbsolute(folder) ? folder : join(root, folder);
  const entries = await readdir(home, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return new Map(
    await Promise.all(
      paths.map(async (path): Promise<[string, Module]> => {
        const module = (await import(pathToFileURL(path).href)) as Module;
        return [relative(home, path).split(sep).join('/'), module];
      }),
    ),
  );
}
