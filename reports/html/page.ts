// The page `report.html`. It works without scripts and loads nothing.
import type { MutationReport } from '../../judge/mutation-testing/mutation-report.ts';
import { caveats } from '../failure/caveats.ts';
import { printable } from '../failure/excerpt.ts';
import type { FailureContext } from '../failure/failure.ts';
import { hints } from '../failure/hints.ts';
import { obviousLines } from '../failure/obvious.ts';
import { printableReport } from '../formats/printable-report.ts';
import { byFamily, formatBytes, formatNumber, type Report, scoreLine, verdictWords } from '../report.ts';
import { CLAIM_COMMAND_INTRO, claimCommand } from '../terminal/summary.ts';
import { brokenSection } from './broken.ts';
import { html, type Markup } from './markup.ts';
import { operationsSection } from './operations.ts';
import { proofSection } from './proof.ts';
import { requirementsSection } from './requirements.ts';
import { htmlPage } from './shell.ts';
import { statesSection } from './states.ts';

/** The report as one HTML file. `proof`: the report of mutation testing of the suite, if known. */
export function htmlReport(
  given: Report,
  context: FailureContext,
  proof: MutationReport | null = null,
): string {
  // Once for the whole page: no section has to remember it.
  const report = printableReport(given);
  // In the order in which a reader decides: verdict and failures first, reference material last.
  const body = html`${top(report)}
<main id="main">
${cautionsSection(report)}
${verdictSection(report, context)}
${brokenSection(report, context)}
${familiesSection(report)}
${operationsSection(report)}
${requirementsSection(report, proof)}
${errataSection(report)}
${statesSection(report)}
${choicesSection(report)}
${costSection(report)}
${proofSection(report, proof)}
${exclusionsSection(report)}
${freeEvidenceSection(report)}
</main>
<footer>${`${report.tool.name} ${report.tool.version}`}</footer>`;
  return htmlPage(`assay: ${verdictWords(report)}`, body, 'page.js');
}

/** Verdict, score and links to the sections. */
function top(report: Report): Markup {
  // The verdict is in words and not only in the colour, for readers who do not see colours.
  return html`<header class="top ${report.summary.verdict}">
<p class="target">${report.target.baseUrl}</p>
<h1>${verdictWords(report)}</h1>
<p class="score">${scoreLine(report)}</p>
<nav aria-label="Sections"><ul>
<li><a href="#verdict">Verdict</a></li>
<li><a href="#broken">Broken</a></li>
<li><a href="#families">Families</a></li>
<li><a href="#operations">Operations</a></li>
<li><a href="#requirements">Requirements</a></li>
${report.states.length === 0 ? null : html`<li><a href="#states">States</a></li>`}
<li><a href="#choices">Choices</a></li>
<li><a href="#cost">Cost</a></li>
<li><a href="#proof">Proof</a></li>
<li><a href="#exclusions">Exclusions</a></li>
</ul></nav>
</header>`;
}

/** Reasons for which a pass may mean little. */
function cautionsSection(report: Report): Markup {
  // Before the verdict: a reader must know the limits of a pass before reading one.
  const lines = caveats(report);
  if (lines.length === 0) return html``;
  return html`<section id="cautions" aria-labelledby="h-cautions">
<h2 id="h-cautions">Before a pass means anything</h2>
<ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>
</section>`;
}

/** Reasons of the verdict, and counts. */
function verdictSection(report: Report, context: FailureContext): Markup {
  // Printed where a target offers only a part: judging that part alone gives a verdict that means something.
  const command = claimCommand(report, context);
  const { requirements } = report.summary;
  const counts = Object.entries(requirements).filter(([name, count]) => name === 'total' || count > 0);
  return html`<section id="verdict" aria-labelledby="h-verdict">
<h2 id="h-verdict">Verdict</h2>
<ul>${[...obviousLines(report), ...report.summary.reasons, ...hints(report)].map((reason) => html`<li>${printable(reason)}</li>`)}</ul>
${command === null ? null : html`<p>${CLAIM_COMMAND_INTRO}</p><pre tabindex="0" aria-label="Command">${command}</pre>`}
<dl class="counts">${counts.map(([name, count]) => html`<div><dt>${name}</dt><dd>${formatNumber(count)}</dd></div>`)}</dl>
</section>`;
}

