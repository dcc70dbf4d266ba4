import type { AddCommand } from './command.ts';

/** A command as the help of the program lists it; its own options are loaded only when it is asked for. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** As the usage line writes them. */
  readonly args: readonly string[];
  /** Starts the command that is given after `--`. */
  readonly startsCommand?: true;
  readonly load: () => Promise<AddCommand>;
}

/** All commands, in the order of the help. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'run',
    summary: 'drive and judge a target',
    args: [],
    load: async () => (await import('./commands/run.ts')).runCommand,
  },
  {
    name: 'check',
    summary: 'judge recorded traffic, offline',
    args: ['<cassette...>'],
    load: async () => (await import('./commands/check.ts')).checkCommand,
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
    summary: 'record what passes between a client and a service',
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
    name: 'verify',
    summary: 'send recorded requests to a live service and say what drifted',
    args: ['<cassette>'],
    load: async () => (await import('./commands/verify.ts')).verifyCommand,
  },
  {
    name: 'show',
    summary: 'print exchanges of a cassette, whole',
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
    summary: 'make a HAR file of a cassette, or a cassette of a HAR file',
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
    name: 'compare',
    summary: 'compare two reports',
    args: ['<before>', '<after>'],
    load: async () => (await import('./commands/compare.ts')).compareCommand,
  },
  {
    name: 'matrix',
    summary: 'set many reports side by side',
    args: ['<report...>'],
    load: async () => (await import('./commands/matrix.ts')).matrixCommand,
  },
  {
    name: 'cleanup',
    summary: 'remove what a run that broke off left on its target',
    args: [],
    load: async () => (await import('./commands/cleanup.ts')).cleanupCommand,
  },
];
