import { inTurn } from '../generate/in-turn.ts';
import { containsRequested } from '../generate/relations/compare.ts';
import { choiceOf } from '../rows/rows.ts';
import { inEveryResponse, setValue } from '../vocabulary/changes.ts';
import { outcome } from '../vocabulary/choice-shapes.ts';
import { withResponseJson } from '../vocabulary/exchanges.ts';
import { arrayAt, isObject, textAt, valueAtPath } from '../vocabulary/json.ts';
import { decided, requests, where } from '../vocabulary/selectors.ts';
import type { Json, Mutation } from '../vocabulary/types.ts';
import { followUps, isCompleteResponse } from './selectors/follow-ups.ts';
import { joinedMessageText } from './streams/deltas.ts';
import { editRuns } from './streams/mutations.ts';

const NEW = 'createThreadAndRun';

export const runsNewThreadMetadata = choiceOf('runs.new-thread.metadata', {
  selector: where(
    followUps(['retrieveThread']),
    ({ begun }) =>
      begun.call.operation.id === NEW &&
      hasNames(valueAtPath(begun.asked, 'metadata')) &&
      !hasNames(valueAtPath(begun.asked, 'thread', 'metadata')),
  ),
  taken: ({ begun, run, answer }) => {
    const wanted = valueAtPath(begun.asked, 'metadata');
    return ownersOf({
      run: containsRequested(wanted, valueAtPath(run, 'metadata')),
      thread: containsRequested(wanted, valueAtPath(answer, 'metadata')),
    });
  },
  examples: owned('metadata'),
});

export const runsNewThreadToolResources = choiceOf('runs.new-thread.tool-resources', {
  selector: where(
    followUps(['retrieveThread']),
    ({ begun }) =>
      begun.call.operation.id === NEW &&
      hasNames(valueAtPath(begun.asked, 'tool_resources')) &&
      !hasNames(valueAtPath(begun.asked, 'thread', 'tool_resources')),
  ),
  taken: ({ begun, run, answer }) => {
    const wanted = valueAtPath(begun.asked, 'tool_resources');
    return ownersOf({
      run: containsRequested(wanted, valueAtPath(run, 'tool_resources')),
      thread: containsRequested(wanted, valueAtPath(answer, 'tool_resources')),
    });
  },
  examples: owned('tool_resources'),
});

export const runsNewThreadOtherFields = choiceOf('runs.new-thread.other-fields', {
  selector: where(followUps(['retrieveThread']), ({ begun }) => extras(begun.asked).length > 0),
  taken: ({ begun, answer }) => {
    const kept = extras(begun.asked).filter(([name, value]) =>
      containsRequested(value, valueAtPath(answer, name)),
    );
    if (kept.length === 0) return 'ignored';
    return kept.length === extras(begun.asked).length
      ? 'kept'
      : `only ${kept.map(([name]) => name).join()} kept`;
  },
});

export const runsNewThreadFieldsAccepted = choiceOf('runs.new-thread.fields-accepted', {
  selector: where(
    requests(NEW),
    decided,
    ({ asked }) => extras(asked).length > 0 || arrayAt(asked, 'thread', 'messages').some(hasMetadata),
  ),
  taken: outcome('accepted'),
});

export const runsNewThreadMessageFields = choiceOf('runs.new-thread.message-fields', {
  selector: where(
    followUps(['listMessages']),
    ({ begun, after }) => isCompleteResponse(after) && labelled(begun.asked) !== undefined,
  ),
  taken: ({ begun, answer }) => {
    const wanted = labelled(begun.asked);
    const found = arrayAt(answer, 'data').find((one) => joinedMessageText(one) === textAt(wanted, 'content'));
    if (found === undefined) return null;
    return containsRequested(valueAtPath(wanted, 'metadata'), valueAtPath(found, 'metadata'))
      ? 'kept'
      : 'ignored';
  },
});

/** Possible owners: values of requests are put on their threads, or removed from their runs. */
function owned(field: 'metadata' | 'tool_resources'): Readonly<Record<string, Mutation>> {
  const lent: Mutation = (trace) => {
    const given = (thread: string): Json | undefined =>
      trace
        .filter(({ response }) => response?.body.text?.includes(thread) === true)
        .map(({ request }) => valueAtPath(request.body.json?.value, field))
        .find(hasNames);
    return inEveryResponse('retrieveThread', (exchange) => {
      const value = given(exchange.request.target.split('/').at(-1) ?? '');
      return value === undefined ? exchange : withResponseJson(exchange, setValue(`/${field}`, value));
    })(trace);
  };
  const taken = editRuns(setValue(`/${field}`, {}));
  return { 'the run and the thread': lent, 'the thread': inTurn(lent, taken), neither: taken };
}

/** The alternative for the objects that contain the requested value. */
function ownersOf({ run, thread }: { readonly run: boolean; readonly thread: boolean }): string {
  if (run && thread) return 'the run and the thread';
  if (run) return 'the run';
  return thread ? 'the thread' : 'neither';
}

function hasNames(value: Json | undefined): boolean {
  return isObject(value) && Object.keys(value).length > 0;
}

function labelled(asked: Json | undefined): Json | undefined {
  return arrayAt(asked, 'thread', 'messages').find((one) => hasNames(valueAtPath(one, 'metadata')));
}

/** Whether a message has metadata. */
function hasMetadata(message: Json): boolean {
  return hasNames(valueAtPath(message, 'metadata'));
}

/** The fields of a new thread beside messages. */
function extras(asked: Json | undefined): readonly (readonly [string, Json | undefined])[] {
  const names = ['metadata', 'tool_resources'] as const;
  return names
    .map((name) => [name, valueAtPath(asked, 'thread', name)] as const)
    .filter(([, value]) => hasNames(value));
}
