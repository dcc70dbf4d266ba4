import type { Command } from 'commander';

export interface Invocation<Flags> {
  readonly args: readonly string[];
  readonly flags: Flags;
  readonly self: Command;
  /** The words after `--`: a command to run while the proxy or service listens. Empty for none. */
  readonly command: readonly string[];
}

/** Resolves to the exit code, 0 to 255. */
export type Execute<Flags> = (invocation: Invocation<Flags>) => Promise<number>;
