import { asksForKey } from '../failure/rejected-configuration.ts';
// Limits of a report, shown first: they can make a pass meaningless.

import type { Cause } from '../../judge/verdict/cause.ts';
import { countKnownFailures } from '../../judge/verdict/failure-count.ts';
import type { DiagnosisVerdict, RequirementVerdict } from '../../judge/verdict/verdict.ts';
import { countOthers, isOpenAllowed, unclaimedFamilies, undecided } from '../counts.ts';
import { countVerdicts, formatNumber, plural, type Report, requirementsInScope } from '../report.ts';
import { blockerWords } from '../words/cause.ts';
import { shortList } from '../words/figure.ts';
import { withSharedCause } from '../words/gate-reason.ts';

/** Reasons for which a pass may mean little; empty without such reasons. */
export function caveats(report: Report): readonly string[] {
  return [
    ...stopped(report),
    ...withoutDecision(report),
    ...coverage(report),
    ...unjudged(report),
    ...leniency(report),
  ];
}

/** A run that ended early. */
function stopped(report: Report): string[] {
  return report.stopReason === 'completed' ? [] : [`The run ended early: ${report.stopReason}.`];
}

/** Families that are named; more are counted. */
const NAMED = 6;

/** Operations that never succeeded, and families that are not claimed. */
function coverage(report: Report): string[] {
  const claimed = report.operations.filter((operation) => operation.claimed);
  const idle = new Set(claimed.filter(({ exercised }) => exercised === 0).map(({ id }) => id));
  for (const { id, exercised } of claimed) if (exercised > 0) idle.delete(id);
  // Claims are the most common reason for a good score on few requirements, so they are always stated.
  const left = unclaimedFamilies(report);
  const lines: string[] = [];
  if (claimed.length > 0 && report.summary.operations.exercised === 0) {
    lines.push('No operation was ever answered with success: nothing here speaks for the target.');
  } else if (idle.size > 0) {
    lines.push(`${plural(idle.size, 'claimed operation')} never succeeded: ${[...idle].join(', ')}.`);
  }
  const all = new Set(report.operations.map(({ family }) => family)).size;
  const names = left.length > NAMED ? `${left.length} of ${all} families` : left.join(', ');
  if (left.length > 0) lines.push(`Not claimed, so not judged: ${names}.`);
  return lines;
}

/** Requirements without a verdict. */
function unjudged(report: Report): string[] {
  const scope = requirementsInScope(report.requirements);
  const { error } = countVerdicts(scope);
  const lines = withoutEvidence(scope);
  if (error > 0) lines.push(`${plural(error, 'requirement')} met a defect of assay itself.`);
  for (const blocker of report.blockers) lines.push(`${blockerWords(blocker)}.`);
  return lines;
}

/** MUSTs without a decision as one sum, with who accepts how many; those that no baseline accepts by name. Then the rest. */
function withoutDecision(report: Report): string[] {
  const { byBaseline, shoulds, consequences } = countOthers(report);
  const musts = undecided(report).open.length + byBaseline;
  const noun = musts === 0 ? 'MUST' : 'more MUST';
  return [
    ...(musts === 0 ? [] : [`${plural(musts, 'MUST')} could not be decided${whoAccepts(report)}.`]),
    ...(consequences === 0
      ? []
      : [`${plural(consequences, noun)} could not be decided because of failures.`]),
    ...(shoulds === 0
      ? []
      : [`${plural(shoulds, 'SHOULD')} could not be decided, which does not affect the verdict.`]),
  ];
}

/** `: 4 accepted by the baseline, 2 by --allow-inconclusive (IDS)`; the names alone where nothing is accepted. */
function whoAccepts(report: Report): string {
  const { open } = undecided(report);
  const { byBaseline } = countOthers(report);
  const ids = open.map(({ id }) => id);
  const names = shortList(ids, NAMED);
  const isAllowed = isOpenAllowed(report);
  if (open.length === 0) return ', which the baseline accepts';
  if (byBaseline === 0) return `${isAllowed ? ', which --allow-inconclusive accepts' : ''}: ${names}`;
  const rest = isAllowed ? 'by --allow-inconclusive' : 'by nothing';
  return `: ${formatNumber(byBaseline)} accepted by the baseline, ${formatNumber(open.length)} ${rest} (${names})`;
}

