import { type Scenario, type ScenarioContext, scenario } from '../../drive/scenario/scenario.ts';
import { callRefusedStream } from '../generate/rule-probes.ts';
import { textAt } from '../vocabulary/json.ts';
import type { JsonObject } from '../vocabulary/types.ts';
import { count, long, OTHER_MODEL, say, tokens } from './samples.ts';

export const plain = completions('plain', [{ prompt: say, max_tokens: 16 }]);

/** Twice, so that non-streamed and streamed texts show whether they are deterministic. */
export const length = completions('length', [
  { prompt: count, max_tokens: 3 },
  { prompt: count, max_tokens: 3 },
]);

/** A limit of zero tokens, about which nothing is stated. */
export const noTokens = completions('no-tokens', [{ prompt: say, max_tokens: 0 }]);

/** Several prompts, each repeated several times. */
export const several = completions('prompts', [
  { prompt: say, n: 2, max_tokens: 8 },
  { prompt: [say, count], max_tokens: 8 },
  { prompt: [say, count], n: 2, max_tokens: 8 },
]);

/** A token id that every vocabulary has: the first hundred are bytes or letters. */
const FORCED_TOKEN = '64';

export const forcedToken = completions('logit-bias', [
  { prompt: count, n: 1, max_tokens: 8, logit_bias: { [FORCED_TOKEN]: 100 } },
]);

/** Prompts of tokens: the text of a token depends on the model, so only the number of choices is judged. */
export const numbers = completions('tokens', [
  { prompt: tokens, n: 1, max_tokens: 4 },
  { prompt: [tokens, tokens.slice(1)], n: 1, max_tokens: 4 },
]);

export const echo = completions('echo', [
  { prompt: long, echo: true, max_tokens: 1 },
  { prompt: long, echo: false, max_tokens: 1 },
  { prompt: [say, count], n: 2, echo: true, max_tokens: 4 },
  // Letters of two, three and four bytes, which a stream may cut.
  { prompt: 'Grüße, 東京, 🎉, ok.', echo: true, max_tokens: 4 },
]);

/** Stop sequences that most models generate here, and one that this model is known to generate: a word of its text. */
export const stop = scenario({
  name: 'completions.stop',
  operations: ['createCompletion'],
  roles: ['completion'],
  run: async (context) => {
    await bothWays(context, [
      { prompt: count, max_tokens: 48, stop: '7' },
      { prompt: count, max_tokens: 48, stop: ['9', '8', '7', '6'] },
    ]);
    const unstopped = { model: context.model('completion'), prompt: count, max_tokens: 48, ...REPEATED };
    const { json } = await context.call('createCompletion', { body: unstopped });
    const word = middleWord(textAt(json, 'choices', 0, 'text') ?? '');
    if (word !== null) await bothWays(context, [{ prompt: count, max_tokens: 48, stop: word }]);
  },
});

export const logprobs = completions('logprobs', [
  { prompt: say, max_tokens: 4, logprobs: 3 },
  { prompt: say, max_tokens: 4, logprobs: 0 },
  { prompt: say, max_tokens: 4, logprobs: 2, n: 2, echo: true },
]);

export const penalties = completions('penalties', [
  { prompt: say, max_tokens: 8, frequency_penalty: 1.5, presence_penalty: -1.5, top_p: 0.5, user: 'assay' },
]);

/**
 * The same request with one seed, twice: determinism is best-effort, so it is a choice and not a
 * requirement.
 */
export const seed = completions('seed', [
  { prompt: say, max_tokens: 8, seed: 42 },
  { prompt: say, max_tokens: 8, seed: 42 },
]);

/** Requests with best_of greater than n, which are never streamed. */
export const completionsBestOfScenario = scenario({
  name: 'completions.best-of',
  operations: ['createCompletion'],
  roles: ['completion'],
  run: async (context) => {
    const body = { model: context.model('completion'), prompt: say, max_tokens: 8, n: 2, best_of: 3 };
    await context.call('createCompletion', { body });
    await context.call('createCompletion', { body: { ...body, stream: true } });
  },
});

/** A request for a stream that has to be refused. */
export const completionsRefusedStreamScenario = scenario({
  name: 'completions.stream.refused',
  operations: ['createCompletion'],
  roles: ['completion'],
  run: (context) =>
    callRefusedStream(context, 'createCompletion', {
      model: context.model('completion'),
      prompt: say,
      max_tokens: 4,
    }),
});

/** Usage in every piece of a stream, or only if requested: the specification leaves it open. */
export const completionsStreamUsageScenario = scenario({
  name: 'completions.stream.usage',
  operations: ['createCompletion'],
  roles: ['completion'],
  run: async (context) => {
    const body = { model: context.model('completion'), prompt: say, max_tokens: 8, stream: true };
    await context.call('createCompletion', { body });
    await context.call('createCompletion', { body: { ...body, stream_options: { include_usage: false } } });
    await context.call('createCompletion', {
      body: { ...body, stream_options: { include_usage: true }, n: 2 },
    });
  },
});

export const completionsNoPromptScenario = scenario({
  name: 'completions.no-prompt',
  operations: ['createCompletion'],
  roles: ['completion'],
  run: async (context) => {
    await context.call('createCompletion', { body: { model: context.model('completion'), max_tokens: 4 } });
  },
});

export const completionsSuffixScenario = scenario({
  name: 'completions.suffix',
  operations: ['createCompletion'],
  roles: ['suffix-completion'],
  run: async (context) => {
    const model = context.model('suffix-completion');
    const body = { model, prompt: 'The sky is', suffix: ', and the grass is green.', n: 1, max_tokens: 8 };
    await context.call('createCompletion', { body });
  },
});

export const completionsSuffixOtherModelScenario = scenario({
  name: 'completions.suffix.other-model',
  operations: ['createCompletion'],
  roles: ['completion', 'suffix-completion'],
  run: async (context) => {
    const model = context.model('completion');
    if (model === context.model('suffix-completion')) return;
    const body = { model, prompt: 'The sky is', suffix: ', and the grass is green.', max_tokens: 4 };
    const label = { pointer: 'body.suffix', keyword: OTHER_MODEL, side: 'violation', control: null } as const;
    const probe = { id: `createCompletion:body.suffix#${OTHER_MODEL}`, ...label };
    await context.call('createCompletion', { body, probe });
  },
});

/** Fields that make a model as deterministic as possible. */
const REPEATED = { temperature: 0, seed: 7 };

/** A word in the middle of a text; null if it has none. */
function middleWord(text: string): string | null {
  const words = text.split(/\s+/u).filter((word) => word !== '');
  return words[Math.floor(words.length / 2)] ?? null;
}

/** A scenario that requests a non-streamed completion, and then a stream of the same request. */
function completions(topic: string, requests: readonly JsonObject[]): Scenario {
  return scenario({
    name: `completions.${topic}`,
    operations: ['createCompletion'],
    roles: ['completion'],
    run: (context) => bothWays(context, requests),
  });
}

async function bothWays(context: ScenarioContext, requests: readonly JsonObject[]): Promise<void> {
  for (const fields of requests) {
    const body = { model: context.model('completion'), ...REPEATED, ...fields };
    await context.call('createCompletion', { body });
    const streamed = { ...body, stream: true, stream_options: { include_usage: true } };
    await context.call('createCompletion', { body: streamed });
  }
}
