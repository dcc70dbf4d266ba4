// Requirements on the form of requests: beta header, media type, and a body that can be read.
import { type Operation, operations } from '../../schemas/index.ts';
import { familiesOf } from '../coverage/operation-coverage.ts';
import type { Requirement } from '../requirements/catalogue.ts';

/** The parts of a request whose form is judged. */
// Ids are public: a part is never renamed.
export type MessagePart = 'header.beta#value' | 'body#contentType' | 'body#required' | 'body#readable';

/** `client:createThread:header.beta#value`. */
export function messageRequirementId(operation: string, part: MessagePart): string {
  return `client:${operation}:${part}`;
}

/** The parts of an operation's requests that are judged. */
export function messagePartsOf(operation: Operation): readonly MessagePart[] {
  const { variants } = operation;
  // Operations outside the family of assistants have no version, and no header for it.
  const parts: MessagePart[] = [];
  if (variants.every(({ beta }) => beta !== null)) parts.push('header.beta#value');
  const bodies = variants.flatMap(({ body }) => body ?? []);
  if (bodies.length > 0) parts.push('body#contentType', 'body#readable');
  // A body that may be left out may also be empty.
  if (bodies.length > 0 && bodies.every(({ required }) => required)) parts.push('body#required');
  return parts;
}

/** The requirements on the form of all requests. */
export function messageRequirements(): readonly Requirement[] {
  return operations().flatMap((operation) =>
    messagePartsOf(operation).map((part) => ({
      id: messageRequirementId(operation.id, part),
      kind: 'request',
      families: familiesOf(operation),
      operations: [operation.id],
      level: 'MUST',
      ...STATED[part],
      says: `A request of ${operation.id} ${predicate(operation, part)}.`,
    })),
  );
}

/** Where the specification says it. */
const STATED: Readonly<Record<MessagePart, Pick<Requirement, 'spec' | 'basis'>>> = {
  'header.beta#value': { spec: '1 Endpoints', basis: 'stated' },
  'body#contentType': { spec: '1 What the service does', basis: 'stated' },
  'body#readable': { spec: '1 What the service does', basis: 'stated' },
  'body#required': { spec: '1 What the service does', basis: 'implied' },
};

/** What a sentence says of a part, after the name of the operation. */
function predicate(operation: Operation, part: MessagePart): string {
  const isForm = operation.variants.some(({ body }) => body?.carrier === 'multipart');
  switch (part) {
    case 'header.beta#value':
      return `has the beta header with ${betaValuesOf(operation).join(' or ')}`;
    case 'body#contentType':
      return `labels its body ${mediaTypeFor(operation)}`;
    case 'body#readable':
      return `has a body that can be read as ${isForm ? 'a form' : 'JSON'}`;
    case 'body#required':
      return 'has a body';
  }
}

/** The values of the beta header with which an operation can be called. */
export function betaValuesOf({ variants }: Operation): readonly string[] {
  return variants.flatMap(({ beta }) => beta ?? []);
}

/** The media type of an operation's requests. */
export function mediaTypeFor({ variants }: Operation): 'application/json' | 'multipart/form-data' {
  return variants.some(({ body }) => body?.carrier === 'multipart')
    ? 'multipart/form-data'
    : 'application/json';
}
