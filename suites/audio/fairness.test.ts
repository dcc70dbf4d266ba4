import { expect, test } from 'vitest';
import type { Exchange } from '../../exchange/exchange.ts';
import { Body, type Json } from '../../exchange/http/body.ts';
import { judgeRequirement, takenAlternatives } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { wavFile } from '../generate/sample-files.ts';
import { requirementFromRow } from '../testing/row.ts';
import {
  audioSpeechDefaultSpeed,
  audioSpeechFasterIsShorter,
  audioSpeechFormatAsAsked,
  audioTranscriptionHearsOwnSpeech,
  audioTranscriptionOwnSpeech,
  audioTranscriptionTakesOwnSpeech,
} from './speech.requirements.ts';
import {
  audioSameWordsInEveryFormat,
  audioTranscriptionSrtIsNumbered,
} from './transcription.requirements.ts';

const audioSpeechTakesTime = requirementFromRow('audio.speech.takes-time');

const SIX_WORDS = 'one two three four five six';

type Fields = Readonly<Record<string, string>>;

/** The bytes by which a FLAC file is recognised. */
const FLAC_SIGNATURE = 'fLaC';

function addTranscription(
  trace: TraceBuilder,
  fields: Fields,
  response: { json?: Json; text?: string; status?: number },
  filename = 'tone.flac',
) {
  const parts = Object.entries({ model: 'any', ...fields }).map(([name, value]) => ({ name, value }));
  const form = [...parts, { name: 'file', filename, value: FLAC_SIGNATURE }];
  return trace.add('createTranscription', { form }, { headers: [], ...response });
}

function addSpeech(trace: TraceBuilder, body: Readonly<Record<string, Json>>, file: Uint8Array): Exchange {
  const exchange = trace.add('createSpeech', { body: { model: 'any', voice: 'nova', ...body } });
  if (exchange.response === null) throw new Error('createSpeech has no response');
  return { ...exchange, response: { ...exchange.response, body: Body.from(file) } };
}

function createWave(seconds: number): Uint8Array {
  return wavFile('speech.wav', seconds).file;
}

test.each([
  [
    'may break anywhere in a text without spaces',
    '你好世界',
    'WEBVTT\n\n00:00.000 --> 00:01.000\n你好\n\n00:01.000 --> 00:02.000\n世界\n',
    0,
  ],
  [
    'may have markup and named references',
    'Rock & roll < 3',
    'WEBVTT\n\n00:00.000 --> 00:01.000\n<v Ann>Rock &amp; roll &lt; 3</v>\n',
    0,
  ],
  [
    'may have references by number, and quotation marks as references',
    '"It\'s John\'s", he said',
    'WEBVTT\n\n00:00.000 --> 00:01.000\n&quot;It&#39;s John&#x27;s&quot;, he said\n',
    0,
  ],
  [
    'may not escape a character twice',
    "an apostrophe is written as '",
    'WEBVTT\n\n00:00.000 --> 00:01.000\nan apostrophe is written as &amp;#39;\n',
    1,
  ],
  ['may not have other words', 'Rock & roll', 'WEBVTT\n\n00:00.000 --> 00:01.000\nRock and roll\n', 1],
])('captions %s', (_, text, file, violationCount) => {
  const trace = new TraceBuilder();
  for (const _ of ['once', 'again']) {
    addTranscription(trace, {}, { json: { text } });
    addTranscription(trace, { response_format: 'vtt' }, { text: file });
  }
  expect(judgeRequirement(audioSameWordsInEveryFormat, trace.exchanges).violations).toHaveLength(
    violationCount,
  );
});

test('a finding about other words names the exchange with the words that it shows', () => {
  const trace = new TraceBuilder();
  addTranscription(trace, {}, { json: { text: 'one' } });
  const captions = (text: string) => ({ text: `WEBVTT\n\n00:00.000 --> 00:01.000\n${text}\n` });
  const { id } = addTranscription(trace, { response_format: 'vtt' }, captions('two'));
  addTranscription(trace, { response_format: 'vtt' }, captions('three'));
  expect(judgeRequirement(audioSameWordsInEveryFormat, trace.exchanges).violations).toMatchObject([
    { actual: 'two', exchange: id },
  ]);
});

