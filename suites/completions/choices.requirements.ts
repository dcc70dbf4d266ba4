import type { Json } from '../../exchange/body.ts';
import { everywhere, inAnswer } from '../../judge/edit/breaks.ts';
import { answering, withAnswer } from '../../judge/edit/exchanges.ts';
import { put } from '../../judge/edit/values.ts';
import { get, isObject, list, number } from '../../judge/json.ts';
import { answers, only, requests } from '../../judge/selectors/answers.ts';
import { byIdentity } from '../../judge/selectors/identity.ts';
import { pairs } from '../../judge/selectors/pairs.ts';
import { choice } from '../../judge/write.ts';
import { OTHER_MODEL } from './samples.ts';
import { allTexts, promptsOf, texts } from './texts.ts';

const TEXTS = 'createCompletion';
const OBJECT = '2 Text completion';

const SPEC = '2 Text completions';

const candidates = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((token) => [token, -1]));

const told = only(
  requests(TEXTS),
  ({ call }) => call.outcome === 'accepted' || call.outcome === 'rejected' || call.outcome === 'absent',
);

export const noPrompt = choice({
  id: 'completions.prompt.missing',
  spec: SPEC,
  says: 'What becomes of a request without a prompt, which is called required and has a meaning.',
  alternatives: ['continued from nothing', 'refused'],
  on: only(told, ({ asked }) => isObject(asked) && (get(asked, 'prompt') ?? null) === null),
  taken: ({ call }) => {
    // Without a model too, it is the model that is missed.
    if (get(call.asked, 'model') === undefined) return null;
    return call.outcome === 'accepted' ? 'continued from nothing' : 'refused';
  },
  examples: {
    refused: everywhere(TEXTS, (exchange) => answering(exchange, 400, {})),
  },
});

export const unspecifiedN = choice({
  id: 'completions.n.default',
  spec: SPEC,
  says: 'How often a prompt is continued if n is not given.',
  alternatives: ['once', 'several times'],
  on: only(allTexts(), ({ asked }) => (get(asked, 'n') ?? get(asked, 'best_of') ?? null) === null),
  taken: ({ asked, choices }) => {
    const prompts = promptsOf(asked).length;
    if (prompts === 0 || choices.length < prompts) return null;
    return choices.length === prompts ? 'once' : 'several times';
  },
  examples: {
    'several times': inAnswer(
      TEXTS,
      put('/choices', (old) => [...list(old), ...list(old)]),
    ),
  },
});

export const placeOfPrompts = choice({
  id: 'completions.index.order',
  spec: OBJECT,
  says: 'How the choices of several prompts are numbered.',
  alternatives: ['prompt by prompt', 'in turn', 'otherwise'],
  on: only(
    texts(),
    ({ asked }) =>
      get(asked, 'echo') === true && (number(asked, 'n') ?? 1) > 1 && promptsOf(asked).length > 1,
  ),
  taken: ({ asked, choices }) => {
    const prompts = promptsOf(asked);
    const n = number(asked, 'n') ?? 1;
    const at = choices
      .toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0))
      .map((one) => prompts.findIndex((prompt) => prompt !== null && one.text?.startsWith(prompt)));
    if (at.every((prompt, i) => prompt === Math.floor(i / n))) return 'prompt by prompt';
    return at.every((prompt, i) => prompt === i % prompts.length) ? 'in turn' : 'otherwise';
  },
  examples: {
    'in turn': inAnswer(TEXTS, inTurn),
    otherwise: inAnswer(TEXTS, put('/choices/0/text', 'something else')),
  },
});

export const model = choice({
  id: 'completions.model.echo',
  spec: OBJECT,
  says: 'Whether the model of a completion is named as in the request.',
  alternatives: ['as asked for', 'another name'],
  on: answers(TEXTS),
  taken: ({ asked, answer }) =>
    get(asked, 'model') === get(answer, 'model') ? 'as asked for' : 'another name',
  examples: {
    'another name': inAnswer(TEXTS, put('/model', 'another-model')),
  },
});

const CUSTOMARY = ['stop', 'length'];

export const finishValues = choice({
  id: 'completions.finish-reason.values',
  several: true,
  spec: OBJECT,
  says: 'Which values finish_reason takes; none are shown.',
  alternatives: ['stop and length', 'others too'],
  on: only(texts(), ({ choices }) => choices.some(({ finish }) => finish !== undefined)),
  taken: ({ choices }) => {
    const other = choices.find(({ finish }) => finish !== undefined && !CUSTOMARY.includes(finish));
    return other === undefined ? 'stop and length' : `also ${other.finish}`;
  },
});

export const usageSum = choice({
  id: 'completions.usage.sum',
  spec: OBJECT,
  says: 'Whether total_tokens is the sum of prompt and completion tokens.',
  alternatives: ['the sum', 'another number'],
  on: texts(),
  taken: ({ usage }) => {
    const [prompt, completion] = [number(usage, 'prompt_tokens'), number(usage, 'completion_tokens')];
    if (prompt === undefined || completion === undefined) return null;
    return number(usage, 'total_tokens') === prompt + completion ? 'the sum' : 'another number';
  },
  examples: {
    'another number': inAnswer(TEXTS, put('/usage/total_tokens', 1)),
  },
});

