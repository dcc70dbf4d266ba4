import { scenario } from '../../drive/scenario/scenario.ts';
import { DETERMINISTIC, sendBodies } from '../generate/send-bodies.ts';
import { textAt } from '../vocabulary/json.ts';

const CREATE_COMPLETION = 'createCompletion';
/** Probe keyword of requests with a suffix for a model that is not known to accept one. */
const OTHER_MODEL = 'other-model';

/** Tries stop sequences that most models generate for this prompt, and a word that this model has generated. */
export const completionsStopScenario = scenario({
  name: 'completions.stop',
  operations: [CREATE_COMPLETION],
  roles: ['completion'],
  run: async (context) => {
    const prompt = 'Count from 1 to 20, digits separated by commas, nothing else:';
    const body = { prompt, max_tokens: 48 };
    const askBothWays = (...stops: readonly (string | readonly string[])[]) =>
      sendBodies(context, {
        operation: CREATE_COMPLETION,
        role: 'completion',
        ask: 'both ways',
        bodies: stops.map((sequence) => ({ ...body, stop: sequence })),
      });
    await askBothWays('7', ['9', '8', '7', '6']);
    const unstopped = { model: context.model('completion'), ...body, ...DETERMINISTIC };
    const { json } = await context.call(CREATE_COMPLETION, { body: unstopped });
    const word = middleWord(textAt(json, 'choices', 0, 'text') ?? '');
    if (word !== null) await askBothWays(word);
  },
});

function middleWord(text: string): string | null {
  const words = text.split(/\s+/u).filter((word) => word !== '');
  return words[Math.floor(words.length / 2)] ?? null;
}

export const completionsSuffixOtherModelScenario = scenario({
  name: 'completions.suffix.other-model',
  operations: [CREATE_COMPLETION],
  roles: ['completion', 'suffix-completion'],
  run: async (context) => {
    const model = context.model('completion');
    if (model === context.model('suffix-completion')) return;
    const body = { model, prompt: 'The sky is', suffix: ', and the grass is green.', max_tokens: 4 };
    const label = { pointer: 'body.suffix', keyword: OTHER_MODEL, side: 'violation', control: null } as const;
    const probe = { id: `${CREATE_COMPLETION}:body.suffix#${OTHER_MODEL}`, ...label };
    await context.call(CREATE_COMPLETION, { body, probe });
  },
});
