import { createRequire } from 'node:module';
import type { Exchange } from '../../exchange/exchange.ts';
import type { Json } from '../../exchange/http/body.ts';
import type { EquivalentMutant } from '../../judge/requirements/catalogue.ts';
import { arrayAt, isObject, textAt, valueAtPath } from '../../judge/trace/json.ts';
import { pointerTokens } from '../../schemas/pointer.ts';
import {
  editFrame,
  frameData,
  frameWithData,
  type StreamFrame,
  withEvents,
  withResponseJson,
} from '../mutations/exchanges.ts';
import { callsOperation } from '../mutations/mutations.ts';
import { type Edit, setValue } from '../mutations/values.ts';
import { inEachExchange } from './equivalent-mutant.ts';
import { withErrorBody } from './wire-changes.ts';

const CHAT = 'createChatCompletion';
const SAFE = { hate: { filtered: false, severity: 'safe' }, violence: { filtered: false, severity: 'safe' } };

/** The content of `filed.json`; `why` says why the difference is allowed. */
interface FiledDifferences {
  /** Fields that successful responses get in addition, by the JSON pointer of the object. */
  readonly fields: readonly {
    readonly name: string;
    readonly filed: string;
    readonly why: string;
    readonly operations: readonly string[];
    readonly fields: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  }[];
  /** Other bodies of errors. */
  readonly errors: readonly {
    readonly name: string;
    readonly filed: string;
    readonly why: string;
    readonly body: string;
  }[];
}

const data = createRequire(import.meta.url)('#proof/equivalent-mutants/filed.json') as FiledDifferences; // as: part of the sources

/** Differences that public reports describe and the specification allows. */
export const filedDifferences: readonly EquivalentMutant[] = [
  ...data.fields.map(({ name, filed, operations, fields }) =>
    inResponses(name, filed, operations, (json) =>
      Object.entries(fields).reduce<Json>(
        (changed, [pointer, added]) =>
          atExisting(changed, pointerTokens(pointer), (old) => (isObject(old) ? { ...added, ...old } : old)),
        json,
      ),
    ),
  ),
  // The specification lists only observed values of finish_reason.
  inResponses('stop as finish_reason of chat replies with calls', 'ENTERPILOT/GoModel#124', [CHAT], (json) =>
    atExisting(json, ['choices', '*', 'finish_reason'], (reason) =>
      reason === 'tool_calls' ? 'stop' : reason,
    ),
  ),
  // Only the message needs a role, and the first delta has it.
  inStreams('role null in the later deltas of a chat stream', 'mistralai/mistral-vibe#665', (frames) =>
    frames.map((frame) =>
      editFrame(frame, (data) =>
        arrayAt(data, 'choices').some((choice) => textAt(choice, 'delta', 'role') === undefined)
          ? setValue('/choices/*/delta/role', (role) => role ?? null)(data)
          : data,
      ),
    ),
  ),
  // A reply cut off by the token limit may end together with its last token.
  inStreams(
    'the last text in the chat chunk with the finish_reason',
    'vllm-project/vllm#35705',
    endingWithText,
  ),
  // The accumulated message is an unknown field of the choice.
  inStreams('the whole message in each chat chunk', 'perplexityai/api-discussion#209', (frames) =>
    frames.map((frame) =>
      editFrame(frame, setValue('/choices/*/message', { role: 'assistant', content: 'as' })),
    ),
  ),
  // The specification does not limit the number of chunks without choices.
  inStreams(
    'a chat chunk about the prompt before the first choice',
    'Azure/azure-sdk-for-go#21086',
    (frames) => {
      const results = [{ prompt_index: 0, content_filter_results: SAFE }];
      return [...firstAgain(frames, { choices: [], prompt_filter_results: results }), ...frames];
    },
  ),
  // A chunk without choices adds nothing to the reply.
  inStreams('empty chat chunks that keep the connection alive', 'jundot/omlx#1011', (frames) => [
    ...frames.slice(0, 2),
    ...firstAgain(frames, { choices: [] }),
    ...frames.slice(2),
  ]),
  ...data.errors.map(({ name, filed, body }) => ({ ...withErrorBody(name, body), filed })),
];

function inResponses(
  name: string,
  filed: string,
  operations: readonly string[],
  edit: Edit,
): EquivalentMutant {
  return {
    ...inEachExchange(name, (exchange) => {
      const isMeant = operations.some((operation) => callsOperation(exchange, operation));
      if (!isMeant || (exchange.response?.status ?? 300) >= 300) return exchange;
      const streamed = operations.includes(CHAT)
        ? withEvents(exchange, (frames) => frames.map((frame) => editFrame(frame, edit)))
        : exchange;
      return streamed === exchange ? withResponseJson(exchange, edit) : streamed;
    }),
    filed,
  };
}

function atExisting(value: Json, [step, ...rest]: readonly string[], change: (old: Json) => Json): Json {
  if (step === undefined) return change(value);
  if (Array.isArray(value)) return value.map((item: Json) => atExisting(item, rest, change));
  const inner = isObject(value) ? (value[step] ?? null) : null;
  return isObject(value) && inner !== null ? { ...value, [step]: atExisting(inner, rest, change) } : value;
}

function inStreams(
  name: string,
  filed: string,
  rewrite: (frames: readonly StreamFrame[]) => readonly StreamFrame[],
): EquivalentMutant {
  return {
    ...inEachExchange(name, (exchange: Exchange) =>
      callsOperation(exchange, CHAT) ? withEvents(exchange, rewrite) : exchange,
    ),
    filed,
  };
}

function firstAgain(
  frames: readonly StreamFrame[],
  fields: Readonly<Record<string, Json>>,
): readonly StreamFrame[] {
  const data = frames[0] === undefined ? undefined : frameData(frames[0]);
  return isObject(data) && valueAtPath(data, 'choices') !== undefined
    ? [frameWithData('', JSON.stringify({ ...data, ...fields }))]
    : [];
}

function endingWithText(frames: readonly StreamFrame[]): readonly StreamFrame[] {
  return frames.flatMap((frame, i) => {
    const [here, next] = [frameData(frame), frames[i + 1]];
    const text = movable(here, next);
    if (text !== undefined) return [];
    const before = i === 0 ? undefined : movable(frameData(frames[i - 1] ?? frame), frame);
    return before === undefined ? [frame] : [editFrame(frame, setValue('/choices/0/delta/content', before))];
  });
}

function movable(data: Json | undefined, next: StreamFrame | undefined): string | undefined {
  const ending = next === undefined ? undefined : frameData(next);
  const [choice, last] = [valueAtPath(data, 'choices', 0), valueAtPath(ending, 'choices', 0)];
  const isPair = arrayAt(data, 'choices').length === 1 && arrayAt(ending, 'choices').length === 1;
  if (!isPair || valueAtPath(choice, 'index') !== valueAtPath(last, 'index')) return undefined;
  const isBare = textAt(choice, 'delta', 'role') === undefined && valueAtPath(choice, 'logprobs') === null;
  const ends = textAt(last, 'finish_reason') !== undefined && (textAt(last, 'delta', 'content') ?? '') === '';
  return isBare && ends ? textAt(choice, 'delta', 'content') : undefined;
}
