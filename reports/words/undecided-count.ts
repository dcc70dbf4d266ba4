// Requirements without a decision, in numbers.
import type { UndecidedCount } from '../family-rows.ts';
import type { OtherUndecided } from '../undecided.ts';
import { formatNumber, plural } from './figure.ts';

/** Each part with its reason: `4 MUSTs not decided, 41 not decided because of known failures`. They add up to all. */
export function undecidedCount({ musts, shoulds, consequences }: UndecidedCount): string {
  return [
    ...(musts === 0 ? [] : [`${plural(musts, 'MUST')} not decided`]),
    ...(shoulds === 0 ? [] : [`${plural(shoulds, 'SHOULD')} not decided`]),
    ...(consequences === 0 ? [] : [`${formatNumber(consequences)} not decided because of known failures`]),
  ].join(', ');
}

/** Those that do not keep the gate from a verdict, each with the reason: `4 MUSTs accepted by the baseline, 41 because of failures`. */
export function otherParts({ byBaseline, shoulds, consequences }: OtherUndecided): readonly string[] {
  return [
    ...(byBaseline === 0 ? [] : [`${plural(byBaseline, 'MUST')} accepted by the baseline`]),
    ...(consequences === 0 ? [] : [`${formatNumber(consequences)} because of failures`]),
    ...(shoulds === 0 ? [] : [plural(shoulds, 'SHOULD')]),
  ];
}
