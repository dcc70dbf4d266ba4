import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Program, runProgram } from './run-program.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

async function runOnModels(assay: Program, folder: string): Promise<void> {
  const flags = ['--claim', 'models', '--report-dir', join(folder, 'report')];
  const output = await runProgram([...assay, 'run', ...flags], folder);
  if (!output.includes('3 of 3 operations exercised'))
    throw new Error(`${assay.join(' ')} did not exercise the 3 operations of models:\n${output}`);
}

/** Installs as the GitHub Action does, from a copy of the tracked files. Rejects if the installed command fails. */
export async function installAction(folder: string): Promise<void> {
  const copy = join(folder, 'action');
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 24 });
  // A runner has neither the build output nor the packages of this folder.
  for (const file of files.split('\0').filter((name) => name !== ''))
    cpSync(join(root, file), join(copy, file));
  await runProgram(
    ['env', `GITHUB_ACTION_PATH=${copy}`, 'bash', join(copy, 'scripts/action-install.sh')],
    copy,
  );
  await runOnModels([process.execPath, join(copy, 'dist/cli/main.js')], copy);
}

/**
 * Repeats the steps of the Dockerfile after packing, without a container engine: installs the tarball, and judges the
 * reference with the files that the image copies. Rejects if either fails, or if prom-client is missing.
 */
export async function installImage(folder: string, tarball: string): Promise<void> {
  const text = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const [, install] = /^RUN (npm install --global --prefix \/out .*)$/m.exec(text) ?? [];
  if (install === undefined || !text.includes('\nCOPY --from=build /out /usr/local\n'))
    throw new Error(
      'The Dockerfile installs differently from scripts/install/action-and-image.ts: update that script.',
    );
  const image = join(folder, 'image');
  mkdirSync(image);
  await runProgram(['bash', '-c', install.replace('/out', image).replace('/assay-*.tgz', tarball)], folder);
  await runOnModels([join(image, 'bin/assay')], image);
  const script = "console.log(require.resolve('prom-client', { paths: [process.argv[1]] }))";
  const from = join(image, 'lib/node_modules/assay/dist/cli');
  const path = await runProgram([process.execPath, '-e', script, from], image);
  if (!path.startsWith(join(image, 'lib/node_modules/prom-client')))
    throw new Error(`prom-client is not in the image: ${path}`);
}
