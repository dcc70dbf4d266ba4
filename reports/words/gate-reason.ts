// Reasons of the verdict.

import type { CallUnderWay, EarlierStop, Stop, StopReason } from '../../exchange/note.ts';
import type { FailureCount } from '../../judge/verdict/failure-count.ts';
import type { BaselineProblem, GateReason, SharedFault } from '../../judge/verdict/verdict.ts';
import { extensions } from '../../schemas/index.ts';
import { breakdownWords, failsWords } from './cause.ts';
import { formatNumber, plural, shortList } from './figure.ts';

/** A reason of the verdict on one line. */
export function gateWords(reason: GateReason): string {
  switch (reason.kind) {
    case 'baseline':
      return problemWords(reason.problem);
    case 'broken':
      return brokenWords(reason);
    case 'not-implemented':
      return `claimed, but not implemented: ${reason.operations.join(', ')}`;
    // A run that stopped early judged only a part, which the reason must not hide.
    case 'stopped':
      return stoppedWords(reason.reason, reason.stop);
    case 'defects':
      return `${plural(reason.count, 'requirement')} met a defect of assay itself${extensions().length > 0 ? ' or of an extension' : ''}`;
    case 'nothing-judged':
      return 'nothing was judged';
    case 'not-exercised':
      return `claimed, but never exercised: ${reason.operations.join(', ')}`;
    case 'inconclusive':
      return `${plural(reason.count, 'MUST')} could not be decided${undecidedForWords(reason)}`;
    case 'known-failures':
      return withFurther(`with ${plural(reason.count, 'known failure')}`, reason);
    case 'accepted-undecided':
      return `${plural(reason.count, 'MUST')} could not be decided, which is accepted${acceptingWords(reason)}`;
    default:
      return reason satisfies never;
  }
}

/** A cause of refusals counts once; what else fails for it is counted apart. */
function brokenWords(reason: Extract<GateReason, { kind: 'broken' }>): string {
  const { count, level } = reason;
  const words = withFurther(`${plural(count, level)} ${count === 1 ? 'is' : 'are'} broken`, reason);
  return `${words}${brokenByWords(reason)}`;
}

