// The sound in forms. Lengths and languages are not judged: no rule of the specification limits them.
import { formDataParts } from '../../exchange/http/form-data.ts';
import { requests, where } from '../../judge/evidence/calls.ts';
import { section } from '../../judge/requirements/define.ts';
import type { Call } from '../../judge/trace/call.ts';
import { inFile } from '../../proof/mutations/requests.ts';

const { stated } = section('2 Audio');

/** Operations that take sound. */
const HEARING = ['createTranscription', 'createTranslation'];
/** As endings of file names, in the order of the specification. */
const FORMATS = ['flac', 'mp3', 'mp4', 'mpeg', 'mpga', 'm4a', 'ogg', 'wav', 'webm'];

/** How files of the formats begin, in hex: a file may be right whatever its name. */
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
/** Bytes that a signature takes. */
const HEAD = 16;

/** The audio of a request: the ending of its name, and its first bytes; null where it was not kept. */
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
 * A file is accused only if neither its name nor its first bytes belong to one of the formats: raw frames of some of them
 * begin like anything.
 */
export const clientAudioFormats = stated('client.audio.formats', {
  says: 'A client sends audio in one of the nine formats.',
  selector: where(requests(HEARING), ({ call }) => audioOf(call) !== null),
  check: ({ call }) => {
    const audio = audioOf(call);
    // Either sign is enough: contents without a known beginning occur, and so do files without an ending.
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
