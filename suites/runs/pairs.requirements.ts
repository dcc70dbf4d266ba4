import { isSteady } from '../chat/streamed-pairs.ts';
import { rowOf } from '../rows/rows.ts';
import { inResponseWhere, setValue } from '../vocabulary/changes.ts';
import { arrayAt, deepEqual, textAt, valueAtPath } from '../vocabulary/json.ts';
import { that, where } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Edit, Exchange, Json, Mutation, Violation } from '../vocabulary/types.ts';
import { type FinishedRun, type FinishedRunPair, finishedRunPairs, functionsOf, textsOf } from './pairs.ts';

const withSteps = that<FinishedRunPair>('with steps listed for both forms', ({ plain, streamed }) =>
  [plain, streamed].every((side) => side.some(hasSteps)),
);

const repeatElements = setValue('/data', (elements) => [...arrayAt(elements), ...arrayAt(elements)]);

export const runsPairSameSteps = rowOf('runs.pair.same-steps', {
  evidence: where(
    finishedRunPairs,
    that('whose request leaves the model no choice of tools', fixesToolUse),
    withSteps,
  ),
  check: ({ asked, plain, streamed }) => {
    const plainRun = plain.find(hasSteps);
    if (plainRun === undefined) return [];
    const expected = stepSummary(plainRun.steps?.elements);
    return streamed.filter(hasSteps).flatMap(({ steps }): Violation[] => {
      const actual = stepSummary(steps?.elements);
      if (deepEqual(expected, actual)) return [];
      const expectedText = `${JSON.stringify(expected)}, as without streaming`;
      const difference = violation('/data', expectedText, actual, steps?.exchange.id ?? '');
      // A model may answer with text although it is forced to call a function.
      const isTextInstead =
        forcesFunctionCall(asked) && [expected, actual].some((summary) => !callsTools(summary));
      return [isTextInstead ? { ...difference, inconclusive: 'model' as const } : difference];
    });
  },
  broken_by: {
    'a step too many': inPlainRuns('listRunSteps', repeatElements),
    'another function': inPlainRuns(
      'listRunSteps',
      setValue('/data/0/step_details/tool_calls/0/function/name', 'nobody_knows'),
    ),
    'a message as well': inPlainRuns(
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
    (pair) => hasNoTools(pair) && [pair.plain, pair.streamed].every((side) => side.some(hasText)),
  ),
  check: compareTexts,
  broken_by: {
    'another text': inPlainRuns('listMessages', setValue('/data/*/content/0/text/value', 'something else')),
    'one message too many': inPlainRuns('listMessages', repeatElements),
  },
});

/** A difference is conclusive only if several answers without streaming are equal, and several with it as well. */
function compareTexts({ plain, streamed }: FinishedRunPair): Violation[] {
  const plainTexts = plain.filter(hasText).map(textsOf);
  const withText = streamed.filter(hasText);
  const streamedTexts = withText.map(textsOf);
  const [first] = withText;
  if (first === undefined || streamedTexts.some((text) => plainTexts.includes(text))) return [];
  return [
    {
      at: '/data/*/content',
      expected: `${JSON.stringify(plainTexts[0])}, as without streaming`,
      actual: textsOf(first),
      exchange: first.messages?.exchange.id ?? '',
      ...([plainTexts, streamedTexts].every(isSteady) ? {} : { inconclusive: 'model' as const }),
    },
  ];
}

function hasText(finished: FinishedRun): boolean {
  return textsOf(finished) !== null;
}

function hasSteps({ steps }: FinishedRun): boolean {
  return steps !== null;
}

/** Whether the model cannot decide about tools: it has none, must not call any, or must call a given one. */
function fixesToolUse(pair: FinishedRunPair): boolean {
  return textAt(pair.asked, 'tool_choice') === 'none' || forcesFunctionCall(pair.asked) || hasNoTools(pair);
}

function forcesFunctionCall(asked: Json): boolean {
  return textAt(asked, 'tool_choice', 'type') === 'function';
}

function callsTools(summary: Json): boolean {
  return Array.isArray(summary) && summary.some((step) => valueAtPath(step, 0) === 'tool_calls');
}

function hasNoTools({ plain: [first] }: FinishedRunPair): boolean {
  const tools = valueAtPath(first?.value, 'tools');
  return Array.isArray(tools) && tools.length === 0;
}

function stepSummary(steps: readonly Json[] | undefined): Json {
  return (steps ?? []).map((step) => [textAt(step, 'type') ?? null, ...new Set(functionsOf([step]))]);
}

function inPlainRuns(operation: string, edit: Edit): Mutation {
  return (trace) => {
    const ids = trace.flatMap(({ response }) => {
      const answer = response?.body.json?.value;
      return textAt(answer, 'object') === 'thread.run' ? (textAt(answer, 'id') ?? []) : [];
    });
    const isPlain = ({ request }: Exchange): boolean => ids.some((id) => request.target.includes(id));
    return inResponseWhere(operation, isPlain, edit)(trace);
  };
}
