// The lines on resources that are still on the target, after a run and after `assay cleanup`.
import { deletionPlanOf } from '../../drive/cleanup/deletion-plan.ts';
import type { RunConfiguration } from '../../drive/configuration/configuration.ts';
import type { LeftoverResource } from '../../drive/run.ts';
import { shellQuote, targetUrl } from '../../reports/failure/curl-command.ts';
import { printable } from '../../reports/failure/excerpt.ts';
import { remainderWords } from '../../reports/words/leftover.ts';
import { operation as operationOf } from '../../schemas/index.ts';

/** The target of a deletion by hand. The values of other header fields may be secret and are left out. */
export type LeftoverTarget = Pick<RunConfiguration, 'apiKey' | 'keyVariable' | 'betaHeader'> & {
  readonly baseUrl: string;
};

/**
 * One line for each resource that is left, and below it the curl command that deletes it, where an operation deletes it. The
 * command reads the key from the environment.
 */
export function leftoverLines(
  leftovers: readonly LeftoverResource[],
  target: LeftoverTarget,
): readonly string[] {
  return leftovers.flatMap((leftover) => {
    const { operation, id, remainder, final } = leftover;
    const line = `${final ? 'stays' : 'left'} on the target: ${id ?? 'unknown id'} of ${operation} (${remainderWords(remainder)})`;
    const command = final ? null : deletionCommand(leftover, target);
    return command === null ? [printable(line)] : [printable(line), `  ${command}`];
  });
}

/** The curl command that deletes a resource; null where its id is unknown, or no operation deletes it. */
function deletionCommand({ operation, id }: LeftoverResource, target: LeftoverTarget): string | null {
  const plan = deletionPlanOf(operationOf(operation));
  if (plan === null || plan.how !== 'deleted' || id === null) return null;
  const { path, variants } = operationOf(plan.operation);
  const url = targetUrl(target.baseUrl, path.replace(/\{\w+\}/, encodeURIComponent(id)));
  const beta = variants[0]?.beta ?? null;
  return [
    'curl -sS -X DELETE',
    shellQuote(url),
    ...(target.apiKey === null ? [] : [`-H "authorization: Bearer $${target.keyVariable}"`]),
    ...(beta === null ? [] : [`-H ${shellQuote(`${target.betaHeader}: ${beta}`)}`]),
  ].join(' ');
}
