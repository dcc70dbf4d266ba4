// Differences of answers outside chat that public reports describe and that the specification allows.
import type { Exchange } from '../../../exchange/exchange.ts';
import type { Json } from '../../../exchange/http/body.ts';
import { isObject } from '../../evidence/json.ts';
import { withBody, withResponseJson } from '../../mutations/exchanges.ts';
import { callsOperation } from '../../mutations/mutations.ts';
import { setValue } from '../../mutations/values.ts';
import { type EquivalentMutant, inEachExchange } from './equivalent-mutant.ts';

/** Each of these answers was taken for a fault somewhere, and breaks no stated sentence. */
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
  // Later models classify images, too.
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
  // Other engines show how sure they are of each word.
  inAnswers(
    'metadata of the scores in transcriptions',
    'Nyralei/whisperx-api-server#4',
    ['createTranscription'],
    {
      '/words/*': { score: 0.7 },
      '/segments/*': { words: [] },
    },
  ),
  // The form of the body of an error is not shown; this is the one of a common framework.
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

/** Adds fields, where they are missing, to the objects at pointers in the JSON answers of operations; the pointer of the whole is empty. */
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

/** Replaces the body of every rejection. */
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
