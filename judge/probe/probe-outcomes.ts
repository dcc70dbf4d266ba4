import { decodedContent } from '../../exchange/http/content.ts';
import { eventsOf } from '../../exchange/http/event-stream.ts';
import type { Operation } from '../../schemas/index.ts';
import { expectedShape } from '../schema/response-shape.ts';
import type { Call } from '../trace/call.ts';

/** Keyword of base requests. It names no constraint, because they serve only as controls of other probes. */
export const BASE_KEYWORD = 'base';
/** Pointers to members that name a model, an object, or the files of a fine-tuning job. */
const NAMES_OBJECT = /^body\.(?:model|training_file|validation_file|.*_id|.*_ids\[\])$/;

export function baseLabel(name: string): string {
  return `${name}.base`;
}

/** 404 and 405 may also mean that the path is not served. */
export function isRejection({ responseClass, status, exchange: { probe } }: Call): boolean {
  if (responseClass !== 'absent' || probe === null) return responseClass === 'rejected';
  if (probe.control !== null) return status !== 501;
  return (probe.keyword === 'unknown' || NAMES_OBJECT.test(probe.pointer)) && status === 404;
}

/**
 * Whether the response is accepted and has the kind of body that the operation returns, if that is known; without it,
 * the request may not have been understood. An empty body counts if the operation returns no JSON and takes no body.
 */
export function isCarriedOut(call: Call): boolean {
  const { response } = call.exchange;
  if (call.responseClass !== 'accepted' || response === null) return false;
  const shape = expectedShape(call);
  if (shape?.events != null) return (eventsOf(response)?.events.length ?? 0) > 0;
  if (shape?.schema == null) return response.body.size > 0 || call.variant?.body === null;
  const value = decodedContent(response)?.json?.value;
  return typeof value === 'object' && value !== null;
}

/** Whether a cancellation was refused, perhaps because the object had ended: this is no failure, unlike a 405. */
export function isRefusedCancellation({ operation, responseClass, status }: Call): boolean {
  return isCancellation(operation) && (responseClass === 'rejected' || status === 404);
}

export function isCancellation({ path }: Operation): boolean {
  return path.endsWith('/cancel');
}
