import { ApiError } from '../server/api-error.ts';
import type { HandlerRequest } from '../server/handler-request.ts';
import { isJsonObject, type Json } from '../server/json.ts';
import type { FaultHooks } from './fault.ts';

/** The handler does not see a query parameter, though it is validated. */
export function ignoreQuery(name: string): FaultHooks {
  return { handle: (request, proceed) => proceed({ ...request, query: without(request.query, name) }) };
}

/** The handler does not see fields of the body, though they are validated. */
export function ignoreField(...names: readonly string[]): FaultHooks {
  return replaceBody((body) => names.reduce((rest, name) => without(rest, name), body));
}

/** The handler sees another body than the one that was sent and validated. */
export function replaceBody(change: (body: HandlerRequest['body']) => HandlerRequest['body']): FaultHooks {
  return { handle: (request, proceed) => proceed({ ...request, body: change(request.body) }) };
}

/** Forces the first function other than the one that `tool_choice` names; without another one, nothing changes. */
export function forceOtherFunction(): FaultHooks {
  return replaceBody((body) => {
    const { tools, tool_choice: choice } = body;
    if (!isJsonObject(choice) || !isJsonObject(choice['function']) || !Array.isArray(tools)) return body;
    const forced = choice['function']['name'];
    const other = tools.find(
      (tool: Json) => functionName(tool) !== undefined && functionName(tool) !== forced,
    );
    const name = functionName(other);
    return name === undefined ? body : { ...body, tool_choice: { type: 'function', function: { name } } };
  });
}

/** Accepts any value of a field of a JSON body: a value for which `isWrong` is true is removed before validation. */
export function acceptAnyValue(name: string, isWrong: (value: Json) => boolean): FaultHooks {
  return {
    body: (body) => {
      const value = isJsonObject(body) ? body[name] : undefined;
      return isJsonObject(body) && value !== undefined && isWrong(value) ? without(body, name) : body;
    },
  };
}

/** Answers requests that were rejected because of the field `param` with `answer`. */
export function acceptInvalid(param: string, answer: () => Json): FaultHooks {
  return { forgive: (apiError) => (apiError.param === param ? answer() : null) };
}

/** Answers 404 with an object of the unknown id instead. */
export function findUnknown(answer: (id: string) => Json): FaultHooks {
  return {
    forgive: (apiError, { params }) => {
      if (apiError.status !== 404) return null;
      // as: the router's parameters are named text
      return answer(Object.values(params as Record<string, string>).at(-1) ?? '');
    },
  };
}

/** Rejects valid bodies whose field `name` has a value for which `isUnwanted` is true: 400. */
export function rejectValid(name: string, isUnwanted: (value: Json) => boolean): FaultHooks {
  return {
    handle: (request, proceed) => {
      const value = request.body[name];
      if (value === undefined || !isUnwanted(value)) return proceed(request);
      throw ApiError.invalid(name, `'${name}' is not accepted.`);
    },
  };
}

/** Fails with 500 for valid bodies whose field `name` has a value for which `isUnwanted` is true. */
export function crashOnValid(name: string, isUnwanted: (value: Json) => boolean): FaultHooks {
  return {
    handle: (request, proceed) => {
      const value = request.body[name];
      if (value === undefined || !isUnwanted(value)) return proceed(request);
      throw new ApiError(500, `Internal error while reading '${name}'.`, { type: 'server_error' });
    },
  };
}

/** Rejects valid bodies that omit the optional field `name`: 400. */
export function requireField(name: string): FaultHooks {
  return {
    handle: (request, proceed) => {
      if (request.body[name] !== undefined) return proceed(request);
      throw ApiError.invalid(name, `'${name}' is required.`);
    },
  };
}

/** A copy of a record without one of its members. */
function without<T extends object>(record: T, name: string): T {
  // as: the removed property was optional, or is not read any more
  return Object.fromEntries(Object.entries(record).filter(([key]) => key !== name)) as T;
}

/** The name of a function tool; undefined for any other tool. */
function functionName(tool: Json | undefined): Json | undefined {
  return isJsonObject(tool) && isJsonObject(tool['function']) ? tool['function']['name'] : undefined;
}
