import { cleanUp, planCleanup } from '../../drive/cleanup.ts';
import { printable } from '../../exchange/printable.ts';
import { shellQuote } from '../../exchange/shell-quote.ts';
import { UsageError } from '../../pipeline/setup/usage-error.ts';
import { compact, plural } from '../../schemas/message-text.ts';
import type { Execute } from '../options/command.ts';
import { askToConfirm } from '../options/confirmation.ts';
import { requireNode } from '../options/require-node.ts';
import { readCommandSettings } from '../options/settings.ts';
import { leftoverLines } from '../output/leftover-lines.ts';

/** Removes what a run left on its target. Repeating it is safe: a resource that is already gone counts as removed. */
export const execute: Execute<{ readonly ledger: string }> = async ({ flags: { ledger }, self }) => {
  requireNode('cleanup');
  const settings = await readCommandSettings(self);
  const { apiKey, keyVariable, headers, timeout } = settings;
  // A URL from the environment or the configuration file does not count: it was not given for this ledger.
  const baseUrlFlag = self.getOptionValueSource('baseUrl') === 'cli' ? settings.baseUrl : null;
  const baseUrl = baseUrlFlag ?? (await confirmTarget(ledger));
  const { leftovers, removed, ...target } = await cleanUp(ledger, { baseUrl, apiKey, headers, timeout });
  const removable = leftovers.filter(({ final }) => !final);
  const lines = compact(
    ...leftoverLines(leftovers, { ...target, apiKey, keyVariable, ledger: null }),
    `${plural(removed, 'object')} gone from ${printable(target.baseUrl)}, ${leftovers.length} left`,
    removable.length > 0 && `${removable.length} of them can be removed: try again`,
  );
  process.stdout.write(`${lines.join('\n')}\n`);
  return removable.length > 0 ? 1 : 0;
};

async function confirmTarget(ledger: string): Promise<string> {
  const { baseUrl, tag, openCount } = planCleanup(ledger);
  const where = printable(baseUrl);
  const what = `${plural(openCount, 'object')} of the run ${tag} on ${where}`;
  const answer = await askToConfirm(`Delete ${what}, with your API key and --header fields?`);
  if (answer === 'yes') return baseUrl;
  const why =
    answer === 'no'
      ? 'Nothing was sent.'
      : `Nothing was sent: add --base-url ${shellQuote(where)} if that is your target and your run.`;
  throw new UsageError(`${ledger} lists ${what}. ${why}`);
}
