// Groups failures that are most likely one defect, so that each is shown once.
import type { RequirementVerdict } from '../../judge/verdict/verdict.ts';
import { plural } from '../report.ts';

/** Failures that are shown together: the first in full, the others by their place. */
export interface FailureGroup<R extends RequirementVerdict = RequirementVerdict> {
  readonly first: R;
  readonly alike: readonly R[];
  /**
   * `accepts-invalid`: one operation accepts invalid requests; `lacks-fields`: one object lacks fields that should be present.
   * Null for a single failure.
   */
  readonly shape: 'accepts-invalid' | 'lacks-fields' | null;
  /** The operation, or the object: `createChatCompletion`, `batch`; for a single failure its id. */
  readonly subject: string;
}

/** A recommended field that is absent; see the keyword `x-expected` of the schemas. */
const EXPECTED = '#expected';

/** Groups in the order of their first failure. */
export function groupFailures<R extends RequirementVerdict>(
  requirements: readonly R[],
): readonly FailureGroup<R>[] {
  const groups = new Map<string, [R, ...R[]]>();
  for (const one of requirements) {
    const key = sharesDefect(one) ? `${one.kind} ${subjectOf(one)}` : one.id;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return [...groups.values()].map(([first, ...alike]) => {
    if (alike.length === 0) return { first, alike, shape: null, subject: first.id };
    const shape = first.kind === 'rejected' ? 'accepts-invalid' : 'lacks-fields';
    return { first, alike, shape, subject: subjectOf(first) };
  });
}

/** The title of a group of several, after its subject: `accepts 67 kinds of invalid requests`. */
export function groupWords({ shape, alike }: FailureGroup): string {
  return shape === 'accepts-invalid'
    ? `accepts ${plural(alike.length + 1, 'kind')} of invalid requests`
    : `lacks ${plural(alike.length + 1, 'field')} that should be present, be it null`;
}

/** The place of a failure within its group: `body.n#maximum`, `errors`. */
export function placeInGroup({ id }: RequirementVerdict): string {
  const place = id.slice(id.indexOf(':') + 1);
  return place.endsWith(EXPECTED) ? place.slice(0, -EXPECTED.length) : place.replace(/\.rejected$/, '');
}

/** Whether requirements of the same subject are usually broken by one defect. */
function sharesDefect({ kind, id }: RequirementVerdict): boolean {
  return kind === 'rejected' || (id.includes(':') && id.endsWith(EXPECTED));
}

/** `createChatCompletion` of `createChatCompletion:body.n#maximum.rejected`. */
function subjectOf({ id }: RequirementVerdict): string {
  return id.split(':', 1)[0] ?? id;
}
