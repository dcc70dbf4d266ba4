import { isJsonObject, type Json } from '../server/json.ts';
import { setAtPointer } from './edit.ts';
import type { FaultHooks } from './fault.ts';
import { cloneJson } from './responses.ts';

/** A deletion is answered, and nothing is deleted. `kind` is the object that a deletion answers with. */
export function skipDeletion(retrieve: string, kind: string): FaultHooks {
  return {
    handle: async (request, _, ask) => {
      await ask(retrieve, request);
      return { id: Object.values(request.path).at(-1) ?? '', object: kind, deleted: true };
    },
  };
}

/** A modification is answered as if it were stored. */
export function skipModification(retrieve: string): FaultHooks {
  return {
    handle: async (request, _, ask) => ({ ...fields(await ask(retrieve, request)), ...request.body }),
  };
}

/** A modification puts other fields back, too, unless it names them. */
export function resetOtherFields(blank: Readonly<Record<string, Json>>): FaultHooks {
  return { handle: (request, proceed) => proceed({ ...request, body: { ...blank, ...request.body } }) };
}

/** A call is answered with what is there, and nothing comes of it. */
export function skipEffect(retrieve: string): FaultHooks {
  return { handle: (request, _, ask) => ask(retrieve, request) };
}

/** Files for assistants are kept as files for something else, so that nobody minds when they are used for it. */
export function storeUnderOtherPurpose(purpose: string): FaultHooks {
  return {
    handle: async (request, proceed) => {
      if (request.body['purpose'] !== 'assistants') return proceed(request);
      // What may not be kept so is kept as it is.
      const made = await proceed({ ...request, body: { ...request.body, purpose } }).catch(() =>
        proceed(request),
      );
      return setAtPointer(cloneJson(made), '/purpose', 'assistants');
    },
  };
}

function fields(outcome: unknown): Readonly<Record<string, Json>> {
  const value =
    typeof outcome === 'object' && outcome !== null && 'value' in outcome ? outcome.value : outcome;
  const json = cloneJson(value);
  return isJsonObject(json) ? json : {};
}
