import { calls, succeedAnyway, succeeds } from '../../judge/edit/breaks.ts';
import { withAnswer } from '../../judge/edit/exchanges.ts';
import { all, put } from '../../judge/edit/values.ts';
import type { Break } from '../../judge/requirement.ts';

/** Work on a file which is none for it, taken as if nothing were wrong, that comes to a good end when it is looked at later. */
export function succeedLater(create: string, retrieve: string, good: string): Break {
  return (trace) => {
    const taken = succeedAnyway(create, ({ id }) => ({ id: `work_${id}`, status: 'in_progress' }))(trace);
    const look = trace.find((exchange) => calls(exchange, retrieve) && succeeds(exchange, retrieve));
    if (taken === null || look === undefined) return null;
    const over = Math.max(...trace.map(({ ended }) => ended));
    const looks = taken.flatMap(({ id }, i) => {
      if (taken[i] === trace[i]) return [];
      const made = `work_${id}`;
      const later = withAnswer(look, all(put('/id', made), put('/status', good)));
      const request = { ...look.request, target: look.request.target.replace(/[^/]+$/, made) };
      return [{ ...later, id: `later_${id}`, after: over, ended: over + 1 + i, request }];
    });
    return [...taken, ...looks];
  };
}
