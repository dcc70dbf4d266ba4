import type { Json } from '../../exchange/body.ts';
import { put } from '../../judge/edit/values.ts';
import { get, isObject, list } from '../../judge/json.ts';
import type { Basis, Behaviour } from '../../judge/requirement.ts';
import { only } from '../../judge/selectors/answers.ts';
import { requirement } from '../../judge/write.ts';
import { carries } from '../generate/relations/compare.ts';
import { inRuns } from './breaking.ts';
import { namesModel } from './echo.ts';
import { type RunAnswer, runAnswers } from './run.ts';
import { STREAMING } from './tale.ts';

const RUNS = '1 Runs';

export const model = kept('model', {
  basis: 'stated',
  says: 'A run uses the model that its request names.',
  compare: namesModel,
  others: { 'another model': 'another-model', 'no model': '' },
});

export const instructions = kept('instructions', {
  basis: 'stated',
  says: 'A run follows the instructions of its request, unless it has additional ones.',
  concerns: (asked) =>
    (get(asked, 'additional_instructions') ?? '') === '' && get(asked, 'instructions') !== '',
  others: { 'other instructions': 'Do something else.', none: null },
});

export const tools = kept('tools', {
  basis: 'stated',
  says: 'A run has the tools of its request.',
  others: {
    none: (old) => (list(old).length > 0 ? [] : [{ type: 'code_interpreter' }]),
    'one more': (old) => [...list(old), { type: 'code_interpreter' }],
    'another function': (old) => list(old).map((tool) => put('/function/name', 'nobody_knows')(tool)),
    'other parameters': (old) => list(old).map((tool) => put('/function/parameters/type', 'string')(tool)),
  },
});

export const temperature = kept('temperature', {
  says: 'A run has the temperature of its request.',
  others: { 'another one': 0.123, none: null },
});

export const topP = kept('top_p', {
  says: 'A run has the top_p of its request.',
  others: { 'another one': 0.123, none: null },
});

export const maxPromptTokens = kept('max_prompt_tokens', {
  says: 'A run has the max_prompt_tokens of its request.',
  others: { 'another budget': 7, none: null },
});

export const maxCompletionTokens = kept('max_completion_tokens', {
  says: 'A run has the max_completion_tokens of its request.',
  others: { 'another budget': 7, none: null },
});

export const toolChoice = kept('tool_choice', {
  says: 'A run has the tool_choice of its request.',
  others: {
    'another one': (old) => (old === 'auto' ? 'none' : 'auto'),
    'another function': (old) => (isObject(old) ? put('/function/name', 'nobody_knows')(old) : 'required'),
  },
});

export const responseFormat = kept('response_format', {
  says: 'A run has the response_format of its request.',
  others: {
    'another one': (old) => (old === 'auto' ? { type: 'json_object' } : 'auto'),
    none: null,
  },
});

export const metadata = kept('metadata', {
  says: 'A run on a thread has the metadata of its request.',
  // Whose metadata they are where a thread is made, too, is left open.
  of: ['createRun'],
  isLasting: false,
  others: {
    none: (old) => (Object.keys(old ?? {}).length > 0 ? {} : { other: 'pair' }),
    'other values': (old) => Object.fromEntries(Object.keys(old ?? {}).map((key) => [key, 'other'])),
  },
});

interface Plan {
  readonly says: string;
  /** Stated is only what overrides the assistant; that a run has its other settings is implied. */
  readonly basis?: Basis;
  readonly concerns?: (asked: Json | undefined) => boolean;
  readonly of?: readonly string[];
  /** False where others may change it while the run goes on. */
  readonly isLasting?: boolean;
  readonly compare?: (asked: Json | undefined, answer: Json | undefined) => boolean;
  /** What may stand there instead, by the name of the break. */
  readonly others: Readonly<Record<string, Json | ((old: Json | undefined) => Json)>>;
}

/** A setting that a request gives to its run. A null gives none, and is not judged. */
function kept(field: string, plan: Plan): Behaviour<RunAnswer> {
  const {
    says,
    basis = 'implied',
    concerns = () => true,
    of = STREAMING,
    compare = carries,
    isLasting = true,
    others,
  } = plan;
  const on = only(
    runAnswers(),
    ({ asked, call }) =>
      (get(asked, field) ?? null) !== null &&
      concerns(asked) &&
      of.includes(call.operation.id) &&
      // What becomes of a value that is none, where it is not refused, is another matter.
      call.exchange.probe?.side !== 'violation',
  );
  return requirement({
    id: `runs.overrides.${field.replaceAll('_', '-')}`,
    level: 'MUST',
    basis,
    spec: RUNS,
    says,
    on,
    check: ({ asked, runs }) =>
      (isLasting ? runs : runs.slice(0, 1))
        .filter(({ run }) => !compare(get(asked, field), get(run, field)))
        .map(({ at, run }) => ({
          at: `${at}/${field}`,
          expected: `${JSON.stringify(get(asked, field))}, as asked for`,
          actual: get(run, field),
        })),
    breaks: Object.fromEntries(
      Object.entries(others).map(([name, value]) => [name, inRuns(put(`/${field}`, value))]),
    ),
  });
}
