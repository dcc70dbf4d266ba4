// Differences of chat replies and streams that public reports describe and that the specification allows.
import type { Exchange } from '../../../exchange/exchange.ts';
import type { Json } from '../../../exchange/http/body.ts';
import { pointerTokens } from '../../../schemas/pointer.ts';
import { arrayAt, isObject, textAt, valueAtPath } from '../../evidence/json.ts';
import { withResponseJson } from '../../mutations/exchanges.ts';
import { callsOperation } from '../../mutations/mutations.ts';
import {
  editFrame,
  frameData,
  frameWithData,
  type StreamFrame,
  withEvents,
} from '../../mutations/streams.ts';
import { type Edit, setValue } from '../../mutations/values.ts';
import { type EquivalentMutant, inEachExchange } from './equivalent-mutant.ts';

const CHAT = 'createChatCompletion';
const SAFE = { hate: { filtered: false, severity: 'safe' }, violence: { filtered: false, severity: 'safe' } };
const MESSAGE = '/choices/*/message';
const DELTA = '/choices/*/delta';

/** Each of these replies was taken for a fault somewhere, and breaks no stated sentence. */
export const filedChatDifferences: readonly EquivalentMutant[] = [
  // Unknown fields are allowed in every object, also beside the fields of a message.
  inReplies('reasoning beside the content of chat replies', 'vllm-project/vllm#40816', {
    [MESSAGE]: withFields({ reasoning_content: 'The user wants one word.', reasoning: null }),
    [DELTA]: withFields({ reasoning_content: 'The user', reasoning: null }),
  }),
  // The list of calls is optional, so an empty one means the same as none.
  inReplies('an empty list of calls in each chat message', 'microsoft/foundry-local#221', {
    [MESSAGE]: (message) =>
      isObject(message) && message['tool_calls'] === undefined
        ? { ...message, tool_calls: [] }
        : (message ?? null),
    [DELTA]: withFields({ name: null, tool_call_id: null, function_call: null }),
  }),
  // Later versions of the API have these fields.
  inReplies('refusal and annotations in each chat message', 'enricoros/big-AGI#681', {
    [MESSAGE]: withFields({ refusal: null, annotations: [] }),
    [DELTA]: withFields({ refusal: null }),
  }),
  // One provider adds the results of its filter to every choice.
  inReplies('results of a content filter in each chat choice', 'Azure/azure-sdk-for-net#38608', {
    '/choices/*': withFields({ content_filter_results: SAFE }),
  }),
  // Two inference engines say here which sequence ended the reply.
  inReplies('stop_reason and matched_stop in each chat choice', 'vllm-project/vllm#27572', {
    '/choices/*': withFields({ stop_reason: null, matched_stop: null }),
  }),
  // Later versions of the API have these fields; the second one hides the length of the text.
  inReplies('service_tier and obfuscation in chat replies', 'vllm-project/vllm#25054', {
    '': withFields({ service_tier: 'default', obfuscation: 'JDnsWto' }),
  }),
  // The counts are stated, their parts are not.
  inReplies('details of the tokens in the usage of chat replies', 'router-for-me/CLIProxyAPI#5733', {
    '/usage': withFields({
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    }),
  }),
  // Gateways send the names of another API, too.
  inReplies('other names of the counts beside those of chat usage', 'liaohch3/claude-tap#257', {
    '/usage': withFields({ input_tokens: 0, output_tokens: 0, cost: null }),
  }),
  // No sentence states that the total is the sum of the other two counts.
  inReplies('a total of chat tokens that is 0', 'ai-dynamo/dynamo#1054', {
    '/usage/total_tokens': () => 0,
  }),
  // The values of finish_reason are those that were seen.
  inReplies('stop as finish_reason of chat replies with calls', 'ENTERPILOT/GoModel#124', {
    '/choices/*/finish_reason': (reason) => (reason === 'tool_calls' ? 'stop' : reason),
  }),
  // The form of calls in streams is not shown; some services use one form for both.
  inReplies('the index in each function call of a chat reply', 'ollama/ollama#10604', {
    '/choices/*/message/tool_calls/*': withFields({ index: 0 }),
  }),
  // Later versions of the API have this list.
  inReplies('a refusal beside the log probabilities of a chat choice', 'abetlen/llama-cpp-python#1787', {
    '/choices/*/logprobs': withFields({ refusal: null }),
  }),
  // The role is stated for the message; the first delta has it.
  inStreams('role null in the later deltas of a chat stream', 'mistralai/mistral-vibe#665', (frames) =>
    frames.map((frame) =>
      editFrame(frame, (data) =>
        arrayAt(data, 'choices').some((choice) => textAt(choice, 'delta', 'role') === undefined)
          ? setValue('/choices/*/delta/role', (role) => role ?? null)(data)
          : data,
      ),
    ),
  ),
  // A reply that ends at a limit may end with its last token.
  inStreams(
    'the last text in the chat chunk with the finish_reason',
    'vllm-project/vllm#35705',
    endingWithText,
  ),
  // The message so far is an unknown field of the choice.
  inStreams('the whole message in each chat chunk', 'perplexityai/api-discussion#209', (frames) =>
    frames.map((frame) =>
      editFrame(frame, setValue('/choices/*', withFields({ message: { role: 'assistant', content: 'as' } }))),
    ),
  ),
  // The number of chunks without choices is not stated.
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
];

