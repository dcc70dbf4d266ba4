import type { AwaitedState, NotDeleted, Remainder } from '../../exchange/note.ts';
import { obstacleWords } from './cause.ts';

export function remainderWords(remainder: Remainder): string {
  switch (remainder.why) {
    case 'lost':
      return 'the response carried no id, and no list shows the object';
    // Without an id, only its tag in a list can identify the object.
    case 'not-listed':
      return `the response carried no id, and ${remainder.method} ${remainder.path} does not show whether the object is there`;
    case 'not-deleted':
    case 'still-there':
    case 'unconfirmed':
      return notDeletedWords(remainder);
    case 'not-deletable': {
      const { state, children } = remainder;
      const left = children.map((child) => `${child.id}: ${notDeletedWords(child.remainder)}`);
      return [`${state ?? 'cancelled'}, nothing deletes it`, ...left].join('; ');
    }
    case 'failed':
      return remainder.message;
    default:
      return remainder satisfies never;
  }
}

function notDeletedWords(remainder: NotDeleted): string {
  const answer = obstacleWords(remainder.obstacle);
  switch (remainder.why) {
    case 'not-deleted':
      return answer;
    case 'still-there':
      return `${answer}, but ${remainder.shownBy.method} ${remainder.shownBy.path} still returns it`;
    case 'unconfirmed':
      return `${answer}, and no other request shows that the object is gone`;
    default:
      return remainder satisfies never;
  }
}

/** `wait`: the state that a scenario waits for; null if the run ended first. */
export function waitWords(wait: AwaitedState | null): string {
  if (wait === null) return 'the run ended before the state was polled again';
  return `${wait.method} ${wait.path} still says ${JSON.stringify(wait.state)}`;
}
