import { ApiError, checkContext, checkRange } from '../http/api-error.ts';
import { EventStreamResponse } from '../http/response.ts';
import { type Routes, serves } from '../http/route.ts';
import { modelsOf } from '../model/catalogue.ts';
import {
  generateText,
  limitTokens,
  type ModelReply,
  makeFingerprint,
  nextSeededEnding,
} from '../model/generate.ts';
import { streamCompletion } from '../model/stream-completion.ts';
import { logprobOf, makeUsage, tokenize, tokenText, topLogprobs } from '../model/tokens.ts';
import { hashText } from '../state/ids.ts';
import type { Service } from '../state/service.ts';

const DEFAULT_MAX_TOKENS = 16;
/** Maximum of `logprobs` (2 Limits). */
const MAX_LOGPROBS = 5;
/** Maximum of `n`, beyond the specification, to bound the work of one request. */
const MAX_CHOICES = 128;
/** Maximum number of candidates for all prompts of a request, beyond the specification, to bound its work. */
const MAX_CANDIDATES = 2048;

export const routes: Routes = (service) => [
  serves<CompletionRequest>('createCompletion', ({ body }) => {
    const { common, choices, usage } = createCompletions(service, body);
    if (body.stream === true) {
      const parts = choices.map((choice, index) => choiceParts(choice, index, body));
      const includesUsage = body.stream_options?.include_usage === true;
      return new EventStreamResponse(streamCompletion(common, parts, includesUsage ? usage : null));
    }
    return { ...common, choices: choices.map((choice, index) => wholeChoice(choice, index, body)), usage };
  }),
];

/** The first `n` of `best_of` candidates per prompt; usage counts all. @throws ApiError for an invalid request. */
function createCompletions(service: Service, body: CompletionRequest) {
  const prompts = checkCompletion(body);
  const model = modelsOf(service).need(body.model, abilityFor(service, body));
  for (const prompt of prompts) {
    checkContext('prompt', prompt.length, body.max_tokens ?? DEFAULT_MAX_TOKENS, model.context);
  }
  const n = body.n ?? 1;
  const ending = typeof body.seed === 'number' ? nextSeededEnding(service, 'completions.seed.repeats') : '';
  const candidates = prompts.map((prompt) =>
    Array.from({ length: body.best_of ?? n }, (_, index) => ({
      prompt,
      reply: replyTo(prompt, body, index, ending),
    })),
  );
  // The stand-in model rates its candidates in order, so the first ones are the best.
  const best = candidates.map((choices) => choices.slice(0, n));
  // A prompt counts once, however many candidates it has.
  const promptTokens = prompts.reduce((sum, prompt) => sum + prompt.length, 0);
  const completionTokens = candidates.flat().reduce((sum, { reply }) => sum + reply.completionTokens, 0);
  return {
    common: {
      id: service.id('cmpl-'),
      object: 'text_completion',
      created: service.now(),
      model: model.id,
      system_fingerprint: makeFingerprint(service.seed),
    },
    choices: orderChoices(service, best),
    usage: makeUsage(promptTokens, completionTokens),
  };
}

function abilityFor(service: Service, { suffix }: CompletionRequest): 'suffix' | 'completion' {
  const hasSuffix = typeof suffix === 'string' && suffix !== '';
  return hasSuffix && service.takes('completions.suffix.other-models') === 'refused'
    ? 'suffix'
    : 'completion';
}

function orderChoices<T>(service: Service, byPrompt: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(0, ...byPrompt.map((choices) => choices.length));
  const turns = Array.from({ length: longest }, (_, i) =>
    byPrompt.flatMap((choices) => choices.slice(i, i + 1)),
  );
  switch (service.takes('completions.index.order')) {
    case 'in turn':
      return turns.flat();
    case 'otherwise':
      return byPrompt.flat().toReversed();
    default:
      return byPrompt.flat();
  }
}

function replyTo(prompt: Prompt, body: CompletionRequest, index: number, ending: string): ModelReply {
  const variation = index + (typeof body.seed === 'number' ? hashText(String(body.seed)) : 0);
  const text = generateText([{ role: 'user', text: prompt.join(''), images: 0 }], variation);
  return limitTokens(text + ending, {
    stop: [body.stop ?? []].flat(),
    maxTokens: body.max_tokens ?? DEFAULT_MAX_TOKENS,
    bias: body.logit_bias ?? {},
  });
}

