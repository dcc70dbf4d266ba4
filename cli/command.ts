import type { Command } from 'commander';

/** What a command line brings beside the command's own options. */
export interface Invocation {
  /** What was written after `--`: a command to run beside a server of ours. */
  readonly command: readonly string[];
  /** Takes the exit code. */
  readonly finish: (code: number) => void;
}

/** A command adds itself to the program. */
export type AddCommand = (program: Command, invocation: Invocation) => void;
