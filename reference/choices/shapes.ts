// The shapes that most alternatives have: another value or name of a field, none, a refusal, another body than was sent.
import { setAtPointer, type ValueChange } from '../faults/edit.ts';
import type { FaultHooks } from '../faults/fault.ts';
import { replaceBody } from '../faults/requests.ts';
import { changeEvents, changeResponse, type FaultyEvent } from '../faults/responses.ts';
import { ApiError } from '../server/api-error.ts';
import type { HandlerRequest } from '../server/handler-request.ts';
import { isJsonObject, type Json, type JsonObject } from '../server/json.ts';
import type { Alternative, ObjectChange } from './alternative.ts';

/** An alternative that is implemented where the usual behaviour is. */
export const inPlace: Alternative = {};

/** Shows every object of a kind in another way. */
export function shown(kind: string, change: ObjectChange): Alternative {
  return { shows: { [kind]: change } };
}

/** Shows a field with another value; a function that returns undefined removes it. `*` stands for every element. */
export function field(kind: string, pointer: string, value: ValueChange | Json): Alternative {
  return shown(kind, (object) => objectOf(setAtPointer(object, pointer, value)));
}

/** Shows a field with another value where `isMeant` is true of the object. */
export function fieldWhere(
  kind: string,
  isMeant: (shownObject: JsonObject) => boolean,
  changes: Readonly<Record<string, Json | undefined>>,
): Alternative {
  return shown(kind, (object) => (isMeant(object) ? { ...object, ...changes } : object));
}

/** Shows an object without some fields. */
export function lacking(kind: string, ...names: readonly string[]): Alternative {
  return shown(kind, (object) => dropFields(object, names));
}

/**
 * Changes the JSON responses of operations; streams and binary responses stay as they are. For responses without an `object`,
 * and for changes of one operation alone.
 */
export function answers(
  on: readonly string[],
  change: (answer: JsonObject, request: HandlerRequest) => Json,
): Alternative {
  return intercepting(
    on,
    changeResponse((answer, request) => change(objectOf(answer), request)),
  );
}

/** Changes the events of streams, all of which are known before the first is sent. */
export function events(
  on: readonly string[],
  change: (events: readonly FaultyEvent[], request: HandlerRequest) => readonly FaultyEvent[],
): Alternative {
  return intercepting(on, changeEvents(change));
}

/**
 * The handlers of operations see another body than the one that was sent and validated. The change does not see fields that
 * the request schema rejects.
 */
export function reads(on: readonly string[], change: (body: JsonObject) => JsonObject): Alternative {
  return intercepting(on, replaceBody(change));
}

/** Rejects valid requests to operations for which `isMeant` is true of what was sent: 400. */
export function refuses(on: readonly string[], isMeant: (request: HandlerRequest) => boolean): Alternative {
  return intercepting(on, {
    handle: (request, proceed) => {
      const sent = request.request.body;
      if (!isMeant(isJsonObject(sent) ? { ...request, body: sent } : request)) return proceed(request);
      throw ApiError.invalid(null, 'This service does not accept such a request.');
    },
  });
}

/** Rejects requests to operations whose beta header has this value: 400. */
export function refusesHeader(on: readonly string[], value: string): Alternative {
  return refuses(on, ({ service, request }) =>
    [request.headers[service.betaHeader] ?? []].flat().some((sent) => sent.includes(value)),
  );
}

/** Has another model answer where the request names one that does not exist. */
export function answersByOther(operation: string, model: string): Alternative {
  return intercepting([operation], {
    handle: async (request, proceed) => {
      try {
        return await proceed(request);
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 404 || error.param !== 'model') throw error;
        return proceed({ ...request, body: { ...request.body, model } });
      }
    },
  });
}

/** Intercepts the requests to some operations. */
export function intercepting(on: readonly string[], does: FaultHooks): Alternative {
  return { intercepts: [{ on, does }] };
}

/** Several alternatives at once, each about other kinds of objects. */
export function allOf(alternatives: readonly Alternative[]): Alternative {
  return {
    shows: Object.assign({}, ...alternatives.map(({ shows }) => shows)),
    intercepts: alternatives.flatMap(({ intercepts = [] }) => intercepts),
  };
}

/** An object without some fields. */
export function dropFields(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

/** The value as an object; an empty one for anything else. */
export function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The elements of an array; none for anything else. */
export function elementsOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
