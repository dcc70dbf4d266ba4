import { refusedStreamRequirement } from '../generate/streams.ts';

export const completionsStreamRefusedByStatus = refusedStreamRequirement({
  id: 'completions.stream.refused-by-status',
  spec: '2 Text completions',
  operations: ['createCompletion'],
});
