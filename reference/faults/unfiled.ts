// Faults without a public report: requests that many models refuse although they are valid, rate limiting, and
// evasions, which leave out, cut short or rename what would be judged, so that nothing that is left is wrong.
import {
  changeEvents,
  changeResponse,
  envelopeElements,
  type FaultyEvent,
  ignoreField,
  refuseFeature,
  setAtPointer,
  setInEvents,
  setInResponse,
} from '../deviations/changes.ts';
import type { Fault, FaultHooks } from '../deviations/hooks.ts';
import { ApiError } from '../http/api-error.ts';
import { isJsonObject, type Json } from '../http/json.ts';
import type { ServiceRequest } from '../http/route.ts';
import { perService, type Service } from '../state/service.ts';

/** A model without a feature: every request that uses it is refused. */
function lessAble(
  field: string,
  says: string,
  isUsed: Parameters<typeof refuseFeature>[1],
  on: readonly string[] = ['createChatCompletion'],
): Fault {
  const feature = field.replace('response_format', 'json-mode').replace('messages', 'images');
  return {
    id: `model-without-${feature}`,
    says,
    requirement: 'createChatCompletion:accepts',
    on,
    does: refuseFeature(field, isUsed),
  };
}

/** A fault that hides the evidence of a requirement without violating any. */
function evasion(id: string, on: readonly string[], says: string, hides: string, does: FaultHooks): Fault {
  return { id: `evades-${id}`, says, requirement: null, hides, on, does };
}

const RUNS = ['createRun', 'createThreadAndRun'];
const OUTPUT = 'step_details/tool_calls/*/function/output';

export const faults: readonly Fault[] = [
  lessAble('tools', 'refuses tools', ({ tools }) => tools !== undefined),
  lessAble('response_format', 'refuses the response format json_object', ({ response_format: format }) =>
    isOfType(format, 'json_object'),
  ),
  lessAble('messages', 'refuses images in the content of messages', ({ messages }) => hasImage(messages)),
  lessAble('logprobs', 'refuses logprobs', ({ logprobs }) => logprobs === true),
  lessAble('n', 'refuses n greater than 1', ({ n }) => typeof n === 'number' && n > 1, [
    'createChatCompletion',
    'createCompletion',
  ]),
  {
    id: 'rate-limit',
    says: 'answers the first request to each method and path with 429; breaks no requirement, exercises retries',
    requirement: null,
    on: [],
    does: { door: refuseFirst },
  },
  evasion(
    'waiting-event',
    RUNS,
    'streams report runs that wait for outputs under another name than thread.run.requires_action',
    'thread.run:#required-action-while-waiting',
    changeEvents((events) =>
      events.map((event) =>
        event.event === 'thread.run.requires_action' ? { ...event, event: 'thread.run.waiting' } : event,
      ),
    ),
  ),
  evasion(
    'message-end',
    RUNS,
    'streams lack thread.message.completed',
    'runs.stream.deltas-are-message',
    withoutEvents('thread.message.completed'),
  ),
  evasion(
    'run-end',
    RUNS,
    'streams lack thread.run.completed and what follows',
    'runs.stream.done-ends-stream',
    changeEvents(beforeRunEnds),
  ),
  evasion(
    'step-deltas',
    RUNS,
    'streams lack thread.run.step.delta',
    'runs.stream.call-named-in-first-chunk',
    withoutEvents('thread.run.step.delta'),
  ),
  evasion(
    'step-output',
    ['listRunSteps', 'retrieveRunStep'],
    'function calls of steps lack output',
    'thread.run.step:step_details(tool_calls).tool_calls[function].function.output#type',
    changeResponse((answer) =>
      setAtPointer(setAtPointer(answer, `/${OUTPUT}`, remove), `/data/*/${OUTPUT}`, remove),
    ),
  ),
  evasion(
    'queued-event',
    RUNS,
    'streams lack thread.run.queued',
    'thread.run.queued:#not-started-yet',
    withoutEvents('thread.run.queued'),
  ),
  evasion(
    'streaming',
    ['createThreadAndRun'],
    'a run on a new thread is answered as JSON where a stream was requested',
    'runs.stream.thread-created-once',
    ignoreField('stream'),
  ),
  evasion(
    'messages-before',
    ['listMessages'],
    'a page of messages before a cursor is always empty',
    'listMessages.page.before',
    emptyPage((query) => query['before'] !== undefined),
  ),
  evasion(
    'message-files',
    ['listMessageFiles'],
    'the list of the files of a message is always empty',
    'message-files.list.as-file-ids',
    emptyPage(() => true),
  ),
  evasion(
    'messages-of-a-run',
    ['listMessages'],
    'a list of the messages of one run is always empty',
    'listMessages.page.filter-run-id',
    emptyPage((query) => query['run_id'] !== undefined),
  ),
  evasion(
    'message-deltas',
    RUNS,
    'text deltas of messages are empty objects',
    'thread.message.delta:delta.content[text].text.value#type',
    setInEvents('thread.message.delta', '/delta/content/*/text', {}),
  ),
  evasion('run-tools', RUNS, 'runs show no tools', 'runs.overrides.tools', setInResponse('/tools', [])),
];

function isOfType(value: unknown, type: string): boolean {
  return isJsonObject(value) && value['type'] === type;
}

function hasImage(messages: unknown): boolean {
  if (!Array.isArray(messages)) return false;
  return messages.some(
    (message: unknown) =>
      isJsonObject(message) &&
      Array.isArray(message['content']) &&
      message['content'].some((part: unknown) => isOfType(part, 'image_url')),
  );
}

/** Requests that a service has refused once. */
const refusedOnce = perService(() => new Set<string>());

function refuseFirst({ method, url }: ServiceRequest, service: Service): ApiError | null {
  const key = `${method} ${url}`;
  if (refusedOnce(service).has(key)) return null;
  refusedOnce(service).add(key);
  return new ApiError(429, 'Rate limit reached for this request; try again shortly.', {
    type: 'requests',
    code: 'rate_limit_exceeded',
    headers: { 'retry-after': '0', 'retry-after-ms': '10' },
  });
}

function remove(): undefined {}

function withoutEvents(name: string): FaultHooks {
  return changeEvents((events) => events.filter(({ event }) => event !== name));
}

/** The events before the run is completed; all of them if it never is. */
function beforeRunEnds(events: readonly FaultyEvent[]): readonly FaultyEvent[] {
  const end = events.findIndex(({ event }) => event === 'thread.run.completed');
  return end === -1 ? events : events.slice(0, end);
}

function emptyPage(isMeant: (query: Readonly<Record<string, unknown>>) => boolean): FaultHooks {
  return changeResponse(
    (answer, { query }): Json =>
      isMeant(query) && isJsonObject(answer) && envelopeElements(answer).length > 0
        ? { ...answer, data: [], first_id: null, last_id: null, has_more: false }
        : answer,
  );
}
