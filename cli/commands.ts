import type { AddCommand } from './options/command.ts';

/** A command in the list of the program's help. Its options are loaded on use, which keeps startup short. */
export interface CommandEntry {
  /** The file in `cli/commands/` has the same name. */
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  readonly args: readonly string[];
  /** Whether it starts the command given after `--`. */
  readonly startsCommand?: true;
  readonly load: () => Promise<{ readonly addCommand: AddCommand }>;
}

/**
 * In the order of the help: first run, proxies and recorded traffic, requirements and reports. A test
 * compares names and arguments with the commands themselves.
 */
export const COMMANDS: readonly CommandEntry[] = [
  { name: 'run', summary: 'drive and judge a target', args: [], load: () => import('./commands/run.ts') },
  {
    name: 'init',
    summary: 'inspect a target, and write a configuration and a workflow',
    args: [],
    load: () => import('./commands/init.ts'),
  },
  {
    name: 'check',
    summary: 'judge recorded traffic, offline',
    args: ['<cassette...>'],
    load: () => import('./commands/check.ts'),
  },
  {
    name: 'partition',
    summary: 'cut cassettes into parts that can be judged anywhere',
    args: ['<cassette...>'],
    load: () => import('./commands/partition.ts'),
  },
  {
    name: 'merge',
    summary: 'merge partial verdicts of recorded traffic',
    args: ['<partial...>'],
    load: () => import('./commands/merge.ts'),
  },
  {
    name: 'serve',
    summary: 'serve the reference service',
    args: [],
    startsCommand: true,
    load: () => import('./commands/serve.ts'),
  },
  {
    name: 'record',
    summary: 'record the traffic between a client and a service',
    args: [],
    startsCommand: true,
    load: () => import('./commands/record.ts'),
  },
  {
    name: 'replay',
    summary: 'serve recorded traffic, with no service and no network',
    args: ['<cassette...>'],
    startsCommand: true,
    load: () => import('./commands/replay.ts'),
  },
  {
    name: 'watch',
    summary: 'judge live traffic as it passes',
    args: [],
    startsCommand: true,
    load: () => import('./commands/watch.ts'),
  },
  {
    name: 'client',
    summary: 'judge what a client sends',
    args: [],
    startsCommand: true,
    load: () => import('./commands/client.ts'),
  },
  {
    name: 'verify',
    summary: 'send recorded requests to a live service and report drift',
    args: ['<cassette>'],
    load: () => import('./commands/verify.ts'),
  },
  {
    name: 'show',
    summary: 'print exchanges of a cassette in full',
    args: ['<what...>'],
    load: () => import('./commands/show.ts'),
  },
  {
    name: 'scan',
    summary: 'look for secrets in recorded traffic',
    args: ['<cassette...>'],
    load: () => import('./commands/scan.ts'),
  },
  {
    name: 'recover',
    summary: 'finish a recording that was interrupted',
    args: ['<dir...>'],
    load: () => import('./commands/recover.ts'),
  },
  {
    name: 'har',
    summary: 'convert a cassette to a HAR file, or back',
    args: ['<cassette or har>'],
    load: () => import('./commands/har.ts'),
  },
  {
    name: 'list',
    summary: 'list every requirement, choice and exclusion',
    args: [],
    load: () => import('./commands/list.ts'),
  },
  {
    name: 'explain',
    summary: 'explain one requirement',
    args: ['<id>'],
    load: () => import('./commands/explain.ts'),
  },
  {
    name: 'prove',
    summary: 'prove the requirements of an extension',
    args: ['<cassette>'],
    load: () => import('./commands/prove.ts'),
  },
  {
    name: 'compare',
    summary: 'compare two reports',
    args: ['<before>', '<after>'],
    load: () => import('./commands/compare.ts'),
  },
  {
    name: 'matrix',
    summary: 'compare many reports side by side',
    args: ['<report...>'],
    load: () => import('./commands/matrix.ts'),
  },
  {
    name: 'cleanup',
    summary: 'remove resources that an interrupted run left on its target',
    args: [],
    load: () => import('./commands/cleanup.ts'),
  },
];
