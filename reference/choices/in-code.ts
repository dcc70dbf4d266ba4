// Alternatives that need code. choices.json has the others, and the words, the order and the remarks of all.
import { ownOperations } from '../../schemas/index.ts';
import { assistantsOf } from '../assistants/assistants.routes.ts';
import {
  changeEvents,
  changeResponse,
  cloneJson,
  dropFields,
  elementsOf,
  type FaultyEvent,
  objectOf,
  replaceBody,
  setAtPointer,
  type ValueChange,
} from '../deviations/changes.ts';
import type { Alternative, DeviationHooks, HandlerOverride, ObjectChange } from '../deviations/deviation.ts';
import { hooksOf } from '../deviations/rows.ts';
import { filesOf } from '../files/file-store.ts';
import { ApiError } from '../http/api-error.ts';
import { isJsonObject, type Json, type JsonObject } from '../http/json.ts';
import type { HandlerRequest } from '../http/route.ts';
import { modelRoles } from '../model/catalogue.ts';
import { perService, type Service } from '../state/service.ts';
import { storesOf } from '../vector-stores/vector-stores.routes.ts';
import { firstOfList, paged, reordered, reversedSeconds } from './pages.ts';

const RUN_STARTS = ['createRun', 'createThreadAndRun'];
const TEXTS = ['createCompletion'];
const MODERATION = ['createModeration'];
/** Lists that take a limit and cursors. */
const LISTS = ownOperations()
  .filter(({ list }) => list !== null && list.maxLimit !== null)
  .map(({ id }) => id);
const ORDERED_LISTS = ownOperations()
  .filter(({ parameters }) => parameters.some(({ name }) => name === 'order'))
  .map(({ id }) => id);

/** Operations that modify metadata, with the one that shows the object. */
const MODIFICATIONS: Readonly<Record<string, string>> = {
  modifyAssistant: 'retrieveAssistant',
  modifyThread: 'retrieveThread',
  modifyMessage: 'retrieveMessage',
  modifyVectorStore: 'retrieveVectorStore',
};

/** Maximum number of metadata pairs (1 Common shapes); a modification that would exceed it is refused. */
const MOST_PAIRS = 16;

/** 4 MB in bytes. Pictures between this size and 4 MiB may be refused. */
const MILLIONS = 4_000_000;

const EMPTY_PAGE = { object: 'list', data: [], first_id: null, last_id: null, has_more: false };

