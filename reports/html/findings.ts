import { briefJson, truncateText } from '../../exchange/printable.ts';
import { countFailures, countKnownFailures } from '../../judge/verdict/failure-count.ts';
import { tolerableKind } from '../../judge/verdict/gate.ts';
import type { Tolerable } from '../../judge/verdict/gate-result.ts';
import type { Finding, RequirementVerdict } from '../../judge/verdict/verdict.ts';
import { groupBy } from '../../schemas/maps.ts';
import { compact, formatNumber, plural } from '../../schemas/message-text.ts';
import { acceptedGroups } from '../accepted-groups.ts';
import {
  type BrokenItem,
  brokenItems,
  itemText,
  placeInGroup,
  singleFailure,
  toleratedItems,
} from '../failure/broken-items.ts';
import { type FailureContext, type FailureText, shownEvidence } from '../failure/failure.ts';
import type { Report } from '../report.ts';
import { knownFailures, toleratedFailures } from '../selection.ts';
import { countAcceptedUndecided, undecidedCountWords } from '../undecided.ts';
import { ownerOf } from '../words/defect.ts';
import { invalidKinds, withSharedCause } from '../words/gate-reason.ts';
import { wrapCommand } from '../words/layout.ts';
import { exchangeEvidence } from './exchange.ts';
import { html, Markup } from './markup.ts';
import type { Traffic } from './traffic.ts';
import { waterfall } from './waterfall.ts';

const MAX_OPEN = 2;
/** Maximum number of failures with evidence; each further one shows a single finding, to keep the page small. */
const MAX_IN_FULL = 20;
const MAX_ON_PAPER = 24;
const MAX_AT_A_GLANCE = 6;
/** Maximum length in characters of a value in a list of findings, and of any object or list; the body shows more. */
const MAX_VALUE_LENGTH = 120;
const COMMAND_COLUMNS = 96;

export function brokenSection(report: Report, failures: FailureContext, { link, show }: PageTraffic): Markup {
  // Links to known and tolerated failures lead to their own lists.
  const anchored = new Set([...knownFailures(report), ...toleratedFailures(report)].map(({ id }) => id));
  const anchor = (id: string) => {
    if (anchored.has(id)) return null;
    anchored.add(id);
    return html` id="${`r:${id}`}"`;
  };
  const context = { ...failures, link, show, anchor };
  const items = brokenItems(report).map((one, n) => listItem(one, report, foldOf(n), context));
  const defects = report.requirements.filter(({ verdict }) => verdict === 'error');
  const beyond = items.length - MAX_ON_PAPER;
  return html`<section id="broken" aria-labelledby="h-broken">
<h2 id="h-broken">What is broken ${items.length === 0 ? null : html`<span class="count">${countsText(report, items.length)}</span>`}</h2>
${items.length === 0 ? null : html`<p class="keys facts" hidden><kbd>j</kbd> <kbd>k</kbd> next and previous finding, <kbd>Enter</kbd> opens it, <kbd>/</kbd> searches</p>`}
${items.length === 0 ? html`<p>${nothingBrokenWords(report)}</p>` : html`<ol class="findings">${items}</ol>`}
${beyond > 0 ? html`<p class="on-paper">${`and ${plural(beyond, 'more failure')}, on the page itself`}</p>` : null}
${defects.map(({ id, reason }) => html`<p><span class="word error">error</span> <code>${id}</code> ${`a defect of ${ownerOf(id)}: ${reason}`}</p>`)}
${toleratedSection(report, context)}
${knownSection(report, context, items.length === 0 ? 'first' : 'last')}
</section>`;
}

function nothingBrokenWords(report: Report): string {
  const exceptions = compact(
    knownFailures(report).length > 0 && 'the baseline',
    toleratedFailures(report).length > 0 && '--tolerate',
  );
  return exceptions.length === 0
    ? 'Nothing that was judged is broken.'
    : `Nothing is broken beyond what ${exceptions.join(' or ')} accepts.`;
}

