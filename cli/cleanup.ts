import { plural } from '../reports/report.ts';
import type { AddCommand } from './command.ts';
import { keyIn, seconds } from './values.ts';

interface Flags {
  readonly ledger: string;
  readonly apiKeyEnv?: string;
  readonly timeout?: number;
}

/** `assay cleanup --ledger FILE`: removes what a run that broke off left on its target. */
export const cleanup: AddCommand = (program, { finish }) => {
  program
    .command('cleanup')
    .summary('remove what a run that broke off left on its target')
    .description(
      'Deletes or cancels what the ledger of a run names, newest first. Can be done again. Exits with 1 when something stays.',
    )
    .requiredOption('--ledger <file>', 'the ledger: ledger.jsonl in the report directory of the run')
    .option('--api-key-env <name>', 'variable that holds the key (ASSAY_API_KEY, then OPENAI_API_KEY)')
    .option('--timeout <s>', 'seconds for one exchange (60)', seconds)
    .addHelpText('after', '\nExample:\n  assay cleanup --ledger assay-report/ledger.jsonl')
    .action(async ({ ledger, apiKeyEnv, timeout }: Flags) => {
      const { sweep } = await import('../drive/sweep.ts');
      const own = process.env['ASSAY_API_KEY'] || process.env['OPENAI_API_KEY'] || null;
      const apiKey = apiKeyEnv === undefined ? own : keyIn(apiKeyEnv);
      const swept = await sweep(ledger, { apiKey, ...(timeout === undefined ? {} : { timeout }) });
      const lines = [
        ...swept.leftovers.map(
          ({ operation, id, why }) => `left: ${id ?? 'unknown id'} of ${operation} (${why})`,
        ),
        `${plural(swept.removed, 'object')} gone from ${swept.baseUrl}, ${swept.leftovers.length} left`,
      ];
      process.stdout.write(`${lines.join('\n')}\n`);
      finish(swept.leftovers.length > 0 ? 1 : 0);
    });
};
