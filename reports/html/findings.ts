// The section of failures: causes first, what follows from them folded, then failures for a reason of their own.

import type { Exchange } from '../../exchange/exchange.ts';
import { countFailures, countKnownFailures } from '../../judge/verdict/failure-count.ts';
import type { DiagnosisVerdict, RequirementVerdict } from '../../judge/verdict/verdict.ts';
import { truncateText } from '../../schemas/excerpt.ts';
import { acceptedGroups, countAcceptedUndecided, undecidedCount } from '../counts.ts';
import {
  causeOfFailures,
  consequencesTitle,
  type FailureContext,
  type FailureGroup,
  type FailureText,
  failureText,
  groupFailures,
  groupWords,
  placeInGroup,
  shownEvidence,
  withoutEvidenceTitle,
} from '../failure/failure.ts';
import {
  knownFailures,
  openCauses,
  plural,
  type Report,
  type ReportedRequirement,
  unexcusedRequirements,
} from '../report.ts';
import { diagnosisWords } from '../words/cause.ts';
import { ownerOf } from '../words/defect.ts';
import { withSharedCause } from '../words/gate-reason.ts';
import { wrapCommand } from '../words/layout.ts';
import { exchangeEvidence, waterfall } from './exchange.ts';
import { anchor, html, type Markup } from './markup.ts';

/** Failures that are open when the page opens. */
const OPEN = 2;
/** Failures with their evidence; further ones are listed with what was expected and what came. Keeps the page small. */
const IN_FULL = 30;
/** Failures on paper; more than four pages are not read. The style sheet leaves out the rest. */
const ON_PAPER = 24;

/** Everything that went wrong, in one place: causes, failures, warnings, defects of assay, known failures. */
export function brokenSection(report: Report, context: FailureContext): Markup {
  const causes = openCauses(report).map((one) => (state: Fold) => causeItem(one, report, { state, context }));
  const groups = (['fail', 'warn'] as const)
    .flatMap((verdict) => groupFailures(unexcusedRequirements(report, verdict)))
    .map((one) => (state: Fold) => groupItem(one, { state, context }));
  const items = [...causes, ...groups].map((item, n) => item(foldOf(n)));
  const defects = report.requirements.filter(({ verdict }) => verdict === 'error');
  const beyond = items.length - ON_PAPER;
  return html`<section id="broken" aria-labelledby="h-broken">
<h2 id="h-broken">What is broken ${items.length === 0 ? null : html`<span class="count">${countWords(report, items.length)}</span>`}</h2>
${items.length === 0 ? html`<p>${knownFailures(report).length === 0 ? 'Nothing that was judged is broken.' : 'Nothing is broken beyond what the baseline accepts.'}</p>` : html`<ol class="findings">${items}</ol>`}
${beyond > 0 ? html`<p class="on-paper">${`and ${plural(beyond, 'more failure')}, on the page itself`}</p>` : null}
${defects.map(({ id, reason }) => html`<p><span class="word error">error</span> <code>${id}</code> ${`a defect of ${ownerOf(id)}: ${reason}`}</p>`)}
${known(report, context)}
</section>`;
}

/** How much of a failure is on the page, and whether it is open. */
type Fold = 'open' | 'closed' | 'brief';

function foldOf(n: number): Fold {
  return n < OPEN ? 'open' : n < IN_FULL ? 'closed' : 'brief';
}

/** What an item is made with. */
interface ItemOptions {
  readonly state: Fold;
  readonly context: FailureContext;
}

/**
 * The numbers beside the heading, which are those of the verdict at the top of the page.
 * `50 MUSTs and 15 more for shared causes, 2 SHOULDs, in 14 entries`: requirements that fail by one defect share an entry.
 */
function countWords(report: Report, items: number): string {
  const { diagnoses = [], requirements } = report;
  const counts = (['MUST', 'SHOULD'] as const).map((level) => ({
    level,
    ...countFailures({ requirements, diagnoses }, level),
  }));
  const parts = counts
    .filter(({ count, consequences }) => count + consequences > 0)
    .map(({ level, ...rest }) => withSharedCause(plural(rest.count, level), rest));
  const isSame = counts.reduce((sum, { count }) => sum + count, 0) === items;
  return [...parts, ...(isSame ? [] : [`in ${plural(items, 'entry', 'entries')}`])].join(', ');
}

