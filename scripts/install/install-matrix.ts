// Installs the packed tarball as users do, with npm, yarn 1, yarn 4 and pnpm on the oldest supported Node, and
// tries it on Node 20, 22 and 24, Bun and Deno. Also installs the GitHub action and the contents of the image, and
// checks the limits on the size of an installation. The times of installation and start are measured last, so
// that no other load disturbs them; `--measure-after FILE` first waits for this file, at most half an hour.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startRecorder } from '../../proxy/record/record.ts';
import { serveReference } from '../../reference/service.ts';
import { messageOf } from '../../schemas/error-message.ts';
import { runTwoAtOnce } from '../concurrency.ts';
import { installAction, installImage } from './action-and-image.ts';
import { checkInstallTime } from './install-time.ts';
import { pack } from './pack.ts';
import { type Program, runProgram } from './run-program.ts';
import { checkStartLimits } from './start-limits.ts';
import { type Installer, listInstallers, listRuntimes, type Runtime, toolPackages } from './tools.ts';

/** Limits of a production installation: packages, assay included, and bytes of files. */
const MAX_PACKAGES = 60;
const MAX_BYTES = 15_000_000;
const FILE_TIMEOUT_MS = 30 * 60_000;

const { values } = parseArgs({ options: { 'measure-after': { type: 'string' } } });
const measureAfter = values['measure-after'];
const folder = mkdtempSync(join(tmpdir(), 'assay-install-'));
const failures: string[] = [];
try {
  // Tools, tarball and cassette do not depend on each other.
  const [tarball] = await Promise.all([pack(folder), installTools(), recordCassette()]);
  const projects = new Map<string, string>();
  // Two at a time, because they share disk and network.
  await runTwoAtOnce(listInstallers(folder), async (installer) => {
    const project = await check(`install with ${installer.name}`, () => install(installer, tarball));
    if (project !== null) projects.set(installer.name, project);
  });
  const npmProject = projects.get('npm');
  if (npmProject !== undefined) await check('limits', async () => checkLimits(npmProject));
  const [mainProject = null] = npmProject === undefined ? projects.values() : [npmProject];
  await check('action', () => installAction(folder));
  await check('image', () => installImage(folder, tarball));
  const [oldest, ...others] = listRuntimes(folder);
  const trials = [...projects.values()].flatMap((project) =>
    oldest === undefined ? [] : [{ project, runtime: oldest }],
  );
  for (const runtime of others) if (mainProject !== null) trials.push({ project: mainProject, runtime });
  await runTwoAtOnce(trials, async ({ project, runtime }) => tryAssay(project, runtime));
  // Times come last, when nothing else is running: installs of many small files are most sensitive to background load.
  if (mainProject !== null) {
    if (measureAfter !== undefined) await check('end of other load', () => waitForFile(measureAfter));
    await check('install time', () => checkInstallTime(folder, tarball));
    await check('start', () => checkStartLimits(mainProject));
  }
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
if (failures.length > 0) {
  console.error(`\n${failures.length} failed:\n${failures.join('\n')}`);
  process.exitCode = 1;
}

/** Waits for a file that another program creates. Rejects on timeout, because that program may have been killed. */
async function waitForFile(path: string): Promise<void> {
  const until = performance.now() + FILE_TIMEOUT_MS;
  while (!existsSync(path)) {
    if (performance.now() > until)
      throw new Error(`${path}, the file of --measure-after, was not created within 30 minutes`);
    await setTimeout(500);
  }
}

/** Installs the runtimes, and the package managers except npm, as npm packages, so that the machine needs none. */
async function installTools(): Promise<void> {
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  await runProgram(['npm', 'install', ...flags, ...toolPackages], folder);
}

async function recordCassette(): Promise<void> {
  const service = await serveReference();
  const recorder = await startRecorder({ baseUrl: service.url, cassette: join(folder, 'cassette') });
  await (await fetch(`${recorder.url}/models`)).arrayBuffer();
  await recorder.close();
  await service.close();
}

async function install(installer: Installer, tarball: string): Promise<string> {
  const project = join(folder, installer.name.replaceAll(' ', '-'));
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{"name":"project","version":"1.0.0","private":true}');
  installer.prepare(project);
  await runProgram(installer.install(tarball), project);
  return project;
}

function checkLimits(project: string): void {
  const lock = JSON.parse(readFileSync(join(project, 'node_modules/.package-lock.json'), 'utf8')) as {
    packages: Record<string, { hasInstallScript?: boolean }>;
  }; // as: npm writes it in this shape
  const names = Object.keys(lock.packages);
  const scripts = names.filter((name) => lock.packages[name]?.hasInstallScript === true);
  // The limit is on bytes, because blocks depend on the disk; both are printed.
  const { bytes, blocks } = sizeOf(join(project, 'node_modules'));
  const megabytes = (count: number): string => `${(count / 1e6).toFixed(1)} MB`;
  const size = `${megabytes(bytes)} of files, ${megabytes(blocks)} in blocks of this disk`;
  console.log(`      ${names.length} packages, ${size}, ${scripts.length} install scripts`);
  if (names.length > MAX_PACKAGES)
    throw new Error(`${names.length} packages; at most ${MAX_PACKAGES} are allowed`);
  if (bytes > MAX_BYTES) throw new Error(`${bytes} bytes of files; at most ${MAX_BYTES} are allowed`);
  if (scripts.length > 0)
    throw new Error(`these packages run a script on installation: ${scripts.join(', ')}`);
}

function sizeOf(path: string): { bytes: number; blocks: number } {
  const stats = lstatSync(path);
  const sum = { bytes: stats.isFile() ? stats.size : 0, blocks: stats.blocks * 512 };
  for (const name of stats.isDirectory() ? readdirSync(path) : []) {
    const inner = sizeOf(join(path, name));
    sum.bytes += inner.bytes;
    sum.blocks += inner.blocks;
  }
  return sum;
}

async function tryAssay(project: string, { name, canRunSuites, run, evaluate }: Runtime): Promise<void> {
  const assay: Program = [...run, join(project, 'node_modules/assay/dist/cli/main.js')];
  const where = `${name}, ${project.slice(folder.length + 1)}`;
  await check(`${where}: help`, async () =>
    expectText(await runProgram([...assay, '--help'], project), 'Usage: assay'),
  );
  await check(`${where}: run`, async () => {
    const reports = join(project, `report-${name}`);
    const flags = ['--claim', 'models', '--report', 'terminal,json', '--report-dir', reports];
    const output = runProgram([...assay, 'run', ...flags], project);
    if (canRunSuites) expectText(await output, '3 of 3 operations exercised');
    // `assay run` must refuse to start on runtimes with another HTTP client.
    else expectText(await output.catch(String), 'needs Node');
  });
  await check(`${where}: check`, async () => {
    const flags = ['--report', 'terminal,json', '--report-dir', join(project, `check-${name}`)];
    expectText(
      await runProgram([...assay, 'check', join(folder, 'cassette'), ...flags], project),
      '1 of 3 operations exercised',
    );
  });
  await check(`${where}: replay`, async () => {
    // The client needs only what every runtime has: global `fetch`, and `process` for the variable of `assay replay`.
    const client =
      "console.log((await (await fetch(process.env.OPENAI_BASE_URL + '/models')).json()).object)";
    const command = [...evaluate, name === 'deno' ? `import process from 'node:process';${client}` : client];
    expectText(
      await runProgram([...assay, 'replay', join(folder, 'cassette'), '--strict', '--', ...command], project),
      'list',
    );
  });
}

function expectText(output: string, part: string): void {
  if (!output.includes(part)) throw new Error(`${JSON.stringify(part)} is not in the output:\n${output}`);
}

/** Prints the outcome and the time of a check. If it fails, adds the failure to `failures` and returns null. */
async function check<T>(what: string, work: () => Promise<T>): Promise<T | null> {
  const began = performance.now();
  const printOutcome = (outcome: string) =>
    console.log(`${outcome}  ${what}  ${((performance.now() - began) / 1000).toFixed(1)} s`);
  try {
    const result = await work();
    printOutcome('ok  ');
    return result;
  } catch (error) {
    failures.push(`${what}: ${messageOf(error)}`);
    printOutcome('FAIL');
    return null;
  }
}
