import type { Json } from '../../exchange/body.ts';
import { put } from '../../judge/edit/values.ts';
import { get, isObject, number, text } from '../../judge/json.ts';
import { only } from '../../judge/selectors/answers.ts';
import { choice } from '../../judge/write.ts';
import { followed, inRuns, named, retold } from './breaking.ts';
import { runAnswers } from './run.ts';
import { allRuns, COMPLETED, type Tale, tales, WAITING } from './tale.ts';

const SPEC = '1 Run';
const SHOWN = ['queued', 'in_progress', 'requires_action', 'completed', 'incomplete'];

const OTHERS = ['cancelling', 'cancelled', 'failed', 'expired'];
const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

/** Streams that tell their run in this state. */
const inState = (state: string) => only(tales(), (tale) => runIn(tale, state) !== undefined);

export const statuses = choice({
  id: 'runs.status.values',
  several: true,
  spec: SPEC,
  says: 'Which states of a run are told beside the five that are shown.',
  alternatives: OTHERS,
  on: tales(),
  taken: (tale) => allRuns(tale).find(({ state }) => !SHOWN.includes(state))?.state ?? null,
  examples: Object.fromEntries(
    OTHERS.map((state) => [state, retold(named('thread.run.incomplete'), put('/status', state))]),
  ),
});

export const moves = choice({
  id: 'runs.status.other-moves',
  spec: SPEC,
  says: 'Which ways, beside the stated ones, a run takes from state to state.',
  alternatives: ['in_progress to failed', 'requires_action to queued'],
  on: only(tales(), (tale) => allRuns(tale).length > 1),
  taken: (tale) => {
    const states = allRuns(tale).map(({ state }) => state);
    const ways = states.slice(1).map((state, i) => [states[i] ?? '', state] as const);
    const other = ways.find(
      ([from, to]) => from !== to && (from === 'requires_action' || !SHOWN.includes(to)),
    );
    return other === undefined ? null : other.join(' to ');
  },
  examples: {
    'in_progress to failed': retold(named('thread.run.incomplete'), put('/status', 'failed')),
    'requires_action to queued': followed(WAITING, 'thread.run.queued', put('/status', 'queued')),
  },
});

export const requiredAction = choice({
  id: 'runs.required-action.fields',
  spec: SPEC,
  says: 'Which fields required_action has.',
  alternatives: ['submit_tool_outputs, type', 'kind'],
  on: inState('requires_action'),
  taken: (tale) => namesIn(get(runIn(tale, 'requires_action'), 'required_action')),
  examples: { kind: retold(named(WAITING), put('/required_action', { kind: 'outputs' })) },
});

export const incompleteDetails = choice({
  id: 'runs.incomplete-details.fields',
  spec: SPEC,
  says: 'Which fields incomplete_details of a run has.',
  alternatives: ['reason', 'why'],
  on: inState('incomplete'),
  taken: (tale) => namesIn(get(runIn(tale, 'incomplete'), 'incomplete_details')),
  examples: {
    why: retold(named('thread.run.incomplete'), put('/incomplete_details', { why: 'tokens' })),
  },
});

export const lastError = choice({
  id: 'runs.last-error.fields',
  spec: SPEC,
  says: 'Which fields last_error of a failed run has.',
  alternatives: ['code, message', 'message'],
  on: inState('failed'),
  taken: (tale) => namesIn(get(runIn(tale, 'failed'), 'last_error')),
  examples: { message: retold(named('thread.run.failed'), put('/last_error', { message: 'Sorry.' })) },
});

export const usageSum = choice({
  id: 'runs.usage.sum',
  spec: SPEC,
  says: 'Whether total_tokens of a run is the sum of prompt and completion tokens.',
  alternatives: ['the sum', 'another number'],
  on: inState('completed'),
  taken: (tale) => {
    const usage = get(runIn(tale, 'completed'), 'usage');
    const [prompt, completion] = [number(usage, 'prompt_tokens'), number(usage, 'completion_tokens')];
    if (prompt === undefined || completion === undefined) return null;
    return number(usage, 'total_tokens') === prompt + completion ? 'the sum' : 'another number';
  },
  examples: { 'another number': retold(named(COMPLETED), put('/usage/total_tokens', 123_456)) },
});

export const usageOfSteps = choice({
  id: 'runs.usage.of-steps',
  spec: SPEC,
  says: 'Whether the usage of a run is the sum of the usage of its steps.',
  alternatives: ['the sum', 'another number'],
  on: only(inState('completed'), ({ steps }) => steps.length > 0),
  taken: (tale) => {
    const total = number(runIn(tale, 'completed'), 'usage', 'total_tokens');
    const parts = tale.steps.map(({ told }) => number(told.at(-1)?.data, 'usage', 'total_tokens'));
    if (total === undefined || parts.some((part) => part === undefined)) return null;
    const sum = parts.reduce((all: number, part = 0) => all + part, 0);
    return sum === total ? 'the sum' : 'another number';
  },
  examples: { 'another number': retold(named(COMPLETED), put('/usage/total_tokens', 123_456)) },
});

export const usageWaiting = choice({
  id: 'runs.usage.while-waiting',
  spec: SPEC,
  says: 'What usage is while a run waits for outputs.',
  places: ['thread.run:usage'],
  alternatives: ['null', 'told'],
  on: inState('requires_action'),
  taken: (tale) => sortOf(get(runIn(tale, 'requires_action'), 'usage')),
  examples: {
    told: retold(named(WAITING), put('/usage', USAGE)),
  },
});

export const usageQueued = choice({
  id: 'runs.usage.while-queued',
  spec: SPEC,
  says: 'What usage is while a run is queued.',
  places: ['thread.run:usage'],
  alternatives: ['null', 'told'],
  on: only(runAnswers(), ({ runs: [first] }) => text(first?.run, 'status') === 'queued'),
  taken: ({ runs: [first] }) => sortOf(get(first?.run, 'usage')),
  examples: { told: inRuns(put('/usage', USAGE)) },
});

export const expiresAt = choice({
  id: 'runs.expires-at.after-the-end',
  spec: SPEC,
  says: 'What expires_at is on a run that has completed.',
  places: ['thread.run:expires_at'],
  alternatives: ['null', 'told'],
  on: inState('completed'),
  taken: (tale) => sortOf(get(runIn(tale, 'completed'), 'expires_at')),
  examples: {
    told: retold(named(COMPLETED), put('/expires_at', 4_000_000_000)),
  },
});

function runIn(tale: Tale, wanted: string): Json | undefined {
  return allRuns(tale).find(({ state }) => state === wanted)?.run;
}

function namesIn(value: Json | undefined): string | null {
  return isObject(value) ? Object.keys(value).sort().join(', ') : null;
}

function sortOf(value: Json | undefined): string {
  if (value === undefined) return 'absent';
  return value === null ? 'null' : 'told';
}
