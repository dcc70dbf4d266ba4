import { textAt, valueAtPath } from '../../judge/evidence/json.ts';
import { where } from '../../judge/evidence/selectors/answers.ts';
import { inResponse, withStatusOf } from '../../judge/mutations/mutations.ts';
import { setValue } from '../../judge/mutations/values.ts';
import { isCarriedOut } from '../../judge/probe/carried-out.ts';
import { violationsOf } from '../../judge/probe/unlabelled-violations.ts';
import { choice, requirement } from '../../judge/requirements/define.ts';
import type { Violation } from '../../judge/requirements/requirement.ts';
import type { Call } from '../../judge/trace/call.ts';
import { type OwnSpeech, ownSpeechTranscripts, wordSet } from './selectors/own-speech.ts';
import { TRANSCRIPTION } from './selectors/transcription-results.ts';

const SERVICE = '2 What the service does';

/** Formats that are both spoken and taken as a file. */
const SHARED = ['mp3', 'flac', 'wav'];

/** So many different words cannot all be misheard. */
const ENOUGH = 6;

export const audioTranscriptionTakesOwnSpeech = requirement({
  id: 'audio.transcription.takes-own-speech',
  level: 'MUST',
  basis: 'implied',
  spec: '2 Audio',
  says: 'Speech of the service as mp3, flac or wav is accepted as a file to transcribe.',
  selector: where(ownSpeechTranscripts(), ({ format, heard }) => SHARED.includes(format) && tells(heard)),
  check: ({ heard }): Violation[] => {
    if (heard.responseClass === 'accepted') return [];
    const found = { at: 'status', expected: '2xx', actual: heard.status };
    return [heard.responseClass === 'capacity' ? { ...found, inconclusive: 'capacity' } : found];
  },
  mutations: { refused: withStatusOf(TRANSCRIPTION, 400), failed: withStatusOf(TRANSCRIPTION, 500) },
});

export const audioTranscriptionHearsOwnSpeech = requirement({
  id: 'audio.transcription.hears-own-speech',
  level: 'MUST',
  basis: 'implied',
  spec: SERVICE,
  says: 'Of six different words or more that the service speaks, it hears at least one.',
  selector: where(
    ownSpeechTranscripts(),
    (evidence) => isPlain(evidence) && plainWords(evidence.input) >= ENOUGH && heardWords(evidence) !== null,
  ),
  check: (evidence) => {
    const words = heardWords(evidence) ?? new Set();
    return [...wordSet(evidence.input)].some((word) => words.has(word))
      ? []
      : [
          {
            at: '/text',
            expected: `some word of ${JSON.stringify(evidence.input)}`,
            actual: textAt(evidence.heard.responseJson, 'text'),
          },
        ];
  },
  mutations: {
    nothing: inResponse(TRANSCRIPTION, setValue('/text', '')),
    'something else': inResponse(TRANSCRIPTION, setValue('/text', 'Zwei mal drei macht vier.')),
  },
});

export const audioTranscriptionOwnSpeech = choice({
  id: 'audio.transcription.own-speech',
  several: true,
  spec: SERVICE,
  says: 'How many of the words that the service speaks it hears.',
  alternatives: ['all', 'some', 'none'],
  selector: where(ownSpeechTranscripts(), (evidence) => heardWords(evidence) !== null),
  taken: (evidence) => {
    const words = heardWords(evidence) ?? new Set();
    const said = [...wordSet(evidence.input)];
    if (said.every((word) => words.has(word))) return 'all';
    return said.some((word) => words.has(word)) ? 'some' : 'none';
  },
  examples: { none: inResponse(TRANSCRIPTION, setValue('/text', '')) },
});

/**
 * Whether an answer tells if audio was taken: a refusal of the caller, a model that is not there, a reset and an answer
 * of no form do not, nor does a refusal that may be for something else.
 */
function tells(call: Call): boolean {
  if (call.responseClass === 'accepted') return isCarriedOut(call);
  if (call.responseClass === 'rejected') return violationsOf(call).length === 0 && !isGuided(call);
  return call.responseClass === 'failed' || call.responseClass === 'capacity';
}

/** Whether a request says more of the audio than that it is to be heard. */
function isGuided({ requestJson: asked }: Call): boolean {
  return ['language', 'prompt'].some((field) => valueAtPath(asked, field) !== undefined);
}

/** Said at a speed that can be followed, and heard without a word of what is to be heard. */
function isPlain({ speed, heard }: OwnSpeech): boolean {
  return speed >= 0.5 && speed <= 2 && !isGuided(heard);
}

/** How many different words are parted by spaces and written in one way only, as numerals are not. */
function plainWords(input: string): number {
  return [...wordSet(input)].filter((word) => /^[\p{Script=Latin}']+$/u.test(word)).length;
}

function heardWords({ heard }: OwnSpeech): ReadonlySet<string> | null {
  const said = textAt(heard.responseJson, 'text');
  return said === undefined ? null : wordSet(said);
}
