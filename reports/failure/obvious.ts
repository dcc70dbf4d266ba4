// What a reader wants to know first, where many requirements say it one by one.
import type { RequirementVerdict } from '../../judge/verdict/verdict.ts';
import type { Report } from '../report.ts';

/** A capability that a target lacks as a whole, and the requirement that is judged as soon as any answer shows it. */
interface Capability {
  readonly shownBy: string;
  /** Scenarios that demand it; without evidence they received answers, but none with it. */
  readonly demandedBy: RegExp;
  readonly says: string;
}

const CAPABILITIES: readonly Capability[] = [
  {
    shownBy: 'chat.tool_call:function#required',
    demandedBy: /^chat\.tools\.forced$/,
    says: 'tools do not work at all in createChatCompletion: no answer calls a function, not even where tool_choice names one',
  },
  {
    shownBy: 'thread.run.step:step_details(tool_calls).tool_calls[function].function#required',
    demandedBy: /^runs\.(?:budgets|forced|tool-choice)$/,
    says: 'tools do not work at all in runs: no run calls a function, not even where tool_choice names one',
  },
];

/** One line for each capability that a target lacks as a whole: streaming of an operation, and tools. */
export function obviousLines({ requirements }: Report): readonly string[] {
  const verdicts = new Map(requirements.map((one) => [one.id, one]));
  return [
    ...requirements.flatMap((one) => streamingLine(one, verdicts)),
    ...CAPABILITIES.flatMap(({ shownBy, demandedBy, says }) => {
      const cause = verdicts.get(shownBy)?.cause;
      const isDemanded = cause?.kind === 'no-evidence' && demandedBy.test(cause.expected?.scenario ?? '');
      return isDemanded ? [says] : [];
    }),
  ];
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