/** Why requirements were not judged. Blocked ones are listed by their blocker. */
const UNTESTED = {
  'no-evidence': 'found no evidence to judge',
  'not-allowed': 'cost more than --allow lets a run spend',
  'not-configured': 'need a model or a key that was not given',
  'not-implemented': 'are of operations that the target does not offer',
  'not-feasible': 'can be shown on no target',
} as const;

/** One line for each cause, with its share of all requirements. */
function withoutEvidence(scope: Report['requirements']): string[] {
  const untested = scope.filter(({ verdict }) => verdict === 'untested');
  return Object.entries(UNTESTED).flatMap(([kind, words]) => {
    const count = untested.filter(({ cause }) => cause?.kind === kind).length;
    return count === 0 ? [] : [`${plural(count, 'requirement')} of ${scope.length} ${words}.`];
  });
}

/** Failures that a baseline or a dialect excuses. */
function leniency(report: Report): string[] {
  const known = countKnownFailures(report);
  const { excused, name } = report.dialect;
  return [
    ...(known.count + known.consequences > 0
      ? [`${withSharedCause(plural(known.count, 'known failure'), known)}, accepted by the baseline.`]
      : []),
    ...(excused.length > 0 ? [`${plural(excused.length, 'requirement')} excused by dialect ${name}.`] : []),
  ];
}

// What a reader wants to know first, where many requirements say it one by one.

/** A capability that a target lacks as a whole, and the requirement that is judged as soon as any answer shows it. */
interface Capability {
  readonly shownBy: string;
  /** Scenarios that demand it; without evidence they received answers, but none with it. */
  readonly demandedBy: RegExp;
  /** Scenarios that show nothing where it is lacking. */
  readonly neededBy: RegExp;
  readonly says: string;
}

const CAPABILITIES: readonly Capability[] = [
  {
    shownBy: 'chat.tool_call:function#required',
    demandedBy: /^chat\.tools\.forced$/,
    neededBy: /^chat\.tools\./,
    says: 'tools do not work at all in createChatCompletion: no answer calls a function, not even where tool_choice names one',
  },
  {
    shownBy: 'thread.run.step:step_details(tool_calls).tool_calls[function].function#required',
    demandedBy: /^runs\.(?:budgets|forced|tool-choice)$/,
    neededBy: /^runs\.(?:budgets|forced|tool|parallel)/,
    says: 'tools do not work at all in runs: no run calls a function, not even where tool_choice names one',
  },
];

/** A capability that a target lacks as a whole, and the requirements that have no evidence for it. */
interface Lack {
  readonly says: string;
  readonly follows: readonly RequirementVerdict[];
}

/** Streaming of an operation and tools, where a target lacks them as a whole. */
function lacks({ requirements }: Report): readonly Lack[] {
  const verdicts = new Map(requirements.map((one) => [one.id, one]));
  const unseen = requirements.filter((one) => one.verdict === 'inconclusive' && scenarioOf(one) !== null);
  return [
    ...requirements.flatMap((one): readonly Lack[] =>
      streamingLine(one, verdicts).map((says) => ({
        says,
        follows: unseen.filter((other) => streams(other, one)),
      })),
    ),
    ...CAPABILITIES.flatMap(({ shownBy, demandedBy, neededBy, says }): readonly Lack[] => {
      const shown = verdicts.get(shownBy);
      if (shown === undefined || !demandedBy.test(scenarioOf(shown) ?? '')) return [];
      return [{ says, follows: unseen.filter((one) => neededBy.test(scenarioOf(one) ?? '')) }];
    }),
  ];
}

/** The scenario that showed no evidence for a requirement; null where it has another cause. */
function scenarioOf({ cause }: RequirementVerdict): string | null {
  return cause?.kind === 'no-evidence' ? (cause.expected?.scenario ?? null) : null;
}

/** Whether a requirement is about the streams of the same family. */
function streams({ id, family }: RequirementVerdict, asked: RequirementVerdict): boolean {
  return family === asked.family && /stream|chunk|delta/.test(id);
}

/** One line for each capability that a target lacks as a whole, with the number of requirements that have no evidence for it. */
export function obviousLines(report: Report): readonly string[] {
  return lacks(report).map(({ says, follows }) => {
    if (follows.length === 0) return says;
    const cause = causeWith(follows, report);
    const count = plural(follows.length, 'requirement');
    return cause === undefined
      ? `${says}; ${count} without evidence for it`
      : `${says}; ${count} without evidence for it, among the ${cause.withoutEvidence?.length} that could not be judged for ${cause.operations[0]?.id}`;
  });
}

