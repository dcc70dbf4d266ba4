// Cases of the errata for requests that the specification does not know, and for the responses to them.
import type { Json, JsonObject } from '../../../schemas/json.ts';
import type { Sketch } from '../service-traffic.ts';
import type { ErratumCase } from './errata.ts';
import { assistant, completion, drawing, lookUp, thread } from './objects.ts';

type Fields = readonly (readonly [name: string, value: string, filename?: string])[];

const beta = 'v2';
const event = { events: [{ type: 'a.delta', delta: 'a' }] } as const;
const draw = (sent: JsonObject): readonly Sketch[] => [
  {
    call: 'POST /v1/images/generations',
    sent: { model: 'gpt-image-1', prompt: 'A cat.', ...sent },
    ...event,
  },
];
const edit = (fields: Fields, more: Partial<Sketch> = { answer: drawing(1024, 1024) }): readonly Sketch[] => [
  {
    call: 'POST /v1/images/edits',
    form: [['model', 'gpt-image-1'], ['prompt', 'Join them.'], ...fields],
    ...more,
  },
];
const several: Fields = [['image[]', 'a', 'a.png']];
const transcribe = (more: Partial<Sketch>, ...fields: Fields): readonly Sketch[] => [
  {
    call: 'POST /v1/audio/transcriptions',
    form: [['model', 'gpt-4o-transcribe'], ['file', 'audio', 'a.mp3'], ...fields],
    ...more,
  },
];
const speak = (more: JsonObject): readonly Sketch[] => [
  {
    call: 'POST /v1/audio/speech',
    sent: { model: 'gpt-4o-mini-tts', input: 'Hello', voice: 'alloy', ...more },
    ...event,
  },
];
const bySpeaker = { answer: { text: 5, segments: [{ speaker: 'A' }] } };
const chat = (sent: JsonObject, answer: JsonObject): readonly Sketch[] => [
  {
    call: 'POST /v1/chat/completions',
    sent: { model: 'gpt-4o', messages: [{ role: 'user', content: 'a' }], ...sent },
    answer,
  },
];
const spoken = completion({ content: 5, audio: { id: 'audio_a', data: 'UklGRg==' } });
const customCall = { id: 'call_a', type: 'custom', custom: { name: 'code', input: '1' } };
const custom = { type: 'custom', custom: { name: 'code' } };
const called = completion({ content: null, tool_calls: [customCall] }, { finish_reason: 'tool_calls' });
const NEW_STORE = { file_search: { vector_stores: [{ file_ids: ['file-a'] }] } };
const STORE = { file_search: { vector_store_ids: ['vs_b'] } };
const code = (file: string) => ({ code_interpreter: { file_ids: [file] } });
const begin = (sent: JsonObject, kept: Json, more: JsonObject = {}): readonly Sketch[] => [
  {
    call: 'POST /v1/threads',
    beta,
    sent: { tool_resources: sent, metadata: { key: 'a' } },
    answer: thread({ tool_resources: kept, metadata: { key: 'a' }, ...more }),
  },
];
const make = (path: string, answer: JsonObject): readonly Sketch[] => [
  {
    call: `POST /v1/assistants${path}`,
    beta,
    sent: { model: 'gpt-4o', name: 'a', tool_resources: NEW_STORE },
    answer: assistant({ name: 'a', tool_resources: STORE, ...answer }),
  },
];

/** Of both dialects. */
export const STREAMS_OF_AUDIO: ErratumCase = {
  erratum: 'streams-of-audio',
  excused: [...transcribe(event, ['stream', 'true']), ...speak({ stream_format: 'sse' })],
  beyond: [
    { traffic: transcribe(event, ['stream', 'false']), breaks: 'createTranscription:answer#json' },
    { traffic: speak({ stream_format: 'audio' }), breaks: 'audio.speech.not-labelled-as-text' },
    {
      traffic: speak({ stream_format: 'sse', speed: 99 }),
      breaks: 'createSpeech:body.speed#maximum.rejected',
    },
  ],
};

