import { isNote, type TraceItem } from '../../exchange/trace.ts';
import type { Catalogue } from '../../judge/requirements/catalogue.ts';
import type { Judgement } from '../../judge/verdict/verdict.ts';

/** Finds probes with an unexpected outcome: a refused valid one, a violation that is accepted, or any that gets 5xx. */
export function findWrongProbes(items: readonly TraceItem[]): readonly object[] {
  return items.flatMap((item) => {
    if (isNote(item) || item.probe === null) return [];
    const status = item.response?.status ?? 0;
    const isAccepted = status >= 200 && status <= 299;
    // A target may accept the request first, and find only later that the file or model cannot be used.
    if (isAccepted && item.probe.control === null && /^body\.(\w*file|model$)/.test(item.probe.pointer))
      return [];
    if (isAccepted === (item.probe.side === 'valid') && status < 500) return [];
    return [{ probe: item.probe.id, status, sent: item.request.body.text?.slice(0, 300) }];
  });
}

export function findUnexpectedEvidence(
  catalogue: Catalogue,
  { requirements, choices }: Pick<Judgement, 'requirements' | 'choices'>,
): readonly string[] {
  const expected = new Set(catalogue.scenarios.flatMap(({ shows }) => [...(shows ?? [])]));
  const shown = [
    ...requirements.filter(({ observations }) => observations > 0),
    ...choices.filter(({ taken }) => taken.length > 0),
  ];
  return shown.map(({ id }) => id).filter((id) => !expected.has(id));
}
