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
  /** File that lists every resource; null where the lines have to name each. */
  readonly ledger: string | null;
};

/**
 * One line for each resource that a further try may remove, and below it the curl command that deletes it, where an operation
 * deletes it (it reads the key from the environment). Of those that nothing removes, one line for each kind where a ledger
 * lists them: there is nothing to do about them.
 */
export function leftoverLines(
  leftovers: readonly LeftoverResource[],
  target: LeftoverTarget,
): readonly string[] {
  const open = leftovers.filter(({ final }) => !final);
  const staying = groupedBy(
    leftovers.filter(({ final }) => final),
    ({ operation }) => operation,
  );
  return [
    ...[...staying].flatMap(([operation, kind]) =>
      target.ledger === null || kind.length === 1
        ? kind.map((one) => printable(`stays on the target: ${resourceWords(one)}`))
        : [printable(stayingLine(operation, kind, target.ledger))],
    ),
    ...open.flatMap((leftover) => {
      const line = printable(`left on the target: ${resourceWords(leftover)}`);
      const command = deletionCommand(leftover, target);
      return command === null ? [line] : [line, `  ${command}`];
    }),
  ];
}

function resourceWords({ operation, id, remainder }: LeftoverResource): string {
  return `${id ?? 'unknown id'} of ${operation} (${remainderWords(remainder)})`;
}

/** `stay on the target: 38 of createBatch (30 × completed, nothing deletes it; …), listed in report/ledger.jsonl`. */
function stayingLine(operation: string, kind: readonly LeftoverResource[], ledger: string): string {
  const reasons = [...groupedBy(kind, ({ remainder }) => remainderWords(remainder))];
  const counted = reasons.length === 1 ? reasons.map(([words]) => words) : reasons.map(numbered);
  return `stay on the target: ${kind.length} of ${operation} (${counted.join('; ')}), listed in ${ledger}`;
}

function numbered([words, { length }]: readonly [string, readonly LeftoverResource[]]): string {
  return `${length} × ${words}`;
}

function groupedBy(
  leftovers: readonly LeftoverResource[],
  key: (leftover: LeftoverResource) => string,
): ReadonlyMap<string, readonly LeftoverResource[]> {
  const groups = new Map<string, LeftoverResource[]>();
  for (const leftover of leftovers) {
    const group = groups.get(key(leftover));
    if (group === undefined) groups.set(key(leftover), [leftover]);
    else group.push(leftover);
  }
  return groups;
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