/** Edits the JSON of each reply, and of each chunk, at pointers; the pointer of the whole is empty. */
function inReplies(
  name: string,
  filed: string,
  changes: Readonly<Record<string, (old: Json) => Json>>,
): EquivalentMutant {
  const edit: Edit = (data) =>
    Object.entries(changes).reduce<Json>(
      (changed, [pointer, change]) => atExisting(changed, pointerTokens(pointer), change),
      data,
    );
  return {
    ...inEachExchange(name, (exchange) => {
      if (!callsOperation(exchange, CHAT) || (exchange.response?.status ?? 0) >= 300) return exchange;
      const streamed = withEvents(exchange, (frames) => frames.map((frame) => editFrame(frame, edit)));
      return streamed === exchange ? withResponseJson(exchange, edit) : streamed;
    }),
    filed,
  };
}

/** Changes the values at a pointer that are neither missing nor null; `*` stands for every element. */
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

/** Adds fields to an object; what is not an object stays. */
function withFields(fields: Readonly<Record<string, Json>>): (old: Json | undefined) => Json {
  return (old) => (isObject(old) ? { ...old, ...fields } : (old ?? null));
}

/** The first chunk of a stream with other fields; none where the stream begins with something else. */
function firstAgain(
  frames: readonly StreamFrame[],
  fields: Readonly<Record<string, Json>>,
): readonly StreamFrame[] {
  const data = frames[0] === undefined ? undefined : frameData(frames[0]);
  return isObject(data) && valueAtPath(data, 'choices') !== undefined
    ? [frameWithData('', JSON.stringify({ ...data, ...fields }))]
    : [];
}

/** Moves the text of the chunk before the last one of a choice into the last one. */
function endingWithText(frames: readonly StreamFrame[]): readonly StreamFrame[] {
  return frames.flatMap((frame, i) => {
    const [here, next] = [frameData(frame), frames[i + 1]];
    const text = movable(here, next);
    if (text !== undefined) return [];
    const before = i === 0 ? undefined : movable(frameData(frames[i - 1] ?? frame), frame);
    return before === undefined ? [frame] : [editFrame(frame, setValue('/choices/0/delta/content', before))];
  });
}

/** The text of a chunk whose only choice ends in the next chunk; undefined where it cannot be moved there. */
function movable(data: Json | undefined, next: StreamFrame | undefined): string | undefined {
  const ending = next === undefined ? undefined : frameData(next);
  const [choice, last] = [valueAtPath(data, 'choices', 0), valueAtPath(ending, 'choices', 0)];
  const isPair = arrayAt(data, 'choices').length === 1 && arrayAt(ending, 'choices').length === 1;
  if (!isPair || valueAtPath(choice, 'index') !== valueAtPath(last, 'index')) return undefined;
  const isBare = textAt(choice, 'delta', 'role') === undefined && valueAtPath(choice, 'logprobs') === null;
  const ends = textAt(last, 'finish_reason') !== undefined && (textAt(last, 'delta', 'content') ?? '') === '';
  return isBare && ends ? textAt(choice, 'delta', 'content') : undefined;
}
