import type { Exchange } from '../../exchange/exchange.ts';
import { first, inAnswer, inEvent, where } from '../../judge/edit/breaks.ts';
import { withAnswer } from '../../judge/edit/exchanges.ts';
import { put, remove } from '../../judge/edit/values.ts';
import { get, list, number, text } from '../../judge/json.ts';
import { answers, only } from '../../judge/selectors/answers.ts';
import { pairs } from '../../judge/selectors/pairs.ts';
import { streams } from '../../judge/selectors/streams.ts';
import { choice } from '../../judge/write.ts';
import { byChoice, hasChoices } from './chunks.ts';
import { replies } from './replies.ts';

const CHAT = 'createChatCompletion';
const SPEC = '2 Chat completion';
const CHUNK = '2 Chat completion chunk';

export const model = choice({
  id: 'chat.model.echo',
  spec: SPEC,
  says: 'Whether the model of a reply is named as in the request.',
  alternatives: ['as asked for', 'another name'],
  on: answers(CHAT),
  taken: ({ asked, answer }) =>
    get(asked, 'model') === get(answer, 'model') ? 'as asked for' : 'another name',
  examples: {
    'another name': inAnswer(CHAT, put('/model', 'another-model')),
  },
});

export const usageSum = choice({
  id: 'chat.usage.sum',
  spec: SPEC,
  says: 'Whether total_tokens is the sum of prompt and completion tokens.',
  alternatives: ['the sum', 'another number'],
  on: replies(),
  taken: ({ usage }) => {
    const [prompt, completion] = [number(usage, 'prompt_tokens'), number(usage, 'completion_tokens')];
    if (prompt === undefined || completion === undefined) return null;
    return number(usage, 'total_tokens') === prompt + completion ? 'the sum' : 'another number';
  },
  examples: {
    'another number': inAnswer(CHAT, put('/usage/total_tokens', 1)),
  },
});

const SEEN = ['stop', 'length', 'tool_calls'];

export const finishValues = choice({
  id: 'chat.finish-reason.values',
  spec: SPEC,
  says: 'Whether finish_reason takes values beyond those seen: stop, length, tool_calls.',
  alternatives: ['only those seen', 'others too'],
  on: only(replies(), ({ choices }) => choices.some(({ finish }) => typeof finish === 'string')),
  taken: ({ choices }) => {
    const other = choices.find(({ finish }) => typeof finish === 'string' && !SEEN.includes(finish));
    return other === undefined ? 'only those seen' : `also ${other.finish}`;
  },
});

export const finishOfForced = choice({
  id: 'chat.finish-reason.forced-call',
  spec: SPEC,
  says: 'Which finish_reason ends a reply whose function call is forced.',
  alternatives: ['tool_calls', 'stop'],
  on: only(
    replies(),
    ({ asked, streamed }) => !streamed && get(asked, 'tool_choice', 'function') !== undefined,
  ),
  taken: ({ choices }) => choices[0]?.finish ?? null,
  examples: {
    stop: inAnswer(CHAT, put('/choices/*/finish_reason', 'stop')),
  },
});

export const finishAtLimit = choice({
  id: 'chat.finish-reason.at-limit',
  spec: SPEC,
  says: 'Which finish_reason ends a reply that has used all of max_tokens.',
  alternatives: ['length', 'stop'],
  on: only(replies(), ({ asked, usage, choices }) => {
    const used = number(usage, 'completion_tokens');
    return choices.length === 1 && used !== undefined && used === number(asked, 'max_tokens');
  }),
  taken: ({ choices }) => choices[0]?.finish ?? null,
  examples: {
    stop: inAnswer(CHAT, put('/choices/*/finish_reason', 'stop')),
  },
});

export const contentOfCalls = choice({
  id: 'chat.content.beside-calls',
  spec: SPEC,
  says: 'What the content of a message is that calls functions.',
  places: ['chat.message:content'],
  alternatives: ['null', 'text'],
  on: only(replies(), ({ choices }) => choices.some(({ calls }) => calls.length > 0)),
  taken: ({ choices }) => {
    const content = choices.find(({ calls }) => calls.length > 0)?.content;
    if (content === undefined) return 'absent';
    return content === null ? 'null' : 'text';
  },
  examples: {
    text: inAnswer(CHAT, put('/choices/*/message/content', 'I will look.')),
  },
});

export const stopKept = choice({
  id: 'chat.stop.kept',
  spec: '2 Chat completions',
  says: 'Whether the stop sequence that ended a reply is part of its content.',
  alternatives: ['kept', 'not in the content'],
  on: only(replies(), ({ asked }) => stops(get(asked, 'stop')).length > 0),
  taken: ({ asked, choices }) => {
    const [first] = choices;
    if (first?.finish !== 'stop' || typeof first.content !== 'string') return null;
    const kept = stops(get(asked, 'stop')).some((stop) => first.content?.endsWith(stop));
    return kept ? 'kept' : 'not in the content';
  },
  examples: {
    kept: inAnswer(
      CHAT,
      put('/choices/0/message/content', (old) => `${old}7`),
    ),
  },
});

