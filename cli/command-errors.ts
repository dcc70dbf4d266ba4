import { createRequire } from 'node:module';
import { CommanderError } from 'commander';
import { printableLines } from '../exchange/printable.ts';

interface ErrorTable {
  /** Names of errors in options or configuration, whose messages are followed by a hint at `--help`. */
  readonly usage: readonly string[];
  /** Names of further errors whose messages are written for users, such as problems with files or targets. */
  readonly users: readonly string[];
  /** Messages of the system errors that users can cause, by code. */
  readonly system: Readonly<Record<string, string>>;
}

const ERRORS = createRequire(import.meta.url)('#cli/errors.json') as ErrorTable; // as: the form of errors.json

export function isWrongUsage(error: unknown): boolean {
  return error instanceof Error && ERRORS.usage.includes(error.name);
}

/** The message to print; null if commander has already printed it. */
export function errorMessage(error: unknown): string | null {
  return error instanceof CommanderError ? null : printableLines(describeError(error));
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return `assay failed: ${String(error)}`;
  if ([...ERRORS.usage, ...ERRORS.users].includes(error.name)) return error.message;
  return systemWords(error) ?? `assay failed. This is a defect of assay, please report it: ${error.message}`;
}

/** Null if users cannot cause the error. */
function systemWords(error: Error): string | null {
  // as: system errors have these properties
  const { code, path, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string };
  const where = path ?? (port === undefined ? null : `${address ?? ''}:${port}`);
  const reason = code === undefined ? undefined : ERRORS.system[code];
  if (reason === undefined) return null;
  return where === null ? `${reason} (${code})` : `${where}: ${reason} (${code})`;
}

/** Commander also throws after printing help or the version, with the exit code 0. */
export function exitCodeOf(error: unknown): number {
  return error instanceof CommanderError && error.exitCode === 0 ? 0 : 2;
}
