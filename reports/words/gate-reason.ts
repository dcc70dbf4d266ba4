import type { Stop, StopReason } from '../../exchange/note.ts';
import type { FailureCount } from '../../judge/verdict/failure-count.ts';
import type { BaselineProblem, GateReason, SharedFault, Tolerable } from '../../judge/verdict/gate-result.ts';
import { extensions } from '../../schemas/index.ts';
import { formatNumber, plural, shortList } from '../../schemas/message-text.ts';
import { nearestWords } from '../../schemas/nearest-names.ts';
import { type WordsByKind, wordsByKind } from './by-kind.ts';
import { STOP_CLAUSES } from './cause.ts';
import { breakdownWords, failsWords } from './diagnosis.ts';
import { isTargetLost, stopWords, underWayWords, whenWords } from './stop.ts';

const MAX_NAMED = 6;
const MAX_NAMED_IDS = 3;

export function gateWords(reason: GateReason): string {
  return wordsByKind(reason, 'kind', REASONS);
}

const REASONS: WordsByKind<'kind', GateReason> = {
  baseline: ({ problem }) => wordsByKind(problem, 'why', BASELINE_PROBLEMS),
  broken: brokenWords,
  'lenient-validation': toleratedWords,
  clients: toleratedWords,
  'pinned-choice': ({ id, taken, pinned }) =>
    `the choice ${id} is ${quoteAll(taken)}, but the dialect pins it to ${quoteAll([pinned])}`,
  'not-implemented': ({ operations }) => `claimed, but not implemented: ${operations.join(', ')}`,
  stopped: ({ reason, stop }) => stoppedWords(reason, stop),
  defects: ({ count }) =>
    `${plural(count, 'requirement')} hit a defect of assay itself${extensions().length > 0 ? ' or of an extension' : ''}`,
  'nothing-judged': () => 'nothing was judged',
  'not-exercised': ({ operations }) => `claimed, but never exercised: ${operations.join(', ')}`,
  inconclusive: (reason) =>
    `${plural(reason.count, 'MUST')} could not be decided${undecidedForWords(reason)}`,
  'known-failures': (reason) =>
    withSharedCause(`with ${plural(reason.count, 'known failure')}`, reason, ', and '),
  'accepted-undecided': (reason) =>
    `${plural(reason.count, 'MUST')} could not be decided, which is accepted${acceptingWords(reason)}`,
};

function quoteAll(alternatives: readonly string[]): string {
  return alternatives.map((alternative) => JSON.stringify(alternative)).join(' and ');
}

/** A cause of refusals counts once; its consequences are counted separately. */
function brokenWords(reason: Extract<GateReason, { kind: 'broken' }>): string {
  const { count, level } = reason;
  const words = `${plural(count, level)} ${count === 1 ? 'is' : 'are'} broken`;
  return `${withSharedCause(words, reason, ', and ')}${brokenByWords(reason)}`;
}

type ToleratedReason = Extract<GateReason, { readonly kind: Tolerable }>;

/** `67 kinds of invalid requests are accepted, by createRun, createThread`. */
function toleratedWords({ kind, count, operations, ids = [], tolerated }: ToleratedReason): string {
  const verb = count === 1 ? 'is' : 'are';
  const names = shortList(operations, MAX_NAMED);
  const words =
    kind === 'clients'
      ? `${plural(count, 'requirement')} that clients rely on ${verb} broken${nameFew(ids) ?? `, in ${names}`}`
      : `${invalidKinds(count)} ${verb} accepted, by ${names}`;
  return tolerated ? `${words}, which --tolerate ${kind} accepts` : words;
}

/** `: a, b`; null if there are too many names for a line, or none is known, as in reports of earlier versions. */
function nameFew(ids: readonly string[]): string | null {
  return ids.length === 0 || ids.length > MAX_NAMED_IDS ? null : `: ${ids.join(', ')}`;
}

export function invalidKinds(count: number): string {
  return plural(count, 'kind of invalid request', 'kinds of invalid requests');
}

