import { CommanderError } from 'commander';
import { printable } from '../reports/failure/excerpt.ts';

/** Errors of other rooms whose words are made for people. */
const SPOKEN = new Set([
  'UsageError',
  'ConfigurationError',
  'BadBaseUrl',
  'BadHeader',
  'CassetteError',
  'DialectError',
  'UnknownOperation',
  'BadRule',
  'HarError',
  'NoRequest',
  'BaselineError',
  'RunnerFailed',
  'UnknownFault',
  'MissingPeer',
]);

/** What stopped a command, in words for the person who typed it, or null where that was told already. */
export function errorMessage(error: unknown): string | null {
  const text = wordsOf(error);
  // A value within it may come from a target or a file: only line breaks get through.
  return text === null ? null : text.split('\n').map(printable).join('\n');
}

function wordsOf(error: unknown): string | null {
  if (error instanceof CommanderError) return null;
  if (!(error instanceof Error)) return `assay broke down: ${String(error)}`;
  if (SPOKEN.has(error.name)) return error.message;
  const system = systemWords(error);
  if (system !== null) return system;
  return `assay broke down, which is a defect of its own: ${error.message}`;
}

/** What the operating system refused, or null where it was something else. */
function systemWords(error: Error): string | null {
  const { code, path, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string }; // as: system errors carry these beside the message
  const where = path ?? (port === undefined ? null : `${address ?? ''}:${port}`);
  if (code === undefined) return null;
  const what: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file or directory',
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    EISDIR: 'it is a directory, a file was expected',
    ENOTDIR: 'part of the path is a file, a directory was expected',
    ENOSPC: 'no space is left on the disk',
    EDQUOT: 'no space is left on the disk',
    EMFILE: 'too many files are open',
    EIO: 'the disk fails',
    EEXIST: 'something else is there already',
    EFBIG: 'the file would be too large',
    EROFS: 'the file system is read-only',
    EADDRINUSE: 'the port is taken; choose another with --port, or leave it out for a free one',
  };
  const reason = what[code];
  if (reason === undefined) return null;
  return where === null ? `${reason} (${code})` : `${where}: ${reason} (${code})`;
}

/** The exit code of what stopped a command: help and version are no failures. */
export function exitCodeOf(error: unknown): number {
  return error instanceof CommanderError && error.exitCode === 0 ? 0 : 2;
}
