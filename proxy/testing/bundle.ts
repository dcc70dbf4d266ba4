import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

/**
 * Makes one file of JavaScript out of a TypeScript entry, so that it starts fast and as often as a test likes. `dir` becomes
 * a package of its own. Gives the path of the file.
 */
export async function bundle(entry: string, dir: string): Promise<string> {
  writeFileSync(
    join(dir, 'package.json'),
    JSON.stringify({ type: 'module', version: '0.0.0', imports: { '#package': './package.json' } }),
  );
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