export const MODES: readonly ErratumCase[] = [
  {
    erratum: 'streams-of-images',
    excused: [
      ...draw({ stream: true }),
      ...edit(
        [
          ['image', 'a', 'a.png'],
          ['stream', 'true'],
        ],
        event,
      ),
    ],
    beyond: [
      { traffic: draw({ stream: false }), breaks: 'createImage:answer#json' },
      { traffic: draw({ stream: true, n: 99 }), breaks: 'createImage:body.n#maximum.rejected' },
      {
        traffic: edit(
          [
            ['image', 'a', 'a.png'],
            ['stream', 'false'],
          ],
          event,
        ),
        breaks: 'createImageEdit:answer#json',
      },
    ],
  },
  {
    erratum: 'several-images',
    excused: edit(several),
    beyond: [
      { traffic: edit([]), breaks: 'createImageEdit:file.image#required.rejected' },
      { traffic: edit([...several, ['n', '99']]), breaks: 'createImageEdit:body.n#maximum.rejected' },
      { traffic: edit([['image[1]', 'a', 'a.png']]), breaks: 'createImageEdit:file.image#required.rejected' },
      { traffic: edit(several, { answer: { data: [] } }), breaks: 'images:created#required' },
      {
        traffic: [{ call: 'POST /v1/images/edits', form: several, answer: drawing(1024, 1024) }],
        breaks: 'createImageEdit:body.prompt#required.rejected',
      },
    ],
  },
  STREAMS_OF_AUDIO,
  {
    erratum: 'speakers',
    excused: transcribe(bySpeaker, ['response_format', 'diarized_json']),
    beyond: [
      { traffic: transcribe(bySpeaker, ['response_format', 'json']), breaks: 'transcription:text#type' },
      {
        traffic: transcribe(bySpeaker, ['response_format', 'diarized_json'], ['temperature', '5']),
        breaks: 'createTranscription:body.temperature#maximum.rejected',
      },
    ],
  },
  {
    erratum: 'chat-audio',
    excused: chat({ modalities: ['text', 'audio'] }, spoken),
    beyond: [
      { traffic: chat({ modalities: ['text'] }, spoken), breaks: 'chat.message:content#type' },
      {
        traffic: chat({ modalities: ['audio'], temperature: 99 }, spoken),
        breaks: 'createChatCompletion:body.temperature#maximum.rejected',
      },
    ],
  },
  {
    erratum: 'custom-tools',
    excused: chat({ tools: [custom] }, called),
    beyond: [
      { traffic: chat({}, called), breaks: 'chat.tool_call:type#const' },
      { traffic: chat({ tools: [lookUp] }, called), breaks: 'chat.tool_call:type#const' },
      {
        traffic: chat({ tools: [custom], n: 'x' }, called),
        breaks: 'createChatCompletion:body.n#type.rejected',
      },
    ],
  },
  {
    erratum: 'stores-with-assistants',
    excused: [
      ...begin({ ...NEW_STORE, ...code('file-b') }, { ...STORE, ...code('file-b') }),
      ...make('', {}),
      ...make('/asst_a', {}),
    ],
    beyond: [
      { traffic: begin(NEW_STORE, {}), breaks: 'threads.create.keeps-tool-resources' },
      {
        traffic: begin({ file_search: { vector_store_ids: ['vs_a'] } }, STORE),
        breaks: 'threads.create.keeps-tool-resources',
      },
      {
        traffic: begin(NEW_STORE, { file_search: { vector_store_ids: [] } }),
        breaks: 'threads.create.keeps-tool-resources',
      },
      {
        traffic: begin({ ...NEW_STORE, ...code('file-b') }, { ...STORE, ...code('file-c') }),
        breaks: 'threads.create.keeps-tool-resources',
      },
      { traffic: begin(NEW_STORE, STORE, { metadata: {} }), breaks: 'threads.create.keeps-metadata' },
      { traffic: make('', { name: 'b' }), breaks: 'assistants-v2.create.keeps-name' },
      { traffic: make('/asst_a', { name: 'b' }), breaks: 'assistants-v2.modify.keeps-name' },
    ],
  },
];
