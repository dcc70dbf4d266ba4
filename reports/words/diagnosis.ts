// Causes of refusals in words.
import type { Share } from '../../judge/requirements/refusals.ts';
import type { DiagnosisVerdict } from '../../judge/verdict/verdict.ts';
import { formatNumber } from './figure.ts';

/** A cause on one line: `refuses n > 1: 14 of 14 requests with it, 0 of 96 without`. */
export function diagnosisWords(diagnosis: DiagnosisVerdict): string {
  const { kind, features, operations, proven } = diagnosis;
  const of = sumOf(operations.map((one) => one.with));
  switch (kind) {
    case 'features': {
      const without = sumOf(operations.map((one) => one.without));
      const it = features.length > 1 ? 'both' : 'it';
      return `refuses ${features.map(featureWords).join(' with ')}: ${counted(of)} requests with ${it}, ${counted(without)} without`;
    }
    case 'everything':
      return `refuses every request: ${counted(of)}${proven ? '' : '; none shows that the key, the models and the files are good'}`;
    case 'inconsistent':
      return `refuses ${oneOf(of)} at random: ${counted(of)} requests, equal ones among them`;
    case 'unexplained':
      return `refuses requests for a reason that they do not show: ${formatNumber(of.refused)}`;
    default:
      return kind satisfies never;
  }
}

/** The counts of each operation, where a cause concerns several: `createCompletion: 3 of 3, 0 of 40 without`. */
export function operationWords({ kind, operations }: DiagnosisVerdict): readonly string[] {
  // Of one operation the cause itself has the counts.
  if (operations.length < 2) return [];
  return operations.map(({ requirement, with: share, without }) => {
    const subject = requirement.replace(/:accepts$/, '');
    return `${subject}: ${counted(share)}${kind === 'features' ? `, ${counted(without)} without` : ''}`;
  });
}

/** A feature without the part of the request that it stands in: `n > 1`, `tools`, `order = "asc"`. */
export function featureWords(feature: string): string {
  if (feature === 'context.repeated') return 'a request that was sent before';
  const beside = /^context\.beside>=(\d+)$/.exec(feature)?.[1];
  if (beside !== undefined) return `requests while ${beside} or more others are under way`;
  const bytes = /^size>=(\d+)$/.exec(feature)?.[1];
  if (bytes !== undefined) return `bodies of ${formatNumber(Number(bytes))} bytes or more`;
  return feature
    .replace(/^(body|query)\./, '')
    .replace(/^([^<>=:]+)([<>=:])(.+)$/, (_, name, sign, value) => {
      return sign === ':' ? `${name} as ${value}` : `${name} ${sign} ${value}`;
    });
}

/** Requests of several operations together. */
function sumOf(shares: readonly Share[]): Share {
  return {
    refused: shares.reduce((sum, { refused }) => sum + refused, 0),
    total: shares.reduce((sum, { total }) => sum + total, 0),
  };
}

/** `14 of 96`. */
function counted({ refused, total }: Share): string {
  return `${formatNumber(refused)} of ${formatNumber(total)}`;
}

/** The share as one of so many, rounded: `1 of 3`. */
function oneOf({ refused, total }: Share): string {
  return `1 of ${Math.max(1, Math.round(total / Math.max(1, refused)))}`;
}
