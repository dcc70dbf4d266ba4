// Does without an engine what the Dockerfile does after the package is packed.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Program } from './installers.ts';

const dockerfile = fileURLToPath(new URL('../../Dockerfile', import.meta.url));

/**
 * Installs the tarball like the image, and judges the reference by the files that the image copies. Rejects if either
 * fails.
 */
export async function installImage(
  folder: string,
  tarball: string,
  called: (program: Program, cwd: string) => Promise<string>,
): Promise<void> {
  const text = readFileSync(dockerfile, 'utf8');
  const [, install] = /^RUN (npm install --global --prefix \/out .*)$/m.exec(text) ?? [];
  if (install === undefined || !text.includes('\nCOPY --from=build /out /usr/local\n'))
    throw new Error('The Dockerfile installs in another way: change scripts/install/image.ts, too.');
  const image = join(folder, 'image');
  mkdirSync(image);
  const here = install.replace('/out', image).replace('/assay-*.tgz', tarball);
  await called(['bash', '-c', here], folder);
  const assay = join(image, 'bin/assay');
  const output = await called(
    [assay, 'run', '--claim', 'models', '--report-dir', join(image, 'report')],
    image,
  );
  if (!output.includes('3 of 3 operations exercised')) throw new Error(output);
  const peer = "console.log(require.resolve('prom-client', { paths: [process.argv[1]] }))";
  const path = await called(
    [process.execPath, '-e', peer, join(image, 'lib/node_modules/assay/dist/cli')],
    image,
  );
  if (!path.startsWith(join(image, 'lib/node_modules/prom-client')))
    throw new Error(`prom-client is not in the image: ${path}`);
}
