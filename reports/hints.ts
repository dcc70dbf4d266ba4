import type { Report } from './report.ts';

/** Of a target that refuses everything, though a key was given. */
export const KEY_REFUSED =
  'every request was refused: the key in ASSAY_API_KEY (or in the variable of --api-key-env) was sent, and is not taken; is it one of this target?';

/** What most likely stands in the way, and what to type: a missing key, a wrong path, models that were not named. */
export function hints(report: Report): readonly string[] {
  return [...report.remarks, ...silence(report), ...unnamed(report)];
}

/** True where something was answered like a request without a key. */
export function asksForKey({ blockers }: Pick<Report, 'blockers'>): boolean {
  return blockers.some(({ message }) => /answered 40[13]\b/.test(message));
}

/** Why nothing at all succeeded. */
function silence({ summary, operations, blockers, target, remarks }: Report): string[] {
  if (summary.operations.exercised > 0) return [];
  if (remarks.includes(KEY_REFUSED)) return [];
  if (asksForKey({ blockers }))
    return [
      'every request was refused: put the key in ASSAY_API_KEY, or name its variable with --api-key-env',
    ];
  const absent = operations.filter(({ claimed, notImplemented }) => claimed && notImplemented);
  // What was remarked of the target explains it better.
  if (absent.length === 0 || remarks.length > 0) return [];
  const [first] = absent;
  return [
    `nothing was found below ${target.baseUrl}, not even ${first?.method} ${prefixOf(target.baseUrl)}${first?.path}: ` +
      'is the path of --base-url right? it stands before /v1, as in http://host/api/v1',
  ];
}

/** What stands before `/v1`. */
function prefixOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).pathname.replace(/\/v1\/?$/, '').replace(/\/$/, '') : '';
}

const ROLE = /^not-configured: model role (\S+)$/;

/** Models that scenarios ask for and nobody named. */
function unnamed({ requirements }: Report): string[] {
  const roles = new Set(requirements.flatMap(({ reason }) => ROLE.exec(reason ?? '')?.[1] ?? []));
  if (roles.size === 0) return [];
  const keyed = [...roles].toSorted().map((role) => `--model ${role}=…`);
  return [`to judge what needs a model, name it: ${keyed.join(' ')}`];
}
