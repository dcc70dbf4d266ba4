import { DISTURBED_FIELD, LOST_STREAMS, SHORTEST_HALF } from '../../exchange/disturbed.ts';
import { eventsOf, holdsText, isEventStream, streamedText } from '../../exchange/http/event-stream.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { firstHeader } from '../../exchange/http/headers.ts';
import { isOfClient } from '../../judge/client/client-side.ts';
import { operationOf } from '../../judge/trace/call.ts';
import { ownOperations } from '../../schemas/index.ts';
import { inFile, inRequest, setValue } from '../vocabulary/changes.ts';
import { withHeader, withRequestJson } from '../vocabulary/exchanges.ts';
import { arrayAt, isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import { requests, where } from '../vocabulary/selectors.ts';
import { choice, section, violation } from '../vocabulary/statements.ts';
import type {
  Call,
  Collector,
  Exchange,
  Json,
  Mutation,
  RequestEvidence,
  Selector,
} from '../vocabulary/types.ts';
import { pathOf } from './ids.client.ts';

const { stated, implied } = section('2 Chat completions');

/** A truncated stream, and the text of it that a later request sends as if it were complete; null if none does. */
interface HalfEvidence extends RequestEvidence {
  readonly half: string | null;
}

const MOST = 100;
interface Half {
  readonly call: Call;
  readonly text: string;
}

const EVERY = ownOperations().map(({ id }) => id);

const halves: Selector<HalfEvidence> = {
  operations: EVERY,
  variant: null,
  collect: () => new HalfCollector(),
};

class HalfCollector implements Collector<HalfEvidence> {
  #open: readonly Half[] = [];

  *call(call: Call): Generator<HalfEvidence> {
    const { exchange } = call;
    if (!isOfClient(exchange)) return;
    for (const half of this.#open.filter((one) => isUsed(one, call))) {
      this.#open = this.#open.filter((one) => one !== half);
      const exchanges = [half.call.exchange, exchange];
      yield { exchanges, call, asked: call.requestJson, half: half.text };
    }
    const text = textOf(exchange);
    if (text === null) {
      this.#forget((half) => holdsText(call.responseJson, half.text));
    } else if (isCut(exchange) && text.length >= SHORTEST_HALF && this.#open.length < MOST) {
      this.#open = [...this.#open, { call, text }];
    } else {
      this.#forget((half) => half.text === text);
      yield innocent(call);
    }
  }

  *finish(): Generator<HalfEvidence> {
    for (const { call } of this.#open) yield innocent(call);
  }

  /** A text that a complete response contains as well is not a truncated one. */
  #forget(isWhole: (half: Half) => boolean): void {
    if (this.#open.length > 0) this.#open = this.#open.filter((half) => !isWhole(half));
  }
}

function innocent(call: Call): HalfEvidence {
  return { exchanges: [call.exchange], call, asked: call.requestJson, half: null };
}

function isUsed({ call, text }: Half, { exchange, requestJson }: Call): boolean {
  return call.exchange.ended <= exchange.after && holdsText(requestJson, text);
}

function isCut({ response }: Exchange): boolean {
  return response !== null && LOST_STREAMS.includes(firstHeader(response.headers, DISTURBED_FIELD) ?? '');
}

function textOf({ response }: Exchange): string | null {
  if (response === null || response.status >= 300 || !isEventStream(response)) return null;
  return (eventsOf(response)?.events ?? []).map(({ json }) => streamedText(json?.value)).join('');
}

const goesOn: Mutation = (trace) => {
  const isChat = (exchange: Exchange) =>
    isOfClient(exchange) && operationOf(exchange.request)?.operation.id === 'createChatCompletion';
  const streams = trace.filter((one) => isChat(one) && (textOf(one)?.length ?? 0) >= SHORTEST_HALF);
  for (const stream of streams) {
    const later = trace.find((one) => isChat(one) && one.after >= stream.ended);
    if (later === undefined) continue;
    const messages = [
      { role: 'assistant', content: textOf(stream) },
      { role: 'user', content: 'Go on.' },
    ];
    return trace.map((one) => {
      if (one === stream) return withHeader(one, DISTURBED_FIELD, 'cut-stream');
      return one === later ? withRequestJson(one, setValue('/messages', messages)) : one;
    });
  }
  return null;
};

/**
 * A SHOULD, and only for streams that were cut on purpose: a client may stop a stream itself and continue with what it has. The
 * text counts only as a whole string of a later request, so neither a note about the interruption nor a text that was requested
 * again is reported.
 */
export const clientStreamsWhole = implied('client.streams.whole', {
  level: 'SHOULD',
  says: 'A client does not go on with half a stream as if it were whole.',
  selector: halves,
  check: ({ half }) =>
    half === null
      ? []
      : [{ at: 'request body', expected: 'no text of a stream that was cut short', actual: half }],
  mutations: { 'half a text in the next request': goesOn },
});

// Audio files in forms. The specification limits neither length nor language.

const HEARING = ['createTranscription', 'createTranslation'];
const FORMATS = ['flac', 'mp3', 'mp4', 'mpeg', 'mpga', 'm4a', 'ogg', 'wav', 'webm'];

/** Leading bytes of each format, in hex: the file name may be wrong. */
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
const HEAD = 16;

function audioOf(
  call: Call,
): { readonly ending: string; readonly filename: string; readonly head: string } | null {
  const part = formDataParts(call.exchange.request)?.find(({ name }) => name === 'file');
  const bytes = part?.body.bytes ?? null;
  if (part === undefined || part.filename === null || bytes === null) return null;
  const { filename } = part;
  const ending = filename.slice(filename.lastIndexOf('.') + 1).toLowerCase();
  return { ending, filename, head: Buffer.from(bytes.subarray(0, HEAD)).toString('hex') };
}

/**
 * Reported only if neither the name nor the leading bytes belong to one of the formats: raw frames of some formats have no
 * signature.
 */
export const clientAudioFormats = stated('client.audio.formats', {
  spec: '2 Audio',
  says: 'A client sends audio in one of the nine formats.',
  selector: where(requests(HEARING), ({ call }) => audioOf(call) !== null),
  check: ({ call }) => {
    const audio = audioOf(call);
    if (audio === null || FORMATS.includes(audio.ending) || SIGNATURES.some((one) => one.test(audio.head)))
      return [];
    return [{ at: 'request file file', expected: `one of ${FORMATS.join(', ')}`, actual: audio.filename }];
  },
  mutations: {
    'a text': inFile(HEARING, 'file', () => ({ filename: 'notes.txt', bytes: Buffer.from('Hello there.') })),
    'another format': inFile(HEARING, 'file', () => ({
      filename: 'sound.aiff',
      bytes: Buffer.from('FORM....AIFF'),
    })),
  },
});

// JSON mode in chat completions. For assistants this is an exclusion: the instruction may be in another request.

const CHAT = ['createChatCompletion'];

/** Null if a part is not text, because it may contain the instruction. */
function instructionsOf(asked: Json | undefined): readonly string[] | null {
  const texts: string[] = [];
  for (const message of arrayAt(asked, 'messages')) {
    const role = textAt(message, 'role');
    if (role !== 'system' && role !== 'user') continue;
    const content = isObject(message) ? message['content'] : undefined;
    const parts = Array.isArray(content) ? content.map((part) => textAt(part, 'text')) : [content];
    for (const part of parts) {
      if (typeof part !== 'string') return null;
      texts.push(part);
    }
  }
  return texts;
}

function inJsonMode(messages: Json): Mutation {
  const mode = setValue('/response_format', { type: 'json_object' });
  return inRequest(CHAT, mode, setValue('/messages', messages));
}

/**
 * The instruction may be in any language, but it has to name JSON. Requests with non-text parts are skipped: an image may
 * contain the instruction.
 */
export const clientChatJsonMode = stated('client.chat.json-mode', {
  says: 'A client that asks for JSON mode also asks for JSON in a system or user message.',
  selector: where(
    requests(CHAT),
    ({ asked }) =>
      textAt(asked, 'response_format', 'type') === 'json_object' && instructionsOf(asked) !== null,
  ),
  check: ({ asked }) => {
    const texts = instructionsOf(asked) ?? [];
    if (texts.some((text) => /json/i.test(text))) return [];
    return [violation('request /messages', 'an instruction to write JSON', texts[0])];
  },
  mutations: {
    'no word of JSON': inJsonMode([{ role: 'user', content: 'Name three colours.' }]),
    'said by the assistant alone': inJsonMode([
      { role: 'user', content: [{ type: 'text', text: 'Name three colours.' }] },
      { role: 'assistant', content: 'Here is JSON.' },
    ]),
  },
});

// How far clients read streams and lists. The specification requires none of it, so these are choices.

const STREAMING = ['createChatCompletion', 'createCompletion', 'createRun', 'createThreadAndRun'];
const LISTS = ownOperations()
  .filter(({ list }) => list !== null && list.cursors.length > 0)
  .map(({ id }) => id);

const streams = where(requests(STREAMING), ({ call: { exchange } }) => {
  const { response } = exchange;
  return isOfClient(exchange) && response !== null && response.status < 300 && isEventStream(response);
});

/** A client may stop a stream. One that hangs up after the last event has read all of it. */
export const clientStreamsRead = choice({
  id: 'client.streams.read',
  spec: '2 Events',
  says: 'How far a client reads a stream.',
  alternatives: ['to-the-end', 'hung-up'],
  several: true,
  selector: streams,
  taken: ({ call: { exchange } }) => {
    const last = exchange.response === null ? undefined : eventsOf(exchange.response)?.events.at(-1);
    if (exchange.end.how === 'complete' || last?.data.trim() === '[DONE]') return 'to-the-end';
    return exchange.end.how === 'client-abort' ? 'hung-up' : null;
  },
});

const walks: Selector<RequestEvidence> = {
  operations: LISTS,
  variant: null,
  collect: () => {
    const open = new Map<string, { readonly call: Call; readonly pages: number }>();
    return {
      call: (call) => {
        if (call.responseJson === undefined || !isOfClient(call.exchange) || open.size >= 10_000) return [];
        const { query } = call;
        const others = [...query].filter(([name]) => !['after', 'before', 'limit'].includes(name));
        const key = `${pathOf(call)} ${JSON.stringify(others)}`;
        const isFirst = !query.has('after') && !query.has('before');
        open.set(key, { call, pages: isFirst ? 1 : (open.get(key)?.pages ?? 0) + 1 });
        return [];
      },
      finish: () =>
        [...open.values()].map(({ call, pages }) => ({ exchanges: [call.exchange], call, asked: pages })),
    };
  },
};

/** A client need not read all pages. The last page that it requested of each list decides. */
export const clientPagesWalked = choice({
  id: 'client.pages.walked',
  spec: '1 Common shapes',
  says: 'How far a client walks the pages of a list.',
  alternatives: ['to-the-end', 'stopped-early', 'one-page'],
  several: true,
  selector: walks,
  taken: ({ call, asked: pages }) => {
    const more = valueAtPath(call.responseJson, 'has_more');
    if (more === true) return 'stopped-early';
    return pages === 1 ? 'one-page' : 'to-the-end';
  },
});
