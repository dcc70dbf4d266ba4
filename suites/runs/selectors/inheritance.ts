import { textAt, valueAtPath } from '../../vocabulary/json.ts';
import { successions, that, where } from '../../vocabulary/selectors.ts';
import type { Call, CallSuccession, Selector } from '../../vocabulary/types.ts';
import { isStreamingRequest, STREAMING_OPERATIONS } from '../streams/run-stream.ts';
import { runResponseOf } from './run.ts';

/** Operations whose responses define the current settings of an assistant. */
const MAKING = ['createAssistant', 'modifyAssistant'] as const;

/**
 * A run (`after`) and the last earlier report of its assistant (`before`), in the beta form, which runs share. An
 * assistant that was modified or deleted meanwhile does not count as evidence.
 */
export const runsOfAssistants: Selector<CallSuccession> = where(
  {
    ...successions({
      first: MAKING,
      later: STREAMING_OPERATIONS,
      until: ['modifyAssistant', 'deleteAssistant'],
      about: (call) =>
        isStreamingRequest(call.operation.id) ? textAt(call.requestJson, 'assistant_id') : assistantOf(call),
    }),
    // The run is judged, so its operations come first.
    operations: [...STREAMING_OPERATIONS, ...MAKING, 'deleteAssistant'],
  },
  that(
    'of an assistant that was shown in form v2',
    ({ before }) => before.variant?.name === 'v2' && before.responseJson !== undefined,
  ),
  that('with a run', ({ after }) => runResponseOf(after) !== null),
);

/** Runs whose request does not give a setting, so that it comes from elsewhere. */
export function runsWithout(field: string): Selector<CallSuccession> {
  return where(
    runsOfAssistants,
    that(`whose request has no ${field}`, ({ after }) => valueAtPath(after.requestJson, field) === undefined),
  );
}

/** Id of the assistant that a call is about: of its path, else of its response. */
function assistantOf({ path, responseJson: answer }: Call): string | undefined {
  return path['assistant_id'] ?? textAt(answer, 'id');
}
