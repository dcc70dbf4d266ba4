import type { AddCommand } from './options/command.ts';

/** A command in the list of the program's help. Its options are loaded on use, which keeps startup short. */
export interface CommandEntry {
  /** The file in `cli/commands/` has the same name. */
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  /** As the usage line shows them. */
  readonly args: readonly string[];
  /** Whether it starts the command given after `--`. */
  readonly startsCommand?: true;
  readonly load: () => Promise<AddCommand>;
}

/**
 * In the order of the help: first run, proxies and recorded traffic, requirements and reports. A test
 * compares names and arguments with the commands themselves.
 */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'run',
    summary: 'drive and judge a target',
    args: [],
    load: async () => (await import('./commands/run.ts')).runCommand,
  },
  {
    name: 'init',
    summary: 'look at a target, and write a configuration and a workflow',
    args: [],
    load: async () => (await import('./commands/init.ts')).initCommand,
  },
  {
    name: 'check',
    summary: 'judge recorded traffic, offline',
    args: ['<cassette...>'],
    load: async () => (await import('./commands/check.ts')).checkCommand,
  },
  {
    name: 'partition',
    summary: 'cut cassettes into parts that are judged anywhere',
    args: ['<cassette...>'],
    load: async () => (await import('./commands/partition.ts')).partitionCommand,
  },
  {
    name: 'merge',
    summary: 'add up partial verdicts of recorded traffic',
    args: ['<partial...>'],
    load: async () => (await import('./commands/merge.ts')).mergeCommand,
  },
  {
    name: 'serve',
    summary: 'serve the reference service',
    args: [],
    startsCommand: true,
    load: async () => (await import('./commands/serve.ts')).serveCommand,
  },
  {
    name: 'record',
    summary: 'record the traffic between a client and a service',
    args: [],
    startsCommand: true,
    load: async () => (await import('./commands/record.ts')).recordCommand,
  },
  {
    name: 'replay',
    summary: 'serve recorded traffic, with no service and no network',
    args: ['<cassette...>'],
    startsCommand: true,
    load: async () => (await import('./commands/replay.ts')).replayCommand,
  },
  {
    name: 'watch',
    summary: 'judge live traffic as it passes',
    args: [],
    startsCommand: true,
    load: async () => (await import('./commands/watch.ts')).watchCommand,
  },
  {
    name: 'client',
    summary: 'judge what a client sends',
    args: [],
    startsCommand: true,
    load: async () => (await import('./commands/client.ts')).clientCommand,
  },
  {
    name: 'verify',
    summary: 'send recorded requests to a live service and report drift',
    args: ['<cassette>'],
    load: async () => (await import('./commands/verify.ts')).verifyCommand,
  },
  {
    name: 'show',
    summary: 'print exchanges of a cassette in full',
    args: ['<what...>'],
    load: async () => (await import('./commands/show.ts')).showCommand,
  },
  {
    name: 'scan',
    summary: 'look for secrets in recorded traffic',
    args: ['<cassette...>'],
    load: async () => (await import('./commands/scan.ts')).scanCommand,
  },
  {
    name: 'recover',
    summary: 'finish a recording that was interrupted',
    args: ['<dir...>'],
    load: async () => (await import('./commands/recover.ts')).recover,
  },
  {
    name: 'har',
    summary: 'convert a cassette to a HAR file, or back',
    args: ['<cassette or har>'],
    load: async () => (await import('./commands/har.ts')).harCommand,
  },
  {
    name: 'list',
    summary: 'list every requirement, choice and exclusion',
    args: [],
    load: async () => (await import('./commands/list.ts')).listCommand,
  },
  {
    name: 'explain',
    summary: 'explain one requirement',
    args: ['<id>'],
    load: async () => (await import('./commands/explain.ts')).explainCommand,
  },
  {
    name: 'prove',
    summary: 'prove the requirements of an extension',
    args: ['<cassette>'],
    load: async () => (await import('./commands/prove.ts')).proveCommand,
  },
  {
    name: 'compare',
    summary: 'compare two reports',
    args: ['<before>', '<after>'],
    load: async () => (await import('./commands/compare.ts')).compareCommand,
  },
  {
    name: 'matrix',
    summary: 'compare many reports side by side',
    args: ['<report...>'],
    load: async () => (await import('./commands/matrix.ts')).matrixCommand,
  },
  {
    name: 'cleanup',
    summary: 'remove resources that an interrupted run left on its target',
    args: [],
    load: async () => (await import('./commands/cleanup.ts')).cleanupCommand,
  },
];
