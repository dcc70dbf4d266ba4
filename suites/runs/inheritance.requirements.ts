import type { Json } from '../../exchange/body.ts';
import { put } from '../../judge/edit/values.ts';
import { get, text } from '../../judge/json.ts';
import type { Behaviour, Complaint } from '../../judge/requirement.ts';
import { only } from '../../judge/selectors/answers.ts';
import type { Succession } from '../../judge/selectors/relations.ts';
import { requirement } from '../../judge/write.ts';
import { carries } from '../generate/relations/compare.ts';
import { inRuns } from './breaking.ts';
import { namesModel } from './echo.ts';
import { runsOfAssistants, runsWithout } from './inheritance.ts';
import { type RunAnswer, runAnswerOf, runAnswers } from './run.ts';

const RUNS = '1 Runs';

export const model = inherits('model', 'A run without a model of its own uses that of its assistant.', {
  'another model': 'another-model',
  'no model': '',
});

export const instructions = inherits(
  'instructions',
  'A run without instructions of its own follows those of its assistant.',
  { 'other instructions': 'Do something else.', none: null },
);

export const appended = requirement({
  id: 'runs.additional-instructions.appended',
  level: 'MUST',
  basis: 'stated',
  spec: RUNS,
  says: 'Where the instructions of a run tell its additional instructions, these come last.',
  on: only(
    runsOfAssistants,
    ({ before, after }) =>
      base(before, after) !== '' && additional(after) !== '' && told(after).includes(additional(after)),
  ),
  check: ({ before, after }) => {
    const [first, last] = [base(before, after), additional(after)];
    if (told(after).startsWith(first) && told(after).trimEnd().endsWith(last)) return [];
    const at = `${runAnswerOf(after)?.runs[0]?.at}/instructions`;
    return [{ at, expected: `${JSON.stringify(first)}, then ${JSON.stringify(last)}`, actual: told(after) }];
  },
  breaks: {
    'in front': inRuns(put('/instructions', (old) => String(old).split('\n').toReversed().join('\n'))),
    instead: inRuns(put('/instructions', (old) => String(old).split('\n').at(-1) ?? '')),
    'in between': inRuns(put('/instructions', (old) => `${String(old)}\nSomething else.`)),
  },
});

export const tools = inherits('tools', 'A run without tools of its own has those of its assistant.', {
  none: [],
  others: [{ type: 'code_interpreter' }, { type: 'code_interpreter' }],
});

export const temperature = unset('temperature', 1, 'The temperature of a run is 1 if nobody sets it.');

export const topP = unset('top_p', 1, 'The top_p of a run is 1 if nobody sets it.');

export const responseFormat = unset(
  'response_format',
  'auto',
  'The response_format of a run is auto if nobody sets it.',
);

export const toolChoice = requirement({
  id: 'runs.defaults.tool-choice',
  level: 'MUST',
  basis: 'stated',
  spec: RUNS,
  says: 'The tool_choice of a run is auto if its request has none.',
  on: only(runAnswers(), ({ asked }) => get(asked, 'tool_choice') === undefined),
  check: (answer) => differing(answer, 'tool_choice', 'auto'),
  breaks: { none: inRuns(put('/tool_choice', 'none')), required: inRuns(put('/tool_choice', 'required')) },
});

/** The instructions to append to. */
function base({ answer }: Succession['before'], { asked }: Succession['after']): string {
  return text(asked, 'instructions') ?? text(answer, 'instructions') ?? '';
}

function additional({ asked }: Succession['after']): string {
  return text(asked, 'additional_instructions')?.trim() ?? '';
}

function told(after: Succession['after']): string {
  return text(runAnswerOf(after)?.runs[0]?.run, 'instructions') ?? '';
}

/** A setting that a run takes from its assistant. */
function inherits(
  field: 'model' | 'instructions' | 'tools',
  says: string,
  others: Readonly<Record<string, Json>>,
): Behaviour<Succession> {
  const isAlone = (after: Succession['after']): boolean =>
    field !== 'instructions' || (get(after.asked, 'additional_instructions') ?? '') === '';
  return requirement({
    id: `runs.assistant.${field}`,
    level: 'MUST',
    basis: 'implied',
    spec: RUNS,
    says,
    on: only(
      runsWithout(field),
      ({ before, after }) => (get(before.answer, field) ?? null) !== null && isAlone(after),
    ),
    check: ({ before, after }) => {
      const answer = runAnswerOf(after);
      return answer === null ? [] : differing(answer, field, get(before.answer, field));
    },
    breaks: breaksOf(field, others),
  });
}

/** A setting that neither the run nor its assistant gives. A null in the run says nothing. */
function unset(field: string, value: Json, says: string): Behaviour<Succession> {
  return requirement({
    id: `runs.defaults.${field.replaceAll('_', '-')}`,
    level: 'MUST',
    basis: 'stated',
    spec: '1 Run',
    says,
    on: only(runsWithout(field), ({ before, after }) => {
      const own = get(before.answer, field) ?? value;
      const told = runAnswerOf(after)?.runs.some(({ run }) => (get(run, field) ?? null) !== null);
      return own === value && told === true;
    }),
    check: ({ after }) => {
      const answer = runAnswerOf(after);
      return answer === null ? [] : differing(answer, field, value).filter(({ actual }) => actual !== null);
    },
    breaks: breaksOf(
      field,
      field === 'response_format'
        ? { 'JSON mode': { type: 'json_object' }, text: { type: 'text' } }
        : { 'another one': 0.123, nothing: 0 },
    ),
  });
}

function differing({ runs }: RunAnswer, field: string, expected: Json | undefined): Complaint[] {
  const isTold = field === 'model' ? namesModel : carries;
  return runs
    .filter(({ run }) => !isTold(expected, get(run, field)))
    .map(({ at, run }) => ({
      at: `${at}/${field}`,
      expected: JSON.stringify(expected) ?? 'none',
      actual: get(run, field),
    }));
}

function breaksOf(field: string, others: Readonly<Record<string, Json>>) {
  return Object.fromEntries(
    Object.entries(others).map(([name, value]) => [name, inRuns(put(`/${field}`, value))]),
  );
}
