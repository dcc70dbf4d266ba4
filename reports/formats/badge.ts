// A badge shows what was claimed and exercised, because `conforms` alone would overstate the run.
import { printable } from '../../exchange/printable.ts';
import { html } from '../html/markup.ts';
import type { Report } from '../report.ts';
import { countVerdicts, requirementsInScope } from '../selection.ts';
import { verdictSentence } from '../verdict-words.ts';

const SHIELDS_COLOUR = {
  conforms: 'brightgreen',
  'does-not-conform': 'red',
  'cannot-tell': 'yellow',
} as const;

const MAX_NAMED_CLAIMS = 4;
/** Average width of a character, and the sum of left and right padding of a text, in pixels. */
const CHARACTER_WIDTH = 6.5;
const PADDING = 10;
const SVG_FILL = { conforms: '#4c1', 'does-not-conform': '#e05d44', 'cannot-tell': '#dfb317' } as const;

function badgeMessage(report: Report): string {
  const { pass, total } = countVerdicts(requirementsInScope(report.requirements));
  const { exercised, claimed } = report.summary.operations;
  return `${verdictSentence(report)}${claimWords(report)}, ${pass}/${total} requirements, ${exercised}/${claimed} operations`;
}

function claimWords({ claims, summary }: Report): string {
  const { claimed, total } = summary.operations;
  if (claimed === 0) return '';
  if (claims.length <= MAX_NAMED_CLAIMS) return ` for ${claims.map(printable).join('+')}`;
  return claimed === total ? ' for everything' : ` for ${claimed} of ${total} operations`;
}

export function badgeJson(report: Report): string {
  const badge = {
    schemaVersion: 1,
    label: 'assay',
    message: badgeMessage(report),
    color: SHIELDS_COLOUR[report.summary.verdict],
    isError: report.summary.verdict === 'cannot-tell',
  };
  return `${JSON.stringify(badge, null, 1)}\n`;
}

export function badgeSvg(report: Report): string {
  const [label, message] = ['assay', badgeMessage(report)];
  const [left, right] = [textWidth(label), textWidth(message)];
  const fields = [
    { words: label, from: 0, size: left },
    { words: message, from: left, size: right },
  ];
  // `textLength` gives a text a fixed width in pixels, so that the badge looks the same in every font.
  const texts = fields.map(
    ({ words, from, size }) =>
      html`<text x="${from + size / 2}" y="14" textLength="${size - PADDING}">${words}</text>`,
  );
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${label}: ${message}"><title>${label}: ${message}</title><clipPath id="r"><rect width="${left + right}" height="20" rx="3"/></clipPath><g clip-path="url(#r)"><rect width="${left}" height="20" fill="#555"/><rect x="${left}" width="${right}" height="20" fill="${SVG_FILL[report.summary.verdict]}"/></g><g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">${texts}</g></svg>`
    .text;
}

function textWidth(text: string): number {
  return Math.ceil(text.length * CHARACTER_WIDTH) + PADDING;
}
