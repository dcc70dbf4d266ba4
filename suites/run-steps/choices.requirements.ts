import { choiceOf } from '../rows/rows.ts';
import { followUpsBy } from '../runs/follow-ups.ts';
import { WAITING } from '../runs/streams.ts';
import { textAt } from '../vocabulary/json.ts';
import { where } from '../vocabulary/selectors.ts';
import { functionCalls, repeatedSteps, STEP_LOOK_UPS } from './steps.ts';

export const runStepsStatusWhileWaiting = choiceOf('run-steps.status.while-waiting', {
  selector: where(followUpsBy(...STEP_LOOK_UPS), ({ stream }) => stream?.runs.at(-1)?.name === WAITING),
  taken: ({ shown }) => {
    const step = shown.find(({ value }) => functionCalls(value).length > 0);
    return textAt(step?.value, 'status') ?? null;
  },
});

export const runStepsStatusOtherMoves = choiceOf('run-steps.status.other-moves', {
  selector: repeatedSteps,
  taken: ({ earlier, later }) => {
    const [from, to] = [textAt(earlier.value, 'status'), textAt(later.value, 'status')];
    if (from === undefined || to === undefined || from === to || to === 'completed') return null;
    return `${from} to ${to}`;
  },
});
