import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

/** Bundles a program into `dir`, with links to the files that it reads. Returns the path of the bundle. */
export async function bundle(entry: string, dir: string): Promise<string> {
  const folders = {
    cassettes: 'cassettes',
    'secret-rules': 'exchange/redaction/secret-rules',
    // esbuild does not bundle packages that the code resolves at run time.
    node_modules: 'node_modules',
  };
  const imports = {
    '#package': './package.json',
    '#cassettes/*': './cassettes/*',
    '#secret-rules/*': './secret-rules/*',
  };
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ type: 'module', version: '0.0.0', imports }));
  for (const [name, target] of Object.entries(folders)) {
    rmSync(join(dir, name), { force: true });
    symlinkSync(resolve(target), join(dir, name), 'dir');
  }
  const outfile = join(dir, 'bundle.js');
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: {
      js: "import { createRequire as assayRequire } from 'node:module'; const require = assayRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  return outfile;
}