test.each([
  ['that is wrong', '1\n00:00:00,000 --> 00:00:01,000\nOne\n\n3\n00:00:01,000 --> 00:00:02,000\nTwo\n', 5],
  ['that is missing', '00:00:00,000 --> 00:00:01,000\nOne\n', 1],
])('the number of a caption %s is reported with its line', (_, text, line) => {
  const trace = new TraceBuilder();
  addTranscription(trace, { response_format: 'srt' }, { text });
  expect(judgeRequirement(audioTranscriptionSrtIsNumbered, trace.exchanges).violations).toMatchObject([
    { at: `line ${line}` },
  ]);
});

test('the numbers of captions are not judged if a block has a flaw', () => {
  const trace = new TraceBuilder();
  const flawed = '1\n00:00:00,0000 --> 00:00:01,000\nOne\n\n2\n00:00:01,000 --> 00:00:02,000\nTwo\n';
  addTranscription(trace, { response_format: 'srt' }, { text: flawed });
  expect(judgeRequirement(audioTranscriptionSrtIsNumbered, trace.exchanges).violations).toEqual([]);
});

test('a finding about speech in no known container says so', () => {
  const body = { input: 'one', response_format: 'mp3' };
  const exchanges = [addSpeech(new TraceBuilder(), body, Buffer.from('<html>'))];
  expect(judgeRequirement(audioSpeechFormatAsAsked, exchanges).violations).toMatchObject([
    { expected: 'mp3', actual: 'bytes in no known container' },
  ]);
});

test('an unknown format may be answered by any audio, even if its name is that of a member of every object', () => {
  const exchanges = [
    addSpeech(new TraceBuilder(), { input: 'one', response_format: 'constructor' }, createWave(1)),
  ];
  expect(judgeRequirement(audioSpeechFormatAsAsked, exchanges)).toEqual({ observations: 1, violations: [] });
});

test.each([0, -1, 0.1, 9, '1'])('the duration of speech at the invalid speed %j is not compared', (speed) => {
  const trace = new TraceBuilder();
  const exchanges = [4, speed, speed].map((one) =>
    addSpeech(trace, { input: 'one', speed: one, response_format: 'wav' }, createWave(1)),
  );
  expect(judgeRequirement(audioSpeechFasterIsShorter, exchanges)).toEqual({
    observations: 0,
    violations: [],
  });
});

test('the speech of a text without words may have no duration at any speed', () => {
  const trace = new TraceBuilder();
  const silence = createWave(0);
  const addBothSpeeds = (input: string) =>
    [1, 2].map((speed) => addSpeech(trace, { input, speed, response_format: 'wav' }, silence));
  const judgeText = (input: string): number[] => {
    const exchanges = addBothSpeeds(input);
    return [
      judgeRequirement(audioSpeechTakesTime, exchanges),
      judgeRequirement(audioSpeechFasterIsShorter, exchanges),
    ].map(({ violations }) => violations.length);
  };
  expect([judgeText('…'), judgeText('one')]).toEqual([
    [0, 0],
    [2, 1],
  ]);
});

test.each([
  [
    'one slow speech is tolerated',
    SIX_WORDS,
    [
      [3, 1],
      [1, 1],
    ],
    0,
  ],
  ['one pair is not enough', SIX_WORDS, [[3], [1]], 0],
  [
    'white space around a short text does not count as words',
    ' one two three four ',
    [
      [3, 3],
      [1, 1],
    ],
    0,
  ],
  [
    'a short text is not enough',
    'one two',
    [
      [3, 3],
      [1, 1],
    ],
    0,
  ],
  [
    'a slower default is reported',
    SIX_WORDS,
    [
      [3, 3.2],
      [2, 2.1],
    ],
    1,
  ],
  [
    'a faster default is reported',
    SIX_WORDS,
    [
      [1, 1.1],
      [2, 2.1],
    ],
    1,
  ],
] as const)('when the default speed is judged, %s', (_, input, [unset, atOne], violationCount) => {
  const trace = new TraceBuilder();
  const addSpeeches = (how: Readonly<Record<string, Json>>, all: readonly number[]) =>
    all.map((seconds) => addSpeech(trace, { input, response_format: 'wav', ...how }, createWave(seconds)));
  const exchanges = [...addSpeeches({ speed: 1 }, atOne), ...addSpeeches({}, unset)];
  expect(judgeRequirement(audioSpeechDefaultSpeed, exchanges).violations).toHaveLength(violationCount);
});