/** Lists the first failures, each linked to its finding, or the first known failures if nothing else is broken. */
export function glanceList(report: Report): Markup | null {
  const broken = brokenItems(report);
  const items = broken.length > 0 ? broken : knownFailures(report).map(singleFailure);
  const hiddenCount = items.length - MAX_AT_A_GLANCE;
  const rows = items.slice(0, MAX_AT_A_GLANCE).map((item) => {
    const word = broken.length > 0 ? wordOf(item) : 'known';
    return html`<li><span class="word ${word}">${word}</span> <a href="${`#${encodeURIComponent(htmlIdOf(item))}`}"><code>${item.subject}</code></a> ${item.says}</li>`;
  });
  if (rows.length === 0) return null;
  return html`<ol class="glance">${rows}${hiddenCount > 0 ? html`<li><a href="#broken">${`and ${formatNumber(hiddenCount)} more`}</a></li>` : null}</ol>`;
}

function htmlIdOf({ first, subject, cause }: BrokenItem): string {
  return cause === undefined ? `r:${first.id}` : `c:${subject}`;
}

function wordOf({ first }: BrokenItem): 'warn' | 'fail' {
  return first.verdict === 'warn' ? 'warn' : 'fail';
}

type Fold = 'open' | 'closed' | 'brief';

function foldOf(n: number): Fold {
  if (n < MAX_OPEN) return 'open';
  return n < MAX_IN_FULL ? 'closed' : 'brief';
}

type PageTraffic = Pick<Traffic, 'link' | 'show'>;
interface PageContext extends FailureContext, PageTraffic {
  /** The `id` attribute to which links to a requirement lead; null if another element has it. */
  readonly anchor: (requirement: string) => Markup | null;
}

/** Counts failures (`50 MUSTs and 15 more for shared causes, 2 SHOULDs`) and, if the numbers differ, their entries. */
function countsText(report: Report, items: number): string {
  const { diagnoses = [], requirements, choices } = report;
  const tolerated = new Set(toleratedFailures(report));
  // These kinds are counted separately, as in the reasons of the verdict.
  const countKind = (kind: Tolerable) =>
    requirements.filter((one) => tolerableKind(one) === kind && !tolerated.has(one)).length;
  const [lenient, forClients] = [countKind('lenient-validation'), countKind('clients')];
  const others = requirements.filter((one) => tolerableKind(one) === null);
  const pinned = choices.filter((one) => one.pinned !== undefined).length;
  const counts = (['MUST', 'SHOULD'] as const).map((level) => ({
    level,
    ...countFailures({ requirements: others, diagnoses, allRequirements: requirements }, level),
  }));
  const parts = counts
    .filter(({ count, consequences }) => count + consequences > 0)
    .map((counted) => withSharedCause(plural(counted.count, counted.level), counted));
  const isOneEach = counts.reduce((sum, { count }) => sum + count, pinned + lenient + forClients) === items;
  return compact(
    pinned > 0 && plural(pinned, 'pinned choice'),
    ...parts,
    forClients > 0 && `${plural(forClients, 'requirement')} that clients rely on`,
    lenient > 0 && `${invalidKinds(lenient)} accepted`,
    !isOneEach && `in ${plural(items, 'entry', 'entries')}, one for each cause or group of like failures`,
  ).join(', ');
}

function listItem(item: BrokenItem, report: Report, fold: Fold, context: PageContext): Markup {
  const { first, subject, says, cause } = item;
  const id = htmlIdOf(item);
  const word = wordOf(item);
  const text = itemText(item, context);
  const body = fold === 'brief' ? briefBody(text) : failureBody(text, first, context);
  const inside =
    cause === undefined
      ? html`${first.baseline === null ? null : html`<p class="facts">${`known: ${first.baseline}`}</p>`}${body}${otherPlaces(item)}`
      : html`${body}${brokenBy(cause, report, context)}
${cause.further.map((one) => furtherSection(one, context))}`;
  return html`<li data-v="${first.verdict}" data-f="${first.family}" data-l="${first.level}" data-o="${first.operations.join(' ')}"><details class="finding ${word}" id="${id}"${fold === 'open' ? html` open` : null}>
<summary><span class="word ${word}">${word}</span><code>${subject}</code><span class="says">${says}</span></summary>
<div class="inside">${inside}${fold === 'brief' ? null : html`<p class="facts"><a href="${`#${encodeURIComponent(id)}`}">Link to this failure</a></p>`}</div></details></li>
`;
}

