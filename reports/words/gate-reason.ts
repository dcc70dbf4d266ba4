// Reasons of the verdict.
import type { BaselineProblem, GateReason, SharedFault } from '../../judge/verdict/verdict.ts';
import { extensions } from '../../schemas/index.ts';
import { breakdownWords, failsWords } from './breakdown.ts';
import { formatNumber, plural } from './figure.ts';
import { withSharedCause } from './shared-cause.ts';
import { stoppedWords } from './stop.ts';

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