/** The cause that counts all of some requirements as its own. */
function causeWith(
  follows: readonly RequirementVerdict[],
  { diagnoses = [] }: Report,
): DiagnosisVerdict | undefined {
  return diagnoses.find(({ withoutEvidence }) => {
    const counted = new Set(withoutEvidence);
    return follows.every(({ id }) => counted.has(id));
  });
}

/** Ids of the requirements whose lack of evidence another part of the report explains: a cause of refusals, or a lacking capability. */
export function explainedIds(report: Report): ReadonlySet<string> {
  return new Set([
    ...(report.diagnoses ?? []).flatMap(({ withoutEvidence = [] }) => withoutEvidence),
    ...lacks(report).flatMap(({ follows }) => follows.map(({ id }) => id)),
  ]);
}

/** Answers to requests for a stream came, none of them with an event: all under another media type, or all refused. */
function streamingLine(
  { id, verdict, observations }: RequirementVerdict,
  verdicts: ReadonlyMap<string, RequirementVerdict>,
): readonly string[] {
  const [operation = '', place] = id.split(':');
  if (place !== 'stream#contentType' || verdicts.get(`${operation}:stream#json`)?.observations !== 0)
    return [];
  const intro = `streaming does not work at all in ${operation}:`;
  if (verdict === 'fail') return [`${intro} no answer to "stream": true contains an event`];
  const asked = verdicts.get(`${operation}:body.stream#type.accepted`);
  const isRefused = observations === 0 && asked?.verdict === 'fail';
  return isRefused
    ? [`${intro} "stream": true is answered ${asked.findings[0]?.actual ?? 'with an error'}`]
    : [];
}

// Hints on likely mistakes in the configuration.

/** Probable causes and commands: a missing key, a wrong path, models that are not configured. */
export function hints(report: Report): readonly string[] {
  return [...report.remarks, ...silence(report), ...unnamed(report)];
}

/** Why no operation succeeded. */
function silence({ summary, operations, requirements, blockers, target, hints: known }: Report): string[] {
  if (summary.operations.exercised > 0) return [];
  // The hint on the key already explains why nothing succeeded.
  if (known.some(({ kind }) => kind === 'key-refused')) return [];
  if (asksForKey({ blockers }))
    return [
      'every request was refused: put the key in ASSAY_API_KEY, or name its variable with --api-key-env',
    ];
  const absent = operations.filter(({ claimed, notImplemented }) => claimed && notImplemented);
  // A hint on the target explains it better.
  if (absent.length === 0 || known.length > 0) return [];
  // Of what a filter left, little was asked for: that it is not there says nothing about the path.
  if (requirements.some(({ cause }) => cause?.kind === 'filtered')) return [];
  const [first] = absent;
  const where = `below ${target.baseUrl}, not even ${first?.method} ${prefixOf(target.baseUrl)}${first?.path}`;
  const path = 'is the path of --base-url right? it stands before /v1, as in http://host/api/v1';
  // A part of the interface may be absent where the path is right.
  if (operations.some(({ claimed }) => !claimed))
    return [
      `nothing that is claimed was found ${where}: does the service offer it? without --claim, a run judges what it offers. If it does, ${path}`,
    ];
  return [`nothing was found ${where}: ${path}`];
}

/** The path before `/v1`. */
function prefixOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).pathname.replace(/\/v1\/?$/, '').replace(/\/$/, '') : '';
}

/** Models that scenarios need and the configuration does not name. Where models were searched, that hint says for which roles none was found. */
function unnamed({ requirements, hints: known }: Report): string[] {
  if (known.some(({ kind }) => kind === 'models-found')) return [];
  const roles = new Set(requirements.flatMap(({ cause }) => roleOf(cause) ?? []));
  if (roles.size === 0) return [];
  const keyed = [...roles].toSorted().map((role) => `--model ${role}=…`);
  return [`to judge what needs another model, name it beside those that are given: ${keyed.join(' ')}`];
}

/** The model role that a requirement lacks; null for any other cause. */
function roleOf(cause: Cause | null): string | null {
  if (cause?.kind !== 'not-configured' || !('missing' in cause)) return null;
  return cause.missing.what === 'model' ? cause.missing.role : null;
}
