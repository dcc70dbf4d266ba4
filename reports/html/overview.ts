// The top of the page: verdict and why, what was judged when, what limits it, what to do next.

import { printable } from '../../schemas/excerpt.ts';
import type { FailureContext } from '../failure/failure.ts';
import {
  countVerdicts,
  formatBytes,
  formatNumber,
  plural,
  type Report,
  requirementsInScope,
} from '../report.ts';
import { caveats, hints, obviousLines } from '../summary/limits.ts';
import { type NextStep, nextStep } from '../summary/next-step.ts';
import {
  conformsWithExceptions,
  reasonsBesideVerdict,
  scoreLine,
  verdictSentence,
} from '../verdict-sentence.ts';
import { wrapCommand } from '../words/layout.ts';
import { html, type Markup } from './markup.ts';

/** A sign beside the verdict, for readers who do not see colours. */
const SIGNS = { conforms: '✓', 'does-not-conform': '✗', 'cannot-tell': '?' } as const;

/** Verdict, reasons, facts of the run and links to the sections. */
export function overview(report: Report, sections: readonly SectionLink[]): Markup {
  const { verdict } = report.summary;
  const reasons = reasonsBesideVerdict(report);
  const look = conformsWithExceptions(report) ? 'conforms-with-exceptions' : verdict;
  return html`<header class="${`top ${look}`}">
<p class="kind">assay conformance report</p>
<h1><span class="sign" aria-hidden="true">${SIGNS[verdict]}</span><span class="words">${verdictSentence(report)}</span></h1>
<p class="score">${scoreLine(report)}</p>
${reasons.length === 0 ? null : html`<ul class="reasons" id="verdict">${reasons.map((reason) => html`<li>${printable(reason)}</li>`)}</ul>`}
${facts(report)}
<nav aria-label="Sections"><ul>${sections.map(({ id, name }) => html`<li><a href="${`#${id}`}">${name}</a></li>`)}</ul></nav>
</header>`;
}

/** A section that the navigation names. */
export interface SectionLink {
  readonly id: string;
  readonly name: string;
}

/** Target, date, claim, version and cost. */
function facts(report: Report): Markup {
  const { target, date, tool, dialect, cost } = report;
  // Each as a pair of name and value, in the order in which a reader identifies a report.
  const rows: readonly (readonly [name: string, value: string])[] = [
    ['target', target.baseUrl],
    ['date', date == null ? 'not recorded' : `${date.slice(0, 16).replace('T', ' ')} UTC`],
    ['claim', claimWords(report)],
    ['version', `${tool.name} ${tool.version}`],
    ...(dialect.name === 'specification' ? [] : [['dialect', dialect.name] as const]),
    ['cost', costWords(cost)],
  ];
  return html`<dl class="about">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** The families and operations that were judged; a count where all of them were. */
function claimWords({ claims, operations }: Report): string {
  const families = new Set(operations.map(({ family }) => family)).size;
  if (operations.length > 0 && operations.every(({ claimed }) => claimed) && claims.length === families)
    return `everything (${plural(families, 'family', 'families')})`;
  return claims.join(', ');
}

/** Requests, bytes, tokens and time, by which the next run can be planned. */
function costWords({ requests, bytes, tokens, seconds }: Report['cost']): string {
  // Tokens and time are left out where the target or the recorder tells none.
  const parts = [plural(requests, 'request'), formatBytes(bytes)];
  if (tokens > 0) parts.push(plural(tokens, 'token'));
  if (seconds !== null) parts.push(`${seconds.toFixed(1)} s`);
  return parts.join(', ');
}

/** Columns of the command in its half of the page. */
const COMMAND_COLUMNS = 56;

/** What limits the verdict, and what to do next. Before everything else: a reader must know the limits of a pass. */
export function limitsSection(report: Report, context: FailureContext): Markup {
  // A run without limits and without hints has no such section. A capability that a target lacks as a whole is a limit, not a step.
  const limits = [...obviousLines(report).map((line) => `${capitalised(line)}.`), ...caveats(report)];
  const next = hints(report);
  const step = nextStep(report, context);
  if (limits.length === 0 && next.length === 0 && step === null) return html``;
  // The command first: it is the step, and hints only explain it.
  const steps =
    next.length === 0 && step === null
      ? null
      : html`<div><h2>What to do next</h2>${step === null ? null : stepMarkup(step)}${list(next)}</div>`;
  const before = limits.length === 0 ? null : html`<div><h2>Limits of this report</h2>${list(limits)}</div>`;
  return html`<section id="limits" aria-label="Limits and next steps">${before}${steps}</section>`;
}

/** A sentence that begins in lower case in a terminal. */
function capitalised(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

/** The step, and its command to copy; below it the other way, where there is one. */
function stepMarkup({ intro, command, alternative }: NextStep): Markup {
  return html`<p>${capitalised(intro.replace(/^next: /, ''))}</p>${commandMarkup(command)}${
    alternative === undefined
      ? null
      : html`<p>${capitalised(alternative.intro)}</p>${commandMarkup(alternative.command)}`
  }`;
}

function commandMarkup(command: string | null): Markup | null {
  return command === null
    ? null
    : html`<pre tabindex="0" aria-label="Command">${wrapCommand(command, COMMAND_COLUMNS).join('\n')}</pre>`;
}

function list(lines: readonly string[]): Markup | null {
  return lines.length === 0 ? null : html`<ul>${lines.map((line) => html`<li>${printable(line)}</li>`)}</ul>`;
}

/** Requirements by verdict, as a sentence for the section of all requirements. */
export function countsLine(report: Report): Markup {
  const counts = Object.entries(countVerdicts(requirementsInScope(report.requirements)));
  const shown = counts.filter(([name, count]) => name === 'total' || count > 0);
  return html`<dl class="counts">${shown.map(([name, count]) => html`<div><dt>${name}</dt><dd>${formatNumber(count)}</dd></div>`)}</dl>`;
}
