// What the scenarios show in a whole run against the reference, compared with what they declare.

import type { Scenario } from '../../drive/scenario/scenario.ts';
import { matchesGlob } from '../../exchange/glob.ts';
import { isNote, type TraceHeader, type TraceItem } from '../../exchange/trace.ts';
import { judgeTrace } from '../../judge/judge.ts';
import { shownByScenario } from '../../judge/missing-evidence/shown-evidence.ts';
import type { Catalogue } from '../../judge/requirements/catalogue.ts';

/** Families whose scenarios show all that there is; the others are on their way. */
const complete: ReadonlySet<string> = new Set([
  'assistants',
  'assistants-v1',
  'assistants-v2',
  'assistant-files',
  'threads',
  'messages',
  'message-files',
  'lists',
  'models',
  'files',
  'chat',
  'completions',
  'audio',
  'images',
  'runs',
  'run-steps',
  'moderations',
  'fine-tuning',
  'batches',
]);

/** Probes of which a valid one was refused, or a violation accepted or answered by a 5xx. */
export function wrongProbes(items: readonly TraceItem[]): readonly object[] {
  return items.flatMap((item) => {
    if (isNote(item) || item.probe === null) return [];
    const status = item.response?.status ?? 0;
    const accepted = status >= 200 && status <= 299;
    // Whether a file is fit for work is seen when the work is done.
    if (accepted && item.probe.control === null && /^body\.\w*file/.test(item.probe.pointer)) return [];
    if (accepted === (item.probe.side === 'valid') && status < 500) return [];
    return [{ probe: item.probe.id, status, sent: item.request.body.text?.slice(0, 300) }];
  });
}

/** A whole run, and the scenarios that it ran. */
export interface ShownRun {
  readonly catalogue: Catalogue;
  readonly scenarios: readonly Scenario[];
  readonly header: TraceHeader;
  readonly items: readonly TraceItem[];
}

/** What scenarios declare in vain, and what is shown in complete families although no scenario declares it. */
export function undeclaredAndUnshown(run: ShownRun) {
  const { catalogue, header, scenarios, items } = run;
  const requirements = shownByScenario(catalogue, header, items);
  const ran = scenarios.flatMap(({ name, shows }) => {
    const own = items.filter((item) => !isNote(item) && item.scenario === name);
    if (own.length === 0) return [];
    const taken = choicesTakenIn({ ...run, items: own }, shows);
    return [{ name, shows, seen: [...(requirements.get(name) ?? []), ...taken] }];
  });
  const vain = ran.flatMap(({ name, shows, seen }) =>
    shows.filter((glob) => !seen.some((id) => matchesGlob(glob, id))).map((glob) => ({ name, glob })),
  );
  const served = new Set(ran.flatMap(({ seen }) => seen));
  const unserved = observed(run, items, complete).filter((id) => !served.has(id));
  return { vain, unserved };
}

/** Ids of the choices that match and of which a trace shows an alternative. */
function choicesTakenIn({ catalogue, header, items }: ShownRun, globs: readonly string[]): readonly string[] {
  const choices = catalogue.choices.filter(({ id }) => globs.some((glob) => matchesGlob(glob, id)));
  if (choices.length === 0) return [];
  const judged = judgeTrace({ ...catalogue, requirementSets: [], choices }, header, items);
  return judged.choices.filter(({ taken }) => taken.length > 0).map(({ id }) => id);
}

/** Ids of the requirements and choices of some families that a trace has evidence for. */
function observed(
  { catalogue, header }: ShownRun,
  trace: readonly TraceItem[],
  families: ReadonlySet<string>,
): readonly string[] {
  const { requirements, choices } = judgeTrace(catalogue, header, trace);
  const judged = requirements.filter(({ observations, family }) => observations > 0 && families.has(family));
  const taken = choices.filter(
    ({ id, taken: alternatives }) => alternatives.length > 0 && families.has(id.split('.')[0] ?? ''),
  );
  return [...judged, ...taken].map(({ id }) => id);
}
