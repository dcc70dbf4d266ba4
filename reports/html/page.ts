import { printable } from '../../exchange/printable.ts';
import type { MutationReport } from '../../proof/mutation-report.ts';
import { compact, plural } from '../../schemas/message-text.ts';
import type { Comparison } from '../comparison/compare.ts';
import type { FailureContext } from '../failure/failure.ts';
import { printableReport } from '../printable-report.ts';
import type { Report } from '../report.ts';
import { caveats } from '../summary/caveats.ts';
import { changedChoices, unusualChoices } from '../summary/choices.ts';
import { hints } from '../summary/hints.ts';
import { missingCapabilityLines } from '../summary/missing-capabilities.ts';
import { type NextStep, nextStep } from '../summary/next-step.ts';
import { costLine } from '../summary/summary.ts';
import { conformsWithExceptions, furtherReasons, scoreLine, verdictSentence } from '../verdict-words.ts';
import { wrapCommand } from '../words/layout.ts';
import { asSentence, capitalise } from '../words/text.ts';
import { changesSection } from './changes.ts';
import { disturbancesSection, usageSection } from './client.ts';
import { coverageSection } from './coverage.ts';
import { htmlPage } from './document.ts';
import { brokenSection, glanceList } from './findings.ts';
import { latencySection } from './latency.ts';
import { html, type Markup } from './markup.ts';
import { proofSection } from './proof.ts';
import { referenceSection } from './reference.ts';
import { filterForm, requirementsSection } from './requirements.ts';
import { observedMachines, statesSection } from './states.ts';
import { createTraffic, type Traffic } from './traffic.ts';

/** Signs for readers who cannot see the colours. */
const SIGNS = { conforms: '✓', 'does-not-conform': '✗', 'cannot-tell': '?' } as const;
const COMMAND_COLUMNS = 52;

interface PageExtras {
  readonly proof?: MutationReport | null;
  readonly comparison?: Comparison | null;
}

export function htmlReport(rawReport: Report, context: FailureContext, extras: PageExtras = {}): string {
  const report = printableReport(rawReport);
  const { proof = null, comparison = null } = extras;
  const traffic = createTraffic(context);
  const failures = glanceList(report);
  const findings = brokenSection(report, context, traffic);
  // With nothing to list as broken or known, a reader must first know the limits of the verdict.
  const hasFailures = failures !== null;
  const parts = [
    html`${filterForm(report)}
${hasFailures ? findings : null}
${limitsSection(report, context)}
${coverageSection(report)}
${usageSection(report)}
${disturbancesSection(report)}
${changesSection(comparison)}
${hasFailures ? null : findings}
${requirementsSection(report, proof, { link: traffic.link, cassette: context.cassette })}
${traffic.timeline}
${latencySection(report)}
${statesSection(report)}
${referenceSection(report, traffic.link)}
${proofSection(report, proof)}`,
    traffic.exchanges(),
  ];
  const body = html`${overview(report, listSections(report, comparison, traffic), failures)}
<main id="main">
${parts}
</main>
<footer>${footer(report)}</footer>`;
  return htmlPage(`assay: ${verdictSentence(report)}`, body, 'page.js');
}

function listSections(
  report: Report,
  comparison: Comparison | null,
  traffic: Traffic,
): readonly SectionLink[] {
  const hasLatency = report.operations.some(({ latency }) => latency != null);
  return [
    { id: 'broken', name: 'Findings' },
    { id: 'coverage', name: 'Coverage' },
    ...(report.usage?.length ? [{ id: 'usage', name: 'Use' }] : []),
    ...(report.disturbances?.length ? [{ id: 'disturbances', name: 'Disturbances' }] : []),
    ...(comparison === null ? [] : [{ id: 'changes', name: 'Changes' }]),
    { id: 'requirements', name: 'Requirements' },
    ...(traffic.timeline === null ? [] : [{ id: 'timeline', name: 'Timeline' }]),
    ...(hasLatency ? [{ id: 'latency', name: 'Speed' }] : []),
    ...(observedMachines(report.states).length === 0 ? [] : [{ id: 'states', name: 'States' }]),
    { id: 'reference', name: 'Reference lists' },
    { id: 'proof', name: 'Proof' },
  ];
}

