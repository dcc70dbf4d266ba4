import type { Json } from '../../exchange/body.ts';
import { inAnswer } from '../../judge/edit/breaks.ts';
import { put } from '../../judge/edit/values.ts';
import { get, list, text } from '../../judge/json.ts';
import { same } from '../../judge/schema/kinds.ts';
import { only, requests } from '../../judge/selectors/answers.ts';
import { choice } from '../../judge/write.ts';
import { carries } from '../generate/relations/compare.ts';
import { inRuns, refused } from './breaking.ts';
import { textOf } from './deltas.ts';
import { runsWithout } from './inheritance.ts';
import { isWhole, looks } from './looks.ts';
import { givenMessages } from './messages.ts';
import { runAnswerOf, runAnswers } from './run.ts';
import { STREAMING } from './tale.ts';

const RUN = '1 Run';
const RUNS = '1 Runs';
/** What a run has where nobody sets it. */
const STANDARD = { temperature: 1, top_p: 1, response_format: 'auto', tool_resources: {} } as const;

export const truncationDefault = choice({
  id: 'runs.truncation.default',
  spec: RUN,
  says: 'Which truncation strategy a run has whose request names none.',
  alternatives: ['{type: auto, last_messages: null}', 'another'],
  on: only(runAnswers(), ({ asked }) => (get(asked, 'truncation_strategy') ?? null) === null),
  taken: ({ runs: [first] }) => {
    const told = get(first?.run, 'truncation_strategy');
    if (told === undefined) return 'none told';
    return same(told, { type: 'auto', last_messages: null })
      ? '{type: auto, last_messages: null}'
      : 'another';
  },
  examples: {
    another: inRuns(put('/truncation_strategy', { type: 'last_messages', last_messages: 10 })),
  },
});

export const truncationAuto = truncation('auto');
export const truncationLast = truncation('last_messages');

export const additionalForm = choice({
  id: 'runs.additional-messages.form',
  spec: RUNS,
  says: 'Whether an additional message may have the form of a message of a new thread.',
  alternatives: ['accepted', 'refused'],
  on: only(requests('createRun'), ({ asked, call }) => {
    const messages = list(asked, 'additional_messages');
    const isPlain = messages.length > 0 && messages.every((one) => text(one, 'content') !== undefined);
    return isPlain && (call.outcome === 'accepted' || call.outcome === 'rejected');
  }),
  taken: ({ call }) => (call.outcome === 'accepted' ? 'accepted' : 'refused'),
  examples: { refused },
});

export const callersRunId = choice({
  id: 'runs.caller-messages.run-id',
  spec: '1 Message',
  says: 'What run_id is on messages that came with the request of a run.',
  alternatives: ['null', 'set'],
  on: only(looks(['listMessages']), ({ begun, after }) => isWhole(after) && given(begun.asked).length > 0),
  taken: ({ begun, answer }) => {
    const texts = given(begun.asked).map((message) => text(message, 'content'));
    const found = list(answer, 'data').filter(
      (one) => get(one, 'role') === 'user' && texts.includes(textOf(one)),
    );
    if (found.length === 0) return null;
    return found.some((one) => (get(one, 'run_id') ?? null) !== null) ? 'set' : 'null';
  },
  examples: { set: inAnswer('listMessages', put('/data/*/run_id', 'run_some')) },
});

export const additionalInstructions = choice({
  id: 'runs.additional-instructions.told',
  spec: RUNS,
  says: 'Whether the instructions of a run tell its additional instructions, too.',
  alternatives: ['told', 'not told'],
  on: only(runAnswers(), ({ asked }) => (text(asked, 'additional_instructions') ?? '') !== ''),
  taken: ({ asked, runs: [first] }) => {
    const more = text(asked, 'additional_instructions') ?? '';
    return text(first?.run, 'instructions')?.includes(more) === true ? 'told' : 'not told';
  },
  examples: { 'not told': inRuns(put('/instructions', 'Do something else.')) },
});

export const temperature = inherited('temperature');
export const topP = inherited('top_p');
export const responseFormat = inherited('response_format');
export const toolResources = inherited('tool_resources');

export const forcedKinds = choice({
  id: 'runs.tool-choice.other-kinds',
  spec: RUNS,
  says: 'Which kinds of tools beside functions and the file search a request may force.',
  alternatives: ['code_interpreter: accepted', 'code_interpreter: refused'],
  on: only(requests(STREAMING), ({ asked, call }) => {
    const kind = text(asked, 'tool_choice', 'type');
    return call.exchange.probe === null && kind !== undefined && !['function', 'file_search'].includes(kind);
  }),
  taken: ({ asked, call }) => {
    const kind = text(asked, 'tool_choice', 'type');
    if (call.outcome === 'accepted') return `${kind}: accepted`;
    return call.outcome === 'rejected' ? `${kind}: refused` : null;
  },
});

/** Whether a truncation strategy of this type may be asked for, and whether the run tells it. */
function truncation(type: 'auto' | 'last_messages') {
  return choice({
    id: `runs.truncation.${type.replaceAll('_', '-')}`,
    spec: RUNS,
    says: `Whether a request may have a truncation strategy of type ${type}.`,
    alternatives: ['kept', 'changed', 'refused'],
    on: only(
      requests(STREAMING),
      ({ asked, call }) =>
        text(asked, 'truncation_strategy', 'type') === type &&
        (call.outcome === 'accepted' || call.outcome === 'rejected'),
    ),
    taken: ({ asked, call }) => {
      const run = runAnswerOf(call)?.runs[0]?.run;
      if (call.outcome === 'rejected') return 'refused';
      const isKept = carries(get(asked, 'truncation_strategy'), get(run, 'truncation_strategy'));
      return isKept ? 'kept' : 'changed';
    },
    examples: {
      changed: inRuns(put('/truncation_strategy', { type: 'other' })),
      refused,
    },
  });
}

/** What a run has that says nothing of a setting of its assistant. */
function inherited(field: keyof typeof STANDARD) {
  const standard = STANDARD[field];
  return choice({
    id: `runs.assistant.${field.replaceAll('_', '-')}`,
    spec: RUNS,
    says: `Whether a run takes ${field} from its assistant where the request has none.`,
    alternatives: ['that of the assistant', 'the default'],
    on: only(runsWithout(field), ({ before }) => {
      const own = get(before.answer, field) ?? null;
      return own !== null && !same(own, standard);
    }),
    taken: ({ before, after }) => {
      const told = get(runAnswerOf(after)?.runs[0]?.run, field);
      if (same(told, get(before.answer, field))) return 'that of the assistant';
      return same(told, standard) ? 'the default' : 'another';
    },
    examples: { 'the default': inRuns(put(`/${field}`, standard)) },
  });
}

/** Messages of users that came with a run, as text. */
function given(asked: Json | undefined): readonly Json[] {
  return givenMessages(asked).filter(
    (one) => get(one, 'role') === 'user' && text(one, 'content') !== undefined,
  );
}
