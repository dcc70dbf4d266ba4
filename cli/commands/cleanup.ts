import type { Command } from 'commander';
import { plural } from '../../reports/report.ts';
import { present } from '../../reports/words/text.ts';
import type { AddCommand } from '../options/command.ts';
import { addCredentialFlags, settingsOf } from '../options/run-flags.ts';
import { leftoverLines } from '../output/run-notices.ts';
import { requireNode } from '../serving/engine-tuning.ts';

/** Can be repeated: a resource that is already gone counts as removed. */
export const addCommand: AddCommand = (program, { finish }) => {
  const command = program
    .command('cleanup')
    .description(
      'Deletes or cancels the resources listed in the ledger of a run, newest first. It can be repeated. Exits with 1 ' +
        'when resources remain that could still be removed.',
    )
    .requiredOption('--ledger <file>', 'ledger of the run: ledger.jsonl in its report directory');
  addCredentialFlags(command)
    .option('--timeout <s>', 'seconds for one exchange (default: 60)')
    .addHelpText('after', '\nExample:\n  assay cleanup --ledger assay-report/ledger.jsonl')
    .action(async ({ ledger }: { readonly ledger: string }, self: Command) => {
      requireNode('cleanup');
      const { cleanUp } = await import('../../drive/cleanup.ts');
      const { apiKey, keyVariable, headers, timeout } = await settingsOf(self);
      const { leftovers, removed, ...target } = await cleanUp(ledger, { apiKey, headers, timeout });
      const removable = leftovers.filter(({ final }) => !final);
      const lines = present(
        ...leftoverLines(leftovers, { ...target, apiKey, keyVariable, ledger: null }),
        `${plural(removed, 'object')} gone from ${target.baseUrl}, ${leftovers.length} left`,
        removable.length > 0 && `${removable.length} of them can be removed: try again`,
      );
      process.stdout.write(`${lines.join('\n')}\n`);
      finish(removable.length > 0 ? 1 : 0);
    });
};
