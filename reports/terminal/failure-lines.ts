// A failure for a terminal: in full, or as the line that remains where there are many.

import { truncateText } from '../failure/excerpt.ts';
import type { FailureText } from '../failure/failure.ts';
import type { Colours } from './colours.ts';
import { type Columns, rowsOf, wrapCommand, wrapText } from './wrap.ts';

/** Columns before the text of a failure. */
export const INDENT = 6;

/** How lines are set. */
export interface LineStyle {
  readonly paint: Colours;
  readonly columns: Columns;
}

/** A failure in full, indented below its id. `curlRows`: rows of the terminal that its curl line may take; a longer one is in the report. */
export function failureInFull(
  text: FailureText,
  { paint, columns, curlRows }: LineStyle & { readonly curlRows: number },
): string[] {
  const word = text.word === 'FAIL' ? paint.red : paint.yellow;
  const inner = columns === null ? null : columns - INDENT;
  const field = (name: string, value: string, colour = (line: string) => line) =>
    labelled(name.padEnd(8), value, { columns: inner, colour });
  const blocks = [
    [...wrapText(`${text.level}  ${text.says}`, inner, text.level.length + 2), `spec  ${text.spec}`],
    ...text.findings.map(({ at, expected, actual }) => [
      ...field('at', at),
      ...field('expected', expected, paint.green),
      ...field('actual', actual, word),
    ]),
    ...(text.more === null ? [] : [[text.more]]),
    ...(text.consequenceOf.length === 0
      ? []
      : [[...wrapText(`because of ${text.consequenceOf.join(', ')}`, inner, 2)]]),
    ...text.wire.map((lines) => lines.map((line) => paint.dim(line))),
    shortCommands(text.next, columns, curlRows).flatMap(({ what, text: command }) =>
      commandLines(what, command, inner),
    ),
  ];
  const lines = blocks.flatMap((block) => ['', ...block.map((line) => `${' '.repeat(INDENT)}${line}`)]);
  return [heading(text, paint), ...lines, ''];
}

/** The commands without a curl line that would fill the screen, and without the remark on its variables. */
function shortCommands(next: FailureText['next'], columns: Columns, most: number): FailureText['next'] {
  const isLong = next.some(({ what, text }) => what === 'curl' && rowsOf([text], columns) > most);
  return isLong ? next.filter(({ what }) => what !== 'curl' && what !== 'set') : next;
}

/** A failure on a few lines: its rule, and what was expected and what came at the first place. */
export function failureInBrief(text: FailureText, { paint, columns }: LineStyle): string[] {
  const inner = columns === null ? null : columns - INDENT;
  const [first] = text.findings;
  const found =
    first === undefined
      ? []
      : wrapText(`at ${first.at}: expected ${first.expected}, actual ${first.actual}`, inner, 2).slice(0, 3);
  const lines = [...wrapText(text.says, inner), ...found];
  return [heading(text, paint), ...lines.map((line) => `${' '.repeat(INDENT)}${line}`), ''];
}

/** A failure as one line: its name, and as much of its rule as fits. */
export function failureAsLine(name: string, says: string, { paint, columns }: LineStyle): string {
  const room = columns === null ? says.length : columns - INDENT - name.length - 2;
  // Less than a few words of a rule say nothing.
  const shown = room < 12 ? '' : `  ${paint.dim(truncateText(says, room))}`;
  return shown === '' ? indented(name, { indent: INDENT, columns }) : `${' '.repeat(INDENT)}${name}${shown}`;
}

/** A line below a title; a name that is almost as long as the terminal is wide is set further to the left. */
export function indented(
  line: string,
  { indent, columns }: { readonly indent: number; readonly columns: Columns },
): string {
  const room = columns === null ? indent : Math.max(0, columns - line.length);
  return `${' '.repeat(Math.min(indent, room))}${line}`;
}

function heading({ word, id }: FailureText, paint: Colours): string {
  return `${paint.bold((word === 'FAIL' ? paint.red : paint.yellow)(word))}  ${paint.bold(id)}`;
}

/** A value after its label; further lines stand below the value. */
function labelled(
  label: string,
  value: string,
  { columns, colour }: { readonly columns: Columns; readonly colour: (line: string) => string },
): string[] {
  const width = label.length + 2;
  const lines = wrapText(value, columns === null ? null : columns - width);
  return lines.map((line, n) => `${n === 0 ? `${label}  ` : ' '.repeat(width)}${colour(line)}`);
}

/** A command after its name; a remark on a command is text. */
function commandLines(what: string, text: string, columns: Columns): string[] {
  const label = `${what.padEnd(5)}  `;
  const room = columns === null ? null : columns - label.length;
  const lines = what === 'set' ? wrapText(text, room) : wrapCommand(text, room);
  return lines.map((line, n) => `${n === 0 ? label : ' '.repeat(label.length)}${line}`);
}
