// Text completions (2 Completions), streamed or not.
import { choiceParts, wholeChoice } from '../completion/choice.ts';
import { type CompletionRequest, checkCompletion, type Prompt } from '../completion/request.ts';
import { modelsOf } from '../model/catalogue.ts';
import { fingerprint, limitTokens, type ModelReply } from '../model/generate.ts';
import { speak } from '../model/speech.ts';
import type { Routes } from '../server/handler-request.ts';
import { checkContext } from '../server/limits.ts';
import { EventStreamResponse } from '../server/response.ts';
import { serves } from '../server/route.ts';
import { hashText } from '../state/ids.ts';
import { perService, type Service } from '../state/service.ts';
import { streamCompletion } from '../stream-choices.ts';

/** Default of `max_tokens`. */
const defaultLength = 16;

/** Route of text completions. */
export const routes: Routes = (service) => [
  serves<CompletionRequest>('createCompletion', ({ body }) => {
    const { common, choices, usage } = complete(service, body);
    // The reply is complete before the stream begins, so usage is known.
    if (body.stream === true) {
      const parts = choices.map((choice, index) => choiceParts(choice, index, body));
      const wantsUsage = body.stream_options?.include_usage === true;
      return new EventStreamResponse(streamCompletion(common, parts, wantsUsage ? usage : null));
    }
    return { ...common, choices: choices.map((choice, index) => wholeChoice(choice, index, body)), usage };
  }),
];

/**
 * The choices of each prompt, `n` of `best_of` candidates. Usage counts all candidates, as they all cost tokens.
 * @throws ApiError 404 or 400 for a model that does not exist or does not do completions.
 */
function complete(service: Service, body: CompletionRequest) {
  const prompts = checkCompletion(body);
  const model = modelsOf(service).need(body.model, abilityFor(service, body));
  for (const prompt of prompts) {
    checkContext('prompt', prompt.length, body.max_tokens ?? defaultLength, model.context);
  }
  // One choice for each prompt by default.
  const n = body.n ?? 1;
  const ending = typeof body.seed === 'number' ? endingOf(service) : '';
  const candidates = prompts.map((prompt) =>
    Array.from({ length: body.best_of ?? n }, (_, index) => ({
      prompt,
      reply: answer(prompt, body, { index, ending }),
    })),
  );
  // Each prompt counts once, however many candidates are generated from it.
  const promptCount = prompts.reduce((sum, prompt) => sum + prompt.length, 0);
  const completionCount = candidates.flat().reduce((sum, { reply }) => sum + reply.completionTokens, 0);
  return {
    common: {
      id: service.id('cmpl-'),
      object: 'text_completion',
      created: service.now(),
      model: model.id,
      system_fingerprint: fingerprint(service.seed),
    },
    // The stand-in model rates its candidates in order, so the first ones are the best.
    choices: numbered(
      service,
      candidates.map((ofOne) => ofOne.slice(0, n)),
    ),
    usage: {
      prompt_tokens: promptCount,
      completion_tokens: completionCount,
      total_tokens: promptCount + completionCount,
    },
  };
}

/** What the model of a request has to be able to do. An empty suffix needs no special model. */
function abilityFor(service: Service, { suffix }: CompletionRequest): 'suffix' | 'completion' {
  const hasSuffix = typeof suffix === 'string' && suffix !== '';
  return hasSuffix && service.takes('completions.suffix.other-models') === 'refused'
    ? 'suffix'
    : 'completion';
}

/** How often a service has replied to requests with a seed. */
const replied = perService(() => ({ count: 0 }));

/** How texts for a request with a seed end: another way each time where they vary. */
function endingOf(service: Service): string {
  if (service.takes('completions.seed.repeats') === 'the same') return '';
  replied(service).count += 1;
  return ` ${replied(service).count}`;
}

/** The choices of all prompts in the order of their indexes. */
function numbered<T>(service: Service, byPrompt: readonly (readonly T[])[]): readonly T[] {
  const most = Math.max(0, ...byPrompt.map((ofOne) => ofOne.length));
  const turns = Array.from({ length: most }, (_, i) => byPrompt.flatMap((ofOne) => ofOne.slice(i, i + 1)));
  switch (service.takes('completions.index.order')) {
    case 'in turn':
      return turns.flat();
    // The last prompt comes first.
    case 'otherwise':
      return byPrompt.flat().toReversed();
    default:
      return byPrompt.flat();
  }
}

/** Which candidate for a prompt it is, and how its text ends. */
interface Candidate {
  readonly index: number;
  readonly ending: string;
}

/** One candidate; its index and the seed vary its wording. */
function answer(prompt: Prompt, body: CompletionRequest, { index, ending }: Candidate): ModelReply {
  const variation = index + (typeof body.seed === 'number' ? hashText(String(body.seed)) : 0);
  const text = speak([{ role: 'user', text: prompt.join(''), images: 0 }], variation);
  return limitTokens(text + ending, {
    stop: [body.stop ?? []].flat(),
    maxTokens: body.max_tokens ?? defaultLength,
    bias: body.logit_bias ?? {},
  });
}
