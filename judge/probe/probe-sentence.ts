import { LIMIT_KEYWORDS } from '../schema/constraints.ts';
import { conditionalRuleIn, constraintPhrase } from '../schema/sentence.ts';
import { demandsNull, ownersBefore, type ProbeSide, type RequestConstraint } from './request-constraints.ts';

const CARRIER_PREFIXES = ['body.', 'query.', 'path.', 'file.'];

const FILE_RULES = new Map<string, (value: unknown) => string>([
  ['formats', (value) => `the formats ${joinValues(value)}`],
  ['maxBytes', (value) => `the size limit: under ${value} bytes`],
  ['square', () => 'the rule that it is square'],
  ['transparentUnless', (value) => `the rule that it has transparency if ${value} is absent`],
  ['sameSizeAs', (value) => `the rule that it has the size of ${value}`],
]);

export function probeSentence(constraint: RequestConstraint, side: ProbeSide): string {
  return `${constraint.subject} ${side === 'accepted' ? acceptedPredicate(constraint) : rejectedPredicate(constraint)}.`;
}

function acceptedPredicate(constraint: RequestConstraint): string {
  const { keyword, pointer, value } = constraint;
  const place = placeOf(pointer);
  if (keyword === 'required') {
    return pointer === 'query' ? 'answers without query parameters' : 'accepts the required fields alone';
  }
  if (keyword === 'unknown') return `finds what a known ${place} names`;
  const rule = conditionalRuleIn(value);
  if (rule !== null) return `accepts requests that follow this rule: ${withoutFullStop(rule.says)}`;
  if (keyword === 'enum') return `accepts as ${place} each of ${joinValues(probedValues(constraint))}`;
  if (keyword === 'type')
    return `accepts as ${place} ${constraintPhrase({ keyword, value: probedTypes(constraint) })}`;
  if (keyword === 'const') return `accepts as ${place} ${constraintPhrase(constraint)}`;
  if (LIMIT_KEYWORDS.has(keyword)) return `accepts ${place} at its limit, ${constraintPhrase(constraint)}`;
  const fileRule = FILE_RULES.get(keyword)?.(value);
  if (fileRule !== undefined) return `accepts ${place} that keeps ${fileRule}`;
  return `accepts ${place} that is ${constraintPhrase(constraint)}`;
}

function probedValues({ node, value }: RequestConstraint): unknown {
  const unshown = node.notes['x-unshown'];
  return Array.isArray(value) && Array.isArray(unshown)
    ? value.filter((one) => !unshown.includes(one))
    : value;
}

function probedTypes({ node, value }: RequestConstraint): unknown {
  return demandsNull(node) || !Array.isArray(value) ? value : value.filter((type) => type !== 'null');
}

function rejectedPredicate(constraint: RequestConstraint): string {
  const { keyword, pointer, value } = constraint;
  const place = placeOf(pointer);
  if (keyword === 'required') return `rejects a request without ${place}`;
  if (keyword === 'unknown')
    return `gives no 2xx for an unknown ${place}${otherOwnerClause(constraint, place)}`;
  const rule = conditionalRuleIn(value);
  if (rule !== null) return `rejects requests that break this: ${withoutFullStop(rule.says)}`;
  if (keyword === 'enum') return `rejects ${place} other than ${joinValues(value)}`;
  if (LIMIT_KEYWORDS.has(keyword))
    return `rejects ${place} beyond its limit, ${constraintPhrase(constraint)}`;
  const fileRule = FILE_RULES.get(keyword)?.(value);
  if (fileRule !== undefined) return `rejects ${place} that breaks ${fileRule}`;
  return `rejects ${place} that is not ${constraintPhrase(constraint)}`;
}

function otherOwnerClause({ operation }: RequestConstraint, place: string): string {
  const owner = ownersBefore(operation, place).at(-1);
  return owner === undefined
    ? ''
    : `, nor for one of another ${owner.replace(/_id$/, '').replaceAll('_', ' ')}`;
}

function placeOf(pointer: string): string {
  if (pointer === 'body') return 'a body';
  const carrier = CARRIER_PREFIXES.find((place) => pointer.startsWith(place)) ?? '';
  return pointer.slice(carrier.length);
}

function joinValues(value: unknown): string {
  return Array.isArray(value) ? value.map(String).join(', ') : String(value);
}

function withoutFullStop(sentence: string): string {
  return sentence.replace(/\.$/, '');
}
