// The differences between chat completions and text completions, in words and places.
import { overSeveralLines, severalLines } from '../generate/streams.ts';
import {
  appendEvent,
  dropEvent,
  duplicateEvent,
  inEvents,
  lastEvent,
  moveEvent,
  removeIn,
  setInEvent,
} from '../vocabulary/changes.ts';
import { frameWithData } from '../vocabulary/exchanges.ts';
import { arrayAt, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import {
  completeStreams,
  stateless,
  streamedPairs,
  streamOf,
  streams,
  that,
  where,
} from '../vocabulary/selectors.ts';
import { section, violation } from '../vocabulary/statements.ts';
import type {
  Call,
  Evidence,
  Json,
  Mutation,
  Selector,
  StreamEvent,
  StreamedPair,
  Violation,
} from '../vocabulary/types.ts';
import {
  byChoice,
  DONE,
  differingTexts,
  everyPiece,
  indexes,
  joinTexts,
  lastChunk,
  promptTokensOf,
  STREAM_ERROR,
  type StreamedChoice,
  streamedUsage,
} from './chunks.ts';

/** One of the two operations that complete a text, as the shared requirements name its parts. */
export interface CompletionKind {
  /** First part of the ids. */
  readonly area: 'chat' | 'completions';
  readonly operation: string;
  /** An answer in one piece, with its article: `a reply`. */
  readonly whole: string;
  /** One event of a stream: `chunk`. */
  readonly piece: string;
  /** A stream, with its article. */
  readonly stream: string;
  /** Value of `object` of a piece. */
  readonly object: string;
  /** Section of the streams, of their end, and of the object. */
  readonly spec: { readonly end: string; readonly object: string };
}

/** Replies of a chat; their streams have deltas (part 2, Chat completion chunk). */
export const CHAT_KIND: CompletionKind = {
  area: 'chat',
  operation: 'createChatCompletion',
  whole: 'a reply',
  piece: 'chunk',
  stream: 'a stream',
  object: 'chat.completion.chunk',
  spec: { end: '2 Events', object: '2 Chat completion' },
};

/** Continuations of prompts; their streams have pieces of text (part 2, Text completion). */
export const TEXT_KIND: CompletionKind = {
  area: 'completions',
  operation: 'createCompletion',
  whole: 'a completion',
  piece: 'piece',
  stream: 'a stream of completions',
  object: 'text_completion',
  spec: { end: '2 Text completions', object: '2 Text completion' },
};

// Completions of chats and of texts as a whole: an answer in one piece, or the joined parts of a stream.

/** A completion, streamed or not. */
export interface WholeCompletion<C> extends Evidence {
  readonly call: Call;
  readonly asked: Json | undefined;
  readonly streamed: boolean;
  readonly choices: readonly C[];
  readonly usage: Json | undefined;
}

/** How a choice is read. */
interface ChoiceReader<C> {
  /** A choice of an answer, and its place among them. */
  readonly whole: (choice: Json, i: number) => C;
  /** The parts of a choice of a stream, which are joined. */
  readonly joined: (choice: StreamedChoice) => C;
}

/** Every complete response of an operation; of streams only those that ended without an interruption. */
export function wholeCompletions<C>(operation: string, read: ChoiceReader<C>): Selector<WholeCompletion<C>> {
  return stateless<WholeCompletion<C>>(
    `whole ${operation}`,
    operation,
    { needs: `a whole answer or stream of ${operation}` },
    (call) => {
      const stream = streamOf(call);
      const common = { exchanges: [call.exchange], call, asked: call.requestJson };
      if (stream?.ended === true) {
        const choices = byChoice(stream.chunks).map(read.joined);
        return [{ ...common, streamed: true, choices, usage: streamedUsage(stream.chunks) }];
      }
      const { responseJson: answer } = call;
      if (stream !== null || answer === undefined) return [];
      const choices = arrayAt(answer, 'choices').map(read.whole);
      return [{ ...common, streamed: false, choices, usage: valueAtPath(answer, 'usage') }];
    },
  );
}

// The end of a stream of completions: any number of pieces, each in one line of data, then [DONE], then nothing.

/** The section of the events; the end of a stream of texts is stated with its operation. */
const { stated } = section('2 Events');

/** The requirement that the last data of a stream are [DONE]. */
export function doneEndsStream({ area, operation, stream, piece, spec }: CompletionKind) {
  return stated(`${area}.stream.done-ends-stream`, {
    spec: spec.end,
    says: `${capital(stream)} ends with the data [DONE].`,
    selector: completeStreams(operation),
    check: ({ events }) => {
      // A stream without any event lacks its end, too.
      const final = events.at(-1);
      return final !== undefined && isDone(final)
        ? []
        : [violation(final?.at ?? 'stream', `${DONE} as the last data`, final?.text)];
    },
    mutations: {
      'no [DONE]': dropEvent(operation, lastEvent),
      'no event at all': inEvents(operation, () => []),
      [`a ${piece} after it`]: moveEvent(operation, lastChunk, 'back'),
      'an error instead of the rest': inEvents(operation, (frames) => [
        ...frames.slice(0, 2),
        frameWithData('', STREAM_ERROR),
      ]),
    },
  });
}

/** The requirement that [DONE] is followed by no event. */
export function nothingAfterDone({ area, operation, stream, piece, object }: CompletionKind) {
  return stated(`${area}.stream.nothing-after-done`, {
    says: `Nothing follows [DONE] in ${stream}.`,
    selector: where(
      streams(operation),
      that(`with ${DONE}`, ({ events }) => events.some(isDone)),
    ),
    check: ({ events }) =>
      events.slice(events.findIndex(isDone) + 1).map(({ at, text }) => violation(at, 'no event', text)),
    mutations: {
      '[DONE] twice': duplicateEvent(operation, lastEvent),
      [`a ${piece} follows`]: appendEvent(operation, '', {
        id: area === 'chat' ? 'chatcmpl-late' : 'cmpl-late',
        object,
        choices: [],
      }),
    },
  });
}

/** The requirement that the data of each piece are one line. */
export function oneDataLine({ area, operation, piece }: CompletionKind) {
  return stated(`${area}.stream.one-data-line`, {
    // The word of chat alone is clear without its object.
    says: `Each ${area === 'chat' ? piece : `${piece} of a streamed completion`} is one line of data.`,
    selector: streams(operation),
    check: ({ chunks }) => severalLines(chunks),
    mutations: {
      'over several lines': overSeveralLines(operation),
      'only the first of them': overSeveralLines(operation, 'first'),
    },
  });
}

/** White space around the word does not count. */
function isDone({ text }: StreamEvent): boolean {
  return text.trim() === DONE;
}

/** For the beginning of a sentence. */
function capital(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

// The same request twice, streamed and in one piece: the choices, the usage and, where the model repeats itself, the text agree.

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
