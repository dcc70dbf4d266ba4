import type { Json, JsonObject } from '../../../schemas/json.ts';
import type { Sketch } from '../service-traffic.ts';
import type { ErratumCase } from './case.ts';
import { assistant, completion, drawing, lookUpTool, thread } from './objects.ts';

type Fields = readonly (readonly [name: string, value: string, filename?: string])[];

const beta = 'v2';
const oneEvent = { events: [{ type: 'a.delta', delta: 'a' }] } as const;
const draw = (sent: JsonObject): readonly Sketch[] => [
  {
    call: 'POST /v1/images/generations',
    sent: { model: 'gpt-image-1', prompt: 'A cat.', ...sent },
    ...oneEvent,
  },
];
const edit = (fields: Fields, more: Partial<Sketch> = { answer: drawing(1024, 1024) }): readonly Sketch[] => [
  {
    call: 'POST /v1/images/edits',
    form: [['model', 'gpt-image-1'], ['prompt', 'Join them.'], ...fields],
    ...more,
  },
];
const image = ['image', 'a', 'a.png'] as const;
const imageList: Fields = [['image[]', 'a', 'a.png']];
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
    ...oneEvent,
  },
];
// These responses have a text of the wrong type, which is a violation unless their form is unspecified.
const bySpeaker = { answer: { text: 5, segments: [{ speaker: 'A' }] } };
const chat = (sent: JsonObject, answer: JsonObject): readonly Sketch[] => [
  {
    call: 'POST /v1/chat/completions',
    sent: { model: 'gpt-4o', messages: [{ role: 'user', content: 'a' }], ...sent },
    answer,
  },
];
const spokenReply = completion({ content: 5, audio: { id: 'audio_a', data: 'UklGRg==' } });
const customCall = { id: 'call_a', type: 'custom', custom: { name: 'code', input: '1' } };
const customTool = { type: 'custom', custom: { name: 'code' } };
const callingReply = completion({ content: null, tool_calls: [customCall] }, { finish_reason: 'tool_calls' });
const NEW_STORE = { file_search: { vector_stores: [{ file_ids: ['file-a'] }] } };
const STORE = { file_search: { vector_store_ids: ['vs_b'] } };
const codeFiles = (file: string) => ({ code_interpreter: { file_ids: [file] } });
const createThread = (sent: JsonObject, kept: Json, more: JsonObject = {}): readonly Sketch[] => [
  {
    call: 'POST /v1/threads',
    beta,
    sent: { tool_resources: sent, metadata: { key: 'a' } },
    answer: thread({ tool_resources: kept, metadata: { key: 'a' }, ...more }),
  },
];
const postAssistant = (path: string, answer: JsonObject): readonly Sketch[] => [
  {
    call: `POST /v1/assistants${path}`,
    beta,
    sent: { model: 'gpt-4o', name: 'a', tool_resources: NEW_STORE },
    answer: assistant({ name: 'a', tool_resources: STORE, ...answer }),
  },
];

export const STREAMS_OF_AUDIO: ErratumCase = {
  erratum: 'streams-of-audio',
  excused: [...transcribe(oneEvent, ['stream', 'true']), ...speak({ stream_format: 'sse' })],
  beyond: [
    { traffic: transcribe(oneEvent, ['stream', 'false']), breaks: 'createTranscription:answer#json' },
    { traffic: speak({ stream_format: 'audio' }), breaks: 'audio.speech.not-labelled-as-text' },
    {
      traffic: speak({ stream_format: 'sse', speed: 99 }),
      breaks: 'createSpeech:body.speed#maximum.rejected',
    },
  ],
};

export const UNSPECIFIED_REQUESTS: readonly ErratumCase[] = [
  {
    erratum: 'streams-of-images',
    excused: [...draw({ stream: true }), ...edit([image, ['stream', 'true']], oneEvent)],
    beyond: [
      { traffic: draw({ stream: false }), breaks: 'createImage:answer#json' },
      { traffic: draw({ stream: true, n: 99 }), breaks: 'createImage:body.n#maximum.rejected' },
      { traffic: edit([image, ['stream', 'false']], oneEvent), breaks: 'createImageEdit:answer#json' },
    ],
  },
  {
    erratum: 'several-images',
    excused: edit(imageList),
    beyond: [
      { traffic: edit([]), breaks: 'createImageEdit:file.image#required.rejected' },
      { traffic: edit([...imageList, ['n', '99']]), breaks: 'createImageEdit:body.n#maximum.rejected' },
      { traffic: edit([['image[1]', 'a', 'a.png']]), breaks: 'createImageEdit:file.image#required.rejected' },
      { traffic: edit(imageList, { answer: { data: [] } }), breaks: 'images:created#required' },
      {
        traffic: [{ call: 'POST /v1/images/edits', form: imageList, answer: drawing(1024, 1024) }],
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
    excused: chat({ modalities: ['text', 'audio'] }, spokenReply),
    beyond: [
      { traffic: chat({ modalities: ['text'] }, spokenReply), breaks: 'chat.message:content#type' },
      {
        traffic: chat({ modalities: ['audio'], temperature: 99 }, spokenReply),
        breaks: 'createChatCompletion:body.temperature#maximum.rejected',
      },
    ],
  },
  {
    erratum: 'custom-tools',
    excused: chat({ tools: [customTool] }, callingReply),
    beyond: [
      { traffic: chat({}, callingReply), breaks: 'chat.tool_call:type#const' },
      { traffic: chat({ tools: [lookUpTool] }, callingReply), breaks: 'chat.tool_call:type#const' },
      {
        traffic: chat({ tools: [customTool], n: 'x' }, callingReply),
        breaks: 'createChatCompletion:body.n#type.rejected',
      },
    ],
  },
  {
    erratum: 'stores-with-assistants',
    excused: [
      ...createThread({ ...NEW_STORE, ...codeFiles('file-b') }, { ...STORE, ...codeFiles('file-b') }),
      ...postAssistant('', {}),
      ...postAssistant('/asst_a', {}),
    ],
    beyond: [
      { traffic: createThread(NEW_STORE, {}), breaks: 'threads.create.keeps-tool-resources' },
      {
        traffic: createThread({ file_search: { vector_store_ids: ['vs_a'] } }, STORE),
        breaks: 'threads.create.keeps-tool-resources',
      },
      {
        traffic: createThread(NEW_STORE, { file_search: { vector_store_ids: [] } }),
        breaks: 'threads.create.keeps-tool-resources',
      },
      {
        traffic: createThread({ ...NEW_STORE, ...codeFiles('file-b') }, { ...STORE, ...codeFiles('file-c') }),
        breaks: 'threads.create.keeps-tool-resources',
      },
      { traffic: createThread(NEW_STORE, STORE, { metadata: {} }), breaks: 'threads.create.keeps-metadata' },
      { traffic: postAssistant('', { name: 'b' }), breaks: 'assistants-v2.create.keeps-name' },
      { traffic: postAssistant('/asst_a', { name: 'b' }), breaks: 'assistants-v2.modify.keeps-name' },
    ],
  },
];
