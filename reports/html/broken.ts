// The section of failures.
import { eventsOf } from '../../exchange/http/event-stream.ts';
import type { DiagnosisVerdict, RequirementVerdict } from '../../judge/verdict/verdict.ts';
import { causeOfFailures, consequencesTitle, withoutEvidenceTitle } from '../failure/cause.ts';
import { printable } from '../failure/excerpt.ts';
import { type FailureContext, failureText } from '../failure/failure.ts';
import { openCauses, type Report, unexcusedRequirements } from '../report.ts';
import { diagnosisWords } from '../words/diagnosis.ts';
import { html, type Markup } from './markup.ts';
import { anchor } from './requirements.ts';
import { timeline } from './timeline.ts';

/** Failures that are open when the page opens. */
const OPEN = 3;

/** Each failure as in the terminal, with a timeline of the streams that prove it. */
export function brokenSection(report: Report, context: FailureContext): Markup {
  // Defects of assay are listed here, too, since a reader looks for everything that went wrong in one place.
  const of = (verdict: string) => report.requirements.filter((one) => one.verdict === verdict);
  // Known failures come last: they are excused, but a page about a target must not hide them.
  const known = report.requirements.filter(
    ({ baseline, verdict }) => baseline !== null && (verdict === 'fail' || verdict === 'warn'),
  );
  // Causes come first: what fails in consequence is folded below each.
  const causes = openCauses(report);
  const broken = [
    ...unexcusedRequirements(report, 'fail'),
    ...unexcusedRequirements(report, 'warn'),
    ...known,
  ];
  return html`<section id="broken" aria-labelledby="h-broken">
<h2 id="h-broken">Broken</h2>
${broken.length + causes.length === 0 ? html`<p>Nothing that was judged is broken.</p>` : null}
${causes.map((one) => causeArticle(one, report, context))}
${broken.map((one, index) => article(one, index < OPEN ? 'open' : 'closed', context))}
${of('error').map(
  ({ id, reason }) =>
    html`<p><span class="word error">error</span> <code>${id}</code> a defect of assay: ${reason}</p>`,
)}
</section>`;
}

/** A cause of refusals; what fails in consequence is folded below it. */
function causeArticle(diagnosis: DiagnosisVerdict, report: Report, context: FailureContext): Markup {
  const cause = causeOfFailures(diagnosis, report, context);
  // A report of another tool may lack the requirement that the cause breaks.
  if (cause === null) return html``;
  const { text, consequences, withoutEvidence } = cause;
  // Links from the list of requirements lead to the cause.
  const broken = report.requirements.filter(
    ({ id, verdict }) => verdict === 'fail' && diagnosis.operations.some((one) => one.requirement === id),
  );
  return html`<details class="failure cause" id="${`c:${text.id}`}" open>
<summary><span class="word fail">${text.word}</span> <code>${text.id}</code> ${diagnosisWords(diagnosis)}</summary>
<p class="facts">${`${text.level} · spec ${text.spec} · ${text.says}`}</p>
${broken.map((one) => html`<p class="facts" id="${`r:${one.id}`}"><a href="${`#${encodeURIComponent(`row:${one.id}`)}`}"><code>${one.id}</code></a></p>`)}
${text.more === null ? null : html`<p>${text.more}</p>`}
${text.wire.map((lines) => html`<pre tabindex="0" aria-label="The wire">${lines.join('\n')}</pre>`)}
<dl class="next">${text.next.map(({ what, text: words }) => html`<dt>${what}</dt><dd><code>${words}</code></dd>`)}</dl>
${
  // The articles are there, so that links to them work, but closed twice.
  consequences.length === 0
    ? null
    : html`<details class="consequences"><summary>${consequencesTitle(consequences)}</summary>
${consequences.map((one) => article(one, 'closed', context))}
</details>`
}
${
  withoutEvidence.length === 0
    ? null
    : // Rows of the list of requirements, where each has its reason.
      html`<details class="consequences"><summary>${withoutEvidenceTitle(withoutEvidence)}</summary>
<ul>${withoutEvidence.map(({ id }) => html`<li><a href="${`#${encodeURIComponent(`row:${id}`)}`}"><code>${id}</code></a></li>`)}</ul>
</details>`
}
</details>`;
}

/** One failure, with a stable anchor. */
function article(one: RequirementVerdict, details: 'open' | 'closed', context: FailureContext): Markup {
  const text = failureText(one, context);
  const known = one.baseline === null ? null : html`<p>known: ${one.baseline}</p>`;
  return html`<details class="failure" id="${`r:${one.id}`}"${details === 'open' ? html` open` : null}>
<summary><span class="word ${one.verdict}">${text.word}</span> <code>${text.id}</code> ${text.says}</summary>
<p class="facts">${`${text.level} · spec ${text.spec} · ${one.family}`} <a href="${`#${anchor(one.id)}`}">link to this</a></p>
${known}
${text.findings.map(
  ({ at, expected, actual }) => html`<dl class="finding"><dt>at</dt><dd>${at}</dd>
<dt>expected</dt><dd>${expected}</dd><dt>actual</dt><dd>${actual}</dd></dl>`,
)}
${text.more === null ? null : html`<p>${text.more}</p>`}
${text.consequenceOf.length === 0 ? null : html`<p>${`in consequence of ${text.consequenceOf.join(', ')}`}</p>`}
${text.wire.map((lines) => html`<pre tabindex="0" aria-label="The wire">${lines.join('\n')}</pre>`)}
${streams(one, context)}
<dl class="next">${text.next.map(({ what, text: words }) => html`<dt>${what}</dt><dd><code>${words}</code></dd>`)}</dl>
</details>`;
}

/** Timelines of up to two streams. */
function streams(one: RequirementVerdict, context: FailureContext): Markup[] {
  // Findings of one stream share its timeline.
  const ids = [...new Set(one.findings.map(({ exchange }) => exchange))].slice(0, 2);
  return ids.flatMap((id) => {
    const response = context.exchange(id)?.response ?? null;
    const stream = response === null ? null : eventsOf(response);
    if (response === null || stream === null || stream.events.length === 0) return [];
    return [timeline(printable(id), response, stream)];
  });
}
