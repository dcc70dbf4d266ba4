import { isSteady } from '../chat/selectors/compare.ts';
import { section } from '../vocabulary/statements.ts';
import type { Mutation } from '../vocabulary/types.ts';
import { sameAudioTranscripts } from './selectors/same-words.ts';
import { inTranscriptionFormat } from './selectors/transcription-results.ts';

const { implied } = section('2 Audio');

/** How the sentence of the next requirement can be untrue. */
const audioSameWordsInEveryFormatMutations: Readonly<Record<string, Mutation>> = {
  'another text': inTranscriptionFormat('text', () => 'Something else was said.\n'),
  'the last caption of srt is lost': inTranscriptionFormat('srt', lastLost),
  'the last caption of vtt is lost': inTranscriptionFormat('vtt', lastLost),
  'nothing in json': inTranscriptionFormat('json', () => '{"text":""}'),
  'another text in detail': inTranscriptionFormat('verbose_json', (file) =>
    file.replace(/"text":"[^"]*"/, '"text":"Something else"'),
  ),
};

/**
 * Models may transcribe the same audio in two ways. So a difference counts as a violation only where each
 * format has been requested several times with the same result each time.
 */
export const audioSameWordsInEveryFormat = implied('audio.transcription.same-words-in-every-format', {
  says: 'The same audio is transcribed in the same words in every format.',
  selector: sameAudioTranscripts,
  check: ({ wordings }) => {
    const [first, ...others] = wordings;
    if (first === undefined) return [];
    return others
      .filter(({ words }) => !words.some((one) => first.words.map(bare).includes(bare(one))))
      .map(({ format, words, exchange }) => ({
        at: `words as ${format}`,
        expected: `${JSON.stringify(first.words[0])} as in ${first.format}`,
        actual: words[0] ?? '',
        exchange,
        ...(isSteady(words) && isSteady(first.words) ? {} : { inconclusive: 'model' as const }),
      }));
  },
  mutations: audioSameWordsInEveryFormatMutations,
});

/** Not every script separates its words, and captions may then break anywhere in the text. */
function bare(words: string): string {
  return words.replaceAll(' ', '');
}

function lastLost(file: string): string {
  return file.trimEnd().split('\n\n').slice(0, -1).join('\n\n');
}