/** The fault that most of them share: `, all for one cause: the service answers 500 to tools: 34 of 34 requests with it, 0 of 99 without`. */
function brokenByWords({
  count,
  consequences = 0,
  faults = [],
}: Extract<GateReason, { kind: 'broken' }>): string {
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

/** Further faults, which the causes of the requirements name. */
function otherFaults({ length }: readonly SharedFault[]): string {
  return length === 0 ? '' : `; and ${plural(length, 'more such fault')}`;
}

/** A count, and how many more fail for the causes that it counts. */
function withFurther(words: string, { consequences = 0 }: { readonly consequences?: number }): string {
  return withSharedCause(words, { consequences }, ', and ');
}

/** The ones that accept the MUSTs without a decision: `: 4 by the baseline, 2 by --allow-inconclusive`; nothing where a report does not say it. */
function acceptingWords({ count, byBaseline }: Extract<GateReason, { kind: 'accepted-undecided' }>): string {
  if (byBaseline === undefined) return '';
  if (byBaseline === count) return ' by the baseline';
  if (byBaseline === 0) return ' by --allow-inconclusive';
  return `: ${formatNumber(byBaseline)} by the baseline, ${formatNumber(count - byBaseline)} by --allow-inconclusive`;
}

/** A baseline entry that no longer holds. */
function problemWords(problem: BaselineProblem): string {
  const { id } = problem;
  switch (problem.why) {
    case 'unknown':
      return `the baseline lists ${id}, which is not the id of a requirement`;
    case 'expired':
      return `the baseline entry for ${id} expired on ${problem.expires}`;
    case 'passes':
      return `the baseline lists ${id}, which passes: take the entry out`;
    case 'decided':
      return `the baseline lists ${id} as not decided; it passes now, so the entry can be taken out`;
    // The entry lists signatures: a new defect of a known requirement still fails the gate.
    case 'other-finding':
      return `${id} fails in a way that the baseline does not list (${problem.signature} at ${problem.at})`;
    default:
      return problem satisfies never;
  }
}

// Failures that share their cause with one that is counted, in words.

/** How many fail for a cause that counts elsewhere: `18 for shared causes`. */
export function sharedCauseWords({ consequences }: Pick<FailureCount, 'consequences'>): string {
  return `${formatNumber(consequences)} for ${consequences === 1 ? 'a shared cause' : 'shared causes'}`;
}

/** A count in words, and those that fail for a cause which counts elsewhere: `17 known failures and 18 more for shared causes`. */
export function withSharedCause(
  words: string,
  { consequences }: Pick<FailureCount, 'consequences'>,
  joint = ' and ',
): string {
  if (consequences === 0) return words;
  return `${words}${joint}${sharedCauseWords({ consequences }).replace(' for ', ' more for ')}`;
}

// Why a run ended early.

/** Clauses for the reasons of a verdict. */
const STOPPED: Readonly<Record<StopReason, string>> = {
  completed: 'the run came to its end',
  interrupted: 'the run was interrupted',
  budget: 'the run stopped at its budget',
  deadline: 'the run stopped at its deadline',
  'target-unreachable': 'the target could not be reached',
  'target-died': 'the target stopped answering during the run',
};

/** The end of a run as a reason of its verdict; with details if the target is at fault. */
export function stoppedWords(reason: StopReason, stop: Stop | EarlierStop | null): string {
  const words = STOPPED[reason];
  if (stop !== null && 'detail' in stop && stop.reason === 'target-died')
    return `the target stopped answering ${whenWords(stop.underWay ?? [])}: ${stop.detail}${underWayWords(stop.underWay ?? [])}`;
  return stop !== null && isOfTarget(reason) ? `${words}: ${stopWords(stop)}` : words;
}

/** When a target stopped answering: at the first exchange that has no answer, where that is known. */
export function whenWords(calls: readonly CallUnderWay[]): string {
  const numbers = calls.flatMap(({ exchange }) =>
    exchange === undefined ? [] : [Number(exchange.slice(1))],
  );
  return numbers.length === 0 ? 'during the run' : `at exchange e${Math.min(...numbers)}`;
}

/** True where the target, not the run, is the reason. */
export function isOfTarget(reason: StopReason): boolean {
  return reason === 'target-unreachable' || reason === 'target-died';
}

/** The end of a run as a separate line. */
export function stopWords(stop: Stop | EarlierStop): string {
  if ('message' in stop) return stop.message;
  switch (stop.reason) {
    case 'interrupted':
      return 'The run was interrupted.';
    // Named as the option, because raising it is how to continue.
    case 'budget':
      return `--max-${stop.limit} ${stop.most} is spent`;
    case 'target-unreachable':
      if (stop.strange !== null) return notFound(stop.baseUrl, stop.strange);
      return unreachable(stop.baseUrl, `${stop.detail ?? 'no answer'}${waitedWords(stop.waited)}`);
    case 'target-died':
      return `The target no longer answers: ${stop.detail}${underWayWords(stop.underWay ?? [])}`;
    default:
      return stop satisfies never;
  }
}

/** How long an answer was waited for: `, even after 3 s`; nothing for one attempt. */
function waitedWords(waited: number | undefined): string {
  return waited === undefined ? '' : `, even after ${waited} s`;
}

/** Exchanges of one call that are named; more are counted. */
const NAMED = 6;

/** The calls that a target left without an answer, each with its exchanges: `; under way: POST /v1/files (e7, e9)`. */
function underWayWords(calls: readonly CallUnderWay[]): string {
  const byCall = new Map<string, (string | null)[]>();
  for (const { method, path, exchange = null } of calls) {
    const call = `${method} ${path}`;
    byCall.set(call, [...(byCall.get(call) ?? []), exchange]);
  }
  const words = [...byCall].map(([call, exchanges]) => {
    // The order is that of the note: invalid requests first.
    const ids = exchanges.flatMap((id) => id ?? []);
    if (ids.length > 0) return `${call} (${shortList(ids, NAMED)})`;
    // Of an earlier cassette, the number remains.
    return exchanges.length === 1 ? call : `${call} (${exchanges.length})`;
  });
  return words.length === 0 ? '' : `; under way: ${words.join(', ')}`;
}

/** Nothing answers at a base URL; `why` is the detail of the exchange's end. */
export function unreachable(baseUrl: string, why: string): string {
  // A TLS server closes the connection when it is spoken to in plain text.
  const hint =
    baseUrl.startsWith('http:') && /other side closed|ECONNRESET/.test(why)
      ? '. If it speaks TLS, the URL begins with https://'
      : '';
  return `Nothing answers at ${baseUrl}: ${why}${hint}`;
}

/** HTTP answers come from below the base URL, but none of them from an operation. */
function notFound(
  baseUrl: string,
  { origin, prefix }: { readonly origin: string; readonly prefix: string },
): string {
  const tried =
    prefix === ''
      ? 'it may have a path before /v1, as in http://host/api/v1'
      : `it is ${origin} and ${prefix}`;
  return (
    `Nothing is found under ${baseUrl}: GET ${prefix}/v1/models is answered 404 like any unknown address, and so is a ` +
    `first question to each family that is claimed. Is the path of --base-url right? ${tried}`
  );
}
