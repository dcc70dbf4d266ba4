import { refusedStreamRequirement } from '../../generate/streams.ts';

export const runsStreamRefusedByStatus = refusedStreamRequirement({
  id: 'runs.stream.refused-by-status',
  spec: '1 Runs',
  operations: ['createRun', 'createThreadAndRun'],
});
