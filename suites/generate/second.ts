import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds after which the clock of a target, too, shows another second. */
const SURELY = 1100;

/** Waits until what is made next has another time of creation than what was made before: those times are whole seconds. */
export async function nextSecond(): Promise<void> {
  await pause(SURELY);
}