type Cause = NonNullable<BrokenItem['cause']>;

function brokenBy(
  { diagnosis: { operations } }: Cause,
  { requirements }: Report,
  { anchor }: PageContext,
): readonly Markup[] {
  return requirements
    .filter(({ id, verdict }) => verdict === 'fail' && operations.some((one) => one.requirement === id))
    .map(({ id }) => html`<p class="facts"${anchor(id)}>breaks <code>${id}</code></p>`);
}

function furtherSection(
  { title, requirements, isBroken }: Cause['further'][number],
  { anchor }: PageContext,
): Markup | null {
  if (requirements.length === 0) return null;
  return html`<details class="consequences"><summary>${`${title}:`}</summary><ul class="rows">
${requirements.map(({ id, says }) => html`<li${isBroken ? anchor(id) : null}><code>${id}</code> ${says}</li>`)}</ul></details>`;
}

function otherPlaces({ first, alike }: BrokenItem): Markup | null {
  if (alike.length === 0) return null;
  return html`<p class="facts">${`shown above: ${first.id}; the others:`}</p>
<ul class="places">${alike.map((one) => html`<li id="${`r:${one.id}`}"><code>${placeInGroup(one)}</code></li>`)}</ul>`;
}

function briefBody({ findings: [first], next }: FailureText): Markup {
  const pair =
    first === undefined
      ? null
      : html`<p>${`${first.at}: expected ${first.expected}, actual ${first.actual}`}</p>`;
  return html`${pair}${nextCommands(next.filter(({ what }) => what === 'whole'))}`;
}

function toleratedSection(report: Report, context: PageContext): Markup | null {
  const items = toleratedItems(report);
  const count = items.reduce((sum, { alike }) => sum + alike.length + 1, 0);
  return items.length === 0
    ? null
    : html`<details class="fold" id="tolerated"><summary>Tolerated failures <span class="count">${plural(count, 'requirement')}</span></summary><ol class="findings">${items.map((item) => listItem(item, report, 'brief', context))}</ol></details>`;
}

/** Known failures are folded, because they are excused, but open and with evidence if nothing else is broken. */
function knownSection(report: Report, context: PageContext, place: 'first' | 'last'): Markup {
  const accepted = knownFailures(report);
  const { diagnoses = [], requirements } = report;
  const counts = countKnownFailures({ requirements, diagnoses });
  const items = accepted.map((first, n) =>
    listItem(singleFailure(first), report, place === 'first' ? foldOf(n) : 'brief', context),
  );
  return html`${
    accepted.length === 0
      ? null
      : html`<details class="fold" id="known"${place === 'first' ? html` open` : null}><summary>Known failures, accepted by the baseline <span class="count">${withSharedCause(plural(counts.count, 'requirement'), counts)}</span></summary><ol class="findings">${items}</ol></details>`
  }${acceptedLists(report)}`;
}

function acceptedLists(report: Report): readonly (Markup | null)[] {
  const groups = acceptedGroups(report);
  const causeCount = groups.reduce((sum, one) => sum + one.causes.length, 0);
  const undecided = undecidedCountWords(countAcceptedUndecided(report.requirements, report));
  return [
    acceptedList(
      'known-causes',
      html`Known causes of failures that have other causes too <span class="count">${plural(causeCount, 'cause')}</span>`,
      groups.map(({ reason, causes: ids }) => ({ reason, ids })),
    ),
    acceptedList(
      'not-decided',
      html`Not decided, accepted by the baseline <span class="count">${undecided}</span>`,
      groups.map((group) => ({ reason: group.reason, ids: group.undecided.map(({ id }) => id) })),
    ),
  ];
}