export const tokensJoined = choice({
  id: 'chat.logprobs.tokens-joined',
  spec: SPEC,
  says: 'Whether the tokens of the log probabilities, joined, are the content.',
  alternatives: ['the content', 'another text'],
  on: replies(),
  taken: ({ choices }) => {
    const told = choices.find(({ tokens, content }) => tokens !== null && typeof content === 'string');
    if (told === undefined) return null;
    const joined = told.tokens?.map(({ entry }) => text(entry, 'token')).join('');
    return joined === told.content ? 'the content' : 'another text';
  },
  examples: {
    'another text': inAnswer(CHAT, put('/choices/*/logprobs/content/0/token', '#')),
  },
});

export const candidateCount = choice({
  id: 'chat.logprobs.candidate-count',
  spec: SPEC,
  says: 'Whether each token lists exactly top_logprobs candidates.',
  alternatives: ['exactly', 'fewer somewhere'],
  on: only(replies(), ({ asked }) => (number(asked, 'top_logprobs') ?? 0) > 0),
  taken: ({ asked, choices }) => {
    const entries = choices.flatMap(({ tokens }) => tokens ?? []);
    if (entries.length === 0) return null;
    const most = number(asked, 'top_logprobs');
    return entries.every(({ entry }) => list(entry, 'top_logprobs').length === most)
      ? 'exactly'
      : 'fewer somewhere';
  },
  examples: {
    'fewer somewhere': inAnswer(CHAT, put('/choices/*/logprobs/content/0/top_logprobs', [])),
  },
});

export const roleInStream = choice({
  id: 'chat.stream.role',
  spec: CHUNK,
  says: 'In which deltas of a choice the role is told.',
  alternatives: ['the first', 'every one'],
  on: streams(CHAT),
  taken: ({ chunks }) => {
    const [first] = byChoice(chunks);
    if (first === undefined) return null;
    const told = first.parts.map(({ piece }) => text(piece, 'delta', 'role') !== undefined);
    if (!told.includes(true)) return null;
    if (told.every(Boolean)) return told.length === 1 ? 'the first' : 'every one';
    return told.lastIndexOf(true) === 0 ? 'the first' : 'some of them';
  },
  examples: {
    'every one': inEvent(CHAT, where(hasChoices), put('/choices/*/delta/role', 'assistant')),
  },
});

export const usageBefore = choice({
  id: 'chat.stream.usage-before-the-last',
  spec: CHUNK,
  says: 'What usage is on the chunks before the one that tells it.',
  places: ['chat.completion.chunk:usage'],
  alternatives: ['null', 'absent'],
  on: only(streams(CHAT), ({ asked }) => get(asked, 'stream_options', 'include_usage') === true),
  taken: ({ chunks }) => {
    const [first] = chunks;
    if (first === undefined || chunks.length < 2) return null;
    return get(first.data, 'usage') === undefined ? 'absent' : 'null';
  },
  examples: {
    null: inEvent(CHAT, where(hasChoices), put('/usage', null)),
  },
});

export const streamedCalls = choice({
  id: 'chat.stream.tool-calls',
  spec: CHUNK,
  says: 'How the call of a forced function is streamed.',
  alternatives: ['in tool_calls of the deltas', 'not in the deltas'],
  on: only(streams(CHAT), ({ asked }) => get(asked, 'tool_choice', 'function') !== undefined),
  taken: ({ chunks }) => {
    const pieces = byChoice(chunks).flatMap(({ parts }) => parts);
    const called = pieces.some(({ piece }) => list(piece, 'delta', 'tool_calls').length > 0);
    return called ? 'in tool_calls of the deltas' : 'not in the deltas';
  },
  examples: {
    'not in the deltas': inEvent(CHAT, where(hasChoices), remove('/choices/*/delta/tool_calls')),
  },
});

export const streamModel = choice({
  id: 'chat.stream.same-model',
  spec: CHUNK,
  says: 'Whether every chunk names the same model and system_fingerprint.',
  alternatives: ['the same', 'different ones'],
  on: only(streams(CHAT), ({ chunks }) => chunks.length > 1),
  taken: ({ chunks }) => {
    const named = chunks.map(({ data }) =>
      JSON.stringify([get(data, 'model'), get(data, 'system_fingerprint')]),
    );
    return new Set(named).size === 1 ? 'the same' : 'different ones';
  },
  examples: {
    'different ones': inEvent(CHAT, first, put('/model', 'another-model')),
  },
});

export const seeded = choice({
  id: 'chat.seed.repeats',
  spec: '2 Chat completions',
  says: 'Whether the same request with the same seed gets the same reply.',
  alternatives: ['the same', 'another one'],
  on: only(pairs(CHAT), ({ asked }) => number(asked, 'seed') !== undefined),
  taken: ({ plain }) => {
    if (plain.length < 2) return null;
    const told = plain.map(({ answer }) =>
      list(answer, 'choices').map((one) => text(one, 'message', 'content')),
    );
    return new Set(told.map((one) => JSON.stringify(one))).size === 1 ? 'the same' : 'another one';
  },
  examples: {
    'another one': differently,
  },
});

function stops(stop: ReturnType<typeof get>): readonly string[] {
  return (Array.isArray(stop) ? stop : [stop]).filter((one) => typeof one === 'string');
}

/** Answers every request in words of its own. */
function differently(trace: readonly Exchange[]): readonly Exchange[] {
  return trace.map((exchange) =>
    withAnswer(exchange, put('/choices/*/message/content', `this is ${exchange.id}`)),
  );
}