/** A cause of refusals; what else fails for it is folded below it. */
function causeItem(diagnosis: DiagnosisVerdict, report: Report, { state, context }: ItemOptions): Markup {
  const cause = causeOfFailures(diagnosis, report, context);
  // A report of another tool may lack the requirement that the cause breaks.
  if (cause === null) return html``;
  const { text, shown, consequences, withoutEvidence } = cause;
  // Links from the list of requirements lead to the cause.
  const broken = report.requirements.filter(
    ({ id, verdict }) => verdict === 'fail' && diagnosis.operations.some((one) => one.requirement === id),
  );
  const inside = html`${failureBody(text, shown, context)}${broken.map(({ id }) => html`<p class="facts" id="${`r:${id}`}">breaks <code>${id}</code></p>`)}
${
  consequences.length === 0
    ? null
    : html`<details class="consequences"><summary>${consequencesTitle(consequences)}</summary><ul class="rows">
${consequences.map(({ id, says }) => html`<li id="${`r:${id}`}"><code>${id}</code> ${says}</li>`)}</ul></details>`
}
${
  // Their rows, with their reasons, are in the list of requirements.
  withoutEvidence.length === 0
    ? null
    : html`<details class="consequences"><summary>${withoutEvidenceTitle(withoutEvidence)}</summary><ul class="rows">
${withoutEvidence.map(({ id, says }) => html`<li><code>${id}</code> ${says}</li>`)}</ul></details>`
}`;
  const title = html`<span class="says">${diagnosisWords(diagnosis)}</span>`;
  return item(shown, { id: `c:${text.id}`, name: text.id, title, inside, state });
}

/** Failures that are one defect, or a single one. */
function groupItem(group: FailureGroup<ReportedRequirement>, { state, context }: ItemOptions): Markup {
  const { first, alike, shape, subject } = group;
  const text = failureText(first, context);
  // The places of the others are enough: their sentences are in the list of requirements.
  const inside = state === 'brief' ? briefBody(text) : failureBody(text, first, context);
  const title = html`<span class="says">${shape === null ? first.says : groupWords(group)}</span>`;
  const others =
    alike.length === 0
      ? null
      : html`<p class="facts">${`shown above: ${first.id}; the others:`}</p>
<ul class="places">${alike.map((one) => html`<li id="${`r:${one.id}`}"><code>${placeInGroup(one)}</code></li>`)}</ul>`;
  const known = first.baseline === null ? null : html`<p class="facts">${`known: ${first.baseline}`}</p>`;
  return item(first, {
    id: `r:${first.id}`,
    name: shape === null ? first.id : subject,
    title,
    inside: html`${known}${inside}${others}`,
    state,
  });
}

/** The parts of an item in the list of failures. */
interface ItemParts {
  /** Its anchor. */
  readonly id: string;
  readonly name: string;
  readonly title: Markup;
  readonly inside: Markup;
  readonly state: Fold;
}

