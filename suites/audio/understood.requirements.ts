import type { Call } from '../../judge/call.ts';
import { inAnswer, status } from '../../judge/edit/breaks.ts';
import { put } from '../../judge/edit/values.ts';
import { get, text } from '../../judge/json.ts';
import { isCarriedOut } from '../../judge/probe/carried-out.ts';
import { violationsOf } from '../../judge/probe/unlabelled.ts';
import type { Complaint } from '../../judge/requirement.ts';
import { only } from '../../judge/selectors/answers.ts';
import { choice, requirement } from '../../judge/write.ts';
import { TRANSCRIPTION } from './heard.ts';
import { type OwnSpeech, ownSpeech, wordSet } from './understood.ts';

const SERVICE = '2 What the service does';

/** Formats that are both spoken and taken as a file. */
const SHARED = ['mp3', 'flac', 'wav'];

/** So many different words cannot all be misheard. */
const ENOUGH = 6;

export const taken = requirement({
  id: 'audio.transcription.takes-own-speech',
  level: 'MUST',
  basis: 'implied',
  spec: '2 Audio',
  says: 'Speech of the service as mp3, flac or wav is accepted as a file to transcribe.',
  on: only(ownSpeech(), ({ format, heard }) => SHARED.includes(format) && tells(heard)),
  check: ({ heard }): Complaint[] => {
    if (heard.outcome === 'accepted') return [];
    const found = { at: 'status', expected: '2xx', actual: heard.status };
    return [heard.outcome === 'capacity' ? { ...found, inconclusive: 'capacity' } : found];
  },
  breaks: { refused: status(TRANSCRIPTION, 400), failed: status(TRANSCRIPTION, 500) },
});

export const understood = requirement({
  id: 'audio.transcription.hears-own-speech',
  level: 'MUST',
  basis: 'implied',
  spec: SERVICE,
  says: 'Of six different words or more that the service speaks, it hears at least one.',
  on: only(
    ownSpeech(),
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
            actual: text(evidence.heard.answer, 'text'),
          },
        ];
  },
  breaks: {
    nothing: inAnswer(TRANSCRIPTION, put('/text', '')),
    'something else': inAnswer(TRANSCRIPTION, put('/text', 'Zwei mal drei macht vier.')),
  },
});

export const howWell = choice({
  id: 'audio.transcription.own-speech',
  several: true,
  spec: SERVICE,
  says: 'How many of the words that the service speaks it hears.',
  alternatives: ['all', 'some', 'none'],
  on: only(ownSpeech(), (evidence) => heardWords(evidence) !== null),
  taken: (evidence) => {
    const words = heardWords(evidence) ?? new Set();
    const said = [...wordSet(evidence.input)];
    if (said.every((word) => words.has(word))) return 'all';
    return said.some((word) => words.has(word)) ? 'some' : 'none';
  },
  examples: { none: inAnswer(TRANSCRIPTION, put('/text', '')) },
});

/**
 * Whether an answer tells if audio was taken: a refusal of the caller, a model that is not there, a reset and an answer
 * of no form do not, nor does a refusal that may be for something else.
 */
function tells(call: Call): boolean {
  if (call.outcome === 'accepted') return isCarriedOut(call);
  if (call.outcome === 'rejected') return violationsOf(call).length === 0 && !isGuided(call);
  return call.outcome === 'failed' || call.outcome === 'capacity';
}

/** Whether a request says more of the audio than that it is to be heard. */
function isGuided({ asked }: Call): boolean {
  return ['language', 'prompt'].some((field) => get(asked, field) !== undefined);
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
  const said = text(heard.answer, 'text');
  return said === undefined ? null : wordSet(said);
}
