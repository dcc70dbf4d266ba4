import { decodedContent } from '../../exchange/http/content.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import { setValue } from '../vocabulary/changes.ts';
import { inAnswersOf, inCallsOf } from '../vocabulary/equivalents.ts';
import { withBody, withHeader } from '../vocabulary/exchanges.ts';
import type { Edit, EquivalentMutant, Exchange } from '../vocabulary/types.ts';
import { readAudio } from './container.ts';
import { SPEECH } from './speech.ts';
import { TRANSCRIPTION, TRANSLATION } from './transcriptions.ts';

/** Responses with the same speech or the same words, in forms that the specification leaves open. */
export const equivalentMutants: readonly EquivalentMutant[] = [
  inCaptions('CRLF in captions', (file) => file.replaceAll('\n', '\r\n')),
  inCaptions('a byte order mark before captions', (file) => `\uFEFF${file}`),
  inCaptions('no line break after the last caption', (file) => file.trimEnd()),
  inCaptions('empty lines between captions', (file) => file.replaceAll('\n\n', '\n\n\n')),
  inFormat('notes, styles and settings in WebVTT', ['vtt'], (file) =>
    file
      .replace(
        'WEBVTT\n\n',
        'WEBVTT a title\nKind: captions\n\nNOTE nothing\n\nSTYLE\n::cue { color: red }\n\n',
      )
      .replaceAll(/^(.* --> .*)$/gm, '$1 align:start position:0%'),
  ),
  inFormat('WebVTT without hours, with labels', ['vtt'], (file) =>
    file.replaceAll(/^00:(\d\d:\d\d\.\d{3}) --> 00:(.*)$/gm, 'label\n$1 --> $2'),
  ),
  inFormat('text without a line break', ['text'], (file) => file.trimEnd()),
  inVerbose('a duration as text', setValue('/duration', String)),
  inVerbose(
    'a duration that is rounded',
    setValue('/duration', (old) => Math.round(Number(old) * 10) / 10),
  ),
  inVerbose(
    'text as the id of a segment',
    setValue('/segments/*/id', (old) => `seg_${old}`),
  ),
  inCallsOf(TRANSLATION, 'translations always as an object', (exchange) =>
    isSuccessful(exchange)
      ? withHeader(withBody(exchange, '{"text":"A tone."}'), 'content-type', 'application/json')
      : exchange,
  ),
  inCallsOf(SPEECH, 'speech without a media type', (exchange) =>
    isSuccessful(exchange) ? withHeader(exchange, 'content-type', null) : exchange,
  ),
  inCallsOf(SPEECH, 'a tag before mp3', (exchange) =>
    rewritten(exchange, 'mp3', (bytes) => Buffer.concat([TAG, bytes])),
  ),
  inCallsOf(SPEECH, 'wave files whose header leaves the size unknown', (exchange) =>
    rewritten(exchange, 'wav', openEnded),
  ),
];

/** An empty ID3v2 tag: its header of ten bytes. */
const TAG = Buffer.concat([
  Buffer.from('ID3\u0004\u0000\u0000\u0000\u0000\u0000\u000a', 'latin1'),
  Buffer.alloc(10),
]);

function inCaptions(name: string, change: (file: string) => string): EquivalentMutant {
  return inFormat(name, ['srt', 'vtt'], change);
}

function inFormat(
  name: string,
  formats: readonly string[],
  change: (file: string) => string,
): EquivalentMutant {
  return inCallsOf([TRANSCRIPTION, TRANSLATION], name, (exchange) => {
    const { request, response } = exchange;
    if (!isSuccessful(exchange) || response === null) return exchange;
    const asked =
      formDataParts(request)?.find((part) => part.name === 'response_format')?.body.text ?? 'json';
    const file = decodedContent(response)?.text ?? null;
    return formats.includes(asked) && file !== null ? withBody(exchange, change(file)) : exchange;
  });
}

function inVerbose(name: string, edit: Edit): EquivalentMutant {
  return inAnswersOf(TRANSCRIPTION, name, (answer) => {
    const isDetailed = typeof answer === 'object' && answer !== null && 'task' in answer;
    return isDetailed ? edit(answer) : answer;
  });
}

function rewritten(exchange: Exchange, format: string, change: (bytes: Uint8Array) => Uint8Array): Exchange {
  const bytes = isSuccessful(exchange) ? (exchange.response?.body.bytes ?? null) : null;
  return bytes !== null && readAudio(bytes)?.format === format ? withBody(exchange, change(bytes)) : exchange;
}

/** A WAVE file of a streaming writer: both size fields have the largest value. */
function openEnded(bytes: Uint8Array): Uint8Array {
  const open = Buffer.from(bytes);
  const data = open.indexOf('data', 0, 'latin1');
  open.writeUInt32LE(0xffff_ffff, 4);
  if (data !== -1) open.writeUInt32LE(0xffff_ffff, data + 4);
  return open;
}

function isSuccessful({ response }: Exchange): boolean {
  return response !== null && response.status < 300;
}
