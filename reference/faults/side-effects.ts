import { ApiError } from '../server/api-error.ts';
import type { HandlerRequest } from '../server/handler-request.ts';
import { isJsonObject, type Json } from '../server/json.ts';
import type { Service } from '../state/service.ts';
import { setAtPointer } from './edit.ts';
import type { FaultHooks } from './fault.ts';
import { cloneJson } from './responses.ts';

/** Confirms a deletion without deleting. `kind` is the `object` of the confirmation; `retrieve` answers 404 for unknown ids. */
export function skipDeletion(retrieve: string, kind: string): FaultHooks {
  return {
    handle: async (request, _, ask) => {
      // An unknown id must still get 404, or the fault would break another requirement as well.
      await ask(retrieve, request);
      return { id: Object.values(request.path).at(-1) ?? '', object: kind, deleted: true };
    },
  };
}

/** Answers a modification as if it were stored. */
export function skipModification(retrieve: string): FaultHooks {
  return {
    handle: async (request, _, ask) => ({ ...fields(await ask(retrieve, request)), ...request.body }),
  };
}

/** A modification also resets the fields of `blank` that it omits. */
export function resetOtherFields(blank: Readonly<Record<string, Json>>): FaultHooks {
  return { handle: (request, proceed) => proceed({ ...request, body: { ...blank, ...request.body } }) };
}

/** Answers an action with the unchanged object, without its effect. */
export function skipEffect(retrieve: string): FaultHooks {
  return { handle: (request, _, ask) => ask(retrieve, request) };
}

/** The same for a cancellation, answered with the object as it was while it ran: it may have moved on since the request. */
export function continueInState(retrieve: string, status: string): FaultHooks {
  return {
    handle: async (request, _, ask) =>
      setAtPointer(cloneJson(await ask(retrieve, request)), '/status', status),
  };
}

/** Stores files with the purpose assistants under another purpose, so that operations of that purpose accept them. */
export function storeUnderOtherPurpose(purpose: string): FaultHooks {
  return {
    handle: async (request, proceed) => {
      if (request.body['purpose'] !== 'assistants') return proceed(request);
      // A file that is invalid for the other purpose is stored under its own.
      const made = await proceed({ ...request, body: { ...request.body, purpose } }).catch(() =>
        proceed(request),
      );
      return setAtPointer(cloneJson(made), '/purpose', 'assistants');
    },
  };
}

/** The content of a file answers 404 once the file was removed from a vector store. */
export function forgetContent(): FaultHooks {
  const removed = new WeakMap<Service, Set<string>>();
  return {
    handle: async (request, proceed) => {
      const file = request.path['file_id'] ?? '';
      const gone = removed.get(request.service) ?? new Set();
      removed.set(request.service, gone);
      if (request.path['vector_store_id'] !== undefined) gone.add(file);
      else if (gone.has(file)) throw new ApiError(404, `The content of '${file}' does not exist.`);
      return proceed(request);
    },
  };
}

/** Finds what was created below one owner below any other, too; `name` is the id in the path of its retrieval. */
export function findBelowAnyOwner(name: string): FaultHooks {
  const created = new WeakMap<Service, Map<Json, HandlerRequest['path']>>();
  return {
    handle: async (request, proceed) => {
      const paths = created.get(request.service) ?? new Map();
      created.set(request.service, paths);
      const id = request.path[name];
      if (id !== undefined) return proceed({ ...request, path: { ...request.path, ...paths.get(id) } });
      const answer = await proceed(request);
      paths.set(fields(answer)['id'] ?? null, request.path);
      return answer;
    },
  };
}

/** The members of an object in a response, with or without additional headers. */
function fields(outcome: unknown): Readonly<Record<string, Json>> {
  const value =
    typeof outcome === 'object' && outcome !== null && 'value' in outcome ? outcome.value : outcome;
  const json = cloneJson(value);
  return isJsonObject(json) ? json : {};
}
