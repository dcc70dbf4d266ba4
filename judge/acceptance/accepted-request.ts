import type { Json } from '../../exchange/http/body.ts';
import { subjectOf } from '../probe/request-constraints.ts';
import { bodyOf } from '../probe/request-violations.ts';
import type { SchemaNode } from '../schema/node.ts';
import type { Call } from '../trace/call.ts';
import { bodyFeatures } from './body-features.ts';
import { sizeFeatures } from './body-size.ts';
import { queryFeatures } from './query-features.ts';

/** Operations that may refuse a valid request, with the reason; a trace does not show whether the reason applies. */
export const REFUSABLE_OPERATIONS: Readonly<Record<string, string>> = {
  cancelBatch: 'The batch may have ended in the meantime.',
  cancelFineTuningJob: 'The job may have ended in the meantime.',
  cancelVectorStoreFileBatch: 'The file batch may have ended in the meantime.',
  deleteModel: 'Only a model that the organization has trained may be deleted.',
};

/** Size in bytes above which JSON bodies are not kept, and above which a service may refuse them as too long. */
export const LONG_BODY = 16_384;

/** An accepted request. It keeps the body, whose features are computed only if they are needed. */
export interface AcceptedRequest {
  readonly subject: string;
  readonly query: readonly string[];
  /** In bytes; 0 if `body` is null. */
  readonly size: number;
  readonly body: { readonly tree: SchemaNode; readonly value: Json } | null;
}

/**
 * Null if the request is a labelled violation, has no counted variant, may be refused for its operation or query, or
 * has a body that is too long to keep or cannot be read.
 */
export function extractAcceptedRequest(call: Call): AcceptedRequest | null {
  const { operation, variant, exchange } = call;
  if (exchange.probe?.side === 'violation' || variant === null || !variant.counted) return null;
  if (Object.hasOwn(REFUSABLE_OPERATIONS, operation.id)) return null;
  const query = queryFeatures(call, null);
  if (query === null) return null;
  const subject = subjectOf(operation, variant);
  if (variant.body === null || exchange.request.body.size === 0)
    return { subject, query, size: 0, body: null };
  if (variant.body.carrier === 'json' && exchange.request.body.size > LONG_BODY) return null;
  const body = bodyOf(call);
  return body === null ? null : { subject, query, size: exchange.request.body.size, body };
}

/** Null if the body breaks a constraint. */
export function computeFeatures({ query, size, body }: AcceptedRequest): readonly string[] | null {
  if (body === null) return query;
  const { features, broken } = bodyFeatures(body.tree, body.value);
  return broken.length > 0 ? null : [...features, ...query, ...sizeFeatures(size)].toSorted();
}
