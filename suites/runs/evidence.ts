import { finishedRunPairs } from './pairs.ts';
import { messageResponses, repeatedMessages, runIdentities, runResponses, runsOfAssistants } from './runs.ts';
import { runStreams } from './streams.ts';

/** The evidence of rows: runs, their streams and their messages. */
export const evidence = {
  'new run': runResponses,
  'run with an id': runIdentities,
  'run of an assistant': runsOfAssistants,
  'stream of a run': runStreams,
  'finished runs of one request': finishedRunPairs,
  'messages of runs': messageResponses,
  'message again': repeatedMessages,
};
