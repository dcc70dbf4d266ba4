// The scenarios that need code; the others are in `scenarios.json`.
import { scenario } from '../../drive/scenario/scenario.ts';
import { askAll, DETERMINISTIC } from '../generate/asking.ts';
import { textAt } from '../vocabulary/json.ts';

const TEXTS = 'createCompletion';
/** Label of requests with a suffix for a model that is not known to accept one. */
const OTHER_MODEL = 'other-model';

/** Stop sequences that most models generate here, and one that this model is known to generate: a word of its text. */
export const stop = scenario({
  name: 'completions.stop',
  operations: [TEXTS],
  roles: ['completion'],
  run: async (context) => {
    const prompt = 'Count from 1 to 20, digits separated by commas, nothing else:';
    const body = { prompt, max_tokens: 48 };
    const askBothWays = (...stops: readonly (string | readonly string[])[]) =>
      askAll(context, {
        operation: TEXTS,
        role: 'completion',
        ask: 'both ways',
        bodies: stops.map((one) => ({ ...body, stop: one })),
      });
    await askBothWays('7', ['9', '8', '7', '6']);
    const unstopped = { model: context.model('completion'), ...body, ...DETERMINISTIC };
    const { json } = await context.call(TEXTS, { body: unstopped });
    const word = middleWord(textAt(json, 'choices', 0, 'text') ?? '');
    if (word !== null) await askBothWays(word);
  },
});

/** A word in the middle of a text; null if it has none. */
function middleWord(text: string): string | null {
  const words = text.split(/\s+/u).filter((word) => word !== '');
  return words[Math.floor(words.length / 2)] ?? null;
}

export const completionsSuffixOtherModelScenario = scenario({
  name: 'completions.suffix.other-model',
  operations: [TEXTS],
  roles: ['completion', 'suffix-completion'],
  run: async (context) => {
    const model = context.model('completion');
    if (model === context.model('suffix-completion')) return;
    const body = { model, prompt: 'The sky is', suffix: ', and the grass is green.', max_tokens: 4 };
    const label = { pointer: 'body.suffix', keyword: OTHER_MODEL, side: 'violation', control: null } as const;
    const probe = { id: `createCompletion:body.suffix#${OTHER_MODEL}`, ...label };
    await context.call(TEXTS, { body, probe });
  },
});
