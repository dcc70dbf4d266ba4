import type { Basis } from '../../judge/requirements/requirement.ts';
import type { Call } from '../../judge/trace/call.ts';
import { containsRequested } from '../generate/compare.ts';
import { lossesIn } from '../generate/objects.ts';
import { rejectValidProbes } from '../generate/rule-probes.ts';
import { isSameModel } from '../rows/model-names.ts';
import { rowOf } from '../rows/rows.ts';
import { setValue } from '../vocabulary/changes.ts';
import { arrayAt, isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import { leavesOut, mustAccept, probeResults, that, where } from '../vocabulary/selectors.ts';
import { requirement, section, violation } from '../vocabulary/statements.ts';
import type { BehaviourRequirement, CallSuccession, Json, Selector, Violation } from '../vocabulary/types.ts';
import { editRuns, setInRunEvents } from './mutations.ts';
import {
  type FollowUp,
  followUps,
  LIST_MESSAGES,
  ownMessages,
  type PlacedMessage,
  RETRIEVE_MESSAGE,
  type RunResponse,
  runResponseOf,
  runResponses,
  runsOfAssistants,
  runsWithout,
} from './runs.ts';
import { FORCED_SEARCH } from './samples.ts';
import {
  COMPLETED,
  joinedMessageText,
  type RunStream,
  type RunStreamEvent,
  runStreams,
  runStreamsWith,
  STREAMING_OPERATIONS,
  withTwoStates,
} from './streams.ts';

const RUNS = '1 Runs';

export const modelKept = kept('model', {
  basis: 'stated',
  says: 'A run uses the model that its request names.',
  compare: isSameModel,
  others: { 'another model': 'another-model', 'no model': '' },
});

export const instructionsKept = kept('instructions', {
  basis: 'stated',
  says: 'A run follows the instructions of its request, unless it has additional ones.',
  concerns: (asked) =>
    (valueAtPath(asked, 'additional_instructions') ?? '') === '' && valueAtPath(asked, 'instructions') !== '',
  others: { 'other instructions': 'Do something else.', none: null },
});

export const toolsKept = kept('tools', {
  basis: 'stated',
  says: 'A run has the tools of its request.',
  others: {
    none: (old) => (arrayAt(old).length > 0 ? [] : [{ type: 'code_interpreter' }]),
    'one more': (old) => [...arrayAt(old), { type: 'code_interpreter' }],
    'another function': (old) => arrayAt(old).map((tool) => setValue('/function/name', 'nobody_knows')(tool)),
    'other parameters': (old) =>
      arrayAt(old).map((tool) => setValue('/function/parameters/type', 'string')(tool)),
  },
});

export const temperatureKept = kept('temperature', {
  says: 'A run has the temperature of its request.',
  others: { 'another one': 0.123, none: null },
});

export const topPKept = kept('top_p', {
  says: 'A run has the top_p of its request.',
  others: { 'another one': 0.123, none: null },
});

export const maxPromptTokensKept = kept('max_prompt_tokens', {
  says: 'A run has the max_prompt_tokens of its request.',
  others: { 'another budget': 7, none: null },
});

export const maxCompletionTokensKept = kept('max_completion_tokens', {
  says: 'A run has the max_completion_tokens of its request.',
  others: { 'another budget': 7, none: null },
});

export const toolChoiceKept = kept('tool_choice', {
  says: 'A run has the tool_choice of its request.',
  others: {
    'another one': (old) => (old === 'auto' ? 'none' : 'auto'),
    'another function': (old) =>
      isObject(old) ? setValue('/function/name', 'nobody_knows')(old) : 'required',
  },
});

export const responseFormatKept = kept('response_format', {
  says: 'A run has the response_format of its request.',
  others: {
    'another one': (old) => (old === 'auto' ? { type: 'json_object' } : 'auto'),
    none: null,
  },
});

export const metadataKept = kept('metadata', {
  says: 'A run on a thread has the metadata of its request.',
  // `createThreadAndRun` leaves the owner of the metadata open.
  of: ['createRun'],
  isLasting: false,
  others: {
    none: (old) => (Object.keys(old ?? {}).length > 0 ? {} : { other: 'pair' }),
    'other values': (old) => Object.fromEntries(Object.keys(old ?? {}).map((key) => [key, 'other'])),
  },
});

interface Plan {
  readonly says: string;
  /** Overriding the assistant is stated; keeping other settings is implied. */
  readonly basis?: Basis;
  readonly concerns?: (asked: Json | undefined) => boolean;
  readonly of?: readonly string[];
  /** False if others may change it while the run is in progress. */
  readonly isLasting?: boolean;
  readonly compare?: (asked: Json | undefined, answer: Json | undefined) => boolean;
  readonly others: Readonly<Record<string, Json | ((old: Json | undefined) => Json)>>;
}

function runsGiven(
  field: string,
  { concerns = () => true, of = STREAMING_OPERATIONS }: Plan,
): Selector<RunResponse> {
  return where(
    runResponses,
    // Other requirements judge accepted invalid values.
    that(
      `whose valid request sets ${field}`,
      ({ asked, call }) =>
        (valueAtPath(asked, field) ?? null) !== null &&
        concerns(asked) &&
        of.includes(call.operation.id) &&
        call.exchange.probe?.side !== 'violation',
    ),
  );
}

function kept(field: string, plan: Plan): BehaviourRequirement<RunResponse> {
  const { says, basis = 'implied', compare = containsRequested, isLasting = true, others } = plan;
  return requirement({
    id: `runs.overrides.${field.replaceAll('_', '-')}`,
    level: 'MUST',
    basis,
    spec: RUNS,
    says,
    selector: runsGiven(field, plan),
    check: ({ asked, runs, call }) =>
      (isLasting ? runs : runs.slice(0, 1))
        .filter(({ run }) => isTold(call, run, field))
        .filter(({ run }) => !compare(valueAtPath(asked, field), valueAtPath(run, field)))
        .map(({ at, run }) =>
          violation(
            `${at}/${field}`,
            `${JSON.stringify(valueAtPath(asked, field))}, as asked for`,
            valueAtPath(run, field),
          ),
        ),
    mutations: Object.fromEntries(
      Object.entries(others).map(([name, value]) => [name, editRuns(setValue(`/${field}`, value))]),
    ),
  });
}

function isTold({ variant }: Call, run: Json, field: string): boolean {
  return variant !== null || valueAtPath(run, field) !== undefined;
}

export const modelInherited = inherits('model', 'A run without a model uses that of its assistant.', {
  'another model': 'another-model',
  'no model': '',
});

export const instructionsInherited = inherits(
  'instructions',
  'A run without instructions follows those of its assistant.',
  { 'other instructions': 'Do something else.', none: null },
);

const withBase = that<CallSuccession>('with instructions', ({ before, after }) => base(before, after) !== '');
const adding = that<CallSuccession>('with additional_instructions', ({ after }) => additional(after) !== '');
const showingThese = that<CallSuccession>('that shows these', ({ after }) =>
  instructionsOf(after).includes(additional(after)),
);

export const runsAdditionalInstructionsAppended = rowOf('runs.additional-instructions.appended', {
  evidence: where(runsOfAssistants, withBase, adding, showingThese),
  check: ({ before, after }) => {
    const [first, last] = [base(before, after), additional(after)];
    if (instructionsOf(after).startsWith(first) && instructionsOf(after).trimEnd().endsWith(last)) return [];
    const at = `${runResponseOf(after)?.runs[0]?.at}/instructions`;
    return [violation(at, `${JSON.stringify(first)}, then ${JSON.stringify(last)}`, instructionsOf(after))];
  },
  broken_by: {
    'in front': editRuns(setValue('/instructions', (old) => String(old).split('\n').toReversed().join('\n'))),
    instead: editRuns(setValue('/instructions', (old) => String(old).split('\n').at(-1) ?? '')),
    'in between': editRuns(setValue('/instructions', (old) => `${String(old)}\nSomething else.`)),
  },
});

export const toolsInherited = inherits('tools', 'A run without tools has those of its assistant.', {
  none: [],
  others: [{ type: 'code_interpreter' }, { type: 'code_interpreter' }],
});

export const temperatureDefault = unset(
  'temperature',
  1,
  'The temperature of a run is 1 if no request sets it.',
);

export const topPDefault = unset('top_p', 1, 'The top_p of a run is 1 if no request sets it.');

export const responseFormatDefault = unset(
  'response_format',
  'auto',
  'The response_format of a run is auto if no request sets it.',
);

export const runsDefaultsToolChoice = rowOf('runs.defaults.tool-choice', {
  evidence: where(runResponses, leavesOut('tool_choice')),
  check: (answer) => differing(answer, 'tool_choice', 'auto'),
});

function base(
  { responseJson: answer }: CallSuccession['before'],
  { requestJson: asked }: CallSuccession['after'],
): string {
  return textAt(asked, 'instructions') ?? textAt(answer, 'instructions') ?? '';
}

function additional({ requestJson: asked }: CallSuccession['after']): string {
  return textAt(asked, 'additional_instructions')?.trim() ?? '';
}

function instructionsOf(after: CallSuccession['after']): string {
  return textAt(runResponseOf(after)?.runs[0]?.run, 'instructions') ?? '';
}

function inherits(
  field: 'model' | 'instructions' | 'tools',
  says: string,
  others: Readonly<Record<string, Json>>,
): BehaviourRequirement<CallSuccession> {
  const isAlone = (after: CallSuccession['after']): boolean =>
    field !== 'instructions' || (valueAtPath(after.requestJson, 'additional_instructions') ?? '') === '';
  return section(RUNS).implied(`runs.assistant.${field}`, {
    says,
    selector: where(
      runsWithout(field),
      that(
        `of an assistant with ${field}, which nothing else sets`,
        ({ before, after }) => (valueAtPath(before.responseJson, field) ?? null) !== null && isAlone(after),
      ),
    ),
    check: ({ before, after }) => {
      const answer = runResponseOf(after);
      return answer === null ? [] : differing(answer, field, valueAtPath(before.responseJson, field));
    },
    mutations: breaksOf(field, others),
  });
}

function unset(field: string, value: Json, says: string): BehaviourRequirement<CallSuccession> {
  return section('1 Run').stated(`runs.defaults.${field.replaceAll('_', '-')}`, {
    says,
    selector: where(
      runsWithout(field),
      that(`of an assistant with the default, and with ${field}`, ({ before, after }) => {
        // An assistant that does not show its setting may have any.
        const shown = valueAtPath(before.responseJson, field);
        const own = shown === null ? value : shown;
        const isSet = runResponseOf(after)?.runs.some(
          ({ run }) => (valueAtPath(run, field) ?? null) !== null,
        );
        return own === value && isSet === true;
      }),
    ),
    check: ({ after }) => {
      const answer = runResponseOf(after);
      return answer === null ? [] : differing(answer, field, value).filter(({ actual }) => actual !== null);
    },
    mutations: breaksOf(
      field,
      field === 'response_format'
        ? { 'JSON mode': { type: 'json_object' }, text: { type: 'text' } }
        : { 'another one': 0.123, nothing: 0 },
    ),
  });
}

function differing({ runs }: RunResponse, field: string, expected: Json | undefined): Violation[] {
  const isTold = field === 'model' ? isSameModel : containsRequested;
  return runs
    .filter(({ run }) => valueAtPath(run, field) !== undefined)
    .filter(({ run }) => !isTold(expected, valueAtPath(run, field)))
    .map(({ at, run }) =>
      violation(`${at}/${field}`, JSON.stringify(expected) ?? 'none', valueAtPath(run, field)),
    );
}

function breaksOf(field: string, others: Readonly<Record<string, Json>>) {
  return Object.fromEntries(
    Object.entries(others).map(([name, value]) => [name, editRuns(setValue(`/${field}`, value))]),
  );
}

export const forcedSearch = (['createRun', 'createThreadAndRun'] as const).map((operation) =>
  section('1 Runs').stated(`runs.tool-choice.file-search${operation === 'createRun' ? '' : '-with-thread'}`, {
    says: `A request of ${operation} may force the file search.`,
    selector: probeResults(operation, FORCED_SEARCH),
    check: mustAccept,
    mutations: {
      refused: rejectValidProbes(FORCED_SEARCH),
      'refused as semantically wrong': rejectValidProbes(FORCED_SEARCH, 422),
    },
  }),
);

const SETTINGS = ['metadata', 'tool_resources', 'tools'];

export const runsStreamKeepsSettings = rowOf('runs.stream.keeps-settings', {
  evidence: where(runStreams, withTwoStates),
  check: lostSettings,
});

function lostSettings({ runs: [first, ...later] }: RunStream): Violation[] {
  if (first === undefined) return [];
  return later.flatMap((event) => SETTINGS.flatMap((field) => lostSince(first, event, field)));
}

function lostSince(first: RunStreamEvent, event: RunStreamEvent, field: string): readonly Violation[] {
  const [before, after] = [valueAtPath(first.data, field), valueAtPath(event.data, field)];
  return lossesIn(before, after, { at: `${event.at}/${field}`, by: first.at });
}

const MESSAGE = 'thread.message.completed';

const withCompleted = that<RunStream>('with a completed message', (stream) => completed(stream).length > 0);

export const runsJsonModeMessageIsJson = rowOf('runs.json-mode.message-is-json', {
  evidence: where(runStreamsWith(COMPLETED), that('in JSON mode', isJsonMode), withCompleted),
  check: (stream) =>
    completed(stream)
      .filter(({ data }) => !isJson(joinedMessageText(data)))
      .map(({ at, data }) => violation(`${at} /content`, 'JSON', joinedMessageText(data))),
  broken_by: {
    'prose around it': setInRunEvents(
      MESSAGE,
      '/content/0/text/value',
      (old) => `Here you are: ${String(old)}`,
    ),
  },
});

const storedByWholeRun = where(
  followUps([LIST_MESSAGES, RETRIEVE_MESSAGE]),
  that<FollowUp>('of a run that was not streamed', ({ stream }) => stream === null),
  that<FollowUp>('in JSON mode, without a budget', ({ begun: { asked }, run }) => {
    const isBounded = ['max_prompt_tokens', 'max_completion_tokens'].some(
      (field) => (valueAtPath(asked, field) ?? null) !== null,
    );
    return !isBounded && asksForJson(asked, run);
  }),
  that<FollowUp>('with a message that the run completed', (followUp) => written(followUp).length > 0),
);

export const runsJsonModeStoredIsJson = rowOf('runs.json-mode.stored-is-json', {
  evidence: storedByWholeRun,
  check: (followUp) =>
    written(followUp)
      .filter(({ value }) => !isJson(joinedMessageText(value)))
      .map(({ at, value }) => violation(`${at}/content`, 'JSON', joinedMessageText(value))),
});

/** Completed messages of the run with text: those that the request gave may have its id, too. */
function written(followUp: FollowUp): readonly PlacedMessage[] {
  return ownMessages(followUp).filter(
    ({ value }) =>
      valueAtPath(value, 'status') === 'completed' &&
      arrayAt(value, 'content').some((part) => textAt(part, 'text', 'value') !== undefined),
  );
}

function isJsonMode({ runs: [run], asked }: RunStream): boolean {
  return asksForJson(asked, run?.data);
}

function asksForJson(asked: Json | undefined, run: Json | undefined): boolean {
  return [asked, run].some((one) => textAt(one, 'response_format', 'type') === 'json_object');
}

function completed({ messages }: RunStream): readonly RunStreamEvent[] {
  return messages.flatMap(({ events }) => events.filter(({ name }) => name === MESSAGE));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
