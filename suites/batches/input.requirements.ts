import { succeedAnyway } from '../../judge/edit/breaks.ts';
import { requirement } from '../../judge/write.ts';
import { misfits, undue } from '../generate/misfits.ts';
import { isOver } from './samples.ts';

export const purpose = requirement({
  id: 'batches.input.purpose',
  level: 'MUST',
  basis: 'stated',
  spec: '2 Batches',
  says: 'A batch is refused, or fails, whose input was uploaded for another purpose.',
  on: misfits({
    create: 'createBatch',
    retrieve: 'retrieveBatch',
    fields: ['input_file_id'],
    purpose: 'batch',
    isOver,
  }),
  check: (misfit) => undue(misfit, 'batch', 'completed'),
  breaks: {
    'completed nevertheless': succeedAnyway('createBatch', () => ({ id: 'batch_1', status: 'completed' })),
  },
});
