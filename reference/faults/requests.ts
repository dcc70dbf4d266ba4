import { ApiError } from '../server/api-error.ts';
import type { HandlerRequest } from '../server/handler-request.ts';
import { isJsonObject, type Json } from '../server/json.ts';
import type { FaultHooks } from './fault.ts';

/** A query parameter is not heard. */
export function ignoreQuery(name: string): FaultHooks {
  return { handle: (request, proceed) => proceed({ ...request, query: without(request.query, name) }) };
}

/** A field of a body is not heard, though it is validated. */
export function ignoreField(...names: readonly string[]): FaultHooks {
  return replaceBody((body) => names.reduce((rest, name) => without(rest, name), body));
}

/** A body is heard as another one. */
export function replaceBody(change: (body: HandlerRequest['body']) => HandlerRequest['body']): FaultHooks {
  return { handle: (request, proceed) => proceed({ ...request, body: change(request.body) }) };
}

/** Where a function is forced, the first other one is. */
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

/** A field of a JSON body is taken whatever it holds: where that is wrong it is as if it were left out. */
export function acceptAnyValue(name: string, isWrong: (value: Json) => boolean): FaultHooks {
  return {
    body: (body) => {
      const value = isJsonObject(body) ? body[name] : undefined;
      return isJsonObject(body) && value !== undefined && isWrong(value) ? without(body, name) : body;
    },
  };
}

/** What is refused for the sake of a field is answered with this all the same. */
export function acceptInvalid(param: string, answer: () => Json): FaultHooks {
  return { forgive: (apiError) => (apiError.param === param ? answer() : null) };
}

/** What is not known is answered all the same. */
export function findUnknown(answer: (id: string) => Json): FaultHooks {
  return {
    forgive: (apiError, { params }) => {
      if (apiError.status !== 404) return null;
      // as: the router's parameters are named text
      return answer(Object.values(params as Record<string, string>).at(-1) ?? '');
    },
  };
}

/** A body that is all right is refused. */
export function rejectValid(name: string, isUnwanted: (value: Json) => boolean): FaultHooks {
  return {
    handle: (request, proceed) => {
      const value = request.body[name];
      if (value === undefined || !isUnwanted(value)) return proceed(request);
      throw ApiError.invalid(name, `'${name}' is not wanted.`);
    },
  };
}

function without<T extends object>(record: T, name: string): T {
  // as: what is left out was optional, or is not looked at any more
  return Object.fromEntries(Object.entries(record).filter(([key]) => key !== name)) as T;
}

function functionName(tool: Json | undefined): Json | undefined {
  return isJsonObject(tool) && isJsonObject(tool['function']) ? tool['function']['name'] : undefined;
}
