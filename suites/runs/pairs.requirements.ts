import { pointer } from '../rows/places.ts';
import { rowOf } from '../rows/rows.ts';
import { inResponseWhere, setValue } from '../vocabulary/changes.ts';
import { bodyDigest, follow, LruMap } from '../vocabulary/collecting.ts';
import { isAnother } from '../vocabulary/compare.ts';
import { arrayAt, deepEqual, isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import { that, where } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type {
  Call,
  Collector,
  Edit,
  Evidence,
  Exchange,
  Json,
  Mutation,
  Selector,
  Violation,
} from '../vocabulary/types.ts';
import { isCompleteResponse, keyBelow, type RunResponse, runResponseOf } from './runs.ts';
import { COMPLETED, joinedMessageText, runStreamOf, WAITING } from './streams.ts';

const NEW = 'createThreadAndRun';
const MODIFY = 'modifyAssistant';

export interface FinishedRun {
  readonly begun: RunResponse;
  readonly run: Json;
  /** As listed last; null if not listed, or if a step is still in progress. */
  readonly steps: ListedObjects | null;
  /** As listed last with the filter `run_id`. */
  readonly messages: ListedObjects | null;
}

export interface ListedObjects {
  readonly exchange: Exchange;
  readonly elements: readonly Json[];
}

/** Runs of requests that differ only in `stream`; at least one of each kind. */
export interface FinishedRunPair extends Evidence {
  readonly asked: Json;
  readonly plain: readonly FinishedRun[];
  readonly streamed: readonly FinishedRun[];
}

const RUNS = 200;
const KEPT = 8;

/** Equal requests, streamed and not, whose thread is part of the request and whose assistant was not modified. */
export const finishedRunPairs: Selector<FinishedRunPair> = follow(
  [NEW, 'listRunSteps', 'listMessages', MODIFY],
  () => new OutcomeCollector(),
  'the same run streamed and not, each with its thread in the request',
);

class OutcomeCollector implements Collector<FinishedRunPair> {
  readonly #runs = new LruMap<{ -readonly [K in keyof FinishedRun]: FinishedRun[K] }>(RUNS);

  readonly #modified = new LruMap<true>();

  call(call: Call): readonly FinishedRunPair[] {
    if (call.operation.id === MODIFY) this.#modified.set(call.path['assistant_id'] ?? '', true);
    else if (call.operation.id === NEW) this.#begin(call);
    else if (call.responseJson !== undefined && isCompleteResponse(call)) this.#look(call, call.responseJson);
    return [];
  }

  finish(): readonly FinishedRunPair[] {
    const groups = new Map<string, { asked: Json; plain: FinishedRun[]; streamed: FinishedRun[] }>();
    for (const outcome of this.#runs.values()) {
      const { asked } = outcome.begun;
      if (!isObject(asked) || this.#modified.get(textAt(asked, 'assistant_id') ?? '') === true) continue;
      const { stream: _, ...rest } = asked;
      const group = groups.get(bodyDigest(rest)) ?? { asked: rest, plain: [], streamed: [] };
      const side = outcome.begun.streamed ? group.streamed : group.plain;
      if (side.length < KEPT) side.push(outcome);
      groups.set(bodyDigest(rest), group);
    }
    return [...groups.values()]
      .filter(({ plain, streamed }) => plain.length > 0 && streamed.length > 0)
      .map((group) => ({ ...group, exchanges: [...group.plain, ...group.streamed].flatMap(exchangesOf) }));
  }

  #begin(call: Call): void {
    const begun = runResponseOf(call);
    const [first] = begun?.runs ?? [];
    const id = textAt(first?.value, 'id');
    if (begun === null || first === undefined || id === undefined || !isSound(call)) return;
    this.#runs.set(keyBelow(textAt(first.value, 'thread_id'), id), {
      begun,
      run: first.value,
      steps: null,
      messages: null,
    });
  }

  #look(call: Call, answer: Json): void {
    const isSteps = call.operation.id === 'listRunSteps';
    const id = isSteps ? call.path['run_id'] : call.query.get('run_id');
    const known = this.#runs.get(keyBelow(call.path['thread_id'], id ?? ''));
    if (known === undefined) return;
    const data = arrayAt(answer, 'data');
    const listed = {
      exchange: call.exchange,
      elements: call.query.get('order') === 'asc' ? data : data.toReversed(),
    };
    if (!isSteps) known.messages = listed;
    else known.steps = isAtRest(listed.elements) ? listed : null;
  }
}

function isSound(call: Call): boolean {
  const stream = runStreamOf(call);
  return stream === null || stream.runs.some(({ name }) => name === COMPLETED || name === WAITING);
}

function isAtRest(steps: readonly Json[]): boolean {
  const last = steps.at(-1);
  if (textAt(last, 'type') === 'message_creation') return textAt(last, 'status') === 'completed';
  return functionsOf(steps).length > 0;
}

export function functionsOf(steps: readonly Json[]): readonly string[] {
  return steps.flatMap((step) =>
    arrayAt(step, 'step_details', 'tool_calls').flatMap((call) => textAt(call, 'function', 'name') ?? []),
  );
}

/**
 * The joined texts that a run wrote; null if a message is incomplete or there are none. Messages of the caller may have the id
 * of the run as well.
 */
export function textsOf({ messages }: Pick<FinishedRun, 'messages'>): string | null {
  const written = messages?.elements.filter((one) => valueAtPath(one, 'role') !== 'user') ?? [];
  if (written.length === 0 || written.some((one) => valueAtPath(one, 'status') !== 'completed')) return null;
  return written.map(joinedMessageText).join('\n');
}

