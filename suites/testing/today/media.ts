import type { Sketch } from '../service-traffic.ts';
import type { TodayCase } from './case.ts';
import { drawing } from './objects.ts';

const draw = (sent: object, more: Partial<Sketch>): Sketch => ({
  call: 'POST /v1/images/generations',
  sent: { model: 'gpt-image-1', prompt: 'A cat.', ...sent },
  ...more,
});
const image = drawing(1024, 1024);
const transcribe = (fields: Readonly<Record<string, string>>, more: Partial<Sketch>): Sketch => ({
  call: 'POST /v1/audio/transcriptions',
  form: [...Object.entries(fields), ['file', 'audio', 'a.mp3']],
  ...more,
});
const transcript = { text: 'Hello', logprobs: [], usage: { type: 'tokens', total_tokens: 10 } };
const segment = {
  id: 0,
  seek: 0,
  start: 0,
  end: 1.5,
  text: ' Hello',
  tokens: [1],
  temperature: 0,
  avg_logprob: -0.2,
  compression_ratio: 1.2,
  no_speech_prob: 0.01,
};
const verboseTranscript = (more: object) => ({
  task: 'transcribe',
  language: 'english',
  duration: 1.5,
  text: 'Hello',
  segments: [segment],
  usage: { type: 'duration', seconds: 2 },
  ...more,
});
const wrongText = transcribe({ model: 'gpt-4o-transcribe' }, { answer: { text: 5 } });

export const MEDIA_CASES: readonly TodayCase[] = [
  {
    name: 'an image in base64 by default, of a new size and quality',
    traffic: [
      draw({ size: '1024x1536', quality: 'high', background: 'opaque' }, { answer: drawing(1024, 1536) }),
    ],
    wrong: draw({}, { answer: { ...image, created: 'now' } }),
    breaks: 'images:created#type',
  },
  {
    name: 'a streamed image',
    traffic: [
      draw(
        { stream: true, partial_images: 1 },
        {
          events: [
            ['image_generation.partial_image', { type: 'image_generation.partial_image', b64_json: 'aa' }],
            ['image_generation.completed', { type: 'image_generation.completed', b64_json: 'aa' }],
          ],
        },
      ),
    ],
    wrong: draw({}, { events: [['image_generation.completed', { b64_json: 'aa' }]] }),
    breaks: 'createImage:answer#json',
  },
  {
    name: 'an edit of several images',
    traffic: [
      {
        call: 'POST /v1/images/edits',
        form: [
          ['model', 'gpt-image-1'],
          ['prompt', 'Join them.'],
          ['quality', 'low'],
          ['input_fidelity', 'high'],
          ['image[]', 'a', 'a.png'],
          ['image[]', 'b', 'b.webp'],
        ],
        answer: image,
      },
    ],
    wrong: {
      call: 'POST /v1/images/edits',
      form: [
        ['prompt', 'Join them.'],
        ['image[]', 'a', 'a.png'],
      ],
      answer: { data: image['data'] ?? null },
    },
    breaks: 'images:created#required',
  },
  {
    name: 'a transcript from a newer model',
    traffic: [
      transcribe(
        { model: 'gpt-4o-transcribe', 'include[]': 'logprobs', chunking_strategy: 'auto' },
        { answer: transcript },
      ),
    ],
    wrong: wrongText,
    breaks: 'transcription:text#type',
  },
  {
    name: 'a streamed transcript',
    traffic: [
      transcribe(
        { model: 'gpt-4o-transcribe', stream: 'true' },
        {
          events: [
            ['transcript.text.delta', { type: 'transcript.text.delta', delta: 'Hello' }],
            ['transcript.text.done', { type: 'transcript.text.done', text: 'Hello' }],
          ],
        },
      ),
    ],
    wrong: wrongText,
    follows: true,
    breaks: 'transcription:text#type',
  },
  {
    name: 'a diarized transcript',
    traffic: [
      transcribe(
        { model: 'gpt-4o-transcribe-diarize', response_format: 'diarized_json' },
        {
          answer: {
            task: 'transcribe',
            duration: 1.5,
            text: 'Hello',
            segments: [{ id: 'seg_a', speaker: 'A' }],
          },
        },
      ),
    ],
    wrong: transcribe(
      { model: 'whisper-1', response_format: 'verbose_json' },
      { answer: verboseTranscript({ segments: [{ id: 'seg_a', speaker: 'A' }] }) },
    ),
    follows: true,
    breaks: 'transcription.verbose:segments[].start#required',
  },
  {
    name: 'a verbose transcript with usage',
    traffic: [
      transcribe({ model: 'whisper-1', response_format: 'verbose_json' }, { answer: verboseTranscript({}) }),
    ],
    wrong: transcribe(
      { model: 'whisper-1', response_format: 'verbose_json' },
      { answer: verboseTranscript({ language: null }) },
    ),
    breaks: 'transcription.verbose:language#type',
  },
  {
    name: 'speech streamed as events, in a new voice',
    traffic: [
      {
        call: 'POST /v1/audio/speech',
        sent: { model: 'gpt-4o-mini-tts', input: 'Hello', voice: 'coral', stream_format: 'sse' },
        events: [['speech.audio.delta', { type: 'speech.audio.delta', audio: 'aa' }]],
      },
    ],
    wrong: {
      call: 'POST /v1/audio/speech',
      sent: { model: 'gpt-4o-mini-tts', input: 'Hello', voice: 'coral' },
      events: [['speech.audio.delta', { type: 'speech.audio.delta', audio: 'aa' }]],
    },
    breaks: 'audio.speech.not-labelled-as-text',
  },
];
