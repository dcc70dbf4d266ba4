import type { Basis } from '../../../judge/requirements/requirement.ts';
import type { Call } from '../../../judge/trace/call.ts';
import { containsRequested, namesRequestedModel } from '../../generate/compare.ts';
import { setValue } from '../../vocabulary/changes.ts';
import { arrayAt, isObject, valueAtPath } from '../../vocabulary/json.ts';
import { that, where } from '../../vocabulary/selectors.ts';
import { requirement, violation } from '../../vocabulary/statements.ts';
import type { BehaviourRequirement, Json, Selector } from '../../vocabulary/types.ts';
import { type RunResponse, runResponses } from '../selectors/run.ts';
import { editRuns } from '../streams/mutations.ts';
import { STREAMING_OPERATIONS } from '../streams/run-stream.ts';

const RUNS = '1 Runs';

export const model = kept('model', {
  basis: 'stated',
  says: 'A run uses the model that its request names.',
  compare: namesRequestedModel,
  others: { 'another model': 'another-model', 'no model': '' },
});

export const instructions = kept('instructions', {
  basis: 'stated',
  says: 'A run follows the instructions of its request, unless it has additional ones.',
  concerns: (asked) =>
    (valueAtPath(asked, 'additional_instructions') ?? '') === '' && valueAtPath(asked, 'instructions') !== '',
  others: { 'other instructions': 'Do something else.', none: null },
});

export const tools = kept('tools', {
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
    'another function': (old) =>
      isObject(old) ? setValue('/function/name', 'nobody_knows')(old) : 'required',
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
  // The owner of the metadata is left open where a thread is created, too.
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
  /** The values that replace it, by the name of the mutation. */
  readonly others: Readonly<Record<string, Json | ((old: Json | undefined) => Json)>>;
}

/** Runs whose request gives this setting a value. */
function runsGiven(
  field: string,
  { concerns = () => true, of = STREAMING_OPERATIONS }: Plan,
): Selector<RunResponse> {
  return where(
    runResponses,
    // The effect of an invalid value that is not rejected is judged elsewhere.
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

/** A setting that a request gives to its run. A null gives none, and is not judged. */
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

/** Runs of the legacy form lack some settings, whatever was asked for; others have them by their schema. */
function isTold({ variant }: Call, run: Json, field: string): boolean {
  return variant !== null || valueAtPath(run, field) !== undefined;
}
