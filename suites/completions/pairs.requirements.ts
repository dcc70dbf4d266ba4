import { everyPiece, usageChunk } from '../chat/chunks.ts';
import { sameChoices, samePromptTokens, sameText, TEXT_KIND } from '../chat/completions.ts';
import { setIn, setInEvent } from '../vocabulary/changes.ts';

const TEXTS = TEXT_KIND.operation;
const spec = TEXT_KIND.spec.object;

export const completionsPairSameChoices = sameChoices(TEXT_KIND, {
  spec,
  says: 'A streamed completion has the choices that the same one has in one piece.',
});

export const completionsPairSamePromptTokens = samePromptTokens(TEXT_KIND, {
  spec,
  says: 'The usage of a stream counts the prompts as the same request without streaming does.',
  mutations: {
    'one more': setInEvent(TEXTS, usageChunk, '/usage/prompt_tokens', (old) => Number(old) + 1),
    'none in one piece': setIn(TEXTS, '/usage/prompt_tokens', 0),
  },
});

const TEXT = { whole: ['text'], piece: ['text'] };

export const completionsPairSameText = sameText(TEXT_KIND, TEXT, {
  spec,
  says: 'The joined pieces of a stream are the text of a completion of the same request in one piece.',
  mutations: {
    'a piece is lost': setInEvent(TEXTS, everyPiece, '/choices/*/text', ''),
    'another text': setIn(TEXTS, '/choices/*/text', 'something else'),
  },
});
