// The makers and files that the steps and requests of `scenarios.json` can name.
import { ScenarioBlocked, type ScenarioContext } from '../drive/scenario/scenario.ts';
import { operation } from '../schemas/index.ts';
import { attachFile } from './assistant-files/samples.ts';
import {
  createOfferedSearch,
  createOfferedToolResources,
  createSampleAssistant,
  createToolResources,
  otherModel,
  uploadAssistantFiles,
} from './assistants/samples.ts';
import { AUDIO_EXTENSIONS, toneRecording } from './audio/samples.ts';
import {
  batchBody,
  CHAT,
  COMPLETIONS,
  chatLines,
  completionLines,
  createSampleBatch,
  readBatchFiles,
  rejectedLine,
  runBatch,
  uploadBatchInput,
} from './batches/samples.ts';
import { type FilePurpose, uploadFlawed, uploadSample } from './files/samples.ts';
import { createEndedJob, createJobBody, createSampleJob, uploadExamples } from './fine-tuning/samples.ts';
import type { FileValue } from './generate/requests.ts';
import { callRefusedStream } from './generate/rule-probes.ts';
import { bmpFile, pngFile, textFile, wavFile } from './generate/sample-files.ts';
import type { Materials } from './generate/step-runner.ts';
import { opaqueImage } from './images/samples.ts';
import { addMessage, createAnsweredThread } from './messages/samples.ts';
import { createFineTunedModel } from './models/samples.ts';
import {
  createRunAssistant,
  createThreadWithPrompt,
  isAtRest,
  readStartedRun,
  retrieveRunObjects,
  SAMPLE_PROMPT,
  userMessage,
} from './runs/samples.ts';
import { createSampleThread } from './threads/samples.ts';
import { createSampleFileBatch } from './vector-store-file-batches/samples.ts';
import { addFileToStore } from './vector-store-files/samples.ts';
import { createSampleStore, uploadStoreFiles } from './vector-stores/samples.ts';
import { arrayAt, isObject, textAt } from './vocabulary/json.ts';
import type { Json } from './vocabulary/types.ts';

const files: Materials['files'] = {
  'square image': () => pngFile('square.png', { width: 32, height: 32 }),
  'opaque image': opaqueImage,
  'transparent image': () => pngFile('transparent.png', { width: 64, height: 64, transparent: true }),
  'wide image': () => pngFile('wide.png', { width: 64, height: 48 }),
  'wide transparent image': () => pngFile('wide.png', { width: 64, height: 48, transparent: true }),
  mask: () => pngFile('mask.png', { width: 64, height: 64, transparent: true }),
  'small mask': () => pngFile('mask.png', { width: 32, height: 32, transparent: true }),
  'image.bmp': () => bmpFile('image.bmp', 64, 64),
  'mask.bmp': () => bmpFile('mask.bmp', 64, 64),
  'notes.txt': () => textFile('notes.txt', 'This file does not contain audio.\n'),
  'tone of 2 s': () => wavFile('tone.wav', 2),
  'tone of 6 s': () => wavFile('tone.wav', 6),
  ...Object.fromEntries(
    AUDIO_EXTENSIONS.map((extension) => [`tone.${extension}`, () => toneRecording(extension)]),
  ),
};

