import { CommanderError } from 'commander';
import { printableLines } from '../exchange/printable.ts';

/** Errors in the command line itself, which the help explains. */
const OF_USAGE = new Set([
  'UsageError',
  'ConfigurationError',
  'InvalidBaseUrl',
  'InvalidHeader',
  'DialectError',
  'InvalidRedactionRule',
  'InvalidNormalising',
  'UnknownFault',
]);

/** Errors whose message is written for users: wrong usage, and problems with files or targets. Any other error is a defect of assay. */
const FOR_USERS = new Set([
  ...OF_USAGE,
  'InvalidProxy',
  'CassetteError',
  'ExtensionError',
  'UnknownOperation',
  'HarError',
  'NotRegularFile',
  'InvalidRequestText',
  'BaselineError',
  'RunnerError',
  'InvalidDisturbance',
  'MissingPeer',
  'StartError',
]);

export function isWrongUsage(error: unknown): boolean {
  return error instanceof Error && OF_USAGE.has(error.name);
}

/** The message to print; null if commander has already printed it. */
export function errorMessage(error: unknown): string | null {
  const text = wordsOf(error);
  // Values in the message may come from a target or a file.
  return text === null ? null : printableLines(text);
}

function wordsOf(error: unknown): string | null {
  if (error instanceof CommanderError) return null;
  if (!(error instanceof Error)) return `assay failed: ${String(error)}`;
  if (FOR_USERS.has(error.name)) return error.message;
  const system = systemWords(error);
  if (system !== null) return system;
  return `assay failed, which is a defect of assay: ${error.message}`;
}

/** The message of a system error, with path or port and code; null if users cannot cause it. */
function systemWords(error: Error): string | null {
  const { code, path, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string }; // as: system errors have these properties
  const where = path ?? (port === undefined ? null : `${address ?? ''}:${port}`);
  if (code === undefined) return null;
  // Other codes are rare enough to be shown as a defect, with Node's message.
  const what: Readonly<Record<string, string>> = {
    ENOENT: 'the file or directory does not exist',
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    EISDIR: 'it is a directory, a file was expected',
    ENOTDIR: 'part of the path is a file, a directory was expected',
    ENOSPC: 'no space is left on the disk',
    EDQUOT: 'no space is left on the disk',
    EMFILE: 'too many files are open',
    EIO: 'the disk reported an error',
    EEXIST: 'it exists already',
    EFBIG: 'the file would be too large',
    EROFS: 'the file system is read-only',
    EADDRINUSE: 'the port is in use; choose another with --port, or leave it out for a free one',
  };
  const reason = what[code];
  if (reason === undefined) return null;
  return where === null ? `${reason} (${code})` : `${where}: ${reason} (${code})`;
}

/** Commander throws for help and version as well, with exit code 0. */
export function exitCodeOf(error: unknown): number {
  return error instanceof CommanderError && error.exitCode === 0 ? 0 : 2;
}
