import { operation } from '../../schemas/index.ts';
import type { Handler, HandlerRequest, ServiceRoute } from './handler-request.ts';
import type { JsonObject } from './json.ts';

/**
 * The route of an operation: method, path, validation and variants come from its row in `openapi.json`.
 * `Body` is what the handler reads of the body that the request schema has accepted.
 */
export function serves<Body = JsonObject>(operationId: string, handle: Handler<Body>): ServiceRoute {
  const { method, path } = operation(operationId);
  return { operation: operationId, method, path, handle: accepting(handle) };
}

/** A customary endpoint that the specification leaves open; its body, if any, is a JSON object that is not validated. */
export function customary(
  method: ServiceRoute['method'],
  path: string,
  handle: (request: HandlerRequest<JsonObject>) => unknown,
): ServiceRoute {
  return { operation: null, method, path, handle: accepting(handle) };
}

/** Gives a handler the type that all routes share. */
function accepting<Body>(handle: Handler<Body>): ServiceRoute['handle'] {
  // as: the server has validated the body against the operation's request schema, which Body restates
  return (request) => handle(request as HandlerRequest<Body>);
}
