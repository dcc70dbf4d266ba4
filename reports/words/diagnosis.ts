import type { Share } from '../../judge/requirements/acceptance-facts.ts';
import { refusalVerb } from '../../judge/requirements/refusal-causes.ts';
import { isCapacityStatus } from '../../judge/trace/response-class.ts';
import type { BreakdownFacts } from '../../judge/verdict/cause.ts';
import type { DiagnosisVerdict } from '../../judge/verdict/verdict.ts';
import { formatNumber } from '../../schemas/message-text.ts';
import { wordsByKind } from './by-kind.ts';

/** A cause on one line: `refuses n > 1: 14 of 14 requests with it, 0 of 96 without`. */
export function diagnosisWords(diagnosis: DiagnosisVerdict): string {
  const { features, operations, proven } = diagnosis;
  const withFeatures = addShares(operations.map((operation) => operation.with));
  return wordsByKind(diagnosis, 'kind', {
    features: () => {
      const without = addShares(operations.map((operation) => operation.without));
      const pronoun = features.length > 1 ? 'both' : 'it';
      return `${refusalVerb(diagnosis)} ${features.map(featureWords).join(' with ')}: ${shareWords(withFeatures)} requests with ${pronoun}, ${shareWords(without)} without`;
    },
    everything: () =>
      `refuses every request: ${shareWords(withFeatures)}${proven ? '' : '; none shows that the key, the models and the files are good'}`,
    inconsistent: () =>
      `refuses 1 of ${Math.max(1, Math.round(withFeatures.total / Math.max(1, withFeatures.refused)))} at random: ${shareWords(withFeatures)} requests, equal ones among them`,
    unexplained: () =>
      `refuses requests for a reason that they do not show: ${formatNumber(withFeatures.refused)}`,
  });
}

/** `createCompletion: 3 of 3, 0 of 40 without`, if a cause concerns several operations. */
export function operationWords({ kind, operations }: DiagnosisVerdict): readonly string[] {
  if (operations.length < 2) return [];
  return operations.map(({ requirement, with: share, without }) => {
    const subject = requirement.replace(/:accepts$/, '');
    return `${subject}: ${shareWords(share)}${kind === 'features' ? `, ${shareWords(without)} without` : ''}`;
  });
}

/** `n > 1`, `tools`, `order = "asc"`. */
function featureWords(feature: string): string {
  if (feature === 'context.repeated') return 'a request that was sent before';
  const inFlight = /^context\.beside>=(\d+)$/.exec(feature)?.[1];
  if (inFlight !== undefined) return `requests while ${inFlight} or more others are in flight`;
  const bytes = /^size>=(\d+)$/.exec(feature)?.[1];
  if (bytes !== undefined) return `bodies of ${formatNumber(Number(bytes))} bytes or more`;
  return feature
    .replace(/^(body|query)\./, '')
    .replace(/^([^<>=:]+)([<>=:])(.+)$/, (_, name, sign, value) => {
      return sign === ':' ? `${name} as ${value}` : `${name} ${sign} ${value}`;
    });
}

function addShares(shares: readonly Share[]): Share {
  return {
    refused: shares.reduce((sum, { refused }) => sum + refused, 0),
    total: shares.reduce((sum, { total }) => sum + total, 0),
  };
}

function shareWords({ refused, total }: Share): string {
  return `${formatNumber(refused)} of ${formatNumber(total)}`;
}

/** The failures with their counts: `answers 503 to stop: 14 of 14 requests with it, 0 of 96 without`. */
export function breakdownWords(faults: readonly BreakdownFacts[]): string {
  return faults.map((fault) => `${failsWords(fault)}: ${countsWords(fault)}`).join('; ');
}

/** Denies a lack of capacity only if a timeout or a status such as 429 suggests one. */
export function blameWords(faults: readonly Pick<BreakdownFacts, 'statuses'>[]): string {
  const suggestsCapacity = faults.some(({ statuses }) => statuses.some(isCapacityStatus));
  return `a fault of the service${suggestsCapacity ? ' rather than a lack of capacity' : ''}`;
}

export function failsWords({ features, statuses }: Pick<BreakdownFacts, 'features' | 'statuses'>): string {
  const requests = features.map(featureWords).join(' with ');
  const codes = statuses.flatMap((status) => status ?? []);
  if (codes.length === 0) return `does not answer ${requests} in time`;
  const late = codes.length < statuses.length ? ', or not in time,' : '';
  return `answers ${codes.join(' or ')}${late} to ${requests}`;
}

function countsWords({ features, with: share, without }: BreakdownFacts): string {
  const words = ({ failed, total }: typeof share) => shareWords({ refused: failed, total });
  return `${words(share)} requests with ${features.length > 1 ? 'both' : 'it'}, ${words(without)} without`;
}
