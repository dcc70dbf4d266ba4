import type { Command } from 'commander';

export interface Invocation {
  /** The words after `--`: a command to run beside the proxy or service. Empty for none. */
  readonly command: readonly string[];
  /** Sets the exit code, 0 to 255. Default: 0. */
  readonly finish: (code: number) => void;
}

export type AddCommand = (program: Command, invocation: Invocation) => void;
