// Requirements on requests that follow from the schemas. `suites/client/` has the handwritten ones.
import type { Operation } from '../../schemas/contract.ts';
import { countedFamilies, operation, operations, perSpecification } from '../../schemas/index.ts';
import { isUnmarked, type RequestConstraint, requestConstraints } from '../probe/request-constraints.ts';
import type { Requirement } from '../requirements/catalogue.ts';
import { conditionalRuleIn, constraintPhrase } from '../schema/sentence.ts';

/**
 * Pointers to the whole body or query. There, `required` means that a service must accept a request with only the
 * required fields, which does not bind clients.
 */
const WHOLE_POINTERS = new Set(['body', 'query']);

const MESSAGE_BASES: Readonly<Record<MessagePart, Pick<Requirement, 'spec' | 'basis'>>> = {
  'header.beta#value': { spec: '1 Endpoints', basis: 'stated' },
  'body#contentType': { spec: '1 What the service does', basis: 'stated' },
  'body#readable': { spec: '1 What the service does', basis: 'stated' },
  'body#required': { spec: '1 What the service does', basis: 'implied' },
};

export function clientRequirements(): readonly Requirement[] {
  return [...clientConstraints().map(clientRequirementOf), ...messageRequirements()];
}

export const clientConstraints = perSpecification((): readonly RequestConstraint[] =>
  requestConstraints().filter(bindsClients),
);

export function clientRequirementId({
  subject,
  pointer,
  keyword,
}: Pick<RequestConstraint, 'subject' | 'pointer' | 'keyword'>): string {
  return `client:${subject}:${pointer}#${keyword}`;
}

function clientRequirementOf(constraint: RequestConstraint): Requirement {
  const variant = operation(constraint.operation).variants.find(({ name }) => name === constraint.variant);
  return {
    id: clientRequirementId(constraint),
    kind: 'request',
    families: variant === undefined ? [] : [variant.family],
    operations: [constraint.operation],
    level: isUnmarked(constraint) ? 'SHOULD' : 'MUST',
    basis: constraint.basis,
    spec: constraint.spec,
    says: constraintSentence(constraint),
  };
}

function bindsClients({ carrier, keyword, pointer, sides, node, value }: RequestConstraint): boolean {
  // Ids come from responses, so a request alone does not show whether one is right.
  if (carrier === 'path') return false;
  // Formats and sizes of files depend on their bytes; `suites/client/` judges them.
  if (carrier === 'file') return keyword === 'required';
  if (keyword === 'required' && WHOLE_POINTERS.has(pointer)) return false;
  // Names of models depend on the configuration of a service.
  if (keyword === 'enum' && node.notes['x-model-role'] !== undefined) return false;
  // A rule across fields binds callers even if services need not enforce it.
  if (conditionalRuleIn(value) !== null) return true;
  return sides.includes('rejected');
}

function constraintSentence(constraint: RequestConstraint): string {
  const { subject, pointer, keyword, value } = constraint;
  const rule = conditionalRuleIn(value);
  if (rule !== null) return `A request of ${subject} follows this rule: ${rule.says}`;
  if (keyword === 'required') return `A request of ${subject} has ${pointer}.`;
  const verb = /(Length|Items|Properties)$/.test(keyword) ? 'has' : 'is';
  return `In a request of ${subject}, ${pointer} ${verb} ${constraintPhrase(constraint)}.`;
}

/** Part of a request that is judged besides its fields. Its name occurs in public ids and never changes. */
export type MessagePart = 'header.beta#value' | 'body#contentType' | 'body#required' | 'body#readable';

export function messageRequirementId(operation: string, part: MessagePart): string {
  return `client:${operation}:${part}`;
}

export function messagePartsOf(operation: Operation): readonly MessagePart[] {
  const { variants } = operation;
  const parts: MessagePart[] = [];
  if (variants.every(({ beta }) => beta !== null)) parts.push('header.beta#value');
  const bodies = variants.flatMap(({ body }) => body ?? []);
  if (bodies.length > 0) parts.push('body#contentType', 'body#readable');
  // An optional body may also be empty.
  if (bodies.length > 0 && bodies.every(({ required }) => required)) parts.push('body#required');
  return parts;
}

function messageRequirements(): readonly Requirement[] {
  return operations().flatMap((operation) =>
    messagePartsOf(operation).map((part) => ({
      id: messageRequirementId(operation.id, part),
      kind: 'request',
      families: countedFamilies(operation),
      operations: [operation.id],
      level: 'MUST',
      ...MESSAGE_BASES[part],
      says: `A request of ${operation.id} ${messagePredicate(operation, part)}.`,
    })),
  );
}

function messagePredicate(operation: Operation, part: MessagePart): string {
  switch (part) {
    case 'header.beta#value':
      return `has the beta header with ${betaValuesOf(operation).join(' or ')}`;
    case 'body#contentType':
      return `labels its body ${bodyMediaType(operation)}`;
    case 'body#readable':
      return `has a body that can be read as ${bodyMediaType(operation) === 'application/json' ? 'JSON' : 'a form'}`;
    case 'body#required':
      return 'has a body';
  }
}

export function betaValuesOf({ variants }: Operation): readonly string[] {
  return variants.flatMap(({ beta }) => beta ?? []);
}

export function bodyMediaType({ variants }: Operation): 'application/json' | 'multipart/form-data' {
  return variants.some(({ body }) => body?.carrier === 'multipart')
    ? 'multipart/form-data'
    : 'application/json';
}
