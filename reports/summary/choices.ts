import { printable } from '../../exchange/printable.ts';
import { shellQuote } from '../../exchange/shell-quote.ts';
import type { ChoiceVerdict } from '../../judge/verdict/verdict.ts';
import { compact, firstOf, plural } from '../../schemas/message-text.ts';
import { extensionFlags } from '../failure/extension-flags.ts';
import type { Report } from '../report.ts';
import { judgedParty } from '../verdict-words.ts';
import { fileListsWords, type WrittenFile } from './written-file.ts';

const MAX_INCONSISTENT = 4;

export function choiceLines(
  report: Report,
  written: readonly WrittenFile[],
  reportDir: string | null = null,
): string[] {
  const { choices } = report;
  const shownCount = choices.filter(({ taken }) => taken.length > 0).length;
  if (shownCount === 0) return unshownPins(report);
  const reportOption = reportDir === null ? '' : ` --report ${shellQuote(reportDir)}`;
  const fullList = written.some(({ format }) => format === 'json')
    ? `npx assay list --taken${extensionFlags()}${reportOption}`
    : `${fileListsWords(written)} what ${judgedParty(report)} does there`;
  return [
    ...unusualChoices(report),
    ...unshownPins(report),
    `choices: the traffic shows ${shownCount} of the ${plural(choices.length, 'point')} that the specification leaves open; ${fullList}`,
  ];
}

export function changedChoices({ choices }: Report): string[] {
  const quote = (alternatives: readonly string[]) =>
    alternatives.map((one) => `"${printable(one)}"`).join(', ');
  return choices.flatMap(({ id, taken, before }) => {
    if (before === undefined) return [];
    const change = `${id} is ${quote(taken)}, was ${quote([before])}`;
    const command = `npx assay explain ${shellQuote(id)}${extensionFlags()}`;
    return [`changed since the baseline: ${change}; ${command} says how to pin it`];
  });
}

export function unusualChoices({ choices }: Report): string[] {
  return choices.flatMap(({ id, taken, usual, consistent }) => {
    if (!taken.some((alternative) => usual?.includes(alternative) === false)) return [];
    // Several alternatives are consistent if the request decides between them, as for the status of an error.
    const alternatives = taken.map((alternative) => `"${printable(alternative)}"`).join(' or ');
    const varies = taken.length > 1 && consistent ? ', depending on the request' : '';
    return [`unlike most services: ${id} is ${alternatives}${varies}, usually "${usual?.join('" or "')}"`];
  });
}

function unshownPins({ choices }: Report): string[] {
  const ids = choices.filter(({ unshown }) => unshown !== undefined).map(({ id }) => id);
  return compact(ids.length > 0 && `pinned, but not shown by this traffic: ${ids.join(', ')}`);
}

export function inconsistentChoices(report: Report): string[] {
  return report.choices
    .filter(({ consistent }) => !consistent)
    .map(
      (one) =>
        `${judgedParty(report)} is inconsistent in choice ${one.id}: ${takenWords(one).map(printable).join(', ')}`,
    );
}

export function inconsistentLines(report: Report): readonly string[] {
  const more = (hidden: number) =>
    `and ${plural(hidden, 'more choice')} in which ${judgedParty(report)} is inconsistent`;
  return firstOf(inconsistentChoices(report), MAX_INCONSISTENT, more);
}

export function takenWords({ taken, exchanges = [] }: ChoiceVerdict): readonly string[] {
  return taken.map((alternative, n) => {
    // Older reports contain no exchanges, and an alternative that a bug in assay causes has none.
    const exchange = exchanges[n] ?? null;
    return exchange === null ? alternative : `${alternative} (${exchange})`;
  });
}
