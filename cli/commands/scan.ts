import { existsSync, statSync } from 'node:fs';
import { cassetteFolderOf } from '../../pipeline/cassette-folder.ts';
import { UsageError } from '../../pipeline/usage-error.ts';
import { plural } from '../../reports/report.ts';
import type { AddCommand } from '../command.ts';
import { collectRepeated, keyFromVariable } from '../flag-values.ts';

interface Flags {
  readonly secretEnv?: readonly string[];
}

/** `assay scan`: looks for secrets in a cassette, or in a file. */
export const scanCommand: AddCommand = (program, { finish }) => {
  program
    .command('scan')
    .description(
      'Searches every file of a cassette, compressed bodies and streams included, for the keys in the environment and for ' +
        'what looks like a key; any other file, as a HAR, is searched as text. Exits with 1 when there is any; what it is, is not printed.',
    )
    .argument('<cassette...>', 'folders that were recorded, or files of text')
    .option(
      '--secret-env <name>',
      'search for the value of this variable, too; may be repeated',
      collectRepeated,
    )
    .addHelpText('after', '\nExample:\n  assay scan cassettes/session')
    .action(async (cassettes: string[], flags: Flags) => {
      const [{ scanForSecrets: findLeaks, scanFileForSecrets: findLeaksInFile }, { Redactor }] =
        await Promise.all([
          import('../../exchange/cassette/secret-scan.ts'),
          import('../../exchange/redaction/redactor.ts'),
        ]);
      const secrets = (flags.secretEnv ?? []).map((name) => keyFromVariable(name, '--secret-env'));
      const redactor = new Redactor({ environment: process.env, secrets });
      const leaks = cassettes.flatMap((path) => {
        const folder = cassetteFolderOf(path);
        if (folder !== null) return findLeaks(folder, redactor, 'known-and-shapes');
        if (!existsSync(path))
          throw new UsageError(`There is no ${path}. Name the folder of a cassette, or a file of text.`);
        if (statSync(path).isDirectory())
          throw new UsageError(
            `${path} holds no cassette. Name the folder of one, or the files that are to be searched.`,
          );
        const found = findLeaksInFile(path, redactor);
        if (found !== null) return found;
        throw new UsageError(
          `${path} is no text in UTF-8, and cannot be searched. Unpack or convert it first.`,
        );
      });
      for (const { file, line, what } of leaks) {
        process.stdout.write(`${file}${line === null ? '' : `:${line}`}  ${what}\n`);
      }
      process.stderr.write(`${plural(leaks.length, 'place')} with what may be a secret\n`);
      finish(leaks.length > 0 ? 1 : 0);
    });
};
