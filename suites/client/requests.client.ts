// Requirements on requests that rows cannot state without code.
import { CREATED_BEFORE_FIELD } from '../../exchange/disturbed.ts';
import { eventsOf, isEventStream } from '../../exchange/http/event-stream.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { firstHeader } from '../../exchange/http/headers.ts';
import { BATCH_ENDPOINTS, batchLinesOf, UPLOAD_OPERATION } from '../../judge/client/uploads.ts';
import { ownOperations } from '../../schemas/index.ts';
import { rowOf } from '../rows/rows.ts';
import { inEveryRequest } from '../vocabulary/changes.ts';
import { follow, LruMap } from '../vocabulary/collecting.ts';
import { withHeader } from '../vocabulary/exchanges.ts';
import { arrayAt, isObject, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { requests, where } from '../vocabulary/selectors.ts';
import { violation } from '../vocabulary/statements.ts';
import type { Call, Json, RequestEvidence } from '../vocabulary/types.ts';
import { evidenceFrom } from './evidence.ts';

const AUDIO_FORMATS = ['flac', 'mp3', 'mp4', 'mpeg', 'mpga', 'm4a', 'ogg', 'wav', 'webm'];

/** The leading bytes of files in these formats, in hex. */
const SIGNATURES = [
  /^664c6143/, // flac
  /^494433/, // mp3 with tags
  /^ff[ef]/, // mp3 and mpga frames
  /^52494646.{8}57415645/, // wav
  /^4f676753/, // ogg
  /^.{8}66747970/, // mp4 and m4a
  /^1a45dfa3/, // webm
  /^000001b/, // mpeg
];

function audioPartOf({ exchange: { request } }: Call) {
  return formDataParts(request)?.find(({ name }) => name === 'file');
}

/** A file passes by its name or by its leading bytes: names may be wrong, and some encoders write padding first. */
export const audioFormats = rowOf('client.audio.formats', {
  evidence: where(requests(['createTranscription', 'createTranslation']), ({ call }) => {
    const part = audioPartOf(call);
    return part !== undefined && part.filename !== null && part.body.bytes !== null;
  }),
  check: ({ call }) => {
    const { filename = null, body } = audioPartOf(call) ?? {};
    const bytes = body?.bytes ?? null;
    if (filename === null || bytes === null) return [];
    const extension = filename.slice(filename.lastIndexOf('.') + 1).toLowerCase();
    const head = Buffer.from(bytes.subarray(0, 16)).toString('hex');
    if (AUDIO_FORMATS.includes(extension) || SIGNATURES.some((one) => one.test(head))) return [];
    return [violation('request file file', `one of ${AUDIO_FORMATS.join(', ')}`, filename)];
  },
});

/** The texts in which a client may ask for JSON; null if a part is not text: an image may ask for JSON as well. */
function instructionsOf(asked: Json | undefined): readonly string[] | null {
  const contents = arrayAt(asked, 'messages')
    .filter((message) => ['system', 'user'].includes(textAt(message, 'role') ?? ''))
    .map((message) => valueAtPath(message, 'content'));
  const texts = contents.flatMap((content) =>
    Array.isArray(content) ? content.map((part) => textAt(part, 'text')) : [content],
  );
  return texts.every((text) => typeof text === 'string') ? texts : null;
}

/** The instruction may be in any language, but it has to name JSON. */
export const jsonMode = rowOf('client.chat.json-mode', {
  evidence: where(
    requests('createChatCompletion'),
    ({ asked }) =>
      textAt(asked, 'response_format', 'type') === 'json_object' && instructionsOf(asked) !== null,
  ),
  check: ({ asked }) => {
    const texts = instructionsOf(asked) ?? [];
    return texts.some((text) => /json/i.test(text))
      ? []
      : [violation('request /messages', 'an instruction to write JSON', texts[0])];
  },
});

const FIELD_OF_OTHER_VERSION: Readonly<Record<string, string>> = { v1: 'tool_resources', v2: 'file_ids' };

/** Null and an empty list fail as well: the field does not exist in the version that the header names. */
export const ownVersion = rowOf<RequestEvidence>('client.assistants.own-version', {
  check: ({ call: { variant }, asked }) => {
    const name = FIELD_OF_OTHER_VERSION[variant?.name ?? ''];
    return name !== undefined && isObject(asked) && Object.hasOwn(asked, name)
      ? [violation(`request /${name}`, `no field that ${variant?.name} lacks`, asked[name])]
      : [];
  },
});

/** The default of `temperature` and `top_p` is 1; null counts as absent. */
function isChanged(asked: Json | undefined, name: string): boolean {
  return (numberAt(asked, name) ?? 1) !== 1;
}

export const oneSampling = rowOf<RequestEvidence>('client.assistants.one-sampling', {
  evidence: where(
    requests(['createAssistant', 'modifyAssistant']),
    ({ asked }) => isChanged(asked, 'temperature') || isChanged(asked, 'top_p'),
  ),
  check: ({ asked }) =>
    isChanged(asked, 'temperature') && isChanged(asked, 'top_p')
      ? [violation('request /top_p', 'one of temperature and top_p', numberAt(asked, 'top_p'))]
      : [],
});

/** Threads are not judged: the specification contradicts itself on whether tool_resources can be modified. */
export const metadataOnly = rowOf<RequestEvidence>('client.messages.metadata-only', {
  check: ({ asked }) =>
    Object.entries(isObject(asked) ? asked : {})
      .filter(([name]) => name !== 'metadata')
      .map(([name, value]) => violation(`request /${name}`, 'metadata alone', value)),
});

/** Only the form of the key is judged, which redaction preserves. The scheme ignores case (RFC 9110, section 11.1). */
export const bearerKey = rowOf<RequestEvidence>('client.requests.bearer-key', {
  check: ({ call }) => {
    const sent = firstHeader(call.exchange.request.headers, 'authorization');
    // A finding shows the first word alone: the scheme, or a key without one, which redaction has replaced.
    return /^bearer +\S+$/i.test(sent ?? '')
      ? []
      : [violation('request header authorization', 'Bearer and the key', sent?.split(' ')[0])];
  },
});

/** Operations that create no object, although their responses have an id. */
const OBJECTLESS_OPERATIONS = ['createChatCompletion', 'createCompletion', 'createModeration'];
const CREATIONS = ownOperations()
  .map(({ id }) => id)
  .filter((id) => id.startsWith('create') && !OBJECTLESS_OPERATIONS.includes(id));

function createdId({ exchange: { response }, responseJson }: Call): string | undefined {
  if (response === null || response.status >= 300) return undefined;
  if (!isEventStream(response)) return textAt(responseJson, 'id');
  return (eventsOf(response)?.events ?? [])
    .map(({ json }) => textAt(json?.value, 'id'))
    .find((id) => id !== undefined);
}

/**
 * The disturber marks the response to a repeated creation with the id from the lost response. The rule is a SHOULD: the
 * specification has no idempotency key, and RFC 9110 (section 9.2.2) advises against repeating non-idempotent requests.
 */
export const creationsOnce = rowOf('client.creations.once', {
  evidence: where(requests(CREATIONS), ({ call }) => createdId(call) !== undefined),
  check: ({ call }) => {
    const firstId = firstHeader(call.exchange.response?.headers ?? [], CREATED_BEFORE_FIELD);
    const id = createdId(call);
    return firstId === null || firstId === id
      ? []
      : [violation('/id', `${firstId}, the object of the first request`, id)];
  },
  broken_by: {
    'sent twice': inEveryRequest(CREATIONS, (exchange) =>
      withHeader(exchange, CREATED_BEFORE_FIELD, 'an-object-that-exists'),
    ),
  },
});

/** The first line of each endpoint counts. Later entries of a `Map` win, hence the reversal. */
function linesByEndpoint(upload: Call): ReadonlyMap<string, string> {
  const lines = batchLinesOf(upload).map(({ at, value }) => [textAt(value, 'url') ?? '', at] as const);
  return new Map(lines.filter(([url]) => BATCH_ENDPOINTS.includes(url)).toReversed());
}

/**
 * The requirement applies only if the trace contains the upload of the input. Whether a service runs lines of other
 * endpoints is a choice; the client must use only one.
 */
export const sameEndpoint = rowOf('client.batches.same-endpoint', {
  evidence: follow(['createBatch', UPLOAD_OPERATION], () => {
    const inputs = new LruMap<ReadonlyMap<string, string>>(1000);
    return (call) => {
      const { requestJson: asked, responseJson } = call;
      if (call.operation.id === UPLOAD_OPERATION) {
        const id = textAt(responseJson, 'id');
        if (id !== undefined) inputs.set(id, linesByEndpoint(call));
        return [];
      }
      const inputId = textAt(asked, 'input_file_id');
      const lines = inputId === undefined ? undefined : inputs.get(inputId);
      if (lines === undefined || lines.size === 0 || textAt(asked, 'endpoint') === undefined) return [];
      return [evidenceFrom(call, { lines })];
    };
  }),
  check: ({ asked, lines }) => {
    const endpoint = textAt(asked, 'endpoint');
    const other = [...lines].find(([url]) => url !== endpoint);
    if (other === undefined) return [];
    const [url, at] = other;
    const line = at.slice(at.indexOf('line'));
    return [violation('request /endpoint', `${url}, as in ${line} of the input`, endpoint)];
  },
});
