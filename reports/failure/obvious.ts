// What a reader wants to know first, where many requirements say it one by one.
import type { DiagnosisVerdict, RequirementVerdict } from '../../judge/verdict/verdict.ts';
import { plural, type Report } from '../report.ts';

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