/** By choice and name, as in `--choices`. */
export const ALTERNATIVES_IN_CODE: Readonly<Record<string, Alternative>> = {
  'assistants.model.unknown=answered': keepsUnknownModel(),
  'messages.form.beta-fields=file_ids': shows('thread.message', ({ attachments, ...message }) =>
    attachments === undefined
      ? message
      : { ...message, file_ids: elementsOf(attachments).flatMap((one) => objectOf(one)['file_id'] ?? []) },
  ),
  'metadata.modify.other-pairs=merged': allOf(
    Object.entries(MODIFICATIONS).map(([modify, retrieve]) => handling([modify], merging(retrieve))),
  ),
  'runs.new-thread.metadata=the thread': givesToThread('metadata', 'moved'),
  'runs.new-thread.metadata=the run and the thread': givesToThread('metadata', 'copied'),
  'runs.new-thread.tool-resources=the thread': givesToThread('tool_resources', 'moved'),
  'runs.new-thread.tool-resources=the run and the thread': givesToThread('tool_resources', 'copied'),
  'runs.stream.deltas-of-tool-steps=none': events(RUN_STARTS, (all) =>
    all.filter((event) => !isToolDelta(event)),
  ),
  'runs.stream.done-after-requires-action=no done': events(RUN_STARTS, (all) =>
    all.filter((event, i) => event.event !== 'done' || all[i - 1]?.event !== 'thread.run.requires_action'),
  ),
  'runs.stream.first-event=thread.run.created': events(['createThreadAndRun'], ([first, second, ...rest]) =>
    [second, first].flatMap((event) => event ?? []).concat(rest),
  ),
  'runs.stream.other-events=ping': events(RUN_STARTS, ([first, ...rest]) =>
    first === undefined ? rest : [first, { event: 'ping', data: {} }, ...rest],
  ),
  'vector-store-files.delete.again=removed again': confirmDeletion(
    'deleteVectorStoreFile',
    'vector_store.file.deleted',
    (service, { vector_store_id = '', file_id = '' }) =>
      storesOf(service).get(vector_store_id)?.files.place(file_id) !== undefined,
  ),
  'vector-store-files.file-deleted.stays=gone': handling(['deleteFile'], (request, proceed) => {
    for (const { files } of storesOf(request.service).values()) files.delete(request.path['file_id'] ?? '');
    return proceed(request);
  }),
  'vector-stores.delete.again=deleted again': confirmDeletion(
    'deleteVectorStore',
    'vector_store.deleted',
    (service, { vector_store_id = '' }) => storesOf(service).place(vector_store_id) !== undefined,
  ),
  'vector-stores.policy.fields=anchor, days': showsAt('vector_store', '/expires_after', (policy) => {
    const { duration } = objectOf(policy);
    return typeof duration === 'number'
      ? { ...objectOf(policy), anchor: 'last_active_at', days: Math.ceil(duration / 86_400) }
      : policy;
  }),
  'vector-stores.policy.null=taken away': takesPolicyAway(),
  'files.delete.again=deleted again': confirmDeletion(
    'deleteFile',
    'file',
    (service, { file_id = '' }) => filesOf(service).all.place(file_id) !== undefined,
  ),
  'files.upload.filename=another': showsAt(
    'file',
    '/filename',
    (name) => `stored_${String(name).replaceAll(/[^\w.-]/g, '_')}`,
  ),
  'moderations.input.elements=judged': on(
    MODERATION,
    replaceBody((body) =>
      Array.isArray(body['input'])
        ? {
            ...body,
            input: body['input'].map((one) => (typeof one === 'string' ? one : JSON.stringify(one))),
          }
        : body,
    ),
  ),
  'moderations.results.repeated=others': scores((service) => {
    judged(service).count += 1;
    return (score) => score * (1 - judged(service).count * 1e-6);
  }),
  'moderations.scores.range=other numbers': scores(() => (score) => Math.log(score + 1e-9)),
  'fine-tuning.jobs.limit=10': handling(['listFineTuningJobs'], (request, proceed) =>
    proceed({ ...request, query: { limit: 10, ...request.query } }),
  ),
  'chat.logprobs.tokens-joined=another text': showsAt(
    ['chat.completion', 'chat.completion.chunk'],
    '/choices/*/logprobs/content/*/token',
    (token) => String(token).replace(/^ ?/, '▁'),
  ),
  'completions.logprobs.count=one more': eachLogprobs((logprobs) => ({
    ...logprobs,
    top_logprobs: elementsOf(logprobs['top_logprobs']).map((place) =>
      Object.keys(objectOf(place)).length === 0 ? place : { ...objectOf(place), ' (another token)': -9 },
    ),
  })),
  'completions.logprobs.form=content': eachLogprobs(({ tokens, token_logprobs: numbers }) => ({
    content: elementsOf(tokens).map((token, i) => ({ token, logprob: elementsOf(numbers)[i] ?? null })),
  })),
  'completions.stream.last-piece=text': events(TEXTS, endingWithText),
  'completions.stream.usage=the one that ends': usageIn((isLast) => isLast),
  'completions.stream.usage=every one': usageIn(() => true),
  'images.upload.megabyte=refused': refuses(['createImageVariation'], ({ uploads }) =>
    [...uploads.values()].some(({ content }) => content.size > MILLIONS),
  ),
  'audio.verbose.language=a code': answers(['createTranscription'], (answer, { body }) =>
    'task' in answer ? { ...answer, language: body['language'] ?? 'en' } : answer,
  ),
  // The alternatives about orders come first, because cursors follow them.
  'lists.order.same-second=otherwise': reordered(ORDERED_LISTS, reversedSeconds),
  'lists.before.which-end=first of the list': paged(LISTS, firstOfList),
  'lists.cursor.both=as without before': ignoresOneOf('before'),
  'lists.cursor.both=as without after': ignoresOneOf('after'),
  'lists.cursor.both-accepted=refused': refuses(
    LISTS,
    ({ query }) => query['after'] !== undefined && query['before'] !== undefined,
  ),
  'lists.cursor.unknown=an empty page': forgivesCursor(async () => EMPTY_PAGE),
  'lists.cursor.unknown=the first page': forgivesCursor((request, proceed) =>
    proceed({ ...request, query: dropFields(request.query, ['after', 'before']) }),
  ),
  'lists.empty-page.ids=absent': emptyPages(undefined),
  'lists.empty-page.ids=an empty string': emptyPages(''),
};

