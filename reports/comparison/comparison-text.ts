import { firstOf } from '../../schemas/message-text.ts';
import type { Colours } from '../words/colours.ts';
import type { Comparison, ReportChange } from './compare.ts';

const MAX_SHOWN_CHANGES = 50;
/** The groups of changes, most important first. `look`: the CSS class. */
export const CHANGE_GROUPS = [
  { group: 'worse', title: 'worse', colour: 'red', look: 'fail' },
  { group: 'better', title: 'better', colour: 'green', look: 'pass' },
  { group: 'unjudged', title: 'no longer judged', colour: 'yellow', look: 'warn' },
  { group: 'other', title: 'changed, neither better nor worse', colour: 'dim', look: '' },
  { group: 'choices', title: 'other choice taken', colour: 'cyan', look: '' },
  { group: 'gone', title: 'requirements gone', colour: 'dim', look: '' },
  { group: 'added', title: 'new requirements', colour: 'dim', look: '' },
] as const;

const MAX_NAMED_IDS = 4;

/** The worst group comes last, next to the prompt. */
export function comparisonText(comparison: Comparison, paint: Colours, max = MAX_SHOWN_CHANGES): string {
  const sections = CHANGE_GROUPS.toReversed().map(({ group, title, colour }) =>
    section(paint[colour](`${title} (${comparison[group].length})`), comparison[group], max),
  );
  const unmatched = `${comparison.added.length} new, ${comparison.gone.length} gone`;
  return [
    ...sections.flat(),
    `before  ${comparison.before}`,
    `after   ${comparison.after}`,
    paint.bold(`${changeCounts(comparison)}, ${unmatched}`),
    '',
  ].join('\n');
}

function changeCounts({ worse, better, unjudged }: Comparison): string {
  return `${worse.length} worse, ${better.length} better, ${unjudged.length} no longer judged`;
}

function section(title: string, changes: readonly ReportChange[], max: number): string[] {
  if (changes.length === 0) return [];
  const lines = changes.map(({ id, how, says }) => `  ${how.padEnd(16)}  ${id}  ${says}`);
  return [title, ...firstOf(lines, max, (hidden) => `  … and ${hidden} more, which --all prints`), ''];
}

export function changeLines(comparison: Comparison | null): string[] {
  if (comparison === null) return [];
  const { worse, better, choices } = comparison;
  const namedChoices = choices.map((one) => ({ ...one, id: `${one.id} (${one.how})` }));
  return [
    `since the earlier report: ${changeCounts(comparison)}`,
    ...listIds('worse', worse),
    ...listIds('better', better),
    ...listIds('other choice taken', namedChoices),
  ];
}

function listIds(word: string, changes: readonly ReportChange[]): string[] {
  if (changes.length === 0) return [];
  const ids = changes.map(({ id }) => id);
  return [`  ${word}: ${firstOf(ids, MAX_NAMED_IDS, (hidden) => `and ${hidden} more`).join(', ')}`];
}
