import { lossesIn } from '../generate/objects.ts';
import { pointer } from '../rows/places.ts';
import { rowOf } from '../rows/rows.ts';
import { setValue } from '../vocabulary/changes.ts';
import { arrayAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { that, where } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Json, Violation } from '../vocabulary/types.ts';
import { editRuns, setInRunEvents } from './mutations.ts';
import {
  type AssistantRun,
  type FollowUp,
  followUps,
  LIST_MESSAGES,
  ownMessages,
  type PlacedObject,
  RETRIEVE_MESSAGE,
  runsOfAssistants,
} from './runs.ts';
import {
  COMPLETED,
  joinedMessageText,
  type RunStream,
  type RunStreamEvent,
  runStreams,
  runStreamsWith,
  withTwoStates,
} from './streams.ts';

const withBase = that<AssistantRun>('with instructions', (run) => baseOf(run) !== '');
const adding = that<AssistantRun>('with additional_instructions', (run) => additionalTo(run) !== '');
const showingThese = that<AssistantRun>('that shows these', (run) =>
  instructionsOf(run).includes(additionalTo(run)),
);

export const runsAdditionalInstructionsAppended = rowOf('runs.additional-instructions.appended', {
  evidence: where(runsOfAssistants, withBase, adding, showingThese),
  check: (run) => {
    const [first, last, actual] = [baseOf(run), additionalTo(run), instructionsOf(run)];
    if (actual.startsWith(first) && actual.trimEnd().endsWith(last)) return [];
    const at = pointer(run.runs[0]?.at ?? '', 'instructions');
    return [violation(at, `${JSON.stringify(first)}, then ${JSON.stringify(last)}`, actual)];
  },
  broken_by: {
    'in front': editRuns(setValue('/instructions', (old) => String(old).split('\n').toReversed().join('\n'))),
    instead: editRuns(setValue('/instructions', (old) => String(old).split('\n').at(-1) ?? '')),
    'in between': editRuns(setValue('/instructions', (old) => `${String(old)}\nSomething else.`)),
  },
});

function baseOf({ before, asked }: AssistantRun): string {
  return textAt(asked, 'instructions') ?? textAt(before.responseJson, 'instructions') ?? '';
}

function additionalTo({ asked }: AssistantRun): string {
  return textAt(asked, 'additional_instructions')?.trim() ?? '';
}

function instructionsOf({ runs: [first] }: AssistantRun): string {
  return textAt(first?.value, 'instructions') ?? '';
}

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
function written(followUp: FollowUp): readonly PlacedObject[] {
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
