import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Program } from './run-program.ts';

const platform = `${process.platform}-${process.arch}`;
/**
 * npm packages of the runtimes, and of the package managers except npm, by alias, because two versions of a program
 * need two names. They are installed without their install scripts.
 */
const TOOLS = {
  node20: `node-${platform}@20.19`,
  node22: `node-${platform}@22`,
  node24: `node-${platform}@24`,
  yarn1: 'yarn@1',
  yarn4: '@yarnpkg/cli-dist@4',
  pnpm: 'pnpm',
  bun: 'bun',
  deno: 'deno',
} as const;

export const toolPackages: readonly string[] = Object.entries(TOOLS).map(
  ([name, spec]) => `${name}@npm:${spec}`,
);

export interface Runtime {
  readonly name: string;
  /** False if `assay run` refuses to start on the runtime (`requireNode`). */
  readonly canRunSuites: boolean;
  readonly run: Program;
  /** Evaluates the next argument as a module. */
  readonly evaluate: Program;
}

export function listRuntimes(folder: string): readonly Runtime[] {
  // Every version of Node takes the same arguments.
  const node = (name: string): Runtime => {
    const program = nodeIn(folder, name);
    return { name, canRunSuites: true, run: [program], evaluate: [program, '--input-type=module', '-e'] };
  };
  // The install scripts of the packages `bun` and `deno` would choose one of these binaries.
  const arch = process.arch === 'arm64' ? 'aarch64' : process.arch;
  const bun = join(folder, 'node_modules/@oven', `bun-${process.platform}-${arch}`, 'bin/bun');
  // The name of deno's package includes the C library on Linux.
  const library = process.platform === 'linux' ? '-glibc' : '';
  const deno = join(folder, 'node_modules/@deno', `${platform}${library}`, 'deno');
  return [
    node('node20'),
    node('node22'),
    node('node24'),
    { name: 'bun', canRunSuites: false, run: [bun], evaluate: [bun, '-e'] },
    {
      name: 'deno',
      canRunSuites: false,
      run: [deno, 'run', '-A', '--node-modules-dir=manual'],
      evaluate: [deno, 'eval'],
    },
  ];
}

export interface Installer {
  readonly name: string;
  readonly prepare: (project: string) => void;
  readonly install: (tarball: string) => Program;
}

export function listInstallers(folder: string): readonly Installer[] {
  const node = nodeIn(folder, 'node20');
  const script = (path: string): Program => [node, join(folder, 'node_modules', path)];
  const npmProgram = process.env['npm_execpath'];
  if (npmProgram === undefined) throw new Error('The path of npm is unknown: use npm run install-matrix.');
  const npm = createRequire(npmProgram).resolve('./npm-cli.js');
  const doNothing = (): void => {};
  return [
    {
      name: 'npm',
      prepare: doNothing,
      install: (tarball) => [node, npm, 'install', '--engine-strict', '--no-audit', '--no-fund', tarball],
    },
    {
      name: 'yarn 1',
      // yarn 1 rejects unsupported engines by default.
      prepare: doNothing,
      install: (tarball) => [
        ...script('yarn1/bin/yarn.js'),
        ...['add', '--no-lockfile', '--non-interactive', `file:${tarball}`],
      ],
    },
    {
      name: 'yarn 4',
      prepare: (project) => {
        writeFileSync(join(project, 'yarn.lock'), '');
        writeFileSync(join(project, '.yarnrc.yml'), 'nodeLinker: node-modules\nenableTelemetry: false\n');
      },
      install: (tarball) => [...script('yarn4/bin/yarn.js'), 'add', `assay@file:${tarball}`],
    },
    {
      name: 'pnpm',
      // By default pnpm accepts unsupported engines, and takes the version of Node from PATH.
      prepare: (project) =>
        writeFileSync(join(project, 'pnpm-workspace.yaml'), 'engineStrict: true\nnodeVersion: 20.19.0\n'),
      install: (tarball) => [...script('pnpm/bin/pnpm.mjs'), 'add', tarball],
    },
  ];
}

function nodeIn(folder: string, name: string): string {
  return join(folder, 'node_modules', name, 'bin/node');
}
