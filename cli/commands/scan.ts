import { existsSync, statSync } from 'node:fs';
import type { DetectedSecret } from '../../exchange/cassette/secret-scan.ts';
import type { Redactor } from '../../exchange/redaction/redactor.ts';
import { UsageError } from '../../pipeline/setup/usage-error.ts';
import { cassetteFolderOf } from '../../pipeline/traffic/traffic-part.ts';
import { plural } from '../../reports/report.ts';
import type { AddCommand } from '../options/command.ts';
import { collectRepeated, keyFromVariable } from '../options/flag-values.ts';

interface Flags {
  readonly secretEnv?: readonly string[];
}

export const addCommand: AddCommand = (program, { finish }) => {
  program
    .command('scan')
    .description(
      'Searches every file of a cassette for the keys in the environment and for text that looks like a key, as it is and as a ' +
        'client would read it: deltas of streams joined, base64, escapes, percent-encoding, gzip and zip files undone. Any other ' +
        'file, such as a HAR file, is searched as text in the same way. Prints places, never values. Exits with 1 when there is any.',
    )
    .argument('<cassette...>', 'cassette folders, or text files')
    .option(
      '--secret-env <name>',
      'also search for the value of this environment variable; repeatable',
      collectRepeated,
    )
    .addHelpText('after', '\nExample:\n  assay scan cassettes/session')
    .action(async (paths: string[], flags: Flags) => {
      const { Redactor } = await import('../../exchange/redaction/redactor.ts');
      // The variable is named, not its value: command lines appear in process lists and shell histories.
      const secrets = (flags.secretEnv ?? []).map((name) => keyFromVariable(name, '--secret-env'));
      const found = await scanned(paths, new Redactor({ environment: process.env, secrets }));
      for (const { file, line, what } of found)
        process.stdout.write(`${file}${line === null ? '' : `:${line}`}  ${what}\n`);
      process.stderr.write(`${plural(found.length, 'place')} with what may be a secret\n`);
      finish(found.length > 0 ? 1 : 0);
    });
};

async function scanned(paths: readonly string[], redactor: Redactor): Promise<readonly DetectedSecret[]> {
  const { scanForSecrets, scanFileForSecrets } = await import('../../exchange/cassette/secret-scan.ts');
  // A path that cannot be searched is an error: "nothing found" would read as safe.
  return paths.flatMap((path) => {
    const folder = cassetteFolderOf(path);
    if (folder !== null) return scanForSecrets(folder, redactor, 'known-and-shapes');
    if (!existsSync(path))
      throw new UsageError(`${path} does not exist. Name a cassette folder, or a text file.`);
    if (statSync(path).isDirectory())
      throw new UsageError(
        `${path} does not contain a cassette. Name a cassette folder, or the files to search.`,
      );
    const found = scanFileForSecrets(path, redactor);
    if (found !== null) return found;
    throw new UsageError(`${path} is not UTF-8 text and cannot be searched. Decompress or convert it first.`);
  });
}