function acceptedList(
  htmlId: string,
  title: Markup,
  groups: readonly { readonly reason: string; readonly ids: readonly string[] }[],
): Markup | null {
  const shown = groups.filter(({ ids }) => ids.length > 0);
  if (shown.length === 0) return null;
  return html`<details class="fold" id="${htmlId}"><summary>${title}</summary>${shown.map(
    ({ reason, ids }) =>
      html`<p class="facts">${reason}</p><ul class="places">${ids.map((id) => html`<li><code>${id}</code></li>`)}</ul>`,
  )}</details>`;
}

function failureBody(text: FailureText, shown: RequirementVerdict, context: PageContext): Markup {
  return html`<p class="rule">${`${text.level} · spec ${text.spec} · ${shown.family}`}</p>
${pairs(text)}
${text.more === null ? null : allFindings(shown, text.more, context)}
${text.consequenceOf.length === 0 ? null : html`<p class="facts">${`because of ${text.consequenceOf.join(', ')}`}</p>`}
${evidenceMarkup(shown, context)}
${nextCommands(text.next)}`;
}

function allFindings(
  { findings, findingsTotal }: RequirementVerdict,
  more: string,
  { link }: PageContext,
): Markup {
  // A cause of refusals has a single finding; `more` then describes the refused requests.
  if (findings.length < 2) return html`<p class="facts">${more}</p>`;
  const unkeptCount = findingsTotal - findings.length;
  const rowText = ({ at, expected, actual }: Finding) =>
    html`<code>${at || 'the whole body'}</code>: expected ${truncateText(expected, MAX_VALUE_LENGTH)}, actual <code>${briefJson(actual, MAX_VALUE_LENGTH)}</code>`
      .text;
  const rows = [...groupBy(findings, rowText)].map(
    ([text, alike]) =>
      html`<li>${alike.map(({ exchange }) => html`${link(exchange)} `)}${new Markup(text)}</li>`,
  );
  return html`<details class="consequences"><summary>${more}</summary><ol class="rows">${rows}</ol>${unkeptCount > 0 ? html`<p class="facts">${`and ${formatNumber(unkeptCount)} more, in the recorded traffic`}</p>` : null}</details>`;
}

function pairs({ findings }: FailureText): Markup {
  return html`<div class="pairs">${findings.map(
    ({ at, expected, actual }) => html`<dl class="pair"><div class="at"><dt>at</dt><dd>${at}</dd></div>
<div class="expected"><dt>expected</dt><dd>${expected}</dd></div><div class="actual"><dt>actual</dt><dd>${shortValue(actual)}</dd></div></dl>`,
  )}</div>`;
}

function shortValue(actual: string): string {
  return /^[[{]/.test(actual) ? truncateText(actual, MAX_VALUE_LENGTH) : actual;
}

function evidenceMarkup(shown: RequirementVerdict, context: PageContext): Markup | null {
  const { findings, exchanges } = shownEvidence(shown, context);
  const kept = exchanges.flatMap((id) => context.exchange(id) ?? []);
  if (kept.length === 0) return null;
  const parts = kept.map((one) => {
    const id = context.show(one);
    const cited = findings.filter(({ exchange }) => exchange === one.id);
    return html`<div${id === null ? null : html` id="${id}"`}>${exchangeEvidence(one, cited)}</div>`;
  });
  return html`<div class="evidence">${waterfall(kept)}${parts}</div>`;
}

function nextCommands(next: FailureText['next']): Markup {
  const lines = ({ what, text }: FailureText['next'][number]) =>
    what === 'set' ? text : wrapCommand(text, COMMAND_COLUMNS).join('\n');
  return html`<dl class="next">${next.map((one) => html`<dt>${one.what}</dt><dd><code>${lines(one)}</code></dd>`)}</dl>`;
}