type PromptValue = string | readonly (string | number | readonly number[])[] | null;

interface CompletionRequest {
  readonly model: string;
  readonly prompt?: PromptValue;
  readonly best_of?: number | null;
  readonly echo?: boolean | null;
  readonly logit_bias?: Readonly<Record<string, number>> | null;
  readonly logprobs?: number | null;
  readonly max_tokens?: number | null;
  readonly n?: number | null;
  readonly seed?: number | null;
  readonly stop?: string | readonly string[] | null;
  readonly stream?: boolean | null;
  readonly stream_options?: { readonly include_usage?: boolean } | null;
  /** May be refused for models without the ability `suffix`; does not change the text. */
  readonly suffix?: string | null;
}

type Prompt = readonly string[];

function checkCompletion(body: CompletionRequest): readonly Prompt[] {
  const prompts = readPrompts(body.prompt ?? '');
  const n = body.n ?? 1;
  checkRange('n', body.n, 1, MAX_CHOICES);
  checkRange('max_tokens', body.max_tokens, 0, Number.MAX_SAFE_INTEGER);
  checkRange('logprobs', body.logprobs, 0, MAX_LOGPROBS);
  if (typeof body.best_of === 'number' && body.best_of <= n) {
    throw ApiError.invalid('best_of', `'best_of' must be greater than 'n', which is ${n}.`);
  }
  if (prompts.length * (body.best_of ?? n) > MAX_CANDIDATES) {
    throw ApiError.invalid(null, `All prompts together can have at most ${MAX_CANDIDATES} candidates.`);
  }
  return prompts;
}

function readPrompts(prompt: Exclude<PromptValue, null>): readonly Prompt[] {
  if (typeof prompt === 'string') return [tokenize(prompt)];
  if (prompt.length === 0) return [[]];
  const ids = prompt.filter((part) => typeof part === 'number');
  if (ids.length === prompt.length) return [ids.map(tokenText)];
  // Every id has a text, so any list of ids is a valid prompt.
  return prompt.map((part) => (typeof part === 'string' ? tokenize(part) : [part].flat().map(tokenText)));
}

interface PromptReply {
  readonly prompt: Prompt;
  readonly reply: ModelReply;
}

type ChoiceOptions = Pick<CompletionRequest, 'echo' | 'logprobs'>;

function wholeChoice({ prompt, reply }: PromptReply, index: number, { echo, logprobs }: ChoiceOptions) {
  const tokens = echo === true ? [...prompt, ...reply.tokens] : reply.tokens;
  return {
    text: tokens.join(''),
    index,
    logprobs: typeof logprobs === 'number' ? textLogprobs(tokens, logprobs) : null,
    finish_reason: reply.finish,
  };
}

/** Chunks that together equal `wholeChoice`: the echoed prompt, one chunk per token, then the finish reason. */
function* choiceParts({ prompt, reply }: PromptReply, index: number, { echo, logprobs }: ChoiceOptions) {
  const chunks = reply.tokens.map((token) => [token]);
  // Positions continue from chunk to chunk, so that joined logprobs equal those of `wholeChoice`.
  let place = 0;
  let offset = 0;
  for (const tokens of echo === true ? [prompt, ...chunks] : chunks) {
    const text = tokens.join('');
    const chunkLogprobs = typeof logprobs === 'number' ? textLogprobs(tokens, logprobs, place, offset) : null;
    yield { text, index, logprobs: chunkLogprobs, finish_reason: null };
    place += tokens.length;
    offset += text.length;
  }
  yield { text: '', index, logprobs: null, finish_reason: reply.finish };
}

/**
 * The customary logprobs of a text choice: parallel arrays, a map of the likeliest tokens, offsets in UTF-16 code
 * units. `place` is the position of the first token, `offset` the position of its first character.
 */
function textLogprobs(tokens: readonly string[], top: number, place = 0, offset = 0) {
  let at = offset;
  return {
    tokens: [...tokens],
    token_logprobs: tokens.map((token, n) => logprobOf(token, place + n)),
    top_logprobs: tokens.map((token, n) =>
      Object.fromEntries(topLogprobs(token, place + n, top).map((entry) => [entry.token, entry.logprob])),
    ),
    text_offset: tokens.map((token) => {
      at += token.length;
      return at - token.length;
    }),
  };
}
