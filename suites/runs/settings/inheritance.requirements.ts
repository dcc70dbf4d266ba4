import { containsRequested, namesRequestedModel } from '../../generate/compare.ts';
import { setValue } from '../../vocabulary/changes.ts';
import { textAt, valueAtPath } from '../../vocabulary/json.ts';
import { leavesOut, that, where } from '../../vocabulary/selectors.ts';
import { section, violation } from '../../vocabulary/statements.ts';
import type { BehaviourRequirement, CallSuccession, Json, Violation } from '../../vocabulary/types.ts';
import { runsOfAssistants, runsWithout } from '../selectors/inheritance.ts';
import { type RunResponse, runResponseOf, runResponses } from '../selectors/run.ts';
import { editRuns } from '../streams/mutations.ts';

const RUNS = '1 Runs';
const { stated } = section(RUNS);

export const model = inherits('model', 'A run without a model uses that of its assistant.', {
  'another model': 'another-model',
  'no model': '',
});

export const instructions = inherits(
  'instructions',
  'A run without instructions follows those of its assistant.',
  { 'other instructions': 'Do something else.', none: null },
);

const withBase = that<CallSuccession>('with instructions', ({ before, after }) => base(before, after) !== '');
const adding = that<CallSuccession>('with additional_instructions', ({ after }) => additional(after) !== '');
const showingThese = that<CallSuccession>('that shows these', ({ after }) =>
  instructionsOf(after).includes(additional(after)),
);

export const runsAdditionalInstructionsAppended = stated('runs.additional-instructions.appended', {
  says: 'Where the instructions of a run contain its additional instructions, these come last.',
  selector: where(runsOfAssistants, withBase, adding, showingThese),
  check: ({ before, after }) => {
    const [first, last] = [base(before, after), additional(after)];
    if (instructionsOf(after).startsWith(first) && instructionsOf(after).trimEnd().endsWith(last)) return [];
    const at = `${runResponseOf(after)?.runs[0]?.at}/instructions`;
    return [violation(at, `${JSON.stringify(first)}, then ${JSON.stringify(last)}`, instructionsOf(after))];
  },
  mutations: {
    'in front': editRuns(setValue('/instructions', (old) => String(old).split('\n').toReversed().join('\n'))),
    instead: editRuns(setValue('/instructions', (old) => String(old).split('\n').at(-1) ?? '')),
    'in between': editRuns(setValue('/instructions', (old) => `${String(old)}\nSomething else.`)),
  },
});

export const tools = inherits('tools', 'A run without tools has those of its assistant.', {
  none: [],
  others: [{ type: 'code_interpreter' }, { type: 'code_interpreter' }],
});

export const temperature = unset('temperature', 1, 'The temperature of a run is 1 if no request sets it.');

export const topP = unset('top_p', 1, 'The top_p of a run is 1 if no request sets it.');

export const responseFormat = unset(
  'response_format',
  'auto',
  'The response_format of a run is auto if no request sets it.',
);

export const runsDefaultsToolChoice = stated('runs.defaults.tool-choice', {
  says: 'The tool_choice of a run is auto if its request has none.',
  selector: where(runResponses, leavesOut('tool_choice')),
  check: (answer) => differing(answer, 'tool_choice', 'auto'),
  mutations: {
    none: editRuns(setValue('/tool_choice', 'none')),
    required: editRuns(setValue('/tool_choice', 'required')),
  },
});

/** The instructions to append to. */
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

/** A setting that a run takes from its assistant. */
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

/** A setting that neither the run nor its assistant gives. A null in the run says nothing. */
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

/** Runs that show another value. That a field is absent is judged by its schema; runs of the legacy form lack some. */
function differing({ runs }: RunResponse, field: string, expected: Json | undefined): Violation[] {
  const isTold = field === 'model' ? namesRequestedModel : containsRequested;
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
