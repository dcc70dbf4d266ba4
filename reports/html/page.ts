// The page `report.html`. It works without scripts and loads nothing.
import type { MutationReport } from '../../proof/mutation-report.ts';
import type { Comparison } from '../comparison/compare.ts';
import type { FailureContext } from '../failure/failure.ts';
import { printableReport } from '../printable-report.ts';
import type { Report } from '../report.ts';
import { verdictSentence } from '../verdict-sentence.ts';
import { coverageSection, disturbancesSection, latencySection, usageSection } from './coverage.ts';
import { brokenSection, glance } from './findings.ts';
import { html, htmlPage, type Markup } from './markup.ts';
import { changesSection, limitsSection, overview, type SectionLink } from './overview.ts';
import { proofSection, referenceSection } from './reference.ts';
import { filterForm, requirementsSection } from './requirements.ts';
import { type Traffic, trafficOf } from './run.ts';
import { metMachines, statesSection } from './states.ts';

interface PageExtras {
  readonly proof?: MutationReport | null;
  readonly comparison?: Comparison | null;
}

export function htmlReport(given: Report, context: FailureContext, extras: PageExtras = {}): string {
  const report = printableReport(given);
  const { proof = null, comparison = null } = extras;
  const traffic = trafficOf(context);
  const failures = glance(report, context);
  const findings = brokenSection(report, context, traffic);
  // Without failures, known ones included, a reader must first know the limits of the pass.
  const [first, later] = failures === null ? [null, findings] : [findings, null];
  // In reading order: verdict and failures first, reference material last and folded.
  const parts = [
    html`${filterForm(report)}
${first}
${limitsSection(report, context)}
${coverageSection(report)}
${usageSection(report)}
${disturbancesSection(report)}
${changesSection(comparison)}
${later}
${requirementsSection(report, proof, { link: traffic.link, cassette: context.cassette })}
${traffic.timeline}
${latencySection(report)}
${statesSection(report)}
${referenceSection(report, traffic.link)}
${proofSection(report, proof)}`,
    traffic.exchanges(),
  ];
  const body = html`${overview(report, sections(report, comparison, traffic), failures)}
<main id="main">
${parts}
</main>
<footer>${footer(report)}</footer>`;
  return htmlPage(`assay: ${verdictSentence(report)}`, body, 'page.js');
}

function sections(report: Report, comparison: Comparison | null, traffic: Traffic): readonly SectionLink[] {
  const measured = report.operations.some(({ latency }) => latency != null);
  return [
    { id: 'broken', name: 'Findings' },
    { id: 'coverage', name: 'Coverage' },
    ...(report.usage === undefined ? [] : [{ id: 'usage', name: 'Use' }]),
    ...(report.disturbances === undefined ? [] : [{ id: 'disturbances', name: 'Disturbances' }]),
    ...(comparison === null ? [] : [{ id: 'changes', name: 'Changes' }]),
    { id: 'requirements', name: 'Requirements' },
    ...(traffic.timeline === null ? [] : [{ id: 'timeline', name: 'Course' }]),
    ...(measured ? [{ id: 'latency', name: 'Speed' }] : []),
    ...(metMachines(report.states).length === 0 ? [] : [{ id: 'states', name: 'States' }]),
    { id: 'reference', name: 'Reference lists' },
    { id: 'proof', name: 'Proof' },
  ];
}

function footer({ tool, cassette }: Report): Markup {
  const traffic = cassette === null ? '' : ` The traffic is in ${cassette}, beside this file.`;
  return html`${`Made by ${tool.name} ${tool.version} from recorded traffic, without secrets.${traffic}`}`;
}
