import { choices as assistants } from '../assistants/assistants.choices.ts';
import { choices as audio } from '../audio/audio.choices.ts';
import { choices as batches } from '../batches/batches.choices.ts';
import { choices as chat } from '../chat/chat.choices.ts';
import { choices as completions } from '../completions/completions.choices.ts';
import type { ChoiceTable } from '../deviations/alternatives.ts';
import { choices as files } from '../files/files.choices.ts';
import { choices as fineTuning } from '../fine-tuning/fine-tuning.choices.ts';
import { choices as images } from '../images/images.choices.ts';
import { choices as models } from '../models/models.choices.ts';
import { choices as moderations } from '../moderations/moderations.choices.ts';
import { choices as runs } from '../threads/runs.choices.ts';
import { choices as threads } from '../threads/threads.choices.ts';
import { choices as vectorStores } from '../vector-stores/vector-stores.choices.ts';
import { choices as errors } from './errors.choices.ts';
import { choices as lists } from './lists.choices.ts';

/**
 * Every choice of the ledger that the service can take in another way. An alternative changes what the ones before it
 * show: those about the order of lists come before those about pages.
 */
export const choiceTable: ChoiceTable = {
  ...assistants,
  ...threads,
  ...runs,
  ...vectorStores,
  ...files,
  ...models,
  ...moderations,
  ...fineTuning,
  ...batches,
  ...chat,
  ...completions,
  ...images,
  ...audio,
  ...lists,
  ...errors,
};

/** Pairs of choices that report the same behaviour, with their alternatives in the same order. */
export const equalChoices: Readonly<Record<string, string>> = {
  'runs.stream.step-of-waiting-calls': 'run-steps.status.while-waiting',
};

/** Choices of the ledger without another alternative of the service, with the reason. */
export const invariableChoices: Readonly<Record<string, string>> = {
  'audio.speech.aac-container': 'the service writes no mp4, and assay depends on no package that does',
  'audio.speech.opus-container': 'the service writes no webm, and assay depends on no package that does',
  'batches.status.transitions': 'it collects those that were seen, and those of the specification always are',
  'batches.status.values': 'it collects those that were seen, and those of the specification always are',
  'fine-tuning.status.transitions':
    'it collects those that were seen, and those of the specification always are',
  'images.answer.format': 'the service paints png alone, and assay depends on no package that writes others',
  'messages.content.annotations': 'texts of the stand-in model cite nothing',
  'messages.content.other-parts': 'a part is shown as the caller has sent it',
  'run-steps.status.other-moves':
    'it collects those that were seen: a step is cancelled or fails with its run',
  'runs.status.other-moves':
    'it collects those that were seen, and no stream of the specification cancels a run',
  'runs.status.values': 'it collects those that were seen, and no stream of the specification cancels a run',
  'runs.stream.deltas-of-other-parts': 'the stand-in model writes texts alone',
  'vector-store-file-batches.states.from-ended':
    'an ended batch stays as it is, as the states of its end imply',
  'vector-store-file-batches.states.way':
    'the list of states is closed, and has no other state before an end',
  'vector-store-files.states.from-ended': 'a file in a store stays as it ended until it is removed',
  'vector-store-files.states.way': 'the list of states is closed, and has no other state before an end',
  'vector-stores.states.from-completed': 'which state follows depends on what a caller adds, and on the time',
  'vector-stores.states.from-in-progress': 'which state follows depends on when a caller looks',
};
