import type { Call } from '../call.ts';
import { isJsonObject, type Json } from '../json.ts';
import { Refusal } from '../refusal.ts';
import type { Misdeed } from './fault.ts';

/** A query parameter is not heard. */
export function deafToQuery(name: string): Misdeed {
  return { handle: (call, proceed) => proceed({ ...call, query: without(call.query, name) }) };
}

/** A field of a body is not heard, though it is validated. */
export function deafTo(...names: readonly string[]): Misdeed {
  return hearing((body) => names.reduce((rest, name) => without(rest, name), body));
}

/** A body is heard as another one. */
export function hearing(change: (body: Call['body']) => Call['body']): Misdeed {
  return { handle: (call, proceed) => proceed({ ...call, body: change(call.body) }) };
}

/** Where a function is forced, the first other one is. */
export function forcingAnother(): Misdeed {
  return hearing((body) => {
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
export function taking(name: string, isWrong: (value: Json) => boolean): Misdeed {
  return {
    body: (body) => {
      const value = isJsonObject(body) ? body[name] : undefined;
      return isJsonObject(body) && value !== undefined && isWrong(value) ? without(body, name) : body;
    },
  };
}

/** What is refused for the sake of a field is answered with this all the same. */
export function forgiving(param: string, answer: () => Json): Misdeed {
  return { forgive: (refusal) => (refusal.param === param ? answer() : null) };
}

/** What is not known is answered all the same. */
export function finding(answer: (id: string) => Json): Misdeed {
  return {
    forgive: (refusal, { params }) => {
      if (refusal.status !== 404) return null;
      // as: the router's parameters are named text
      return answer(Object.values(params as Record<string, string>).at(-1) ?? '');
    },
  };
}

/** A body that is all right is refused. */
export function refusing(name: string, isUnwanted: (value: Json) => boolean): Misdeed {
  return {
    handle: (call, proceed) => {
      const value = call.body[name];
      if (value === undefined || !isUnwanted(value)) return proceed(call);
      throw Refusal.invalid(name, `'${name}' is not wanted.`);
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