export const tokenPrompt = choice({
  id: 'completions.usage.token-prompt',
  spec: SPEC,
  says: 'How many tokens a prompt of tokens is counted as.',
  alternatives: ['as many as sent', 'another number'],
  on: only(texts(), ({ asked }) => isOfTokens(list(asked, 'prompt'))),
  taken: ({ asked, usage }) => {
    const counted = number(usage, 'prompt_tokens');
    if (counted === undefined) return null;
    return counted === list(asked, 'prompt').flat().length ? 'as many as sent' : 'another number';
  },
  examples: {
    'another number': inAnswer(TEXTS, put('/usage/prompt_tokens', 1000)),
  },
});

export const logprobsForm = choice({
  id: 'completions.logprobs.form',
  spec: OBJECT,
  says: 'Which fields the log probabilities of a text have, whose form is not shown.',
  alternatives: ['text_offset, token_logprobs, tokens, top_logprobs', 'content'],
  on: only(texts(), ({ choices }) => choices.some(({ logprobs }) => logprobs.length > 0)),
  taken: ({ choices }) => {
    const value = choices.flatMap(({ logprobs }) => logprobs)[0]?.value;
    return isObject(value) ? Object.keys(value).sort().join(', ') : 'no object';
  },
  examples: {
    content: inAnswer(TEXTS, put('/choices/*/logprobs', { content: [{ logprob: -0.1 }] })),
  },
});

export const logprobsCount = choice({
  id: 'completions.logprobs.count',
  spec: SPEC,
  says: 'Whether the token itself is counted among the likely ones.',
  alternatives: ['as many as asked for at most', 'one more'],
  on: only(texts(), ({ asked }) => (number(asked, 'logprobs') ?? 0) > 0),
  taken: ({ asked, choices }) => {
    const places = choices.flatMap(({ logprobs }) =>
      logprobs.flatMap(({ value }) => list(value, 'top_logprobs')),
    );
    const sizes = places.filter(isObject).map((place) => Object.keys(place).length);
    if (sizes.length === 0) return null;
    const most = number(asked, 'logprobs') ?? 0;
    return Math.max(...sizes) > most ? 'one more' : 'as many as asked for at most';
  },
  examples: {
    'one more': inAnswer(TEXTS, put('/choices/*/logprobs/top_logprobs/0', candidates)),
  },
});

export const noLogprobs = choice({
  id: 'completions.logprobs.zero',
  spec: SPEC,
  says: 'Whether 0 asks for log probabilities of the tokens themselves.',
  alternatives: ['they are told', 'none are told'],
  on: only(texts(), ({ asked }) => number(asked, 'logprobs') === 0),
  taken: ({ choices }) =>
    choices.some(({ logprobs }) => logprobs.length > 0) ? 'they are told' : 'none are told',
  examples: {
    'none are told': inAnswer(TEXTS, put('/choices/*/logprobs', null)),
  },
});

export const suffixModels = choice({
  id: 'completions.suffix.other-models',
  spec: SPEC,
  says: 'What a model that is not called an instruct one makes of a suffix.',
  alternatives: ['refused', 'taken'],
  on: only(told, ({ call }) => call.exchange.probe?.keyword === OTHER_MODEL),
  taken: ({ call }) => (call.outcome === 'accepted' ? 'taken' : 'refused'),
  examples: {
    taken: (trace) =>
      trace.map((one) => (one.probe?.keyword === OTHER_MODEL ? answering(one, 200, {}) : one)),
  },
});

export const seeded = choice({
  id: 'completions.seed.repeats',
  spec: SPEC,
  says: 'Whether the same request with the same seed gets the same text.',
  alternatives: ['the same', 'another one'],
  on: only(pairs(TEXTS), ({ asked }) => number(asked, 'seed') !== undefined),
  taken: ({ plain }) => {
    if (plain.length < 2) return null;
    const texts = plain.map(({ answer }) =>
      JSON.stringify(list(answer, 'choices').map((one) => get(one, 'text') ?? null)),
    );
    return new Set(texts).size === 1 ? 'the same' : 'another one';
  },
  examples: {
    'another one': everywhere(TEXTS, (exchange) =>
      withAnswer(exchange, put('/choices/*/text', `text of ${exchange.id}`)),
    ),
  },
});

export const ownId = choice({
  id: 'completions.id.own',
  spec: OBJECT,
  says: 'Whether each text completion has an id of its own, which is said of chat alone.',
  alternatives: ['its own', 'that of another'],
  on: byIdentity(TEXTS),
  taken: ({ earlier }) => (earlier === null ? 'its own' : 'that of another'),
  examples: { 'that of another': inAnswer(TEXTS, put('/id', 'id_of_all')) },
});

function isOfTokens(prompts: readonly Json[]): boolean {
  return prompts.length > 0 && prompts.every((one) => typeof one !== 'string');
}

/** The choices of two prompts, each continued twice, numbered 0 2 1 3. */
function inTurn(answer: Json): Json {
  const places = [0, 2, 1, 3];
  const choices = list(answer, 'choices').map((one, i) => put('/index', places[i] ?? i)(one));
  return put('/choices', choices)(answer);
}
