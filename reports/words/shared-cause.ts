// Failures that share their cause with one that is counted, in words.
import type { FailureCount } from '../../judge/verdict/failure-count.ts';
import { formatNumber } from './figure.ts';

/** How many fail for a cause that counts elsewhere: `18 for shared causes`. */
export function sharedCauseWords({ consequences }: Pick<FailureCount, 'consequences'>): string {
  return `${formatNumber(consequences)} for ${consequences === 1 ? 'a shared cause' : 'shared causes'}`;
}

/** A count in words, and those that fail for a cause which counts elsewhere: `17 known failures and 18 more for shared causes`. */
export function withSharedCause(
  words: string,
  { consequences }: Pick<FailureCount, 'consequences'>,
  joint = ' and ',
): string {
  if (consequences === 0) return words;
  return `${words}${joint}${sharedCauseWords({ consequences }).replace(' for ', ' more for ')}`;
}
