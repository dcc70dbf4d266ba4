import { isAnother } from '../../generate/compare.ts';
import { inResponseWhere, setIn, setValue } from '../../vocabulary/changes.ts';
import { arrayAt, deepEqual, textAt, valueAtPath } from '../../vocabulary/json.ts';
import { that, where } from '../../vocabulary/selectors.ts';
import { section, violation } from '../../vocabulary/statements.ts';
import type { Edit, Exchange, Json, Mutation, Violation } from '../../vocabulary/types.ts';
import {
  type FinishedRun,
  type FinishedRunPair,
  finishedRunPairs,
  functionsOf,
  textsOf,
} from '../selectors/run-outcomes.ts';
import { editStreamedObjects } from './mutations.ts';

const { implied } = section('1 Runs');
const NEW = 'createThreadAndRun';

/** The work that a run is required to do; its progress does not belong to it. */
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

export const runsPairSameSettings = implied('runs.pair.same-settings', {
  says: 'A streamed run has the settings that the same request gives without streaming.',
  selector: finishedRunPairs,
  check: ({ plain: [first], streamed }) =>
    streamed.flatMap(({ run, begun }) =>
      SETTINGS.filter((field) => isAnother(valueAtPath(first?.run, field), valueAtPath(run, field))).map(
        (field) =>
          violation(
            `${begun.runs[0]?.at}/${field}`,
            `${JSON.stringify(valueAtPath(first?.run, field))}, as without streaming`,
            valueAtPath(run, field),
            begun.call.exchange.id,
          ),
      ),
    ),
  mutations: {
    'another temperature': editStreamedObjects('thread.run', setValue('/temperature', 0.123)),
    'no tools': setIn(NEW, '/tools', [{ type: 'code_interpreter' }]),
    'other instructions': setIn(NEW, '/instructions', 'Do something else.'),
    'other metadata': editStreamedObjects('thread.run', setValue('/metadata', { other: 'pair' })),
    'another model': editStreamedObjects('thread.run', setValue('/model', 'another-model')),
    'another choice of tools': editStreamedObjects('thread.run', setValue('/tool_choice', 'required')),
  },
});

/** How the sentence of the next requirement can be untrue. */
const runsPairSameStepsMutations: Readonly<Record<string, Mutation>> = {
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
};

const withSteps = that<FinishedRunPair>('with its steps', ({ plain, streamed }) =>
  [...plain, ...streamed].some(hasSteps),
);

export const runsPairSameSteps = implied('runs.pair.same-steps', {
  says: 'A run that the model has no say in takes the same steps whether it is streamed or not.',
  selector: where(finishedRunPairs, that('whose request forces a function', isForced), withSteps),
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
      // A model may answer in words though it is made to call a function.
      const isInWords = isMadeToCall(asked) && [wanted, actual].some((course) => !callsTools(course));
      return [isInWords ? { ...found, inconclusive: 'model' as const } : found];
    });
  },
  mutations: runsPairSameStepsMutations,
});

export const runsPairSameText = implied('runs.pair.same-text', {
  says: 'A run that is streamed writes what the same request writes without streaming.',
  // The results of tools may differ from run to run.
  selector: where(
    finishedRunPairs,
    (pair) => isBare(pair) && [pair.plain, pair.streamed].every((side) => side.some(hasText)),
  ),
  check: compareTexts,
  mutations: {
    'another text': ofPlain('listMessages', setValue('/data/*/content/0/text/value', 'something else')),
    'one message too many': ofPlain(
      'listMessages',
      setValue('/data', (messages) => [...arrayAt(messages), ...arrayAt(messages)]),
    ),
  },
});

/**
 * Models may answer the same request in two ways. So a difference is held against the target only where it answers
 * alike each time: several times without streaming, and several times streamed.
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

/** Whether the request leaves the model no choice between words and calls. */
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

/** Whether the runs have no tools. */
function isBare({ plain: [first] }: FinishedRunPair): boolean {
  const tools = valueAtPath(first?.run, 'tools');
  return Array.isArray(tools) && tools.length === 0;
}

/** The types of steps that occurred, and the functions they called, however often. */
function courseOf(steps: readonly Json[] | undefined): Json {
  return (steps ?? []).map((step) => [textAt(step, 'type') ?? null, ...new Set(functionsOf([step]))]);
}

/** Edits the answers about runs that were not streamed. */
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
