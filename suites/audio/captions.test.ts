import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatSubRip, formatWebVtt, transcribe } from '../../reference/audio/transcript.ts';
import { readSrt, readVtt, removeMarkup } from './captions.ts';

test('SubRip is read block by block, with any line ending and a byte order mark', () => {
  const file = '1\n00:00:00,500 --> 00:00:02,000\nOne\ntwo.\n\n2\n01:02:03,004 --> 01:02:04,000\nThree.\n';
  for (const text of [
    file,
    file.replaceAll('\n', '\r\n'),
    file.replaceAll('\n', '\r'),
    `\uFEFF${file}\n\n`,
  ]) {
    expect(readSrt(text)).toEqual({
      cues: [
        { line: 2, label: '1', start: 0.5, end: 2, text: 'One\ntwo.' },
        { line: 7, label: '2', start: 3723.004, end: 3724, text: 'Three.' },
      ],
      flaws: [],
    });
  }
});

test('WebVTT may omit hours and labels, and have settings, notes and styles', () => {
  const file = [
    'WEBVTT - a title\nKind: captions\n\nNOTE nothing\n\nSTYLE\n::cue {}\n\n',
    '00:00.000 --> 00:01.000 align:start\nOne.\n\nsecond\n00:00:01.000 --> 00:00:02.500\nTwo.\n',
  ].join('');
  expect(readVtt(file)).toEqual({
    cues: [
      { line: 9, label: null, start: 0, end: 1, text: 'One.' },
      { line: 13, label: 'second', start: 1, end: 2.5, text: 'Two.' },
    ],
    flaws: [],
  });
});

test.each([
  ['1\n00:00:00.500 --> 00:00:02.000\nA point.\n', 2],
  ['1\n0:0:0,5 --> 0:0:2,0\nToo few digits.\n', 2],
  ['1\nNo times.\n', 1],
  ['{"text":"One."}', 1],
])('the flaw of invalid SubRip is reported with its line: %j', (file, line) => {
  expect(readSrt(file).flaws.map((flaw) => flaw.line)).toEqual([line]);
});

test.each([
  ['1\n00:00:00.000 --> 00:00:01.000\nNo name.\n', 1],
  ['WEBVTT\n\n00:00:00,000 --> 00:00:01,000\nA comma.\n', 3],
])('the flaw of invalid WebVTT is reported with its line: %j', (file, line) => {
  expect(readVtt(file).flaws.map((flaw) => flaw.line)).toEqual([line]);
});

test('output of the reference is read back with its text, from second 0 and without flaws', () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(words, fc.integer({ min: 1, max: 10_000_000 }), (spoken, thousandths) => {
      const transcript = transcribe(thousandths / 1000, spoken.join(' '));
      for (const { cues, flaws } of [readSrt(formatSubRip(transcript)), readVtt(formatWebVtt(transcript))]) {
        expect(flaws).toEqual([]);
        expect(cues.map(({ text }) => text).join(' ')).toBe(transcript.text);
        expect(cues[0]?.start).toBe(0);
      }
    }),
  );
});

test('markup is removed in linear time, and an unclosed tag is text', () => {
  expect(removeMarkup('<i>a</i> < b')).toBe('a < b');
  const text = '<'.repeat(300_000);
  expect(removeMarkup(text)).toBe(text);
});

test('any mixture of text, line breaks and times is read without an error', () => {
  const piece = fc.oneof(
    fc.constantFrom('WEBVTT', '\n', '-->', '00:00:00,000 --> 00:00:01,000', '00:00.000 --> 00:01.000'),
    fc.string(),
  );
  const files = fc.array(piece).map((pieces) => pieces.join(''));
  fc.assert(fc.property(files, (file) => void [readSrt(file), readVtt(file)]));
});
