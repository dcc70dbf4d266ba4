import { existsSync } from 'node:fs';
import { plural } from '../reports/report.ts';
import type { AddCommand } from './command.ts';
import { UsageError } from './failing.ts';
import { keyIn, repeated } from './values.ts';

interface Flags {
  readonly secretEnv?: readonly string[];
}

/** `assay scan`: looks for secrets in a cassette. */
export const scan: AddCommand = (program, { finish }) => {
  program
    .command('scan')
    .summary('look for secrets in recorded traffic')
    .description(
      'Searches every file of a cassette, compressed bodies and streams included, for the keys in the environment and for ' +
        'what looks like a key. Exits with 1 when there is any; what it is, is not printed.',
    )
    .argument('<cassette...>', 'folders that were recorded')
    .option('--secret-env <name>', 'search for the value of this variable, too; may be repeated', repeated)
    .addHelpText('after', '\nExample:\n  assay scan cassettes/session')
    .action(async (cassettes: string[], flags: Flags) => {
      const [{ findLeaks }, { Redactor }] = await Promise.all([
        import('../exchange/cassette/leaks.ts'),
        import('../exchange/redact.ts'),
      ]);
      const secrets = (flags.secretEnv ?? []).map((name) => keyIn(name, '--secret-env'));
      const redactor = new Redactor({ environment: process.env, secrets });
      const leaks = cassettes.flatMap((dir) => {
        if (existsSync(dir)) return findLeaks(dir, redactor, true);
        throw new UsageError(`There is no ${dir}. Name the folder of a cassette.`);
      });
      for (const { file, line, what } of leaks) {
        process.stdout.write(`${file}${line === null ? '' : `:${line}`}  ${what}\n`);
      }
      process.stderr.write(`${plural(leaks.length, 'place')} with what may be a secret\n`);
      finish(leaks.length > 0 ? 1 : 0);
    });
};
