// Writes the part of the lock file that installs only esbuild, with the versions and digests of the whole file.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = process.argv[2] ?? fileURLToPath(new URL('.', import.meta.url));
const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'));
const esbuildPackages = Object.entries(lock.packages).filter(([path]) =>
  /^node_modules\/(?:esbuild$|@esbuild\/)/.test(path),
);
const packages = esbuildPackages.map(([path, { dev: _, ...entry }]) => [path, entry]);
const dependencies = { esbuild: lock.packages['node_modules/esbuild'].version };
const write = (name, content) => writeFileSync(join(folder, name), JSON.stringify(content));
write('package.json', { private: true, dependencies });
write('package-lock.json', {
  lockfileVersion: lock.lockfileVersion,
  requires: true,
  packages: { '': { dependencies }, ...Object.fromEntries(packages) },
});
