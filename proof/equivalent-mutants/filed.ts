// Differences of chat replies and streams that public reports describe and the specification allows.
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
  withBody,
  withEvents,
  withResponseJson,
} from '../mutations/exchanges.ts';
import { callsOperation } from '../mutations/mutations.ts';
import { type Edit, setValue } from '../mutations/values.ts';
import { inEachExchange } from './equivalent-mutant.ts';

const CHAT = 'createChatCompletion';
const SAFE = { hate: { filtered: false, severity: 'safe' }, violence: { filtered: false, severity: 'safe' } };
const MESSAGE = '/choices/*/message';
const DELTA = '/choices/*/delta';

export const filedChatDifferences: readonly EquivalentMutant[] = [
  // Unknown fields are allowed in every object, including messages.
  inReplies('reasoning beside the content of chat replies', 'vllm-project/vllm#40816', {
    [MESSAGE]: withFields({ reasoning_content: 'The user wants one word.', reasoning: null }),
    [DELTA]: withFields({ reasoning_content: 'The user', reasoning: null }),
  }),
  // The list of calls is optional, so an empty one is equivalent.
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
  // Two inference engines report the sequence that ended the reply.
  inReplies('stop_reason and matched_stop in each chat choice', 'vllm-project/vllm#27572', {
    '/choices/*': withFields({ stop_reason: null, matched_stop: null }),
  }),
  // Later versions of the API have these fields; the second one hides the length of the text.
  inReplies('service_tier and obfuscation in chat replies', 'vllm-project/vllm#25054', {
    '': withFields({ service_tier: 'default', obfuscation: 'JDnsWto' }),
  }),
  // The specification states the counts, not their parts.
  inReplies('details of the tokens in the usage of chat replies', 'router-for-me/CLIProxyAPI#5733', {
    '/usage': withFields({
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    }),
  }),
  // Gateways also send the names of another API.
  inReplies('other names of the counts beside those of chat usage', 'liaohch3/claude-tap#257', {
    '/usage': withFields({ input_tokens: 0, output_tokens: 0, cost: null }),
  }),
  // The specification lists only observed values of finish_reason.
  inReplies('stop as finish_reason of chat replies with calls', 'ENTERPILOT/GoModel#124', {
    '/choices/*/finish_reason': (reason) => (reason === 'tool_calls' ? 'stop' : reason),
  }),
  // Some services use the same form of calls in streams and in other replies.
  inReplies('the index in each function call of a chat reply', 'ollama/ollama#10604', {
    '/choices/*/message/tool_calls/*': withFields({ index: 0 }),
  }),
  // Later versions of the API have this list.
  inReplies('a refusal beside the log probabilities of a chat choice', 'abetlen/llama-cpp-python#1787', {
    '/choices/*/logprobs': withFields({ refusal: null }),
  }),
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
      editFrame(frame, setValue('/choices/*', withFields({ message: { role: 'assistant', content: 'as' } }))),
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
];

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

function withFields(fields: Readonly<Record<string, Json>>): (old: Json | undefined) => Json {
  return (old) => (isObject(old) ? { ...old, ...fields } : (old ?? null));
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

// Differences of other responses that public reports describe and the specification allows.

export const filedAnswerDifferences: readonly EquivalentMutant[] = [
  // The first version of the API had permissions; engines add the length of the context.
  inAnswers('permissions and limits in listed models', 'orhanerday/open-ai#112', ['listModels'], {
    '/data/*': {
      permission: [{ id: 'modelperm-1', allow_sampling: true }],
      root: 'a',
      parent: null,
      max_model_len: 4096,
    },
  }),
  // Later models also classify images.
  inAnswers(
    'input types in moderation results',
    'rohitg00/ai-engineering-from-scratch#74',
    ['createModeration'],
    {
      '/results/*': { category_applied_input_types: { violence: ['text'] } },
    },
  ),
  // Later versions of the API let files expire.
  inAnswers('expires_at in files', 'tryAGI/OpenAI#210', ['createFile', 'retrieveFile'], {
    '': { expires_at: null, status_details: null },
  }),
  // How a file is divided is not part of the specification.
  inAnswers(
    'chunking strategies in vector store files',
    'openai/openai-openapi#300',
    ['createVectorStoreFile', 'retrieveVectorStoreFile'],
    { '': { chunking_strategy: { type: 'static', static: { max_chunk_size_tokens: 800 } }, attributes: {} } },
  ),
  // Only the requested form has to be present.
  inAnswers('b64_json null beside the URL of an image', 'MODSetter/SurfSense#1496', ['createImage'], {
    '/data/*': { b64_json: null },
  }),
  // Later versions of the API have this setting.
  inAnswers('parallel_tool_calls in runs', 'Azure/azure-sdk-for-python#41939', ['createRun'], {
    '': { parallel_tool_calls: true },
  }),
  // Other engines report a confidence for each word.
  inAnswers(
    'metadata of the scores in transcriptions',
    'Nyralei/whisperx-api-server#4',
    ['createTranscription'],
    {
      '/words/*': { score: 0.7 },
      '/segments/*': { words: [] },
    },
  ),
  // The specification does not show error bodies; this is the form of a common framework.
  inErrors('errors with a detail alone', 'vllm-project/aibrix#1651', '{"detail":"Method Not Allowed"}'),
  // The same framework lists the fields that it does not accept.
  inErrors(
    'errors with a list of details',
    'getumbrel/llama-gpt#113',
    '{"detail":[{"type":"int_type","loc":["body","max_tokens"],"msg":"Input should be a valid integer"}]}',
  ),
  // The customary field with a text instead of an object.
  inErrors(
    'errors that are a text in the field error',
    'lmstudio-ai/lmstudio-bug-tracker#169',
    '{"error":"\'response_format.type\' must be \'json_schema\'"}',
  ),
  // The customary fields without the object around them.
  inErrors(
    'errors that are an object of the kind error',
    'voideditor/void#128',
    '{"object":"error","message":"Extra inputs are not permitted","type":"BadRequestError","param":null,"code":400}',
  ),
];

function inAnswers(
  name: string,
  filed: string,
  operations: readonly string[],
  additions: Readonly<Record<string, Readonly<Record<string, Json>>>>,
): EquivalentMutant {
  const grown = (fields: Readonly<Record<string, Json>>) => (old: Json | undefined) =>
    isObject(old) ? { ...fields, ...old } : (old ?? null);
  const edit = (value: Json): Json =>
    Object.entries(additions).reduce(
      (changed, [pointer, fields]) =>
        pointer === '' ? grown(fields)(changed) : setValue(pointer, grown(fields))(changed),
      value,
    );
  return {
    ...inEachExchange(name, (exchange) =>
      isSuccess(exchange) && operations.some((operation) => callsOperation(exchange, operation))
        ? withResponseJson(exchange, edit)
        : exchange,
    ),
    filed,
  };
}

function inErrors(name: string, filed: string, body: string): EquivalentMutant {
  return {
    ...inEachExchange(name, (exchange) => {
      const status = exchange.response?.status ?? 0;
      return status >= 400 && status < 500 ? withBody(exchange, body) : exchange;
    }),
    filed,
  };
}

function isSuccess({ response }: Exchange): boolean {
  return response !== null && response.status < 300;
}
