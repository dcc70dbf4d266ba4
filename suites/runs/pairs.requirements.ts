import type { Json } from '../../exchange/body.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { inAnswer, inAnswerWhere } from '../../judge/edit/breaks.ts';
import { type Edit, put } from '../../judge/edit/values.ts';
import { get, list, text } from '../../judge/json.ts';
import type { Break, Complaint } from '../../judge/requirement.ts';
import { same } from '../../judge/schema/kinds.ts';
import { only } from '../../judge/selectors/answers.ts';
import { requirement } from '../../judge/write.ts';
import { isAnother } from '../generate/relations/compare.ts';
import { inObjects } from './breaking.ts';
import { functionsOf, type Outcome, type OutcomePair, outcomes, textsOf } from './outcomes.ts';

const RUNS = '1 Runs';
const NEW = 'createThreadAndRun';

/** What a run is made to do; how it goes on is not part of it. */
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

export const sameSettings = requirement({
  id: 'runs.pair.same-settings',
  level: 'MUST',
  basis: 'implied',
  spec: RUNS,
  says: 'A streamed run has the settings that the same request gives without streaming.',
  on: outcomes(),
  check: ({ plain: [first], streamed }) =>
    streamed.flatMap(({ run, begun }) =>
      SETTINGS.filter((field) => isAnother(get(first?.run, field), get(run, field))).map((field) => ({
        at: `${begun.runs[0]?.at}/${field}`,
        expected: `${JSON.stringify(get(first?.run, field))}, as without streaming`,
        actual: get(run, field),
        exchange: begun.call.exchange.id,
      })),
    ),
  breaks: {
    'another temperature': inObjects('thread.run', put('/temperature', 0.123)),
    'no tools': inAnswer(NEW, put('/tools', [{ type: 'code_interpreter' }])),
    'other instructions': inAnswer(NEW, put('/instructions', 'Do something else.')),
    'other metadata': inObjects('thread.run', put('/metadata', { other: 'pair' })),
    'another model': inObjects('thread.run', put('/model', 'another-model')),
    'another choice of tools': inObjects('thread.run', put('/tool_choice', 'required')),
  },
});

export const sameSteps = requirement({
  id: 'runs.pair.same-steps',
  level: 'MUST',
  basis: 'implied',
  spec: RUNS,
  says: 'A run that the model has no say in takes the same steps whether it is streamed or not.',
  on: only(outcomes(), (pair) => isForced(pair) && [...pair.plain, ...pair.streamed].some(hasSteps)),
  check: ({ asked, plain, streamed }) => {
    const expected = plain.find(hasSteps);
    return streamed.filter(hasSteps).flatMap(({ steps }): Complaint[] => {
      const [wanted, actual] = [courseOf(expected?.steps?.elements), courseOf(steps?.elements)];
      if (expected === undefined || same(wanted, actual)) return [];
      const found = {
        at: '/data',
        expected: `${JSON.stringify(wanted)}, as without streaming`,
        actual,
        exchange: steps?.exchange.id ?? '',
      };
      // A model may answer in words though it is made to call a function.
      const isInWords = isMadeToCall(asked) && [wanted, actual].some((course) => !callsTools(course));
      return [isInWords ? { ...found, inconclusive: 'model' as const } : found];
    });
  },
  breaks: {
    'a step too many': ofPlain(
      'listRunSteps',
      put('/data', (steps) => [...list(steps), ...list(steps)]),
    ),
    'another function': ofPlain(
      'listRunSteps',
      put('/data/0/step_details/tool_calls/0/function/name', 'nobody_knows'),
    ),
    'a message as well': ofPlain(
      'listRunSteps',
      put('/data', (steps) => [...list(steps), ...list(steps).map(put('/type', 'message_creation'))]),
    ),
  },
});

export const sameText = requirement({
  id: 'runs.pair.same-text',
  level: 'MUST',
  basis: 'implied',
  spec: RUNS,
  says: 'A run that is streamed writes what the same request writes without streaming.',
  // What tools find may be another thing from run to run.
  on: only(
    outcomes(),
    (pair) => isBare(pair) && [pair.plain, pair.streamed].every((side) => side.some(hasText)),
  ),
  check: compareTexts,
  breaks: {
    'another text': ofPlain('listMessages', put('/data/*/content/0/text/value', 'something else')),
    'one message too many': ofPlain(
      'listMessages',
      put('/data', (messages) => [...list(messages), ...list(messages)]),
    ),
  },
});

/**
 * Models may answer the same request in two ways. So a difference is held against the target only where it answers
 * alike each time: several times without streaming, and several times streamed.
 */
function compareTexts({ plain, streamed }: OutcomePair): Complaint[] {
  const whole = plain.filter(hasText).map(textsOf);
  const told = streamed.filter(hasText);
  const texts = told.map(textsOf);
  const differing = told.find((outcome) => !whole.includes(textsOf(outcome)));
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

function hasText(outcome: Outcome): boolean {
  return textsOf(outcome) !== null;
}

function hasSteps({ steps }: Outcome): boolean {
  return steps !== null;
}

/** Whether the request leaves the model no choice between words and calls. */
function isForced(pair: OutcomePair): boolean {
  const { asked } = pair;
  return text(asked, 'tool_choice') === 'none' || isMadeToCall(asked) || isBare(pair);
}

function isMadeToCall(asked: Json): boolean {
  return text(asked, 'tool_choice', 'type') === 'function';
}

function callsTools(course: Json): boolean {
  return Array.isArray(course) && course.some((step) => get(step, 0) === 'tool_calls');
}

/** Whether the runs have no tools. */
function isBare({ plain: [first] }: OutcomePair): boolean {
  const tools = get(first?.run, 'tools');
  return Array.isArray(tools) && tools.length === 0;
}

/** What sort of steps there were, and which functions they called, however often. */
function courseOf(steps: readonly Json[] | undefined): Json {
  return (steps ?? []).map((step) => [text(step, 'type') ?? null, ...new Set(functionsOf([step]))]);
}

/** Edits the answers about runs that were not streamed. */
function ofPlain(operation: string, edit: Edit): Break {
  return (trace) => {
    const runs = trace.flatMap(({ response }) => {
      const answer = response?.body.json?.value;
      return text(answer, 'object') === 'thread.run' ? (text(answer, 'id') ?? []) : [];
    });
    const isPlain = ({ request }: Exchange): boolean => runs.some((id) => request.target.includes(id));
    return inAnswerWhere(operation, isPlain, edit)(trace);
  };
}