function exchangesOf({ begun, steps, messages }: FinishedRun): readonly Exchange[] {
  const later = [steps, messages].flatMap((listed) => (listed === null ? [] : [listed.exchange]));
  return [begun.call.exchange, ...later];
}

const SETTINGS = [
  'assistant_id',
  'model',
  'instructions',
  'tools',
  'metadata',
  'temperature',
  'top_p',
  'max_prompt_tokens',
  'max_completion_tokens',
  'truncation_strategy',
  'response_format',
  'tool_choice',
];

export const runsPairSameSettings = rowOf('runs.pair.same-settings', {
  evidence: finishedRunPairs,
  check: ({ plain: [first], streamed }) =>
    streamed.flatMap(({ run, begun }) =>
      SETTINGS.filter((field) => isAnother(valueAtPath(first?.run, field), valueAtPath(run, field))).map(
        (field) =>
          violation(
            pointer(begun.runs[0]?.at ?? '', field),
            `${JSON.stringify(valueAtPath(first?.run, field))}, as without streaming`,
            valueAtPath(run, field),
            begun.call.exchange.id,
          ),
      ),
    ),
});

const withSteps = that<FinishedRunPair>('with its steps', ({ plain, streamed }) =>
  [...plain, ...streamed].some(hasSteps),
);

export const runsPairSameSteps = rowOf('runs.pair.same-steps', {
  evidence: where(finishedRunPairs, that('whose request forces a function', isForced), withSteps),
  check: ({ asked, plain, streamed }) => {
    const expected = plain.find(hasSteps);
    return streamed.filter(hasSteps).flatMap(({ steps }): Violation[] => {
      const [wanted, actual] = [courseOf(expected?.steps?.elements), courseOf(steps?.elements)];
      if (expected === undefined || deepEqual(wanted, actual)) return [];
      const found = violation(
        '/data',
        `${JSON.stringify(wanted)}, as without streaming`,
        actual,
        steps?.exchange.id ?? '',
      );
      // A model may answer in words although it is told to call a function.
      const isInWords = isMadeToCall(asked) && [wanted, actual].some((course) => !callsTools(course));
      return [isInWords ? { ...found, inconclusive: 'model' as const } : found];
    });
  },
  broken_by: {
    'a step too many': ofPlain(
      'listRunSteps',
      setValue('/data', (steps) => [...arrayAt(steps), ...arrayAt(steps)]),
    ),
    'another function': ofPlain(
      'listRunSteps',
      setValue('/data/0/step_details/tool_calls/0/function/name', 'nobody_knows'),
    ),
    'a message as well': ofPlain(
      'listRunSteps',
      setValue('/data', (steps) => [
        ...arrayAt(steps),
        ...arrayAt(steps).map(setValue('/type', 'message_creation')),
      ]),
    ),
  },
});

export const runsPairSameText = rowOf('runs.pair.same-text', {
  evidence: where(
    finishedRunPairs,
    (pair) => isBare(pair) && [pair.plain, pair.streamed].every((side) => side.some(hasText)),
  ),
  check: compareTexts,
  broken_by: {
    'another text': ofPlain('listMessages', setValue('/data/*/content/0/text/value', 'something else')),
    'one message too many': ofPlain(
      'listMessages',
      setValue('/data', (messages) => [...arrayAt(messages), ...arrayAt(messages)]),
    ),
  },
});

/**
 * Models may answer the same request differently, so a difference counts only if the answers are stable: several equal ones
 * without streaming, and several equal ones with it.
 */
function compareTexts({ plain, streamed }: FinishedRunPair): Violation[] {
  const whole = plain.filter(hasText).map(textsOf);
  const withText = streamed.filter(hasText);
  const texts = withText.map(textsOf);
  const differing = withText.find((finished) => !whole.includes(textsOf(finished)));
  if (differing === undefined || texts.some((one) => whole.includes(one))) return [];
  const isSteady = [whole, texts].every((side) => side.length > 1 && new Set(side).size === 1);
  return [
    {
      at: '/data/*/content',
      expected: `${JSON.stringify(whole[0])}, as without streaming`,
      actual: textsOf(differing),
      exchange: differing.messages?.exchange.id ?? '',
      ...(isSteady ? {} : { inconclusive: 'model' as const }),
    },
  ];
}

function hasText(finished: FinishedRun): boolean {
  return textsOf(finished) !== null;
}

function hasSteps({ steps }: FinishedRun): boolean {
  return steps !== null;
}

function isForced(pair: FinishedRunPair): boolean {
  const { asked } = pair;
  return textAt(asked, 'tool_choice') === 'none' || isMadeToCall(asked) || isBare(pair);
}

function isMadeToCall(asked: Json): boolean {
  return textAt(asked, 'tool_choice', 'type') === 'function';
}

function callsTools(course: Json): boolean {
  return Array.isArray(course) && course.some((step) => valueAtPath(step, 0) === 'tool_calls');
}

function isBare({ plain: [first] }: FinishedRunPair): boolean {
  const tools = valueAtPath(first?.run, 'tools');
  return Array.isArray(tools) && tools.length === 0;
}

function courseOf(steps: readonly Json[] | undefined): Json {
  return (steps ?? []).map((step) => [textAt(step, 'type') ?? null, ...new Set(functionsOf([step]))]);
}

function ofPlain(operation: string, edit: Edit): Mutation {
  return (trace) => {
    const runs = trace.flatMap(({ response }) => {
      const answer = response?.body.json?.value;
      return textAt(answer, 'object') === 'thread.run' ? (textAt(answer, 'id') ?? []) : [];
    });
    const isPlain = ({ request }: Exchange): boolean => runs.some((id) => request.target.includes(id));
    return inResponseWhere(operation, isPlain, edit)(trace);
  };
}