function footer({ tool, cassette }: Report): Markup {
  const traffic = cassette === null ? '' : ` The traffic is in ${cassette}, next to this file.`;
  return html`${`Made by ${tool.name} ${tool.version} from recorded traffic, without secrets.${traffic}`}`;
}

function overview(report: Report, sections: readonly SectionLink[], failures: Markup | null): Markup {
  const { verdict } = report.summary;
  const reasons = furtherReasons(report);
  const look = conformsWithExceptions(report) ? 'conforms-with-exceptions' : verdict;
  return html`<header class="${`top ${look}`}">
<p class="kind">assay conformance report</p>
<h1><span class="sign" aria-hidden="true">${SIGNS[verdict]}</span><span class="words">${verdictSentence(report)}</span></h1>
<p class="score">${scoreLine(report)}</p>
${reasons.length === 0 ? null : html`<ul class="reasons" id="verdict">${reasons.map((reason) => html`<li>${printable(reason)}</li>`)}</ul>`}
${failures}
${factsList(report)}
<nav aria-label="Sections"><ul>${sections.map(({ id, name }) => html`<li><a href="${`#${id}`}">${name}</a></li>`)}</ul></nav>
</header>`;
}

interface SectionLink {
  readonly id: string;
  readonly name: string;
}

function factsList(report: Report): Markup {
  const { target, date, tool, dialect } = report;
  const rows: readonly (readonly [name: string, value: string])[] = compact(
    ['target', target.baseUrl],
    ['date', date == null ? 'not recorded' : `${date.slice(0, 16).replace('T', ' ')} UTC`],
    ['claim', claimWords(report)],
    ['version', `${tool.name} ${tool.version}`],
    dialect.name !== 'specification' && (['dialect', dialect.name] as const),
    ['cost', costLine(report)],
  );
  return html`<dl class="about">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function claimWords({ claims, operations }: Report): string {
  const families = new Set(operations.map(({ family }) => family)).size;
  if (operations.length > 0 && operations.every(({ claimed }) => claimed) && claims.length === families)
    return `everything (${plural(families, 'family', 'families')})`;
  return claims.join(', ');
}

function limitsSection(report: Report, context: FailureContext): Markup {
  // A capability that is missing as a whole is a limit, not a step.
  const limits = [
    ...[...changedChoices(report), ...missingCapabilityLines(report), ...unusualChoices(report)].map(
      asSentence,
    ),
    ...caveats(report),
  ];
  const advice = hints(report, context);
  const step = nextStep(report, context);
  if (limits.length === 0 && advice.length === 0 && step === null) return html``;
  const stepsMarkup =
    advice.length === 0 && step === null
      ? null
      : html`<div><h2>What to do next</h2>${step === null ? null : stepMarkup(step)}${listMarkup(advice)}</div>`;
  const limitsMarkup =
    limits.length === 0 ? null : html`<div><h2>Limits of this report</h2>${listMarkup(limits)}</div>`;
  return html`<section id="limits" aria-label="Limits and next steps">${limitsMarkup}${stepsMarkup}</section>`;
}

function stepMarkup({ intro, command, alternative }: NextStep): Markup {
  const lines = command === null ? [] : wrapCommand(command, COMMAND_COLUMNS);
  const block =
    command === null ? null : html`<pre tabindex="0" aria-label="Command">${lines.join('\n')}</pre>`;
  const further = alternative === undefined ? null : stepMarkup(alternative);
  return html`<p>${capitalise(intro.replace(/^next: /, ''))}</p>${block}${further}`;
}

function listMarkup(lines: readonly string[]): Markup | null {
  return lines.length === 0 ? null : html`<ul>${lines.map((line) => html`<li>${printable(line)}</li>`)}</ul>`;
}
