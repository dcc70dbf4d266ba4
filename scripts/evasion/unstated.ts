// What the specification leaves open in a run: valid requests that a service may refuse, and content that it may hide. No choice
import { formDataParts } from '../../exchange/http/form-data.ts';
import type { HiddenAnswer } from './hidden-answers.ts';
import type { DistinctRequest } from './recorded-run.ts';

/** Requests that a service may refuse. A complete proof fails if an entry is not needed. */
export interface UnstatedRequestKind {
  /** Name of the entry in the result of the proof. */
  readonly id: string;
  readonly spec: string;
  readonly reason: string;
  readonly holds: (request: DistinctRequest) => boolean;
}

export const UNSTATED_REQUESTS: readonly UnstatedRequestKind[] = [
  {
    id: 'empty-files',
    spec: '2 Files',
    reason:
      'Nothing is said of files without content, and another upload does not show that this one is good.',
    holds: ({ operation, exchanges: [first] }) =>
      operation === 'createFile' && first !== undefined && hasEmptyFile(first.request),
  },
];

/** The entry that permits refusing a request; null if it must be accepted. */
export function unstatedRequest(request: DistinctRequest): UnstatedRequestKind | null {
  return UNSTATED_REQUESTS.find(({ holds }) => holds(request)) ?? null;
}

function hasEmptyFile(request: DistinctRequest['exchanges'][number]['request']): boolean {
  return (formDataParts(request) ?? []).some(({ filename, body }) => filename !== null && body.size === 0);
}

// Content of responses about which the specification says nothing. Hiding it may conform;
// a complete proof fails if an entry is not needed.

/** Places, or events, whose content is left open. */
export interface UnstatedContent {
  /** Name of the entry in the result of the proof. */
  readonly id: string;
  readonly spec: string;
  readonly reason: string;
  /** Ids of operations; all by default. */
  readonly operations?: readonly string[];
  /** Names of events; by default any, and responses that are not streams. */
  readonly events?: readonly string[];
  /** Pointer patterns, including everything below; by default the whole event. */
  readonly places?: readonly string[];
}

/** The entries, in the order of the specification. */
export const UNSTATED_CONTENT: readonly UnstatedContent[] = [
  // No row of the events mentions these ends of runs.
  {
    id: 'events-without-a-name',
    spec: '1 Events',
    reason:
      'The names of events for failed, cancelled and incomplete runs, steps and messages are not shown, nor their data.',
    events: [
      'thread.message.incomplete',
      'thread.run.failed',
      'thread.run.incomplete',
      'thread.run.step.cancelled',
      'thread.run.step.failed',
    ],
  },
  // Their presence after a failure is judged; a choice says which fields they have.
  {
    id: 'errors-and-reasons',
    spec: '1 Vector store file batch',
    reason: 'Inner fields of last_error and incomplete_details are not shown.',
    places: ['/last_error', '/data/*/last_error', '/incomplete_details', '/data/*/incomplete_details'],
  },
  // Its presence while a run waits is judged.
  {
    id: 'required-action',
    spec: '1 Vector store file batch',
    reason: 'Inner fields of required_action are not shown.',
    places: ['/required_action'],
  },
  // A choice says whether it repeats the request.
  {
    id: 'truncation',
    spec: '1 Run',
    reason: 'The form of truncation_strategy is that of a sample, its input is not shown.',
    places: ['/truncation_strategy'],
  },
  // Thread and assistant have such fields; which of them a run repeats is not specified.
  {
    id: 'resources-of-a-run',
    spec: '1 Run',
    reason: 'Resources for the tools of a run are an object without any field that is shown.',
    operations: ['createRun', 'createThreadAndRun'],
    events: ['thread.run.created', 'thread.run.queued', 'thread.run.in_progress', 'thread.run.completed'],
    places: ['/tool_resources'],
  },
  {
    id: 'resources-of-a-stored-run',
    spec: '1 Run',
    reason: 'The same of a run that is not streamed.',
    operations: ['createRun'],
    places: ['/tool_resources'],
  },
  // Whether the metadata of the request belong to the thread or the run is not specified.
  {
    id: 'new-thread',
    spec: '1 Runs',
    reason: 'Fields of the new thread of a run beyond its messages are not shown.',
    operations: ['createThreadAndRun'],
    events: ['thread.created'],
    places: ['/metadata', '/tool_resources'],
  },
  // Retrieved steps are still compared with each other.
  {
    id: 'calls-of-other-tools',
    spec: '1 Run step',
    reason: 'The form of a call is shown for functions; the calls of completed steps are of other tools.',
    operations: ['createRun', 'createThreadAndRun'],
    events: ['thread.run.step.completed'],
    places: ['/step_details/tool_calls'],
  },
  // Its input and output have no row.
  {
    id: 'calls-of-the-code-interpreter',
    spec: '1 Run step',
    reason: 'The form of a call is shown for functions alone.',
    places: [
      '/step_details/tool_calls/*/code_interpreter',
      '/delta/step_details/tool_calls/*/code_interpreter',
    ],
  },
  // The calls of a complete reply are judged.
  {
    id: 'calls-in-chunks',
    spec: '2 Chat completion chunk',
    reason: 'The delta of a chunk has a role and content; calls of tools in it are not shown.',
    operations: ['createChatCompletion'],
    events: [''],
    places: ['/choices/*/delta/tool_calls'],
  },
  // An empty object instead of them is a failure.
  {
    id: 'probabilities-of-texts',
    spec: '2 Text completion',
    reason:
      'The form of the log probabilities of a text completion is not shown; that there are some is judged.',
    operations: ['createCompletion'],
    places: [
      '/choices/*/logprobs/text_offset',
      '/choices/*/logprobs/token_logprobs',
      '/choices/*/logprobs/tokens',
      '/choices/*/logprobs/top_logprobs',
    ],
  },
  // Segments of transcriptions are judged.
  {
    id: 'segments-of-translations',
    spec: '2 Transcription objects',
    reason: 'A translation is a text; segments of it are not shown.',
    operations: ['createTranslation'],
    places: ['/segments'],
  },
  // The presence of a status and a body in each line is judged.
  {
    id: 'bodies-of-results',
    spec: '2 Batch',
    reason:
      'The body in a line of results is an object; what it repeats of the endpoint is not shown, nor is the form of errors.',
    operations: ['retrieveFileContent'],
    places: ['/response/body/choices', '/response/body/error'],
  },
];

/** The entry that permits hiding something; null if the specification states it. */
export function unstatedContent({ kind, operation, event, place }: HiddenAnswer): UnstatedContent | null {
  // The end of streams is stated.
  if (kind === 'cut-stream') return null;
  return (
    UNSTATED_CONTENT.find(
      ({ operations = [operation], events, places }) =>
        operations.includes(operation) &&
        (events === undefined || (event !== null && events.includes(event))) &&
        (places === undefined
          ? events !== undefined
          : places.some((one) => place === one || place?.startsWith(`${one}/`) === true)),
    ) ?? null
  );
}
