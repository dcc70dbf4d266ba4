import { textAt } from '../vocabulary/json.ts';
import { idReuses } from '../vocabulary/selectors.ts';
import { runsOfAssistants } from './assistant-runs.ts';
import { followUps, MESSAGE_LOOK_UPS } from './follow-ups.ts';
import { finishedRunPairs } from './pairs.ts';
import { messageResponses, repeatedMessages } from './repeated-objects.ts';
import { runRequests, runResponseOf, runResponses } from './runs.ts';
import { RUN_CREATIONS, runStreams } from './streams.ts';

export const evidence = {
  'request for a run': runRequests,
  'new run': runResponses,
  'run with an id': idReuses(RUN_CREATIONS, (call) => {
    const run = runResponseOf(call)?.runs[0]?.value;
    return [textAt(run, 'thread_id'), textAt(run, 'id')];
  }),
  'run of an assistant': runsOfAssistants,
  'stream of a run': runStreams,
  'thread after a run': followUps('retrieveThread'),
  'messages after a run': followUps(...MESSAGE_LOOK_UPS),
  'finished runs of one request': finishedRunPairs,
  'messages of runs': messageResponses,
  'message again': repeatedMessages,
};
