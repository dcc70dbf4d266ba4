// What the scenarios show in a whole run against the reference, compared with what they declare.
import { globCovers } from '../../drive/scenario/glob.ts';
import type { Scenario } from '../../drive/scenario/scenario.ts';
import { isNote, type TraceHeader, type TraceItem } from '../../exchange/trace.ts';
import { judgeTrace } from '../../judge/judge.ts';
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
  const { scenarios, items } = run;
  const ofScenario = (name: string) => items.filter((item) => !isNote(item) && item.scenario === name);
  const seen = new Map(
    scenarios.map(({ name, shows }) => [
      name,
      observed({ ...run, catalogue: judgingOnly(run.catalogue, shows) }, ofScenario(name)),
    ]),
  );
  const vain = scenarios
    .filter(({ name }) => ofScenario(name).length > 0)
    .flatMap(({ name, shows }) => shows.map((glob) => ({ name, glob })))
    .filter(({ name, glob }) => !seen.get(name)?.some((id) => globCovers(glob, id)));
  const served = new Set(
    scenarios.flatMap(({ name, shows }) =>
      (seen.get(name) ?? []).filter((id) => shows.some((glob) => globCovers(glob, id))),
    ),
  );
  const unserved = observed(run, items, complete).filter((id) => !served.has(id));
  return { vain, unserved };
}

/** The sets of requirements and the choices of which some match: the others would take most of the time. */
function judgingOnly(catalogue: Catalogue, globs: readonly string[]): Catalogue {
  const matches = ({ id }: { readonly id: string }) => globs.some((glob) => globCovers(glob, id));
  return {
    ...catalogue,
    requirementSets: catalogue.requirementSets.filter(({ requirements }) => requirements.some(matches)),
    choices: catalogue.choices.filter(matches),
  };
}

/** Ids of the requirements (of some families) and choices that a trace has evidence for. */
function observed(
  { catalogue, header }: ShownRun,
  trace: readonly TraceItem[],
  families: ReadonlySet<string> | null = null,
): readonly string[] {
  const { requirements, choices } = judgeTrace(catalogue, header, trace);
  const judged = requirements.filter(
    ({ observations, family }) => observations > 0 && (families === null || families.has(family)),
  );
  const taken = choices.filter(
    ({ id, taken: alternatives }) =>
      alternatives.length > 0 && (families === null || families.has(id.split('.')[0] ?? '')),
  );
  return [...judged, ...taken].map(({ id }) => id);
}
