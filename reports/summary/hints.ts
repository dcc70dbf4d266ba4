import { asksForKey } from '../../explain/rejected-configuration.ts';
import { isAbsentStatus } from '../../judge/trace/response-class.ts';
import type { Cause } from '../../judge/verdict/cause.ts';
import type { FailureContext } from '../failure/failure.ts';
import type { Report } from '../report.ts';

export function hints(
  report: Report,
  { keyVariable }: Pick<FailureContext, 'keyVariable'>,
): readonly string[] {
  return [...report.remarks, ...unansweredHints(report, keyVariable), ...unnamedModelHints(report)];
}

function unansweredHints(
  { summary, operations, requirements, blockers, target, hints: known }: Report,
  keyVariable: string,
): string[] {
  if (summary.operations.exercised > 0) return [];
  if (known.some(({ kind }) => kind === 'key-refused' || kind === 'models-refused')) return [];
  if (asksForKey({ blockers }))
    return [
      `every request was refused: put the key in ${keyVariable}, or name its variable with --api-key-env`,
    ];
  const absent = operations.filter(({ claimed, notImplemented }) => claimed && notImplemented);
  if (absent.length === 0 || known.length > 0) return [];
  if (blockers.some(({ obstacle }) => 'status' in obstacle && !isAbsentStatus(obstacle.status))) return [];
  // With a filter, few requests are sent, so missing operations say nothing about the path.
  if (requirements.some(({ cause }) => cause?.kind === 'filtered')) return [];
  const [first] = absent;
  const where = `below ${target.baseUrl}, not even ${first?.method} ${pathPrefixOf(target.baseUrl)}${first?.path}`;
  const path = 'is the path of --base-url right? it comes before /v1, as in http://host/api/v1';
  // Parts of the API may be missing although the path is right.
  if (operations.some(({ claimed }) => !claimed))
    return [
      `nothing that is claimed was found ${where}: does the service offer it? without --claim, a run judges what it offers. If it does, ${path}`,
    ];
  return [`nothing was found ${where}: ${path}`];
}

function pathPrefixOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).pathname.replace(/\/v1\/?$/, '').replace(/\/$/, '') : '';
}

function unnamedModelHints({ requirements, hints: known }: Report): string[] {
  if (known.some(({ kind }) => kind === 'models-found')) return [];
  const roles = new Set(requirements.flatMap(({ cause }) => roleOf(cause) ?? []));
  if (roles.size === 0) return [];
  const flags = [...roles].toSorted().map((role) => `--model ${role}=…`);
  return [`to judge what needs another model, name it in addition to those given: ${flags.join(' ')}`];
}

function roleOf(cause: Cause | null): string | null {
  if (cause?.kind !== 'not-configured') return null;
  return cause.missing.what === 'model' ? cause.missing.role : null;
}
