import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Packages with the runtimes and package managers, by the name under which they are installed. Each is the program itself, not an installer of it. */
const platform = `${process.platform}-${process.arch}`;
/** Packages by the name under which they are installed: two versions of one program need two names. */
const tools = {
  node20: `node-${platform}@20.19`,
  node22: `node-${platform}@22`,
  node24: `node-${platform}@24`,
  yarn1: 'yarn@1',
  yarn4: '@yarnpkg/cli-dist@4',
  pnpm: 'pnpm',
  bun: 'bun',
  deno: 'deno',
} as const;

/** The arguments with which npm installs all of them into a folder, without running any script of theirs. */
export const toolPackages: readonly string[] = Object.entries(tools).map(
  ([name, spec]) => `${name}@npm:${spec}`,
);

/** Calls a program: its path and the arguments in front of the caller's. */
export type Program = readonly [program: string, ...args: string[]];

/** A JavaScript runtime as this script calls it. */
export interface Runtime {
  readonly name: string;
  /** Whether it drives targets, which takes the HTTP client undici as it is. */
  readonly drives: boolean;
  /** Runs a JavaScript file. */
  readonly run: Program;
  /** Runs the code of the argument that follows, as a module. */
  readonly evaluate: Program;
}

/** The runtimes of a folder in which the tools are installed. */
export function runtimes(folder: string): readonly Runtime[] {
  // All versions of Node are called alike.
  const node = (name: string): Runtime => {
    const program = nodeIn(folder, name);
    return { name, drives: true, run: [program], evaluate: [program, '--input-type=module', '-e'] };
  };
  // The packages `bun` and `deno` only choose one of these at installation, by a script; scripts do not run
  // here.
  const bun = join(folder, 'node_modules/@oven', `bun-${bunPlatform()}`, 'bin/bun');
  const deno = join(folder, 'node_modules/@deno', denoPlatform(), 'deno');
  return [
    node('node20'),
    node('node22'),
    node('node24'),
    { name: 'bun', drives: false, run: [bun], evaluate: [bun, '-e'] },
    {
      name: 'deno',
      drives: false,
      run: [deno, 'run', '-A', '--node-modules-dir=manual'],
      evaluate: [deno, 'eval'],
    },
  ];
}

/** A package manager as this script calls it. */
export interface Installer {
  readonly name: string;
  /** Writes what the installer needs beside package.json. */
  readonly prepare: (project: string) => void;
  /** Installs a tarball; its path follows. */
  readonly install: (tarball: string) => Program;
}

/** The package managers, each run by the oldest Node that is supported. Every one of them refuses packages that do not support it. */
export function installers(folder: string): readonly Installer[] {
  const node = nodeIn(folder, 'node20');
  const script = (path: string): Program => [node, join(folder, 'node_modules', path)];
  // npm runs this script, so its own program is known; no second npm is installed.
  const npm = createRequire(process.env['npm_execpath'] ?? process.execPath).resolve('./npm-cli.js');
  const nothing = (): void => {};
  return [
    {
      name: 'npm',
      prepare: nothing,
      install: (tarball) => [node, npm, 'install', '--engine-strict', '--no-audit', '--no-fund', tarball],
    },
    {
      name: 'yarn 1',
      // yarn 1 refuses unsupported engines by default.
      prepare: nothing,
      install: (tarball) => [
        ...script('yarn1/bin/yarn.js'),
        'add',
        '--no-lockfile',
        '--non-interactive',
        `file:${tarball}`,
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
      // pnpm ignores engines unless the project asks otherwise.
      prepare: (project) => writeFileSync(join(project, '.npmrc'), 'engine-strict=true\n'),
      install: (tarball) => [...script('pnpm/bin/pnpm.mjs'), 'add', tarball],
    },
  ];
}

/** Program of a Node that was installed under this name. */
function nodeIn(folder: string, name: string): string {
  return join(folder, 'node_modules', name, 'bin/node');
}

/** The suffix of bun's package with the program for this machine. */
function bunPlatform(): string {
  return `${process.platform}-${process.arch === 'arm64' ? 'aarch64' : process.arch}`;
}

/** The same for deno, which names its C library on Linux. */
function denoPlatform(): string {
  return process.platform === 'linux' ? `${platform}-glibc` : platform;
}
