import type { Command } from 'commander';

/** The parts of a command line that are not options of the command. */
export interface Invocation {
  /** The words after `--`: a command to run while the proxy or service of assay runs; empty for none. */
  readonly command: readonly string[];
  /** Sets the exit code of the process, 0 to 255; without a call it is 0. */
  readonly finish: (code: number) => void;
}

/** Adds a command with its options and its action to the program. */
export type AddCommand = (program: Command, invocation: Invocation) => void;