/** Verdicts by family. */
function familiesSection(report: Report): Markup {
  // The last column sums up what has no verdict; the reasons are in the list of requirements.
  const rows = byFamily(report).map(
    ({ family, counts, operations }) => html`<tr><th scope="row">${family}</th>
<td>${`${operations.exercised} of ${operations.claimed}`}</td>
<td>${formatNumber(counts.pass)}</td><td>${formatNumber(counts.fail)}</td><td>${formatNumber(counts.warn)}</td>
<td>${formatNumber(counts.total - counts.pass - counts.fail - counts.warn)}</td></tr>`,
  );
  return html`<section id="families" aria-labelledby="h-families">
<h2 id="h-families">Families</h2>
<div class="wide" tabindex="0" role="group" aria-labelledby="h-families"><table>
<thead><tr><th scope="col">family</th><th scope="col">operations exercised</th><th scope="col">pass</th>
<th scope="col">fail</th><th scope="col">warn</th><th scope="col">not judged</th></tr></thead>
<tbody>${rows}</tbody></table></div>
</section>`;
}

/** Errata of the dialect that were needed. */
function errataSection(report: Report): Markup {
  // Empty without a dialect, and where none of its errata was needed.
  const { name, errata } = report.dialect;
  if (errata.length === 0) return html``;
  const rows = errata.map(
    ({
      id,
      reason,
      times,
      requirements,
    }) => html`<tr><th scope="row"><code>${id}</code></th><td>${reason}</td>
<td>${formatNumber(times)}</td><td>${requirements.map((one) => html`<code>${one}</code> `)}</td></tr>`,
  );
  return html`<section id="errata" aria-labelledby="h-errata">
<h2 id="h-errata">${`Excused by dialect ${name}`}</h2>
<div class="wide" tabindex="0" role="group" aria-labelledby="h-errata"><table>
<thead><tr><th scope="col">erratum</th><th scope="col">reason</th><th scope="col">times</th>
<th scope="col">requirements</th></tr></thead>
<tbody>${rows}</tbody></table></div>
</section>`;
}

/** Requests, bytes, tokens and time. */
function costSection({ cost }: Report): Markup {
  // Figures of this run, by which the next one can be planned.
  const rows: readonly (readonly [string, string])[] = [
    ['requests', formatNumber(cost.requests)],
    ['bytes', formatBytes(cost.bytes)],
    ['tokens', formatNumber(cost.tokens)],
    ['time', cost.seconds === null ? 'not measured' : `${cost.seconds.toFixed(1)} s`],
  ];
  return html`<section id="cost" aria-labelledby="h-cost">
<h2 id="h-cost">What the run cost</h2>
<dl class="counts">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
</section>`;
}

/** Behaviour of the target where the specification leaves it open. */
function choicesSection(report: Report): Markup {
  const rows = report.choices.map(
    ({ id, says, taken, consistent }) => html`<tr><th scope="row"><code>${id}</code></th><td>${says}</td>
<td>${taken.length === 0 ? 'not seen' : taken.join(', ')}</td><td>${taken.length === 0 ? '' : consistent ? 'yes' : 'no'}</td></tr>`,
  );
  return html`<section id="choices" aria-labelledby="h-choices">
<h2 id="h-choices">What the specification leaves open, and what the target does</h2>
<div class="wide" tabindex="0" role="group" aria-labelledby="h-choices"><table>
<thead><tr><th scope="col">choice</th><th scope="col">question</th><th scope="col">taken</th><th scope="col">alike everywhere</th></tr></thead>
<tbody>${rows}</tbody></table></div>
</section>`;
}

/** Requirements that a conforming target may give no evidence for. */
function freeEvidenceSection({ freeEvidence }: Report): Markup {
  if (freeEvidence.length === 0) return html``;
  const rows = freeEvidence.map(
    ({ requirement, decides, reason }) =>
      html`<tr><th scope="row"><code>${requirement}</code></th><td>${decides}</td><td>${reason}</td></tr>`,
  );
  return html`<section id="free" aria-labelledby="h-free">
<h2 id="h-free">Evidence that a target is free not to give</h2>
<div class="wide" tabindex="0" role="group" aria-labelledby="h-free"><table>
<thead><tr><th scope="col">requirement</th><th scope="col">decided by</th><th scope="col">why</th></tr></thead>
<tbody>${rows}</tbody></table></div>
</section>`;
}

/** Sentences of the specification that cannot be tested. */
function exclusionsSection(report: Report): Markup {
  const rows = report.exclusions.map(
    ({ id, says, reason }) =>
      html`<tr><th scope="row"><code>${id}</code></th><td>${says}</td><td>${reason}</td></tr>`,
  );
  return html`<section id="exclusions" aria-labelledby="h-exclusions">
<h2 id="h-exclusions">What no black-box test can see</h2>
<div class="wide" tabindex="0" role="group" aria-labelledby="h-exclusions"><table>
<thead><tr><th scope="col">exclusion</th><th scope="col">sentence</th><th scope="col">why</th></tr></thead>
<tbody>${rows}</tbody></table></div>
</section>`;
}
