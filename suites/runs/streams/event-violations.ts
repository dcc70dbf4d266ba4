import { violation } from '../../vocabulary/statements.ts';
import type { Violation } from '../../vocabulary/types.ts';
import type { RunStreamEvent } from './run-stream.ts';

/** A violation at an event of a stream; its name is the actual value, `expected` says which event is due there. */
export function eventViolation({ at, name }: RunStreamEvent, expected: string): Violation {
  return violation(at, expected, name);
}

/** A violation for an event that must not appear at its position. */
export function unexpectedEvent(event: RunStreamEvent): Violation {
  return eventViolation(event, 'no such event here');
}
