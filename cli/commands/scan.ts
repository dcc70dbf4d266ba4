import { existsSync, statSync } from 'node:fs';
import {
  type DetectedSecret,
  scanFileForSecrets,
  scanForSecrets,
} from '../../exchange/cassette/secret-scan.ts';
import { printable } from '../../exchange/printable.ts';
import { Redactor } from '../../exchange/redaction/redactor.ts';
import { refuseSpecialFile } from '../../exchange/regular-file.ts';
import { UsageError } from '../../pipeline/setup/usage-error.ts';
import { cassetteFolderOf } from '../../pipeline/traffic/traffic-part.ts';
import { plural } from '../../schemas/message-text.ts';
import type { Execute } from '../options/command.ts';
import { readKey } from '../options/credentials.ts';

export const execute: Execute<{ readonly secretEnv?: readonly string[] }> = async ({ args, flags }) => {
  // The option names a variable instead of the value: command lines appear in process lists and shell histories.
  const secrets = (flags.secretEnv ?? []).map((name) => readKey(name, '--secret-env'));
  const detected = scanPaths(args, new Redactor({ environment: process.env, secrets }));
  for (const { file, line, what } of detected)
    process.stdout.write(`${printable(`${file}${line === null ? '' : `:${line}`}  ${what}`)}\n`);
  process.stderr.write(`${plural(detected.length, 'place')} that may contain a secret\n`);
  return detected.length > 0 ? 1 : 0;
};

function scanPaths(paths: readonly string[], redactor: Redactor): readonly DetectedSecret[] {
  // A path that cannot be searched is an error, because "nothing found" would read as safe.
  return paths.flatMap((path) => {
    const folder = cassetteFolderOf(path);
    if (folder !== null) return scanForSecrets(folder, redactor, 'known-and-shapes');
    if (!existsSync(path))
      throw new UsageError(`${path} does not exist. Name a cassette folder, or a text file.`);
    if (statSync(path).isDirectory())
      throw new UsageError(
        `${path} does not contain a cassette. Name a cassette folder, or the files to search.`,
      );
    // The search reads a file several times, but a pipe can be read only once, and a device may never end.
    refuseSpecialFile(path);
    const found = scanFileForSecrets(path, redactor);
    if (found !== null) return found;
    throw new UsageError(`${path} is not UTF-8 text and cannot be searched. Decompress or convert it first.`);
  });
}