function countOwnSpeechViolations(
  rule: typeof audioTranscriptionTakesOwnSpeech | typeof audioTranscriptionHearsOwnSpeech,
  speech: Readonly<Record<string, Json>>,
  fields: Fields,
  response: { readonly json: Json; readonly status?: number },
  filename?: string,
): number {
  const trace = new TraceBuilder();
  const body = { model: 'any', voice: 'nova', response_format: 'flac', ...speech };
  trace.add('createSpeech', { body }, { text: FLAC_SIGNATURE, headers: [] });
  addTranscription(trace, fields, response, filename);
  return judgeRequirement(rule, trace.exchanges).violations.length;
}

test.each([
  ['is reported if its words differ', SIX_WORDS, {}, {}, 'Zwei mal drei', 1],
  ['may spell out numerals', '1 2 3 4 5 6', {}, {}, SIX_WORDS, 0],
  [
    'may omit the separators between words',
    '你好，世界，今天，天气，真的，很好',
    {},
    {},
    '你好世界今天天气真的很好',
    0,
  ],
  ['may be in another language on request', SIX_WORDS, {}, { language: 'de' }, 'eins zwei drei', 0],
  ['may be wrong if the speech is too fast to follow', SIX_WORDS, { speed: 4 }, {}, 'hmm', 0],
  ['may be wrong if the speed is invalid', SIX_WORDS, { speed: '4' }, {}, 'hmm', 0],
])('the transcription of own speech %s', (_, input, speed, fields, text, violationCount) => {
  const count = countOwnSpeechViolations(audioTranscriptionHearsOwnSpeech, { input, ...speed }, fields, {
    json: { text },
  });
  expect(count).toBe(violationCount);
});

test.each([
  ['one two', 'two', ['some']],
  ['one two', 'Two, one!', ['all']],
  ['one two', '', ['none']],
  ['…', '', []],
])('the transcription of %j as %j contains this share of the words: %j', (input, text, share) => {
  const trace = new TraceBuilder();
  trace.add(
    'createSpeech',
    { body: { input, response_format: 'flac' } },
    { text: FLAC_SIGNATURE, headers: [] },
  );
  addTranscription(trace, {}, { json: { text } });
  expect(takenAlternatives(audioTranscriptionOwnSpeech, trace.exchanges)).toEqual(share);
});

test.each([
  ['a violation if the request is plain', {}, 400, 1],
  ['allowed for a model that does not exist', { model: 'none' }, 404, 0],
  ['allowed for a language that does not exist', { language: 'english' }, 400, 0],
  ['allowed for a parameter out of range', { temperature: '7' }, 400, 0],
])('rejecting the transcription of own speech is %s', (_, fields, status, violationCount) => {
  const response = { json: {}, status };
  const count = countOwnSpeechViolations(
    audioTranscriptionTakesOwnSpeech,
    { input: SIX_WORDS },
    fields,
    response,
  );
  expect(count).toBe(violationCount);
});

test.each([
  ['speech.FLAC', 1],
  ['blob', 0],
])('rejecting own speech as flac under the name %s gives %i violations', (filename, violationCount) => {
  const count = countOwnSpeechViolations(
    audioTranscriptionTakesOwnSpeech,
    { input: SIX_WORDS },
    {},
    { json: {}, status: 400 },
    filename,
  );
  expect(count).toBe(violationCount);
});
