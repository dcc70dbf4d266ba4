import type { AwaitedState } from '../../exchange/note.ts';

/** `wait`: the state that a scenario waits for; null if the run ended first. */
export function waitWords(wait: AwaitedState | null): string {
  if (wait === null) return 'the run ended before the state was polled again';
  return `${wait.method} ${wait.path} still says ${JSON.stringify(wait.state)}`;
}
