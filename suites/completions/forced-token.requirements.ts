import { forcesToken } from '../chat/forced-token.requirements.ts';
import { inResponseWhere, setValue } from '../vocabulary/changes.ts';
import { numberAt } from '../vocabulary/json.ts';
import { that, where } from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type { Exchange } from '../vocabulary/types.ts';
import { type TextCompletion, textCompletionsFor, unechoed } from './texts.ts';

const { stated } = section('2 Text completions');
const TEXTS = 'createCompletion';

/** The form of log probabilities is not shown: that the text is one piece again and again shows the same. */
export const completionsTextForcedTokenRepeats = stated('completions.text.forced-token-repeats', {
  says: 'A token with a bias of 100 is the only one of a text.',
  selector: where(
    textCompletionsFor(that('whose request forces one token by logit_bias', forcesToken)),
    unechoed,
    that('that used up max_tokens', (completion) => isFull(completion)),
  ),
  check: ({ choices, usage }) =>
    choices.flatMap(({ at, text = '' }) => {
      const count = numberAt(usage, 'completion_tokens') ?? 1;
      // White space in front of the first token may be left out.
      const piece = text === '' ? '' : text.slice(-Math.ceil(text.length / count));
      if (piece.repeat(count).trimStart() === text.trimStart()) return [];
      return [violation(`${at}/text`, `one token ${count} times`, text)];
    }),
  mutations: {
    'another one at the end': inForced((text) => `${text.slice(0, -1)}.`),
    'a sentence': inForced(() => 'The word is assay.'),
  },
});

/** Whether a single text has all the tokens that it may have, so that none of them is the end. */
function isFull({ asked, choices, usage }: TextCompletion): boolean {
  const count = numberAt(usage, 'completion_tokens') ?? 0;
  return choices.length === 1 && count > 1 && count === numberAt(asked, 'max_tokens');
}

function inForced(edit: (text: string) => string) {
  const fits = ({ request }: Exchange) => forcesToken(request.body.json?.value);
  return inResponseWhere(
    TEXTS,
    fits,
    setValue('/choices/*/text', (text) => edit(String(text))),
  );
}
