// Completions of chats and texts: non-streamed responses and joined streams, and their comparison.
import { type CodeOf, rowOf } from '../rows/rows.ts';
import { arrayAt, isObject, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { stateless, streamOf, that } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type {
  Call,
  Evidence,
  Json,
  JsonEvent,
  Selector,
  StreamedPair,
  Violation,
} from '../vocabulary/types.ts';

/** The part of one choice in a chunk. */
export interface ChoicePart {
  readonly at: string;
  readonly piece: Json;
}

/** A choice of a stream, with its parts in order. */
export interface StreamedChoice {
  readonly index: number;
  readonly parts: readonly ChoicePart[];
}

/** The choices of a stream, in the order of their first parts. */
export function byChoice(chunks: readonly JsonEvent[]): readonly StreamedChoice[] {
  const found = new Map<number, ChoicePart[]>();
  for (const { at, data } of chunks) {
    for (const [i, piece] of arrayAt(data, 'choices').entries()) {
      const index = numberAt(piece, 'index');
      if (index === undefined) continue;
      const parts = found.get(index) ?? [];
      parts.push({ at: `${at} /choices/${i}`, piece });
      found.set(index, parts);
    }
  }
  return [...found].map(([index, parts]) => ({ index, parts }));
}

/** The last finish_reason among the parts of a choice. */
export function finishOf(parts: readonly ChoicePart[]): string | undefined {
  return parts.map(({ piece }) => textAt(piece, 'finish_reason')).findLast((finish) => finish !== undefined);
}

/** The last usage of a stream. */
export function streamedUsage(chunks: readonly JsonEvent[]): Json | undefined {
  return chunks
    .map(({ data }) => valueAtPath(data, 'usage'))
    .findLast((usage) => usage !== undefined && usage !== null);
}

/** A completion: a non-streamed response, or the joined parts of a stream. */
export interface WholeCompletion<C> extends Evidence {
  readonly call: Call;
  readonly asked: Json | undefined;
  readonly streamed: boolean;
  readonly choices: readonly C[];
  readonly count: number;
  readonly usage: Json | undefined;
  readonly stops: () => readonly string[];
  /** Whether max_tokens may have cut the completion. */
  readonly cut: () => boolean;
  /** Whether the request forces one token by logit_bias. */
  readonly forced: () => boolean;
}

/** Limits that follow from the request and its choices. */
export interface CompletionBounds {
  /** The requested number of choices; undefined if the request has an invalid one. */
  readonly due: () => number | undefined;
  /** Maximum number of tokens; undefined if there is none. */
  readonly most_tokens: () => number | undefined;
  /** Minimum number of tokens: a text has at least one. */
  readonly least_tokens: () => number;
}

/** How a choice is read from a response, and from the parts of a stream. */
export interface ChoiceReader<C> {
  readonly whole: (choice: Json, i: number) => C;
  readonly joined: (choice: StreamedChoice) => C;
}

/**
 * Every complete response of an operation; streams count only if they ended without interruption. `more` derives
 * further properties of the evidence from the request and the choices.
 */
export function wholeCompletions<C, M extends object>(
  operation: string,
  read: ChoiceReader<C>,
  more: (asked: Json | undefined, choices: readonly C[]) => M,
): Selector<WholeCompletion<C> & M> {
  const needs = `a whole answer or stream of ${operation}`;
  return stateless(
    `whole ${operation}`,
    operation,
    { needs },
    (call): readonly (WholeCompletion<C> & M)[] => {
      const stream = streamOf(call);
      const { responseJson: answer, requestJson: asked } = call;
      if (stream === null ? answer === undefined : !stream.ended) return [];
      const choices =
        stream === null
          ? arrayAt(answer, 'choices').map(read.whole)
          : byChoice(stream.chunks).map(read.joined);
      const usage = stream === null ? valueAtPath(answer, 'usage') : streamedUsage(stream.chunks);
      return [
        {
          exchanges: [call.exchange],
          call,
          asked,
          streamed: stream !== null,
          choices,
          count: choices.length,
          usage,
          stops: () => stopsOf(asked),
          cut: () => mayBeCut(asked, usage, choices.length),
          forced: () => forcesToken(asked),
          ...more(asked, choices),
        },
      ];
    },
  );
}

export function stopsOf(asked: Json | undefined): readonly string[] {
  const stop = valueAtPath(asked, 'stop');
  return (Array.isArray(stop) ? stop : [stop]).filter((one) => typeof one === 'string' && one !== '');
}

/**
 * The finish_reason at max_tokens is left open, so the usage decides; it does not show the tokens of each of several
 * choices.
 */
export function mayBeCut(asked: Json | undefined, usage: Json | undefined, choices: number): boolean {
  const most = numberAt(asked, 'max_tokens');
  if (most === undefined) return false;
  return (numberAt(usage, 'completion_tokens') ?? most) >= most || choices > 1;
}

/** Whether a request forces one token, without a bias for any other. */
function forcesToken(asked: Json | undefined): boolean {
  const bias = valueAtPath(asked, 'logit_bias');
  const values = isObject(bias) ? Object.values(bias) : [];
  return values.length === 1 && values[0] === 100;
}

/** Names the forced token in a finding, because a vocabulary may lack its id. */
export function forcedTokenWords(asked: Json | undefined): string {
  const bias = valueAtPath(asked, 'logit_bias');
  return `logit_bias forces token ${Object.keys(isObject(bias) ? bias : {}).join()}`;
}

/** Undefined for an invalid n, which another requirement judges. */
export function choicesAsked(asked: Json | undefined): number | undefined {
  const n = valueAtPath(asked, 'n') ?? 1;
  return typeof n === 'number' && Number.isInteger(n) && n >= 1 && n <= 128 ? n : undefined;
}

/** The function that a request has to call. */
export function forcedName(asked: Json | undefined): string | undefined {
  return textAt(asked, 'tool_choice', 'function', 'name');
}

// The same request twice, streamed and not.

/** The requirements on pairs that chats and texts share. */
export function pairRequirements<
  C extends { readonly index: number | undefined; readonly finish: string | null | undefined },
>(
  family: string,
  read: ChoiceReader<C>,
  {
    at,
    texts,
    among,
  }: {
    /** The place of the text of a choice. */
    readonly at: string;
    readonly texts: (reply: PairedReply<C>) => Json;
    /** The content of a reply: replies with different content are not compared. */
    readonly among: (reply: PairedReply<C>) => Json;
  },
) {
  const row = (rule: string, code: CodeOf<StreamedPair>) => rowOf(`${family}.pair.${rule}`, code);
  const finish = { at: '/choices/*/finish_reason', shows: finishReasons, among };
  const tokens = { at: '/usage/completion_tokens', shows: completionTokens, among };
  return [
    row('same-choices', { check: otherChoices }),
    row('same-prompt-tokens', { check: otherPromptTokens }),
    row('same-text', sameBothWays(read, { at, shows: texts })),
    row('same-finish-reason', sameBothWays(read, finish)),
    row('same-completion-tokens', sameBothWays(read, tokens)),
  ] as const;
}

/** The streams whose choices have different indexes than the non-streamed response; choices may begin in any order. */
export function otherChoices({ plain, streamed }: StreamedPair): readonly Violation[] {
  const expected = sorted(
    arrayAt(plain[0]?.answer, 'choices').flatMap((one) => numberAt(one, 'index') ?? []),
  );
  return streamed.flatMap(({ chunks, call }) => {
    const actual = sorted(byChoice(chunks).map(({ index }) => index));
    if (actual.join() === expected.join()) return [];
    return [violation('indexes of choices', wholeWords(expected), actual, call.exchange.id)];
  });
}

function sorted(indexes: readonly number[]): readonly number[] {
  return indexes.toSorted((a, b) => a - b);
}

/** `index 0 alone, as in one piece`: a number by itself would read as a count. */
function wholeWords([first, ...others]: readonly number[]): string {
  if (first === undefined) return 'no choice, as in one piece';
  const which = others.length === 0 ? `index ${first} alone` : `indexes ${[first, ...others].join(', ')}`;
  return `${which}, as in one piece`;
}

/** The streams whose usage counts a different number of prompt tokens than the non-streamed response. */
function otherPromptTokens({ plain, streamed }: StreamedPair): readonly Violation[] {
  const expected = plain
    .map(({ answer }) => numberAt(answer, 'usage', 'prompt_tokens'))
    .find((count) => count !== undefined);
  return streamed.flatMap(({ chunks, call }) => {
    const actual = numberAt(streamedUsage(chunks), 'prompt_tokens');
    if (actual === undefined || actual === expected) return [];
    return [violation('/usage/prompt_tokens', String(expected), actual, call.exchange.id)];
  });
}

/** A reply of a pair: a non-streamed response, or a joined stream. */
export interface PairedReply<C> {
  /** In the order of their indexes. */
  readonly choices: readonly C[];
  readonly usage: Json | undefined;
  readonly call: Call;
}

interface Comparison<C> {
  /** The place in a response, with a star for the choice: all choices are compared together. */
  readonly at: string;
  /** The compared value; undefined if a reply does not show it. */
  readonly shows: (reply: PairedReply<C>) => Json | undefined;
  /** Replies are compared only if this value is equal. Default: all of them. */
  readonly among?: (reply: PairedReply<C>) => Json;
  /** How a finding describes a difference; null if it is permitted. Default: both values. */
  readonly finding?: (
    whole: PairedReply<C>,
    streamed: PairedReply<C>,
  ) => { readonly expected: string; readonly actual: Json | undefined } | null;
}

/**
 * Values of streams that differ from those of the same replies without streaming. A model may answer the same
 * question in two ways, so a difference is a violation only if the replies are deterministic: several without
 * streaming are equal to each other, and so are several with it.
 */
export function sameBothWays<C extends { readonly index: number | undefined }>(
  read: ChoiceReader<C>,
  { at, shows, among = () => null, finding }: Comparison<C>,
) {
  const compared = (pair: StreamedPair) => {
    const both = repliesOf(pair, read);
    const kinds = new Set(both.streamed.map((reply) => JSON.stringify(among(reply))));
    return [...kinds]
      .map((kind) => {
        const valuesShown = (replies: readonly PairedReply<C>[]) =>
          replies.flatMap((reply) => {
            const shown = JSON.stringify(among(reply)) === kind ? shows(reply) : undefined;
            return shown === undefined ? [] : [{ shown, text: JSON.stringify(shown), reply }];
          });
        return { whole: valuesShown(both.whole), streamed: valuesShown(both.streamed) };
      })
      .filter(({ whole, streamed }) => whole.length > 0 && streamed.length > 0);
  };
  return {
    where: [that<StreamedPair>('with replies to compare', (pair) => compared(pair).length > 0)],
    check: (pair: StreamedPair): readonly Violation[] =>
      compared(pair).flatMap(({ whole, streamed }) => {
        const [first] = whole;
        const texts = whole.map(({ text }) => text);
        if (first === undefined || streamed.some(({ text }) => texts.includes(text))) return [];
        const [differing] = streamed.flatMap(({ shown, reply }) => {
          const words =
            finding === undefined ? { expected: first.text, actual: shown } : finding(first.reply, reply);
          return words === null ? [] : [{ words, exchange: reply.call.exchange.id }];
        });
        if (differing === undefined) return [];
        const { words, exchange } = differing;
        const areSteady = isSteady(texts) && isSteady(streamed.map(({ text }) => text));
        return [
          {
            ...violation(at, words.expected, words.actual, exchange),
            ...(areSteady ? {} : { inconclusive: 'model' as const }),
          },
        ];
      }),
  };
}

function repliesOf<C extends { readonly index: number | undefined }>(
  { plain, streamed }: StreamedPair,
  { whole, joined }: ChoiceReader<C>,
) {
  const inOrder = (choices: readonly C[]) => choices.toSorted(({ index: a = 0 }, { index: b = 0 }) => a - b);
  return {
    whole: plain.map(({ answer, call }) => ({
      choices: inOrder(arrayAt(answer, 'choices').map(whole)),
      usage: valueAtPath(answer, 'usage'),
      call,
    })),
    streamed: streamed.map(({ chunks, call }) => ({
      choices: inOrder(byChoice(chunks).map(joined)),
      usage: streamedUsage(chunks),
      call,
    })),
  };
}

/** The finish_reason of each choice; undefined if one has none, which other requirements judge. */
function finishReasons<C extends { readonly finish: string | null | undefined }>({
  choices,
}: PairedReply<C>): Json | undefined {
  const reasons = choices.flatMap(({ finish }) => finish || []);
  return reasons.length === choices.length ? reasons : undefined;
}

function completionTokens({ usage }: PairedReply<unknown>): Json | undefined {
  return numberAt(usage, 'completion_tokens');
}

/** True for several texts that are all the same. */
export function isSteady(texts: readonly (string | null)[]): boolean {
  return texts.length > 1 && new Set(texts).size === 1;
}

/** An empty text counts like a missing one. Null if all are missing. */
export function textsOrNull(texts: readonly (string | null | undefined)[]): Json {
  const shown = texts.map((text) => text || null);
  return shown.every((one) => one === null) ? null : shown;
}
