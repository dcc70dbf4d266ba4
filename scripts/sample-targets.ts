// `npm run sample:targets` runs the suite against published mock servers and writes the reports to
// reports/samples/targets/.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Report, reportJson } from '../reports/report.ts';
import { requirementsInScope } from '../reports/selection.ts';
import { rejectArguments } from './script-arguments.ts';
import { waitForPort } from './wait-for-port.ts';

const require = createRequire(import.meta.url);
const OUT = 'reports/samples/targets';
const MAX_FINDINGS = 3;

interface MockServer {
  readonly name: string;
  readonly package: string;
  /** Fixed, because one of the servers does not print its port. */
  readonly port: number;
  readonly start: readonly string[];
  readonly flags: readonly string[];
  /** Whether it rejects requests without a key; any key will do. */
  readonly needsKey: boolean;
}

const TARGETS: readonly MockServer[] = [
  {
    name: 'aimock',
    package: '@copilotkit/aimock',
    port: 4781,
    start: [
      ...['dist/cli.js', '--port', '4781', '--log-level', 'silent'],
      ...['--fixtures', join(OUT, 'aimock.fixtures.json')],
    ],
    flags: [
      ...['--claim', 'chat,files,fine-tuning,batches', '--allow', 'tokens,training,batches'],
      ...['--model', 'chat=gpt-4o', '--model', 'fine-tuning=gpt-4o'],
    ],
    needsKey: false,
  },
  {
    name: 'prism',
    package: '@stoplight/prism-cli',
    port: 4782,
    start: ['dist/index.js', 'mock', '-h', '127.0.0.1', '-p', '4782', 'schemas/openapi.json'],
    flags: [
      ...['--claim', 'models,chat,completions,moderations,audio,files,assistants-v2,threads,vector-stores'],
      ...['--allow', 'tokens,audio', '--model', 'transcription=model-1', '--model', 'speech=tts-1'],
      ...['--model', 'chat=model-1', '--model', 'completion=model-1', '--model', 'assistant=model-1'],
    ],
    needsKey: true,
  },
];

// The arguments are names of targets; all by default.
const names = process.argv.slice(2);
const unknownName = names.find((name) => !TARGETS.some((target) => target.name === name));
if (unknownName !== undefined)
  rejectArguments(
    `${unknownName} is not a target.`,
    `npm run sample:targets -- [${TARGETS.map(({ name }) => name).join(' | ')}]…`,
  );
for (const target of TARGETS) if (names.length === 0 || names.includes(target.name)) await sample(target);

async function sample({ name, package: packageName, ...target }: MockServer): Promise<void> {
  const { port, start, flags, needsKey } = target;
  const [program = '', ...args] = start;
  // The server is started without its wrapper script, so that killing the child ends it.
  const root = folderOf(packageName);
  // as: every package has a version
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const server = spawn(process.execPath, [join(root, program), ...args], { stdio: 'ignore' });
  const folder = mkdtempSync(join(tmpdir(), 'assay-sample-'));
  try {
    await waitForPort(port);
    const run = ['run', '--base-url', `http://127.0.0.1:${port}/v1`, ...flags, '--report', 'json,markdown'];
    const key = needsKey ? { ASSAY_API_KEY: 'any-key-will-do-for-a-mock' } : {};
    // assay must not send a real key of the environment to the mock.
    const env = { ...process.env, ASSAY_API_KEY: '', OPENAI_API_KEY: '', ...key };
    spawnSync(process.execPath, ['--import', 'tsx', 'cli/main.ts', ...run, '--report-dir', folder], { env });
    // The path of the temporary folder differs in each run.
    const readOutput = (file: string) =>
      readFileSync(join(folder, file), 'utf8').replaceAll(folder, 'assay-report');
    const report = JSON.parse(readOutput('report.json')) as Report; // as: our own file
    const head = `# ${packageName} ${version}\n\n\`npx assay ${run.slice(0, -2).join(' ')}\`\n\n`;
    writeFileSync(join(OUT, `${name}.md`), head + readOutput('summary.md'));
    writeFileSync(join(OUT, `${name}.report.json`), reportJson(shortReport(report)));
    console.log(`${name} ${version}: ${report.summary.requirements.fail} MUSTs broken`);
  } finally {
    server.kill();
    rmSync(folder, { recursive: true });
  }
}

/** Keeps the requirements in scope, with their first findings, but no exclusions: the whole is too large to commit. */
function shortReport(report: Report): Report {
  const requirements = requirementsInScope(report.requirements).map((one) => ({
    ...one,
    findings: one.findings.slice(0, MAX_FINDINGS),
  }));
  return { ...report, requirements, exclusions: [] };
}

function folderOf(name: string): string {
  const folders = (require.resolve.paths(name) ?? []).map((path) => join(path, name));
  const root = folders.find((path) => existsSync(join(path, 'package.json')));
  if (root === undefined) throw new Error(`${name} is not installed: run npm ci.`);
  return root;
}
