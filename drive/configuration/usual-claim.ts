/**
 * Interactively, judge what the target offers. With CI set, judge everything, so that no gate passes because
 * an endpoint disappeared.
 */
export function usualClaim({ CI: ci = '' }: Readonly<Record<string, string | undefined>>): 'all' | 'auto' {
  return ['', '0', 'false'].includes(ci) ? 'auto' : 'all';
}
