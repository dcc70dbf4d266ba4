// The constraints of requests as duties of a client. They are those that probes violate, and the limits of queries, which a
// service may clamp but which are stated for callers.
import { operation, perSpecification } from '../../schemas/index.ts';
import { type RequestConstraint, requestConstraints } from '../probe/constraints.ts';
import type { Requirement } from '../requirements/catalogue.ts';
import { LIMIT_KEYWORDS } from '../schema/constraints.ts';
import { conditionalRuleIn, constraintPhrase } from '../schema/sentence.ts';

/** Constraints that hold for the whole request, and only say that nothing else is needed. */
const WHOLE = new Set(['body', 'query']);

/** The constraints that a client has to keep, in the order of `openapi.json`. Files and ids are judged by rules of their own. */
export const clientConstraints = perSpecification((): readonly RequestConstraint[] =>
  requestConstraints().filter(isDuty),
);

/** `client:createChatCompletion:body.temperature#maximum`. */
export function clientRequirementId({
  subject,
  pointer,
  keyword,
}: Pick<RequestConstraint, 'subject' | 'pointer' | 'keyword'>): string {
  return `client:${subject}:${pointer}#${keyword}`;
}

/** The requirement that a client keeps a constraint. */
export function clientRequirementOf(constraint: RequestConstraint): Requirement {
  const variant = operation(constraint.operation).variants.find(({ name }) => name === constraint.variant);
  return {
    id: clientRequirementId(constraint),
    kind: 'request',
    families: variant === undefined ? [] : [variant.family],
    operations: [constraint.operation],
    level: 'MUST',
    basis: constraint.basis,
    spec: constraint.spec,
    says: sentence(constraint),
  };
}

/** Whether a constraint is one that a request by itself can break. */
function isDuty({ carrier, keyword, pointer, sides, node, value }: RequestConstraint): boolean {
  // Ids are given by answers, so a request alone does not show whether one is right.
  if (carrier === 'path') return false;
  // Formats and sizes of files need their bytes: `suites/client/` judges them.
  if (carrier === 'file') return keyword === 'required';
  if (keyword === 'required' && WHOLE.has(pointer)) return false;
  // Names of models depend on the configuration of a service.
  if (keyword === 'enum' && node.notes['x-model-role'] !== undefined) return false;
  // A rule across fields is stated for callers also where it is left open what a service does.
  if (conditionalRuleIn(value) !== null) return true;
  // A service may clamp a limit of a query, so no probe asks for its refusal; it is stated all the same.
  return sides.includes('rejected') || (carrier === 'query' && LIMIT_KEYWORDS.has(keyword));
}

/** The sentence of the requirement, for `suites/ledger.json`. */
function sentence(constraint: RequestConstraint): string {
  const { subject, pointer, keyword, value } = constraint;
  const rule = conditionalRuleIn(value);
  if (rule !== null) return `A request of ${subject} keeps this: ${rule.says}`;
  if (keyword === 'required') return `A request of ${subject} has ${pointer}.`;
  const verb = /(Length|Items|Properties)$/.test(keyword) ? 'has' : 'is';
  return `In a request of ${subject}, ${pointer} ${verb} ${constraintPhrase(constraint)}.`;
}
