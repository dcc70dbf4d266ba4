// Installs assay as the GitHub action and the image do, and measures the time of an installation.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from './installers.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Judges the reference with an installed assay. Rejects if that fails. */
async function judge(assay: readonly [string, ...string[]], folder: string): Promise<void> {
  const flags = ['--claim', 'models', '--report-dir', join(folder, 'report')];
  const output = await runProgram([...assay, 'run', ...flags], folder);
  if (!output.includes('3 of 3 operations exercised')) throw new Error(output);
}

/** Installs a copy of the tracked files as the action does, with only what the command needs. Rejects if it fails. */
export async function installAction(folder: string): Promise<void> {
  const copy = join(folder, 'action');
  const listed = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 24 });
  // A runner has neither the build output nor the packages of this folder.
  for (const file of listed.split('\0').filter((name) => name !== ''))
    cpSync(join(root, file), join(copy, file));
  await runProgram(
    ['env', `GITHUB_ACTION_PATH=${copy}`, 'bash', join(copy, 'scripts/action-install.sh')],
    copy,
  );
  await judge([process.execPath, join(copy, 'dist/cli/main.js')], copy);
}

/**
 * Repeats the steps of the Dockerfile after packing, without a container engine: installs the tarball, and judges the reference
 * with the files that the image copies. Rejects if either fails.
 */
export async function installImage(folder: string, tarball: string): Promise<void> {
  const text = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const [, install] = /^RUN (npm install --global --prefix \/out .*)$/m.exec(text) ?? [];
  if (install === undefined || !text.includes('\nCOPY --from=build /out /usr/local\n'))
    throw new Error('The Dockerfile installs in another way: change scripts/install/other-installs.ts, too.');
  const image = join(folder, 'image');
  mkdirSync(image);
  await runProgram(['bash', '-c', install.replace('/out', image).replace('/assay-*.tgz', tarball)], folder);
  await judge([join(image, 'bin/assay')], image);
  const peer = "console.log(require.resolve('prom-client', { paths: [process.argv[1]] }))";
  const from = join(image, 'lib/node_modules/assay/dist/cli');
  const path = await runProgram([process.execPath, '-e', peer, from], image);
  if (!path.startsWith(join(image, 'lib/node_modules/prom-client')))
    throw new Error(`prom-client is not in the image: ${path}`);
}

/** Maximum ratio of the time of an installation to that of installing only the two largest dependencies. */
const MAX_RATIO = 5;
/** Number of rounds; the fastest counts, because other load only adds time. The first one fills the cache. */
const ROUNDS = 3;

/**
 * Measures and prints the time of `npm install` with a warm cache, and its ratio to that of installing only the two largest
 * dependencies; both are measured in turn, because seconds depend on the load. If the two take 1.2 s, the limit is 6 s.
 * Throws if the limit is exceeded.
 */
export async function checkInstallTime(folder: string, tarball: string): Promise<void> {
  const subjects = { assay: [tarball], bare: ['undici@7', 'ajv@8'] } as const;
  const times = { assay: Number.POSITIVE_INFINITY, bare: Number.POSITIVE_INFINITY };
  for (let round = 0; round < ROUNDS; round += 1)
    for (const name of ['assay', 'bare'] as const) {
      const seconds = await measureInstall(folder, subjects[name]);
      if (round > 0) times[name] = Math.min(times[name], seconds);
    }
  const ratio = times.assay / times.bare;
  console.log(
    `      npm install, warm: ${times.assay.toFixed(1)} s, ${ratio.toFixed(1)} × undici and ajv alone (${times.bare.toFixed(1)} s; at most ${MAX_RATIO} ×)`,
  );
  if (ratio > MAX_RATIO)
    throw new Error(`npm install takes ${ratio.toFixed(1)} × as long, at most ${MAX_RATIO} ×`);
}

async function measureInstall(folder: string, packages: readonly string[]): Promise<number> {
  const project = mkdtempSync(join(folder, 'time-'));
  writeFileSync(join(project, 'package.json'), '{"name":"project","version":"1.0.0","private":true}');
  const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  const began = performance.now();
  await runProgram(['npm', 'install', ...flags, ...packages], project);
  const seconds = (performance.now() - began) / 1000;
  rmSync(project, { recursive: true, force: true });
  return seconds;
}
