// Hints on likely mistakes in the configuration.
import { asksForKey } from '../../explain/rejected-configuration.ts';
import type { Cause } from '../../judge/verdict/cause.ts';
import type { Report } from '../report.ts';

/** Probable causes and commands: a missing key, a wrong path, models that are not configured. */
export function hints(report: Report): readonly string[] {
  return [...report.remarks, ...silence(report), ...unnamed(report)];
}

/** Why no operation succeeded. */
function silence({ summary, operations, requirements, blockers, target, hints: known }: Report): string[] {
  if (summary.operations.exercised > 0) return [];
  // The hint on the key already explains why nothing succeeded.
  if (known.some(({ kind }) => kind === 'key-refused')) return [];
  if (asksForKey({ blockers }))
    return [
      'every request was refused: put the key in ASSAY_API_KEY, or name its variable with --api-key-env',
    ];
  const absent = operations.filter(({ claimed, notImplemented }) => claimed && notImplemented);
  // A hint on the target explains it better.
  if (absent.length === 0 || known.length > 0) return [];
  // Of what a filter left, little was asked for: that it is not there says nothing about the path.
  if (requirements.some(({ cause }) => cause?.kind === 'filtered')) return [];
  const [first] = absent;
  const where = `below ${target.baseUrl}, not even ${first?.method} ${prefixOf(target.baseUrl)}${first?.path}`;
  const path = 'is the path of --base-url right? it stands before /v1, as in http://host/api/v1';
  // A part of the interface may be absent where the path is right.
  if (operations.some(({ claimed }) => !claimed))
    return [
      `nothing that is claimed was found ${where}: does the service offer it? without --claim, a run judges what it offers. If it does, ${path}`,
    ];
  return [`nothing was found ${where}: ${path}`];
}

/** The path before `/v1`. */
function prefixOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).pathname.replace(/\/v1\/?$/, '').replace(/\/$/, '') : '';
}

/** Models that scenarios need and the configuration does not name. Where models were searched, that hint says for which roles none was found. */
function unnamed({ requirements, hints: known }: Report): string[] {
  if (known.some(({ kind }) => kind === 'models-found')) return [];
  const roles = new Set(requirements.flatMap(({ cause }) => roleOf(cause) ?? []));
  if (roles.size === 0) return [];
  const keyed = [...roles].toSorted().map((role) => `--model ${role}=…`);
  return [`to judge what needs another model, name it beside those that are given: ${keyed.join(' ')}`];
}

/** The model role that a requirement lacks; null for any other cause. */
function roleOf(cause: Cause | null): string | null {
  if (cause?.kind !== 'not-configured' || !('missing' in cause)) return null;
  return cause.missing.what === 'model' ? cause.missing.role : null;
}
