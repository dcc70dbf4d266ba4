import { type CodeOf, rowOf } from '../rows/rows.ts';
import { arrayAt, numberAt, valueAtPath } from '../vocabulary/json.ts';
import { that } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Call, Json, StreamedPair, Violation } from '../vocabulary/types.ts';
import { type ChoiceReader, groupByChoice, streamedUsage } from './completions.ts';

export function pairRequirements<
  C extends { readonly index: number | undefined; readonly finish: string | null | undefined },
>(
  family: string,
  reader: ChoiceReader<C>,
  {
    at,
    texts,
    groupBy,
  }: {
    readonly at: string;
    readonly texts: (reply: PairedReply<C>) => Json;
    /** The content of a reply; only replies with equal content are compared by finish_reason and completion_tokens. */
    readonly groupBy: (reply: PairedReply<C>) => Json;
  },
) {
  const row = (rule: string, code: CodeOf<StreamedPair>) => rowOf(`${family}.pair.${rule}`, code);
  const finish = { at: '/choices/*/finish_reason', shows: finishReasons, groupBy };
  const tokens = { at: '/usage/completion_tokens', shows: completionTokens, groupBy };
  return [
    row('same-choices', { check: differingChoices }),
    row('same-prompt-tokens', { check: differingPromptTokens }),
    row('same-text', sameBothWays(reader, { at, shows: texts })),
    row('same-finish-reason', sameBothWays(reader, finish)),
    row('same-completion-tokens', sameBothWays(reader, tokens)),
  ] as const;
}

/** Choices may begin in any order. */
export function differingChoices({ plain, streamed }: StreamedPair): readonly Violation[] {
  const expected = sortNumbers(
    arrayAt(plain[0]?.answer, 'choices').flatMap((one) => numberAt(one, 'index') ?? []),
  );
  return streamed.flatMap(({ chunks, call }) => {
    const actual = sortNumbers(groupByChoice(chunks).map(({ index }) => index));
    if (actual.join() === expected.join()) return [];
    return [violation('indexes of choices', indexWords(expected), actual, call.exchange.id)];
  });
}

function sortNumbers(indexes: readonly number[]): readonly number[] {
  return indexes.toSorted((a, b) => a - b);
}

/** Names the indexes in words (`index 0 alone, as without streaming`), because a bare number would read as a count. */
function indexWords([first, ...others]: readonly number[]): string {
  if (first === undefined) return 'no choice, as without streaming';
  const which = others.length === 0 ? `index ${first} alone` : `indexes ${[first, ...others].join(', ')}`;
  return `${which}, as without streaming`;
}

function differingPromptTokens({ plain, streamed }: StreamedPair): readonly Violation[] {
  const expected = plain
    .map(({ answer }) => numberAt(answer, 'usage', 'prompt_tokens'))
    .find((count) => count !== undefined);
  return streamed.flatMap(({ chunks, call }) => {
    const actual = numberAt(streamedUsage(chunks), 'prompt_tokens');
    if (actual === undefined || actual === expected) return [];
    return [violation('/usage/prompt_tokens', String(expected), actual, call.exchange.id)];
  });
}

export interface PairedReply<C> {
  /** The choices in the order of their indexes. */
  readonly choices: readonly C[];
  readonly usage: Json | undefined;
  readonly call: Call;
}

interface Comparison<C> {
  /** The place in a response. A star stands for all indexes, because all choices are compared together. */
  readonly at: string;
  /** The compared value; undefined if a reply does not show it. */
  readonly shows: (reply: PairedReply<C>) => Json | undefined;
  /** Replies are compared only if this value is equal. Default: all replies are compared. */
  readonly groupBy?: (reply: PairedReply<C>) => Json;
  /** The words for a difference; null if the difference is permitted. Default: both values. */
  readonly describe?: (
    plain: PairedReply<C>,
    streamed: PairedReply<C>,
  ) => { readonly expected: string; readonly actual: Json | undefined } | null;
}

/**
 * A model may answer the same question differently each time, so a difference is conclusive only if the replies are
 * deterministic: several without streaming are equal to each other, and so are several streamed ones.
 */
export function sameBothWays<C extends { readonly index: number | undefined }>(
  reader: ChoiceReader<C>,
  { at, shows, groupBy = () => null, describe }: Comparison<C>,
) {
  const comparableGroups = (pair: StreamedPair) => {
    const replies = repliesOf(pair, reader);
    const keys = new Set(replies.streamed.map((reply) => JSON.stringify(groupBy(reply))));
    return [...keys]
      .map((key) => {
        const valuesOf = (candidates: readonly PairedReply<C>[]) =>
          candidates.flatMap((reply) => {
            const value = JSON.stringify(groupBy(reply)) === key ? shows(reply) : undefined;
            return value === undefined ? [] : [{ value, text: JSON.stringify(value), reply }];
          });
        return { plain: valuesOf(replies.plain), streamed: valuesOf(replies.streamed) };
      })
      .filter(({ plain, streamed }) => plain.length > 0 && streamed.length > 0);
  };
  return {
    where: [that<StreamedPair>('with replies to compare', (pair) => comparableGroups(pair).length > 0)],
    check: (pair: StreamedPair): readonly Violation[] =>
      comparableGroups(pair).flatMap(({ plain, streamed }) => {
        const [first] = plain;
        const texts = plain.map(({ text }) => text);
        if (first === undefined || streamed.some(({ text }) => texts.includes(text))) return [];
        const [difference] = streamed.flatMap(({ value, reply }) => {
          const words =
            describe === undefined ? { expected: first.text, actual: value } : describe(first.reply, reply);
          return words === null ? [] : [{ words, exchange: reply.call.exchange.id }];
        });
        if (difference === undefined) return [];
        const { words, exchange } = difference;
        const result = violation(at, words.expected, words.actual, exchange);
        const isDeterministic = isSteady(texts) && isSteady(streamed.map(({ text }) => text));
        return [isDeterministic ? result : { ...result, inconclusive: 'model' as const }];
      }),
  };
}

function repliesOf<C extends { readonly index: number | undefined }>(
  { plain, streamed }: StreamedPair,
  { readChoice, joinParts }: ChoiceReader<C>,
) {
  const sortByIndex = (choices: readonly C[]) =>
    choices.toSorted(({ index: a = 0 }, { index: b = 0 }) => a - b);
  return {
    plain: plain.map(({ answer, call }) => ({
      choices: sortByIndex(arrayAt(answer, 'choices').map(readChoice)),
      usage: valueAtPath(answer, 'usage'),
      call,
    })),
    streamed: streamed.map(({ chunks, call }) => ({
      choices: sortByIndex(groupByChoice(chunks).map(joinParts)),
      usage: streamedUsage(chunks),
      call,
    })),
  };
}

/** The finish_reason of each choice; undefined if a choice has none, which other requirements judge. */
function finishReasons<C extends { readonly finish: string | null | undefined }>({
  choices,
}: PairedReply<C>): Json | undefined {
  const reasons = choices.flatMap(({ finish }) => finish || []);
  return reasons.length === choices.length ? reasons : undefined;
}

function completionTokens({ usage }: PairedReply<unknown>): Json | undefined {
  return numberAt(usage, 'completion_tokens');
}

export function isSteady(texts: readonly (string | null)[]): boolean {
  return texts.length > 1 && new Set(texts).size === 1;
}

/** Returns the texts with null for empty and missing ones; null if none remains. */
export function textsOrNull(texts: readonly (string | null | undefined)[]): Json {
  const present = texts.map((text) => text || null);
  return present.every((text) => text === null) ? null : present;
}