/** `, all for one cause: the service answers 500 to tools: 34 of 34 requests with it, 0 of 99 without`. */
function brokenByWords(reason: Extract<GateReason, { kind: 'broken' }>): string {
  const { count, consequences = 0, faults = [] } = reason;
  const [first, ...others] = faults;
  if (first === undefined) return '';
  const cause = `one cause: the service ${breakdownWords([first.fault])}`;
  return `, ${shareWords(first, count + consequences)} for ${cause}${otherFaults(others)}`;
}

/** `, all because the service answers 500 to tools`. */
function undecidedForWords({ count, faults = [] }: Extract<GateReason, { kind: 'inconclusive' }>): string {
  const [first, ...others] = faults;
  if (first === undefined) return '';
  return `, ${shareWords(first, count)} because the service ${failsWords(first.fault)}${otherFaults(others)}`;
}

function shareWords({ requirements }: SharedFault, all: number): string {
  return requirements === all ? 'all' : `${formatNumber(requirements)} of them`;
}

function otherFaults({ length }: readonly SharedFault[]): string {
  return length === 0 ? '' : `; and ${plural(length, 'more such fault')}`;
}

/** `: 4 by the baseline, 2 by --allow-inconclusive`. Empty if the report does not say. */
function acceptingWords({ count, byBaseline }: Extract<GateReason, { kind: 'accepted-undecided' }>): string {
  if (byBaseline === undefined) return '';
  if (byBaseline === count) return ' by the baseline';
  if (byBaseline === 0) return ' by --allow-inconclusive';
  return `: ${formatNumber(byBaseline)} by the baseline, ${formatNumber(count - byBaseline)} by --allow-inconclusive`;
}

const BASELINE_PROBLEMS: WordsByKind<'why', BaselineProblem> = {
  unknown: ({ id, nearest = [] }) =>
    `the baseline lists ${id}, which is not the id of a requirement${nearestWords(nearest)}: correct or remove the entry`,
  'unknown-choice': ({ id, nearest = [] }) =>
    `"choices" in the baseline lists ${id}, which is not the id of a choice${nearestWords(nearest)}: correct or remove the line`,
  expired: ({ id, expires, others = [] }) =>
    `${plural(others.length + 1, 'entry', 'entries')} of the baseline expired on ${expires}: ${shortList([id, ...others], MAX_NAMED)}`,
  passes: ({ id }) =>
    `the baseline lists ${id}, which passes now: remove the entry, or mark it "intermittent": true if only some tries fail`,
  'partly-passes': ({ id, kinds }) =>
    `the baseline entry ${id} lists ${invalidKinds(kinds)} that the operation rejects now`,
  'not-shown': ({ id, tries }) =>
    `${id} is listed as intermittent and did not fail this time, in ${plural(tries, 'try', 'tries')}`,
  'selection-passes': ({ id }) =>
    `the baseline lists ${id}, which passes in the selected scenarios: a whole run tells whether its entry can be removed`,
  decided: ({ id }) => `the baseline lists ${id} as undecided, and it passes now: the entry can be removed`,
  // Entries list signatures, so that a new defect of a known requirement still fails the gate.
  'other-finding': ({ id, signature, at }) =>
    `${id} fails in a way that the baseline does not list (${signature} at ${at})`,
};

/** `18 for shared causes`. */
export function sharedCauseWords({ consequences }: Pick<FailureCount, 'consequences'>): string {
  return `${formatNumber(consequences)} ${forSharedCauses(consequences)}`;
}

function forSharedCauses(count: number): string {
  return count === 1 ? 'for a shared cause' : 'for shared causes';
}

/** `17 known failures and 18 more for shared causes`. */
export function withSharedCause(
  words: string,
  { consequences = 0 }: Partial<Pick<FailureCount, 'consequences'>>,
  conjunction = ' and ',
): string {
  if (consequences === 0) return words;
  return `${words}${conjunction}${formatNumber(consequences)} more ${forSharedCauses(consequences)}`;
}

function stoppedWords(reason: StopReason, stop: Stop | null): string {
  const words = STOP_CLAUSES[reason];
  if (stop?.reason === 'target-died')
    return `the target stopped answering ${whenWords(stop.underWay)}: ${stop.detail}${underWayWords(stop.underWay)}`;
  return stop !== null && isTargetLost(reason) ? `${words}: ${stopWords(stop)}` : words;
}
