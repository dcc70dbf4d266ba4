// Services that answer every request and show as little as they can: empty objects and pages, streams that end early,
// events under other names, lists without their newest element. Each edit is made wherever it applies.
import type { Exchange } from '../../exchange/exchange.ts';
import { isNote, type TraceItem } from '../../exchange/trace.ts';
import type { HiddenAnswer } from './hidden/hidden-answer.ts';
import { hiddenElements } from './hidden/pages.ts';
import { hiddenEvents } from './hidden/streams.ts';
import { hiddenValues } from './hidden/values.ts';
import type { RecordedRun } from './recorded-run.ts';

/** All ways to show less that a run has an occasion for. */
export function hiddenAnswers(run: RecordedRun): readonly HiddenAnswer[] {
  return [...hiddenValues(run), ...hiddenElements(run), ...hiddenEvents(run)];
}

/** A trace in which some exchanges were changed. */
export interface ChangedTrace {
  readonly items: readonly TraceItem[];
  readonly changed: readonly Exchange[];
}

/** The trace of a service that hides something; null where that changes nothing. */
export function hiddenTrace(run: RecordedRun, { hide }: HiddenAnswer): ChangedTrace | null {
  const changed: Exchange[] = [];
  const items = run.items.map((item) => {
    const call = isNote(item) ? undefined : run.calls.get(item);
    if (isNote(item) || call?.responseClass !== 'accepted') return item;
    const hidden = hide(item, call);
    if (hidden !== item) changed.push(hidden);
    return hidden;
  });
  return changed.length > 0 ? { items, changed } : null;
}
