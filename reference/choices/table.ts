import { createRequire } from 'node:module';
import { choices as assistants } from '../assistants/assistants.choices.ts';
import { choices as audio } from '../audio/audio.choices.ts';
import { choices as chat } from '../chat/chat.choices.ts';
import { choices as completions } from '../completions/completions.choices.ts';
import {
  type Alternative,
  type ChoiceTable,
  intercepting,
  objectOf,
  reordered,
  reorderedWhole,
  reversed,
  shuffled,
} from '../deviations/alternatives.ts';
import { type ChangeRow, hooksOf, requestTest, valueEdit } from '../deviations/rows.ts';
import { choices as files } from '../files/files.choices.ts';
import { choices as fineTuning } from '../fine-tuning/fine-tuning.choices.ts';
import { choices as images } from '../images/images.choices.ts';
import { choices as moderations } from '../moderations/moderations.choices.ts';
import { choices as runs } from '../threads/runs.choices.ts';
import { choices as threads } from '../threads/threads.choices.ts';
import { choices as vectorStores } from '../vector-stores/vector-stores.choices.ts';
import { choices as errors } from './errors.choices.ts';
import { choices as lists } from './lists.choices.ts';

/** An alternative as data. Without `on` and `shown`, it is implemented in the handler, which calls `service.takes`. */
interface AlternativeRow extends ChangeRow, Pick<Alternative, 'reported' | 'hides' | 'unseen'> {
  /** Ids of operations. */
  readonly on?: readonly string[];
  /** Kinds of objects, by their `object`, that are shown with the edits. */
  readonly shown?: string | readonly string[];
  readonly order?: 'reversed' | 'shuffled';
  /** The list is never paged. */
  readonly whole?: true;
}

interface ChoiceRow {
  readonly usual: string;
  readonly others: Readonly<Record<string, AlternativeRow>>;
}

const ROWS = createRequire(import.meta.url)('#reference/choices/choices.json') as Readonly<
  Record<string, Readonly<Record<string, ChoiceRow>>>
>; // as: `npm run prove:choices` proves each row

function inData(family: string): ChoiceTable {
  return Object.fromEntries(
    Object.entries(ROWS[family] ?? {}).map(([id, { usual, others }]) => [
      id,
      {
        usual,
        others: Object.fromEntries(Object.entries(others).map(([name, row]) => [name, alternativeOf(row)])),
      },
    ]),
  );
}

function alternativeOf(row: AlternativeRow): Alternative {
  const { reported, hides, unseen } = row;
  return {
    ...changesOf(row),
    ...(reported !== undefined && { reported }),
    ...(hides !== undefined && { hides }),
    ...(unseen !== undefined && { unseen }),
  };
}

function changesOf({ on, shown, order, whole, ...row }: AlternativeRow): Alternative {
  if (shown !== undefined) {
    const [isMeant, edit] = [requestTest(row), valueEdit(row)];
    const change: NonNullable<Alternative['shows']>[string] = (object, request) =>
      isMeant(request) ? objectOf(edit(object)) : object;
    return { shows: Object.fromEntries([shown].flat().map((kind) => [kind, change])) };
  }
  if (on === undefined) return {};
  if (order !== undefined)
    return (whole === true ? reorderedWhole : reordered)(on, order === 'reversed' ? reversed : shuffled);
  return intercepting(on, hooksOf(row));
}

/**
 * Every choice of the ledger for which the service has another alternative. An alternative changes the results of the
 * ones before it, so those about the order of lists come before those about pages.
 */
export const choiceTable: ChoiceTable = {
  ...inData('assistants'),
  ...assistants,
  ...inData('threads'),
  ...threads,
  ...inData('runs'),
  ...runs,
  ...inData('vector-stores'),
  ...vectorStores,
  ...inData('files'),
  ...files,
  ...inData('models'),
  ...inData('moderations'),
  ...moderations,
  ...inData('fine-tuning'),
  ...fineTuning,
  ...inData('batches'),
  ...inData('chat'),
  ...chat,
  ...inData('completions'),
  ...completions,
  ...inData('images'),
  ...images,
  ...inData('audio'),
  ...audio,
  ...lists,
  ...errors,
};

/** Pairs of choices that report the same behaviour, with their alternatives in the same order. */
export const equalChoices: Readonly<Record<string, string>> = {
  'runs.stream.step-of-waiting-calls': 'run-steps.status.while-waiting',
};

/** Choices of the ledger for which the service has no other alternative, with the reason. */
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
  'runs.stream.end': 'a run that never completes is one of `runsEnd`',
  'runs.stream.end-in-json-mode': 'a run that fills the context is one of `smallModel`',
  'runs.stream.end-of-forced-call': 'a run that fills the context is one of `smallModel`',
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
