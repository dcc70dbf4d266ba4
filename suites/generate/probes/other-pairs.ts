import { isObject, valueAtPath } from '../../vocabulary/json.ts';
import type { ReadyRequest } from '../base.ts';

/** The key of the pair that sample objects have; maps of samples begin with it. */
export const OWN_PAIR = 'made_by';

/**
 * Another object after each response with other pairs of metadata: a target that adds those of a modification to the old ones
 * would otherwise have more than a map may have, which none of the requests asks for.
 */
export function renewAfterPairs(
  make: () => Promise<Readonly<Record<string, string>>>,
): NonNullable<ReadyRequest['renew']> {
  return async ({ ok, json }) => {
    const pairs = valueAtPath(json, 'metadata');
    const hasOthers = isObject(pairs) && Object.keys(pairs).some((key) => key !== OWN_PAIR);
    return ok && hasOthers ? make() : undefined;
  };
}
