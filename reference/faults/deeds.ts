import { isJsonObject, type Json } from '../json.ts';
import { copy } from './answers.ts';
import { put } from './edit.ts';
import type { Misdeed } from './fault.ts';

/** A deletion is answered, and nothing is deleted. `kind` is the object that a deletion answers with. */
export function keeping(retrieve: string, kind: string): Misdeed {
  return {
    handle: async (call, _, ask) => {
      await ask(retrieve, call);
      return { id: Object.values(call.path).at(-1) ?? '', object: kind, deleted: true };
    },
  };
}

/** A modification is answered as if it were stored. */
export function forgetting(retrieve: string): Misdeed {
  return {
    handle: async (call, _, ask) => ({ ...fields(await ask(retrieve, call)), ...call.body }),
  };
}

/** A modification puts other fields back, too, unless it names them. */
export function wiping(blank: Readonly<Record<string, Json>>): Misdeed {
  return { handle: (call, proceed) => proceed({ ...call, body: { ...blank, ...call.body } }) };
}

/** A call is answered with what is there, and nothing comes of it. */
export function idling(retrieve: string): Misdeed {
  return { handle: (call, _, ask) => ask(retrieve, call) };
}

/** Files for assistants are kept as files for something else, so that nobody minds when they are used for it. */
export function misfiling(purpose: string): Misdeed {
  return {
    handle: async (call, proceed) => {
      if (call.body['purpose'] !== 'assistants') return proceed(call);
      // What may not be kept so is kept as it is.
      const made = await proceed({ ...call, body: { ...call.body, purpose } }).catch(() => proceed(call));
      return put(copy(made), '/purpose', 'assistants');
    },
  };
}

function fields(outcome: unknown): Readonly<Record<string, Json>> {
  const value =
    typeof outcome === 'object' && outcome !== null && 'value' in outcome ? outcome.value : outcome;
  const json = copy(value);
  return isJsonObject(json) ? json : {};
}
