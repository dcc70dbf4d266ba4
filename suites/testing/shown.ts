// A whole run against the reference, compared with the file of expected evidence.
import { isNote, type TraceItem } from '../../exchange/trace.ts';
import type { Catalogue } from '../../judge/requirements/catalogue.ts';
import type { Judgement } from '../../judge/verdict/verdict.ts';

/**
 * Probes with an unexpected outcome: a valid one that was refused, or a violation that was accepted or answered with
 * a 5xx.
 */
export function wrongProbes(items: readonly TraceItem[]): readonly object[] {
  return items.flatMap((item) => {
    if (isNote(item) || item.probe === null) return [];
    const status = item.response?.status ?? 0;
    const accepted = status >= 200 && status <= 299;
    // Whether a file is usable, or a model available, may show only when the work is done.
    if (accepted && item.probe.control === null && /^body\.(\w*file|model$)/.test(item.probe.pointer))
      return [];
    if (accepted === (item.probe.side === 'valid') && status < 500) return [];
    return [{ probe: item.probe.id, status, sent: item.request.body.text?.slice(0, 300) }];
  });
}

/**
 * Ids of the requirements and choices that a judgement shows, although no scenario of the catalogue is known to show
 * them.
 */
export function unexpectedIn(
  catalogue: Catalogue,
  { requirements, choices }: Pick<Judgement, 'requirements' | 'choices'>,
): readonly string[] {
  const known = new Set(catalogue.scenarios.flatMap(({ shows }) => [...(shows ?? [])]));
  const shown = [
    ...requirements.filter(({ observations }) => observations > 0),
    ...choices.filter(({ taken }) => taken.length > 0),
  ];
  return shown.map(({ id }) => id).filter((id) => !known.has(id));
}
