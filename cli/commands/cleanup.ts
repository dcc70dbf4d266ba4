import type { Command } from 'commander';
import { plural } from '../../reports/report.ts';
import { remainderWords } from '../../reports/words/leftover.ts';
import type { AddCommand } from '../command.ts';
import { requireNode } from '../engine-tuning.ts';
import { collectRepeated } from '../flag-values.ts';
import { settingsOf } from '../run-flags.ts';

/** `assay cleanup --ledger FILE`: removes what a run that broke off left on its target. */
export const cleanupCommand: AddCommand = (program, { finish }) => {
  program
    .command('cleanup')
    .description(
      'Deletes or cancels what the ledger of a run names, newest first. Can be done again. Exits with 1 when something ' +
        'stays that could be removed.',
    )
    .requiredOption('--ledger <file>', 'the ledger: ledger.jsonl in the report directory of the run')
    .option('--api-key-env <name>', 'variable that holds the key (ASSAY_API_KEY, then OPENAI_API_KEY)')
    .option('--header <line>', 'sent with every request: "Name: value"; may be repeated', collectRepeated)
    .option('--timeout <s>', 'seconds for one exchange (60)')
    .addHelpText('after', '\nExample:\n  assay cleanup --ledger assay-report/ledger.jsonl')
    .action(async ({ ledger }: { readonly ledger: string }, self: Command) => {
      requireNode('cleanup');
      const { cleanUp: sweep } = await import('../../drive/cleanup/cleanup.ts');
      const { apiKey, headers, timeout } = await settingsOf(self);
      const { leftovers, removed, baseUrl } = await sweep(ledger, { apiKey, headers, timeout });
      const open = leftovers.filter(({ final }) => !final);
      const lines = [
        ...leftovers.map(
          ({ operation, id, remainder, final }) =>
            `${final ? 'stays' : 'left'}: ${id ?? 'unknown id'} of ${operation} (${remainderWords(remainder)})`,
        ),
        `${plural(removed, 'object')} gone from ${baseUrl}, ${leftovers.length} left`,
        ...(open.length === 0 ? [] : [`${open.length} of them can be removed: try again`]),
      ];
      process.stdout.write(`${lines.join('\n')}\n`);
      finish(open.length > 0 ? 1 : 0);
    });
};
