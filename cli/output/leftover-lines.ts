import { canBeInPath, deletionPlanOf } from '../../drive/cleanup/deletion-plan.ts';
import type { RunConfiguration } from '../../drive/configuration/configuration.ts';
import type { LeftoverResource } from '../../drive/run.ts';
import { printable } from '../../exchange/printable.ts';
import { shellQuote } from '../../exchange/shell-quote.ts';
import { targetUrl } from '../../reports/failure/curl-command.ts';
import { remainderWords } from '../../reports/words/remainder.ts';
import { fillTemplate, operation as operationOf, operations } from '../../schemas/index.ts';
import { groupBy } from '../../schemas/maps.ts';
import { compact } from '../../schemas/message-text.ts';

/** The curl commands lack the user's own header fields, because their values may be secret. */
type LeftoverTarget = Pick<RunConfiguration, 'apiKey' | 'keyVariable' | 'betaHeader'> & {
  readonly dialect?: RunConfiguration['dialect'];
  readonly baseUrl: string;
  readonly ledger: string | null;
};

/**
 * Returns a line per resource, followed by the curl command that deletes it, if any; it reads the key from the
 * environment. Resources that nothing can remove share a line per operation if a ledger lists them.
 */
export function leftoverLines(
  leftovers: readonly LeftoverResource[],
  target: LeftoverTarget,
): readonly string[] {
  const removable = leftovers.filter(({ final }) => !final);
  const staying = leftovers.filter(({ final }) => final);
  return [
    ...[...groupBy(staying, ({ operation }) => operation)].flatMap(([operation, resources]) =>
      target.ledger === null || resources.length === 1
        ? resources.map((one) => printable(`stays on the target: ${resourceWords(one)}`))
        : [printable(stayingLine(operation, resources, target.ledger))],
    ),
    ...removable.flatMap((leftover) => {
      const line = printable(`left on the target: ${resourceWords(leftover)}`);
      const command = deletionCommand(leftover, target);
      return command === null ? [line] : [line, `  ${command}`];
    }),
  ];
}

function resourceWords({ operation, id, remainder }: LeftoverResource): string {
  return `${id ?? 'unknown id'} of ${operation} (${remainderWords(remainder)})`;
}

function stayingLine(operation: string, resources: readonly LeftoverResource[], ledger: string): string {
  const reasons = [...groupBy(resources, ({ remainder }) => remainderWords(remainder))];
  const counts = reasons.map(([words, { length }]) =>
    reasons.length === 1 ? words : `${length} × ${words}`,
  );
  return `stay on the target: ${resources.length} of ${operation} (${counts.join('; ')}), listed in ${ledger}`;
}

function deletionCommand({ operation, id }: LeftoverResource, target: LeftoverTarget): string | null {
  // An operation of an extension that is not loaded is unknown.
  const creation = operations().find(({ id: known }) => known === operation);
  const plan = creation === undefined ? null : deletionPlanOf(creation);
  if (plan === null || plan.how !== 'deleted' || id === null || !canBeInPath(id)) return null;
  const { path, variants } = operationOf(plan.operation);
  const template = target.dialect?.paths[path] ?? path;
  const url = targetUrl(
    target.baseUrl,
    fillTemplate(template, () => id),
  );
  const beta = variants[0]?.beta ?? null;
  return compact(
    'curl -sS -X DELETE',
    shellQuote(url),
    target.apiKey !== null && `-H "authorization: Bearer $${target.keyVariable}"`,
    beta !== null && `-H ${shellQuote(`${target.betaHeader}: ${beta}`)}`,
  ).join(' ');
}