function on(operations: readonly string[], does: DeviationHooks): Alternative {
  return { intercepts: [{ on: operations, does }] };
}

function handling(operations: readonly string[], handle: HandlerOverride): Alternative {
  return on(operations, { handle });
}

/** Several alternatives at once, each for different kinds of objects. */
function allOf(alternatives: readonly Alternative[]): Alternative {
  return { intercepts: alternatives.flatMap(({ intercepts = [] }) => intercepts) };
}

function shows(kinds: string | readonly string[], change: ObjectChange): Alternative {
  return { shows: Object.fromEntries([kinds].flat().map((kind) => [kind, change])) };
}

/** Shows a field with another value; `*` selects every element. */
function showsAt(kinds: string | readonly string[], pointer: string, value: ValueChange): Alternative {
  return shows(kinds, (object) => objectOf(setAtPointer(object, pointer, value)));
}

/** Changes the JSON responses of operations: those without an `object`, or of a single operation. */
function answers(
  operations: readonly string[],
  change: (answer: JsonObject, request: HandlerRequest) => Json,
): Alternative {
  return on(
    operations,
    changeResponse((answer, request) => change(objectOf(answer), request)),
  );
}

function events(
  operations: readonly string[],
  change: (all: readonly FaultyEvent[]) => readonly FaultyEvent[],
): Alternative {
  return on(operations, changeEvents(change));
}

/** Rejects valid requests for which `isMeant` returns true, with 400. */
function refuses(operations: readonly string[], isMeant: (request: HandlerRequest) => boolean): Alternative {
  return handling(operations, (request, proceed) => {
    if (!isMeant(request)) return proceed(request);
    throw ApiError.invalid(null, 'This service does not accept such a request.');
  });
}

/**
 * Confirms deletions to which the service would respond with 404, if `isMeant` is true for the path. `kind`: the
 * `object` of the confirmation.
 */
function confirmDeletion(
  operation: string,
  kind: string,
  isMeant: (service: Service, path: Readonly<Record<string, string>>) => boolean,
): Alternative {
  return on([operation], {
    forgive: ({ status }, { params }, service) =>
      status === 404 && isMeant(service, params)
        ? { id: Object.values(params).at(-1) ?? '', object: kind, deleted: true }
        : null,
  });
}

/** Creates an assistant with the name of a model that does not exist: an assistant shows the model that it was given. */
function keepsUnknownModel(): Alternative {
  const CREATE = ['createAssistant'];
  const named = answers(CREATE, (answer, { service, body }) => {
    const model = body['model'] ?? '';
    const assistant = assistantsOf(service).get(String(answer['id']));
    if (assistant !== undefined) assistant.model = String(model);
    return { ...answer, model };
  });
  return allOf([on(CREATE, hooksOf({ model: modelRoles.assistant })), named]);
}

/** Keeps pairs that a modification does not name; the empty map is a separate choice. */
function merging(retrieve: string): HandlerOverride {
  return async (request, proceed, ask) => {
    const { metadata = null } = request.body;
    if (metadata === null || (isJsonObject(metadata) && Object.keys(metadata).length === 0))
      return proceed(request);
    const before = objectOf(cloneJson(await ask(retrieve, request)));
    const old = objectOf(objectOf(before['value'] ?? before)['metadata']);
    const merged = { ...old, ...objectOf(metadata) };
    if (Object.keys(merged).length > MOST_PAIRS) throw ApiError.invalid('metadata', 'Too many pairs.');
    return proceed({ ...request, body: { ...request.body, metadata: merged } });
  };
}

/** Moves or copies a top-level field to the thread of the request; a field of the thread itself takes precedence. */
function givesToThread(name: 'metadata' | 'tool_resources', how: 'moved' | 'copied'): Alternative {
  return on(
    ['createThreadAndRun'],
    replaceBody((body) => {
      const own = body[name] ?? null;
      const thread = { [name]: own, ...objectOf(body['thread']) };
      const kept = how === 'moved' ? dropFields(body, [name]) : body;
      return own === null ? kept : { ...kept, thread };
    }),
  );
}

/** A delta of a step that uses a built-in tool. */
function isToolDelta({ event, data }: FaultyEvent): boolean {
  if (event !== 'thread.run.step.delta') return false;
  const details = objectOf(objectOf(objectOf(data)['delta'])['step_details']);
  return elementsOf(details['tool_calls']).some((call) => objectOf(call)['type'] !== 'function');
}