/** A failure that opens. Its data attributes are read by the filter. */
function item(one: RequirementVerdict, { id, name, title, inside, state }: ItemParts): Markup {
  // A cause is shown by a requirement that may pass on its own: it is a failure all the same.
  const word = one.verdict === 'warn' ? 'warn' : 'fail';
  return html`<li data-v="${one.verdict}" data-f="${one.family}" data-l="${one.level}" data-o="${one.operations.join(' ')}"><details class="finding ${word}" id="${id}"${state === 'open' ? html` open` : null}>
<summary><span class="word ${word}">${word}</span><code>${name}</code>${title}</summary>
<div class="inside">${inside}<p class="facts"><a href="${`#${anchor(id)}`}">Link to this failure</a></p></div></details></li>
`;
}

/** The first pair of a failure whose evidence is left out, and the command that shows it. */
function briefBody({ findings: [first], next }: FailureText): Markup {
  const pair =
    first === undefined
      ? null
      : html`<p>${`${first.at}: expected ${first.expected}, actual ${first.actual}`}</p>`;
  return html`${pair}${nextCommands(next.filter(({ what }) => what === 'whole'))}`;
}

/** Failures that a baseline lists. They come last: they are excused, but a page about a target must not hide them. */
function known(report: Report, context: FailureContext): Markup {
  const accepted = knownFailures(report);
  const { diagnoses = [], requirements } = report;
  // As the verdict counts them; the list has a row for each requirement.
  const counts = countKnownFailures({ requirements, diagnoses });
  const items = accepted.map((first) => {
    const group = { first, alike: [], shape: null, subject: first.id };
    return groupItem(group, { state: 'brief', context });
  });
  return html`${
    // A report without a baseline has neither.
    accepted.length === 0
      ? null
      : html`<details class="fold" id="known"><summary>Known failures, accepted by the baseline <span class="count">${withSharedCause(String(counts.count), counts)}</span></summary><ol class="findings">${items}</ol></details>`
  }${knownCauses(report)}${undecided(report)}`;
}

/** Accepted causes of requirements that fail for another cause as well, by reason. */
function knownCauses(report: Report): Markup | null {
  const groups = acceptedGroups(report).filter(({ causes }) => causes.length > 0);
  if (groups.length === 0) return null;
  const count = groups.reduce((sum, { causes }) => sum + causes.length, 0);
  return html`<details class="fold" id="known-causes"><summary>Known causes of what fails for others, too <span class="count">${count}</span></summary>${groups.map(
    ({ reason, causes }) =>
      html`<p class="facts">${reason}</p><ul class="places">${causes.map((id) => html`<li><code>${id}</code></li>`)}</ul>`,
  )}</details>`;
}

/** Requirements that a baseline accepts without a decision, by reason; the rows with what came in place of evidence are in the list of requirements. */
function undecided(report: Report): Markup | null {
  const groups = acceptedGroups(report).filter((group) => group.undecided.length > 0);
  if (groups.length === 0) return null;
  const counts = countAcceptedUndecided(report.requirements, report);
  return html`<details class="fold" id="not-decided"><summary>Not decided, accepted by the baseline <span class="count">${undecidedCount(counts)}</span></summary>${groups.map(
    (group) =>
      html`<p class="facts">${group.reason}</p><ul class="places">${group.undecided.map(({ id }) => html`<li><code>${id}</code></li>`)}</ul>`,
  )}</details>`;
}

// One failure on the page: its rule, what was expected and what came, and the exchanges that prove it.

/** The inside of a failure: pairs of expected and actual, evidence, commands. */
export function failureBody(text: FailureText, shown: RequirementVerdict, context: FailureContext): Markup {
  return html`<p class="rule">${`${text.level} · spec ${text.spec} · ${shown.family}`}</p>
${pairs(text)}
${text.more === null ? null : html`<p class="facts">${text.more}</p>`}
${text.consequenceOf.length === 0 ? null : html`<p class="facts">${`because of ${text.consequenceOf.join(', ')}`}</p>`}
${evidence(shown, context)}
${nextCommands(text.next)}`;
}

/** Expected beside actual, for each place. */
function pairs({ findings }: FailureText): Markup {
  return html`<div class="pairs">${findings.map(
    ({ at, expected, actual }) => html`<dl class="pair"><div class="at"><dt>at</dt><dd>${at}</dd></div>
<div class="expected"><dt>expected</dt><dd>${expected}</dd></div><div class="actual"><dt>actual</dt><dd>${brief(actual)}</dd></div></dl>`,
  )}</div>`;
}

/** Characters of an object or a list; the body below shows more of it. */
const CONTAINER = 120;

/** An object or a list, shortened; any other value stays whole. */
function brief(actual: string): string {
  return /^[[{]/.test(actual) ? truncateText(actual, CONTAINER) : actual;
}

/** The exchanges that prove a failure: over time, and with the cited places marked. Nothing where they were not kept. */
function evidence(shown: RequirementVerdict, context: FailureContext): Markup | null {
  const { findings, exchanges } = shownEvidence(shown, context);
  const kept = exchanges.flatMap((id): Exchange[] => {
    const exchange = context.exchange(id);
    return exchange === undefined ? [] : [exchange];
  });
  if (kept.length === 0) return null;
  const parts = kept.map((one) =>
    exchangeEvidence(
      one,
      findings.filter(({ exchange }) => exchange === one.id),
    ),
  );
  return html`<div class="evidence">${waterfall(kept)}${parts}</div>`;
}

/** Columns of a command; a shell joins its lines again. */
const COMMAND_COLUMNS = 96;

/** What to type to repeat the failure, or to see more of it. */
export function nextCommands(next: FailureText['next']): Markup {
  const lines = ({ what, text }: FailureText['next'][number]) =>
    what === 'set' ? text : wrapCommand(text, COMMAND_COLUMNS).join('\n');
  return html`<dl class="next">${next.map((one) => html`<dt>${one.what}</dt><dd><code>${lines(one)}</code></dd>`)}</dl>`;
}
