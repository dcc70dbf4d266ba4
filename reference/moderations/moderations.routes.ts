// Moderations (2 Moderations): categories are flagged by words, see `moderation/classify.ts`.

import { ApiError } from '../http/api-error.ts';
import { type Routes, serves } from '../http/route.ts';
import { modelsOf } from '../model/catalogue.ts';

/** Body of a moderation request, validated but for the types inside an array. */
interface ModerationRequest {
  readonly input: string | readonly string[];
  readonly model?: string | null;
}

/** Route of moderations: one result for each input, in their order. */
export const routes: Routes = (service) => [
  serves<ModerationRequest>('createModeration', ({ body }) => {
    const inputs = [body.input].flat();
    // The schema leaves the elements of the array open.
    if (inputs.some((input) => typeof input !== 'string')) {
      throw ApiError.invalid('input', "'input' must be a string or an array of strings.");
    }
    const model = modelsOf(service).need(body.model ?? 'text-moderation-latest', 'moderation');
    return { id: service.id('modr-'), model: model.id, results: inputs.map(classify) };
  }),
];

// A stand-in for a classifier: deterministic, and easy to trigger in a test.
/** 2 Moderation: the categories, each with the words that the stand-in classifier looks for. */
const words: Readonly<Record<string, readonly string[]>> = {
  sexual: ['sex', 'porn', 'nude', 'naked'],
  hate: ['hate', 'despise', 'inferior'],
  harassment: ['idiot', 'stupid', 'harass', 'bully', 'worthless'],
  'self-harm': ['suicide', 'self-harm', 'hurt myself', 'cut myself', 'kill myself'],
  'sexual/minors': ['child porn', 'underage'],
  'hate/threatening': ['exterminate', 'wipe them out'],
  'violence/graphic': ['gore', 'dismember', 'blood everywhere', 'mutilate'],
  'self-harm/intent': ['i want to kill myself', 'i will kill myself', 'i want to hurt myself', 'end my life'],
  'self-harm/instructions': ['how to kill myself', 'how to commit suicide', 'how to hurt myself'],
  'harassment/threatening': ['i will hurt you', 'i will find you', 'watch your back'],
  violence: ['kill', 'murder', 'stab', 'shoot', 'attack', 'bomb'],
};

/** Scores above this flag their category. */
const threshold = 0.5;

/** One moderation result. The score grows with the number of matching words: 0.9, 0.99, …; without any it is below 0.001. */
function classify(text: string) {
  // Case is the only normalisation: a test triggers a category by writing one of its words.
  const said = text.toLowerCase();
  const scores = Object.entries(words).map(([category, terms]) => {
    const hits = terms.filter((word) => said.includes(word)).length;
    // Not exactly 0, because a classifier never is; it depends on the text alone.
    const quiet = ((said.length + category.length) % 89) / 1e6;
    return [category, hits === 0 ? quiet : 1 - 0.1 ** Math.min(hits, 6)] as const;
  });
  const categories = scores.map(([category, score]) => [category, score > threshold] as const);
  return {
    flagged: categories.some(([, flagged]) => flagged),
    categories: Object.fromEntries(categories),
    category_scores: Object.fromEntries(scores),
  };
}