/** Accepts null for the policy of a store. The request schema rejects it, so it is replaced before validation. */
function takesPolicyAway(): Alternative {
  const MARK = 'removes_expires_after';
  return on(['modifyVectorStore'], {
    body: (body) => {
      const sent = objectOf(body);
      return sent['expires_after'] === null ? { ...dropFields(sent, ['expires_after']), [MARK]: true } : body;
    },
    handle: (request, proceed) => {
      const store = storesOf(request.service).get(request.path['vector_store_id'] ?? '');
      if (request.body[MARK] === true && store !== undefined) store.expires_after = null;
      return proceed(request);
    },
  });
}

/** How many moderations a service has answered. */
const judged = perService(() => ({ count: 0 }));

/** Changes every score of a moderation; `changeFor` is called once for each answer. */
function scores(changeFor: (service: Service) => (score: number) => number): Alternative {
  return answers(MODERATION, (answer, { service }) => {
    const change = changeFor(service);
    return setAtPointer(answer, '/results/*/category_scores', (given) =>
      Object.fromEntries(
        Object.entries(objectOf(given)).map(([category, score]) => [category, change(Number(score))]),
      ),
    );
  });
}

function eachLogprobs(change: (logprobs: JsonObject) => JsonObject): Alternative {
  return showsAt('text_completion', '/choices/*/logprobs', (logprobs) =>
    isJsonObject(logprobs) ? change(logprobs) : logprobs,
  );
}

/** The only choice of a piece; undefined for the usage and for `[DONE]`. */
function choiceIn({ data }: FaultyEvent): JsonObject | undefined {
  const [choice] = elementsOf(objectOf(data)['choices']);
  return choice === undefined ? undefined : objectOf(choice);
}

/** Moves the finish reason to the last piece with text, and drops the empty piece after it. */
function endingWithText(all: readonly FaultyEvent[]): readonly FaultyEvent[] {
  const pieces = all.map((event) => ({ event, choice: choiceIn(event) }));
  return pieces.flatMap(({ event, choice }, i) => {
    if (choice === undefined) return [event];
    const next = pieces.slice(i + 1).find((other) => other.choice?.['index'] === choice['index'])?.choice;
    const before = pieces.slice(0, i).some((other) => other.choice?.['index'] === choice['index']);
    if (choice['finish_reason'] !== null && choice['text'] === '' && before) return [];
    const reason =
      next?.['text'] === '' ? (next['finish_reason'] ?? null) : (choice['finish_reason'] ?? null);
    return [{ ...event, data: { ...objectOf(event.data), choices: [{ ...choice, finish_reason: reason }] } }];
  });
}

/** Puts usage, requested or not, into the pieces for which `isMeant` is true. */
function usageIn(isMeant: (isLast: boolean) => boolean): Alternative {
  const asking = replaceBody((body) =>
    body['stream'] === true ? { ...body, stream_options: { include_usage: true } } : body,
  );
  const moved = events(TEXTS, (all) => {
    const usage = all.map(({ data }) => objectOf(data)['usage']).find((one) => one !== undefined) ?? null;
    const last = all.findLast((event) => choiceIn(event) !== undefined);
    return all.flatMap((event) => {
      if (event.data === '[DONE]') return [event];
      if (choiceIn(event) === undefined) return [];
      return isMeant(event === last) ? [{ ...event, data: { ...objectOf(event.data), usage } }] : [event];
    });
  });
  return allOf([on(TEXTS, asking), moved]);
}

function ignoresOneOf(name: 'after' | 'before'): Alternative {
  return handling(LISTS, (request, proceed) => {
    const { after, before } = request.query;
    if (after === undefined || before === undefined) return proceed(request);
    return proceed({ ...request, query: dropFields(request.query, [name]) });
  });
}

function forgivesCursor(instead: HandlerOverride): Alternative {
  return handling(LISTS, async (request, proceed, ask) => {
    try {
      return await proceed(request);
    } catch (error) {
      if (!(error instanceof ApiError) || !['after', 'before'].includes(error.param ?? '')) throw error;
      return instead(request, proceed, ask);
    }
  });
}

function emptyPages(id: Json | undefined): Alternative {
  return shows('list', (list) => {
    if (!Array.isArray(list['data']) || list['data'].length > 0 || !('first_id' in list)) return list;
    return { ...dropFields(list, ['first_id', 'last_id']), first_id: id, last_id: id };
  });
}
