import type { ChoiceTable } from './alternative.ts';
import { choices as assistants } from './families/assistants.ts';
import { choices as audio } from './families/audio.ts';
import { choices as batches } from './families/batches.ts';
import { choices as chat } from './families/chat.ts';
import { choices as completions } from './families/completions.ts';
import { choices as errors } from './families/errors.ts';
import { choices as files } from './families/files.ts';
import { choices as fineTuning } from './families/fine-tuning.ts';
import { choices as images } from './families/images.ts';
import { choices as lists } from './families/lists.ts';
import { choices as runStreams } from './families/run-streams.ts';
import { choices as runs } from './families/runs.ts';
import { choices as threads } from './families/threads.ts';
import { choices as vectorStores } from './families/vector-stores.ts';

/**
 * Every choice of the ledger that the service can take in another way. An alternative changes what the ones before it show:
 * those about orders come before those about pages.
 */
export const choiceTable: ChoiceTable = {
  ...assistants,
  ...threads,
  ...runs,
  ...runStreams,
  ...vectorStores,
  ...files,
  ...fineTuning,
  ...batches,
  ...chat,
  ...completions,
  ...images,
  ...audio,
  ...lists,
  ...errors,
};

/** Pairs of choices that report one behaviour in two places, with their alternatives in the same order. */
export const equalChoices: Readonly<Record<string, string>> = {
  'runs.stream.step-of-waiting-calls': 'run-steps.status.while-waiting',
};
