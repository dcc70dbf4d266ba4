import { getOrMake } from '../../schemas/maps.ts';
import { arrayAt, isObject, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { stateless, streamOf } from '../vocabulary/selectors.ts';
import type { Call, Evidence, Json, JsonEvent, Selector } from '../vocabulary/types.ts';

export interface ChoicePart {
  readonly at: string;
  readonly piece: Json;
}

export interface StreamedChoice {
  readonly index: number;
  readonly parts: readonly ChoicePart[];
}

/** The choices of a stream, in the order of their first parts. */
export function groupByChoice(chunks: readonly JsonEvent[]): readonly StreamedChoice[] {
  const partsByIndex = new Map<number, ChoicePart[]>();
  for (const { at, data } of chunks) {
    for (const [i, piece] of arrayAt(data, 'choices').entries()) {
      const index = numberAt(piece, 'index');
      if (index === undefined) continue;
      getOrMake(partsByIndex, index, () => []).push({ at: `${at} /choices/${i}`, piece });
    }
  }
  return [...partsByIndex].map(([index, parts]) => ({ index, parts }));
}

export function finishOf(parts: readonly ChoicePart[]): string | undefined {
  return parts.map(({ piece }) => textAt(piece, 'finish_reason')).findLast((finish) => finish !== undefined);
}

export function streamedUsage(chunks: readonly JsonEvent[]): Json | undefined {
  return chunks
    .map(({ data }) => valueAtPath(data, 'usage'))
    .findLast((usage) => usage !== undefined && usage !== null);
}

export interface WholeCompletion<C> extends Evidence {
  readonly call: Call;
  readonly asked: Json | undefined;
  readonly streamed: boolean;
  readonly choices: readonly C[];
  readonly count: number;
  readonly usage: Json | undefined;
  readonly stops: () => readonly string[];
  /** Whether max_tokens may have cut off the completion. */
  readonly cut: () => boolean;
  /** Whether the request forces one token with logit_bias. */
  readonly forced: () => boolean;
}

export interface CompletionBounds {
  /** The requested number of choices; undefined if it is invalid. */
  readonly due: () => number | undefined;
  /** Maximum number of tokens; undefined if the request implies none. */
  readonly most_tokens: () => number | undefined;
  /** Minimum number of tokens: each text that is not empty has at least one. */
  readonly least_tokens: () => number;
}

export interface ChoiceReader<C> {
  readonly readChoice: (choice: Json, i: number) => C;
  readonly joinParts: (choice: StreamedChoice) => C;
}

/**
 * A stream counts only if it ended by itself and without an error. `deriveMore` derives further properties of the
 * evidence from the request and the choices.
 */
export function wholeCompletions<C, M extends object>(
  operation: string,
  { readChoice, joinParts }: ChoiceReader<C>,
  deriveMore: (asked: Json | undefined, choices: readonly C[]) => M,
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
          ? arrayAt(answer, 'choices').map(readChoice)
          : groupByChoice(stream.chunks).map(joinParts);
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
          ...deriveMore(asked, choices),
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
 * Whether max_tokens may have cut off a choice. The specification leaves the finish_reason of such a choice open, so
 * the usage decides. It is a sum over all choices, so each of several choices counts as possibly cut off.
 */
export function mayBeCut(asked: Json | undefined, usage: Json | undefined, choiceCount: number): boolean {
  const maxTokens = numberAt(asked, 'max_tokens');
  if (maxTokens === undefined) return false;
  return (numberAt(usage, 'completion_tokens') ?? maxTokens) >= maxTokens || choiceCount > 1;
}

function forcesToken(asked: Json | undefined): boolean {
  const bias = valueAtPath(asked, 'logit_bias');
  const values = isObject(bias) ? Object.values(bias) : [];
  return values.length === 1 && values[0] === 100;
}

/** Words for a finding that name the forced token by its id, which the vocabulary of a model may lack. */
export function forcedTokenWords(asked: Json | undefined): string {
  const bias = valueAtPath(asked, 'logit_bias');
  return `logit_bias forces token ${Object.keys(isObject(bias) ? bias : {}).join()}`;
}

/** The requested number of choices; undefined for an invalid n, which another requirement judges. */
export function requestedChoiceCount(asked: Json | undefined): number | undefined {
  const n = valueAtPath(asked, 'n') ?? 1;
  return typeof n === 'number' && Number.isInteger(n) && n >= 1 && n <= 128 ? n : undefined;
}

export function forcedFunctionName(asked: Json | undefined): string | undefined {
  return textAt(asked, 'tool_choice', 'function', 'name');
}