/** Each maker returns the values that later steps can name, if there are any. */
const makers: Materials['makers'] = {
  'repeated text': async ({ fields: { text, times } }) => ({ text: String(text).repeat(Number(times)) }),
  file: async ({ context, fields: { purpose = 'assistants' } }) => ({
    file_id: await uploadSample(context, purpose as FilePurpose), // as: the schema lists the purposes
  }),
  files: async ({ context, fields: { count } }) => ({
    files: [...(await uploadAssistantFiles(context, Number(count)))],
  }),
  /** Uploads files and, if `flawed` is set, a picture. Omits the id of the picture if its upload is rejected. */
  'files at once': async ({ context, fields: { count, flawed } }) => {
    const picture =
      flawed === true ? await uploadFlawed(context, 'assistants', fileWithoutText(context, 'picture')) : null;
    const files = await uploadStoreFiles(context, Number(count));
    return { files: [...files, ...(picture === null ? [] : [picture])] };
  },
  /** Uploads a file that contains no text to search; its id is null if the upload is rejected. */
  'flawed file': async ({ context, fields: { kind } }) => ({
    file_id: await uploadFlawed(context, 'assistants', fileWithoutText(context, kind)),
  }),
  /** Uses the version that the target serves, unless `variant` names one. */
  assistant: async ({ context, fields: { variant, ...fields } }) => ({
    assistant_id: await createSampleAssistant(
      context,
      variant === 'v1' || variant === 'v2' ? variant : 'served',
      fields,
    ),
  }),
  'other model': async ({ context }) => ({ other_model: otherModel(context) }),
  'assistant of runs': async ({ context, fields }) => ({
    assistant_id: await createRunAssistant(context, fields),
  }),
  'attached file': async ({ context, values }) => ({
    file_id: await attachFile(context, { assistant_id: String(values['assistant_id']) }),
  }),
  'resources of tools': async ({ context }) => ({
    tool_resources: await createOfferedToolResources(context),
  }),
  'new resources of tools': async ({ context }) => ({ tool_resources: await createToolResources(context) }),
  'resources of the search': async ({ context }) => ({ tool_resources: await createOfferedSearch(context) }),
  thread: ({ context, fields }) => createSampleThread(context, fields),
  'asking thread': ({ context, fields: { messages = [] } }) =>
    createThreadWithPrompt(context, ...arrayAt(messages)),
  message: async ({ context, fields, values }) => ({
    message_id: await addMessage(context, { thread_id: String(values['thread_id']) }, fields),
  }),
  'answered thread': async ({ context }) => {
    const { path, run } = await createAnsweredThread(context);
    return { ...path, run_id: run };
  },
  run: async ({ last }) => {
    const { path, messages } = readStartedRun(last());
    return { run: { ...path, messages: [...messages] }, ...path };
  },
  'refused stream': async ({ context, fields: { operation: id, body } }) => {
    await callRefusedStream(context, String(id), isObject(body) ? body : {});
    return {};
  },
  'run with a step': async ({ context }) => {
    const assistant_id = await createRunAssistant(context);
    const body = { assistant_id, thread: { messages: [userMessage(SAMPLE_PROMPT)] }, stream: true };
    const started = await context.need('createThreadAndRun', { body });
    const { exchange, path, steps } = readStartedRun(started);
    const [step_id] = steps;
    if (step_id !== undefined) return { ...path, step_id };
    const { method, path: template } = operation('createThreadAndRun');
    const missing = { kind: 'no-object', method, path: template, object: 'thread.run.step' } as const;
    throw new ScenarioBlocked(exchange, missing);
  },
  /** Waits until a step of the run is at rest (`isAtRest`), unless the run was streamed. */
  'rest of the run': async ({ context, fields: { streamed }, values }) => {
    const { path } = runFrom(values['run']);
    if (streamed !== true)
      await context.poll('listRunSteps', { path }, (answer) => arrayAt(answer, 'data').some(isAtRest));
    return {};
  },
  'look at the run': async ({ context, fields, values }) => {
    await retrieveRunObjects(context, runFrom(fields['run'] ?? values['run']));
    return {};
  },
  store: async ({ context, fields }) => ({ vector_store_id: await createSampleStore(context, fields) }),
  'file in a store': async ({ context }) => ({ ...(await addFileToStore(context)) }),
  /** `others` are files that the store already contains. */
  'batch of files': async ({ context, fields: { count = 1, ...fields } }) => {
    const others = arrayAt(fields, 'others').map(String);
    const { path, fileIds } = await createSampleFileBatch(context, Number(count), others);
    return { ...path, files: [...fileIds] };
  },
  batch: async ({ context }) => ({ batch_id: await createSampleBatch(context) }),
  'input of a batch': async ({ context, fields: { lines = 'chat', refused } }) => {
    const accepted = lines === 'chat' ? chatLines(context) : completionLines(context);
    const rejected = refused === true ? [rejectedLine(context, 'refused')] : [];
    return { input_file_id: await uploadBatchInput(context, [...accepted, ...rejected]) };
  },
  'finished batch': async ({ context, fields: { input_file_id, endpoint } }) => {
    const path = endpoint === COMPLETIONS ? COMPLETIONS : CHAT;
    await runBatch(context, batchBody(context, String(input_file_id), path));
    return {};
  },
  'files of the batch': async ({ context, last }) => {
    await readBatchFiles(context, last().json);
    return {};
  },
  'training file': async ({ context, fields: { subject } }) => ({
    training_file: await uploadExamples(context, textAt(subject)),
  }),
  'body of a job': async ({ context, fields: { more } }) => ({
    body: await createJobBody(context, isObject(more) ? more : {}),
  }),
  'fine-tuning job': ({ context, fields }) => createSampleJob(context, fields),
  'trained model': async ({ context }) => ({ model: await createFineTunedModel(context) }),
  'trained job': ({ context, fields }) => createEndedJob(context, fields),
};

function fileWithoutText({ tag }: ScenarioContext, kind: Json | undefined): FileValue {
  return kind === 'picture' ? pngFile(`${tag}.png`, { width: 16, height: 16 }) : textFile(`${tag}.txt`, '');
}

function runFrom(run: Json | undefined) {
  const [thread_id, run_id] = [textAt(run, 'thread_id') ?? '', textAt(run, 'run_id') ?? ''];
  return { path: { thread_id, run_id }, messages: arrayAt(run, 'messages').map(String) };
}

export const materials: Materials = { makers, files };
