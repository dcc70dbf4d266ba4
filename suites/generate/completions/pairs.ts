// The same request twice, streamed and in one piece: the choices, the usage and, where the model repeats itself, the text agree.

import { removeIn, setInEvent } from '../../vocabulary/changes.ts';
import { arrayAt, numberAt, textAt } from '../../vocabulary/json.ts';
import { streamedPairs, that, where } from '../../vocabulary/selectors.ts';
import { section, violation } from '../../vocabulary/statements.ts';
import type { Json, Mutation, StreamedPair, Violation } from '../../vocabulary/types.ts';
import type { CompletionKind } from './kind.ts';
import {
  byChoice,
  differingTexts,
  everyPiece,
  indexes,
  joinTexts,
  promptTokensOf,
  streamedUsage,
} from './streams.ts';

const { implied } = section('2 Chat completions');

/** Section, sentence and mutations of a requirement on pairs, which differ between the two kinds. */
interface PairWords {
  /** Part and section. */
  readonly spec: string;
  readonly says: string;
  readonly mutations: Readonly<Record<string, Mutation>>;
}

/** The requirement that a stream has the choices of the answer in one piece. */
export function sameChoices({ area, operation }: CompletionKind, words: Omit<PairWords, 'mutations'>) {
  return implied(`${area}.pair.same-choices`, {
    ...words,
    selector: streamedPairs(operation),
    check: ({ plain, streamed }) => {
      const expected = indexes(arrayAt(plain[0]?.answer, 'choices'));
      // Choices may begin in any order.
      return streamed.flatMap(({ chunks, call }) => {
        const actual = byChoice(chunks)
          .map(({ index }) => index)
          .sort((a, b) => a - b);
        if (JSON.stringify(actual) === JSON.stringify(expected)) return [];
        return [violation('indexes of choices', wholeWords(expected), actual, call.exchange.id)];
      });
    },
    mutations: {
      'a choice too many in the stream': setInEvent(operation, everyPiece, '/choices/0/index', 7),
      'a choice too few in one piece': removeIn(operation, '/choices/0'),
    },
  });
}

/** The choices of an answer in one piece: `index 0 alone, as in one piece`. A number by itself reads as how many there are. */
function wholeWords([first, ...others]: readonly number[]): string {
  if (first === undefined) return 'no choice, as in one piece';
  const which = others.length === 0 ? `index ${first} alone` : `indexes ${[first, ...others].join(', ')}`;
  return `${which}, as in one piece`;
}

/** The requirement that the usage of a stream counts the prompt as the answer in one piece does. */
export function samePromptTokens({ area, operation }: CompletionKind, words: PairWords) {
  return implied(`${area}.pair.same-prompt-tokens`, {
    ...words,
    selector: where(
      streamedPairs(operation),
      that('with prompt_tokens in the usage of the answer', (pair) => promptTokensOf(pair) !== undefined),
      that('with usage in the stream', ({ streamed }) => area === 'chat' || streamed.some(hasStreamedUsage)),
    ),
    check: (pair) => pair.streamed.flatMap((stream) => otherPromptTokens(pair, stream)),
  });
}

/** The requirement that the joined pieces of a stream are the text in one piece. `path`: to the text of a choice, and of a piece. */
export function sameText(
  { area, operation }: CompletionKind,
  path: { readonly whole: readonly string[]; readonly piece: readonly string[] },
  words: PairWords,
) {
  // The pointer of findings has a star for the choice: texts are compared all together.
  const textOf = (answer: Json) => wholeText(answer, path.whole);
  return implied(`${area}.pair.same-text`, {
    ...words,
    selector: where(
      streamedPairs(operation),
      // Calls of functions have no text to compare.
      that('with text in the answer', ({ plain }) => plain.some(({ answer }) => textOf(answer) !== null)),
    ),
    check: (pair) =>
      differingTexts(pair, ['/choices/*', ...path.whole].join('/'), textOf, (chunks) =>
        joinedText(chunks, path.piece),
      ),
  });
}

/** A streamed answer of a pair. */
type Streamed = StreamedPair['streamed'][number];

/** A stream of texts may be without usage even if its request asks for it. */
function hasStreamedUsage({ chunks }: Streamed): boolean {
  return streamedUsage(chunks) !== undefined;
}

/** The violation of one stream whose usage counts the prompt otherwise; none where it has no usage. */
function otherPromptTokens(pair: StreamedPair, { chunks, call }: Streamed): Violation[] {
  // A stream without usage shows nothing.
  const actual = numberAt(streamedUsage(chunks), 'prompt_tokens');
  const expected = promptTokensOf(pair);
  if (actual === undefined || actual === expected) return [];
  return [violation('/usage/prompt_tokens', String(expected), actual, call.exchange.id)];
}

/** The texts of all choices as one text, sorted by index; null where all are without text. */
function wholeText(answer: Json, path: readonly string[]): string | null {
  const texts = arrayAt(answer, 'choices').map(
    (one) => [numberAt(one, 'index'), textAt(one, ...path)] as const,
  );
  return joinTexts(texts);
}

/** The same of a stream. */
function joinedText(chunks: Parameters<typeof byChoice>[0], path: readonly string[]): string | null {
  const texts = byChoice(chunks).map(({ index, parts }) => {
    const pieces = parts.map(({ piece }) => textAt(piece, ...path));
    return [index, pieces.every((piece) => piece === undefined) ? undefined : pieces.join('')] as const;
  });
  return joinTexts(texts);
}
