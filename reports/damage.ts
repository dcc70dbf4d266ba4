import { breaksDown, type RequirementVerdict } from '../judge/verdict/verdict.ts';
import { EFFECTS } from './effects.ts';

/** Requirements without which no client can read a response: its type and JSON; framing, end and refusal of streams. */
const NEEDED_TO_READ =
  /:(?:answer|stream)#(?:json|contentType)$|\.stream\.(?:done-ends-stream|one-data-line|refused-by-status)$/;

/** Ids of requirements that a missing field breaks; most clients never read the rarer fields. */
const MISSING_FIELD = /#(?:required|expected)$/;
/** Requirements that fail if a service accepts a field and ignores it: the service lacks a feature. */
const IGNORED_FIELD_REQUIREMENTS: ReadonlySet<string> = new Set(
  EFFECTS.flatMap(({ how, noticedBy }) => (how === 'ignored' ? [noticedBy] : [])),
);

/**
 * Classes of failures by rank, most damaging first. `missing`: a field or a feature. `provoked`: only responses to
 * accepted invalid requests show the failure. `lenient`: an invalid request is accepted; targets without validation
 * have many such failures.
 */
export const DAMAGE = { unreadable: 0, wrong: 1, refusal: 2, missing: 3, provoked: 4, lenient: 5 } as const;
/** Groups of failures of which one may cause the others. `group` captures what distinguishes groups of one pattern. */
const CAUSAL_GROUPS: readonly { readonly group: RegExp; readonly cause: RegExp }[] = [
  // Whether pages are correct depends on the order of their list.
  { group: /^(.+)\.page\./, cause: /\.page\.(?:default-order|order-\w+)$/ },
  // Results of batches are read from files.
  { group: /^(?:files\.content\.as-sent$|batches\.results\.)/, cause: /^files\.content\.as-sent$/ },
];

/** Orders failures by damage. A failure that causes others of its class comes right before them. */
export function sortByDamage<R extends Damaged>(broken: readonly R[]): readonly R[] {
  const groups = broken.map(({ id }) => causalGroupOf(id));
  const groupsWithCause = new Set(groups.flatMap((group) => (group?.isCause === true ? group.name : [])));
  const ranked = broken.map((one, n) => {
    const group = groups[n] ?? null;
    const hasFailedCause = group !== null && groupsWithCause.has(group.name);
    const place = hasFailedCause ? groups.findIndex((other) => other?.name === group.name) : n;
    return { one, damage: damageOf(one), place, rank: group?.isCause === true ? 0 : 1 };
  });
  return ranked
    .toSorted((a, b) => a.damage - b.damage || a.place - b.place || a.rank - b.rank)
    .map(({ one }) => one);
}

function causalGroupOf(id: string): { readonly name: string; readonly isCause: boolean } | null {
  for (const [n, { group, cause }] of CAUSAL_GROUPS.entries()) {
    const match = group.exec(id);
    if (match !== null) return { name: `${n} ${match[1] ?? ''}`, isCause: cause.test(id) };
  }
  return null;
}

type Damaged = Pick<RequirementVerdict, 'id' | 'kind' | 'findings' | 'provoked'>;

export function damageOf(one: Damaged): number {
  const { id, kind } = one;
  if (kind === 'accepted' || breaksDown(one)) return DAMAGE.refusal;
  if (kind === 'rejected') return DAMAGE.lenient;
  if (one.provoked === true) return NEEDED_TO_READ.test(id) ? DAMAGE.refusal : DAMAGE.provoked;
  if (NEEDED_TO_READ.test(id)) return DAMAGE.unreadable;
  return MISSING_FIELD.test(id) || IGNORED_FIELD_REQUIREMENTS.has(id) ? DAMAGE.missing : DAMAGE.wrong;
}
