// Alternatives that need code. `choices.json` has the others, and the names, the order and the remarks of all.
import { ownOperations } from '../../schemas/index.ts';
import { assistantsOf } from '../assistants/assistants.routes.ts';
import { changeEvents, changeResponse, type ParsedEvent, replaceBody } from '../deviations/changes.ts';
import type { Alternative, DeviationHooks, HandlerOverride, ObjectChange } from '../deviations/deviation.ts';
import {
  cloneJson,
  dropFields,
  elementsOf,
  objectOf,
  setAtPointer,
  type ValueChange,
} from '../deviations/json-changes.ts';
import { hooksOf } from '../deviations/rows.ts';
import { filesOf } from '../files/file-store.ts';
import { ApiError } from '../http/api-error.ts';
import { isJsonObject, type Json, type JsonObject } from '../http/json.ts';
import type { HandlerRequest } from '../http/route.ts';
import { modelRoles } from '../model/catalogue.ts';
import { perService, type Service } from '../state/service.ts';
import { storesOf } from '../vector-stores/stores.ts';
import { firstOfList, pickPage, reorderPagedLists, reverseSeconds } from './pages.ts';

const RUN_OPERATIONS = ['createRun', 'createThreadAndRun'];
const COMPLETION_OPERATIONS = ['createCompletion'];
const MODERATION_OPERATIONS = ['createModeration'];
const PAGED_LISTS = ownOperations()
  .filter(({ list }) => list !== null && list.maxLimit !== null)
  .map(({ id }) => id);
const ORDERED_LISTS = ownOperations()
  .filter(({ parameters }) => parameters.some(({ name }) => name === 'order'))
  .map(({ id }) => id);

const MODIFICATIONS: Readonly<Record<string, string>> = {
  modifyAssistant: 'retrieveAssistant',
  modifyThread: 'retrieveThread',
  modifyMessage: 'retrieveMessage',
  modifyVectorStore: 'retrieveVectorStore',
};

/** Maximum number of pairs in metadata (1 Common shapes). */
const MAX_METADATA_PAIRS = 16;
/** In bytes; the service may refuse pictures between 4 MB and 4 MiB. */
const FOUR_MEGABYTES = 4_000_000;
const EMPTY_PAGE = { object: 'list', data: [], first_id: null, last_id: null, has_more: false };
const moderationCount = perService(() => ({ count: 0 }));

/** Alternatives by choice and name, in the form that `--choices` takes. */
export const ALTERNATIVES_IN_CODE: Readonly<Record<string, Alternative>> = {
  'assistants.model.unknown=answered': keepUnknownModel(),
  'messages.form.beta-fields=file_ids': showObjects('thread.message', ({ attachments, ...message }) =>
    attachments === undefined
      ? message
      : { ...message, file_ids: elementsOf(attachments).flatMap((file) => objectOf(file)['file_id'] ?? []) },
  ),
  'metadata.modify.other-pairs=merged': combine(
    Object.entries(MODIFICATIONS).map(([modify, retrieve]) =>
      overrideHandler([modify], mergeMetadata(retrieve)),
    ),
  ),
  'runs.new-thread.metadata=the thread': giveToThread('metadata', 'moved'),
  'runs.new-thread.metadata=the run and the thread': giveToThread('metadata', 'copied'),
  'runs.new-thread.tool-resources=the thread': giveToThread('tool_resources', 'moved'),
  'runs.new-thread.tool-resources=the run and the thread': giveToThread('tool_resources', 'copied'),
  'runs.stream.deltas-of-tool-steps=none': editEvents(RUN_OPERATIONS, (all) =>
    all.filter((event) => !isBuiltInToolDelta(event)),
  ),
  'runs.stream.done-after-requires-action=no done': editEvents(RUN_OPERATIONS, (all) =>
    all.filter((event, i) => event.event !== 'done' || all[i - 1]?.event !== 'thread.run.requires_action'),
  ),
  'runs.stream.first-event=thread.run.created': editEvents(
    ['createThreadAndRun'],
    ([first, second, ...later]) => [second, first].flatMap((event) => event ?? []).concat(later),
  ),
  'runs.stream.other-events=ping': editEvents(RUN_OPERATIONS, ([first, ...later]) =>
    first === undefined ? later : [first, { event: 'ping', data: {} }, ...later],
  ),
  'vector-store-files.delete.again=removed again': confirmDeletion(
    'deleteVectorStoreFile',
    'vector_store.file.deleted',
    (service, { vector_store_id = '', file_id = '' }) =>
      storesOf(service).get(vector_store_id)?.files.positionOf(file_id) !== undefined,
  ),
  'vector-store-files.file-deleted.stays=gone': overrideHandler(['deleteFile'], (request, proceed) => {
    for (const { files } of storesOf(request.service).values()) files.delete(request.path['file_id'] ?? '');
    return proceed(request);
  }),
  'vector-stores.delete.again=deleted again': confirmDeletion(
    'deleteVectorStore',
    'vector_store.deleted',
    (service, { vector_store_id = '' }) => storesOf(service).positionOf(vector_store_id) !== undefined,
  ),
  'vector-stores.policy.fields=anchor, days': showField('vector_store', '/expires_after', (policy) => {
    const { duration } = objectOf(policy);
    return typeof duration === 'number'
      ? { ...objectOf(policy), anchor: 'last_active_at', days: Math.ceil(duration / 86_400) }
      : policy;
  }),
  'vector-stores.policy.null=taken away': removePolicyOnNull(),
  'files.delete.again=deleted again': confirmDeletion(
    'deleteFile',
    'file',
    (service, { file_id = '' }) => filesOf(service).all.positionOf(file_id) !== undefined,
  ),
  'files.upload.filename=another': showField(
    'file',
    '/filename',
    (name) => `stored_${String(name).replaceAll(/[^\w.-]/g, '_')}`,
  ),
  'moderations.input.elements=judged': intercept(
    MODERATION_OPERATIONS,
    replaceBody((body) =>
      Array.isArray(body['input'])
        ? {
            ...body,
            input: body['input'].map((part) => (typeof part === 'string' ? part : JSON.stringify(part))),
          }
        : body,
    ),
  ),
  'moderations.results.repeated=others': changeScores((service) => {
    moderationCount(service).count += 1;
    return (score) => score * (1 - moderationCount(service).count * 1e-6);
  }),
  'moderations.scores.range=other numbers': changeScores(() => (score) => Math.log(score + 1e-9)),
  'fine-tuning.jobs.limit=10': overrideHandler(['listFineTuningJobs'], (request, proceed) =>
    proceed({ ...request, query: { limit: 10, ...request.query } }),
  ),
  'chat.logprobs.tokens-joined=another text': showField(
    ['chat.completion', 'chat.completion.chunk'],
    '/choices/*/logprobs/content/*/token',
    (token) => String(token).replace(/^ ?/, '▁'),
  ),
  'completions.logprobs.count=more than requested': changeLogprobs((logprobs) => ({
    ...logprobs,
    top_logprobs: elementsOf(logprobs['top_logprobs']).map((place) =>
      Object.keys(objectOf(place)).length === 0 ? place : { ...objectOf(place), ' (another token)': -9 },
    ),
  })),
  'completions.logprobs.form=content': changeLogprobs(({ tokens, token_logprobs: numbers }) => ({
    content: elementsOf(tokens).map((token, i) => ({ token, logprob: elementsOf(numbers)[i] ?? null })),
  })),
  'completions.stream.last-piece=text': editEvents(COMPLETION_OPERATIONS, endWithText),
  'completions.stream.usage=the last one': addUsage((isLast) => isLast),
  'completions.stream.usage=every one': addUsage(() => true),
  'images.upload.megabyte=refused': refuseWhere(['createImageVariation'], ({ uploads }) =>
    [...uploads.values()].some(({ content }) => content.size > FOUR_MEGABYTES),
  ),
  'audio.verbose.language=a code': changeAnswers(['createTranscription'], (answer, { body }) =>
    'task' in answer ? { ...answer, language: body['language'] ?? 'en' } : answer,
  ),
  'lists.order.same-second=otherwise': reorderPagedLists(ORDERED_LISTS, reverseSeconds),
  'lists.before.which-end=first of the list': pickPage(PAGED_LISTS, firstOfList),
  'lists.cursor.both=as without before': ignoreCursor('before'),
  'lists.cursor.both=as without after': ignoreCursor('after'),
  'lists.cursor.both-accepted=refused': refuseWhere(
    PAGED_LISTS,
    ({ query }) => query['after'] !== undefined && query['before'] !== undefined,
  ),
  'lists.cursor.unknown=an empty page': forgiveUnknownCursor(async () => EMPTY_PAGE),
  'lists.cursor.unknown=the first page': forgiveUnknownCursor((request, proceed) =>
    proceed({ ...request, query: dropFields(request.query, ['after', 'before']) }),
  ),
  'lists.empty-page.ids=absent': setEmptyPageIds(undefined),
  'lists.empty-page.ids=an empty string': setEmptyPageIds(''),
};

function intercept(operations: readonly string[], does: DeviationHooks): Alternative {
  return { intercepts: [{ on: operations, does }] };
}

function overrideHandler(operations: readonly string[], handle: HandlerOverride): Alternative {
  return intercept(operations, { handle });
}

function combine(alternatives: readonly Alternative[]): Alternative {
  return { intercepts: alternatives.flatMap(({ intercepts = [] }) => intercepts) };
}

function showObjects(kinds: string | readonly string[], change: ObjectChange): Alternative {
  return { shows: Object.fromEntries([kinds].flat().map((kind) => [kind, change])) };
}

function showField(kinds: string | readonly string[], pointer: string, value: ValueChange): Alternative {
  return showObjects(kinds, (object) => objectOf(setAtPointer(object, pointer, value)));
}

/** Changes the JSON responses of these operations only, whether or not they have a member `object`. */
function changeAnswers(
  operations: readonly string[],
  change: (answer: JsonObject, request: HandlerRequest) => Json,
): Alternative {
  return intercept(
    operations,
    changeResponse((answer, request) => change(objectOf(answer), request)),
  );
}

function editEvents(
  operations: readonly string[],
  change: (all: readonly ParsedEvent[]) => readonly ParsedEvent[],
): Alternative {
  return intercept(operations, changeEvents(change));
}

function refuseWhere(
  operations: readonly string[],
  isRefused: (request: HandlerRequest) => boolean,
): Alternative {
  return overrideHandler(operations, (request, proceed) => {
    if (!isRefused(request)) return proceed(request);
    throw ApiError.invalid(null, 'This service does not accept such a request.');
  });
}

function confirmDeletion(
  operation: string,
  kind: string,
  isConfirmed: (service: Service, path: Readonly<Record<string, string>>) => boolean,
): Alternative {
  return intercept([operation], {
    replaceError: ({ status }, { params }, service) =>
      status === 404 && isConfirmed(service, params)
        ? { id: Object.values(params).at(-1) ?? '', object: kind, deleted: true }
        : null,
  });
}

function keepUnknownModel(): Alternative {
  const showNamedModel = changeAnswers(['createAssistant'], (answer, { service, body }) => {
    const model = body['model'] ?? '';
    const assistant = assistantsOf(service).get(String(answer['id']));
    if (assistant !== undefined) assistant.model = String(model);
    return { ...answer, model };
  });
  return combine([intercept(['createAssistant'], hooksOf({ model: modelRoles.assistant })), showNamedModel]);
}

/** Keeps the pairs that a modification does not name; the effect of an empty map is a separate choice. */
function mergeMetadata(retrieve: string): HandlerOverride {
  return async (request, proceed, callOperation) => {
    const { metadata = null } = request.body;
    if (metadata === null || (isJsonObject(metadata) && Object.keys(metadata).length === 0))
      return proceed(request);
    const retrieved = objectOf(cloneJson(await callOperation(retrieve, request)));
    const earlierPairs = objectOf(objectOf(retrieved['value'] ?? retrieved)['metadata']);
    const allPairs = { ...earlierPairs, ...objectOf(metadata) };
    if (Object.keys(allPairs).length > MAX_METADATA_PAIRS)
      throw ApiError.invalid('metadata', `'metadata' would have more than ${MAX_METADATA_PAIRS} pairs.`);
    return proceed({ ...request, body: { ...request.body, metadata: allPairs } });
  };
}

/** Moves or copies a top-level field to the thread of the request; a field of the thread itself takes precedence. */
function giveToThread(name: 'metadata' | 'tool_resources', how: 'moved' | 'copied'): Alternative {
  return intercept(
    ['createThreadAndRun'],
    replaceBody((body) => {
      const value = body[name] ?? null;
      const thread = { [name]: value, ...objectOf(body['thread']) };
      const fields = how === 'moved' ? dropFields(body, [name]) : body;
      return value === null ? fields : { ...fields, thread };
    }),
  );
}

function isBuiltInToolDelta({ event, data }: ParsedEvent): boolean {
  if (event !== 'thread.run.step.delta') return false;
  const details = objectOf(objectOf(objectOf(data)['delta'])['step_details']);
  return elementsOf(details['tool_calls']).some((call) => objectOf(call)['type'] !== 'function');
}

/** Accepts null as a store's policy. The request schema rejects null, so a marker replaces it before validation. */
function removePolicyOnNull(): Alternative {
  const marker = 'removes_expires_after';
  return intercept(['modifyVectorStore'], {
    body: (body) => {
      const fields = objectOf(body);
      return fields['expires_after'] === null
        ? { ...dropFields(fields, ['expires_after']), [marker]: true }
        : body;
    },
    handle: (request, proceed) => {
      const store = storesOf(request.service).get(request.path['vector_store_id'] ?? '');
      if (request.body[marker] === true && store !== undefined) store.expires_after = null;
      return proceed(request);
    },
  });
}

function changeScores(changeFor: (service: Service) => (score: number) => number): Alternative {
  return changeAnswers(MODERATION_OPERATIONS, (answer, { service }) => {
    const change = changeFor(service);
    return setAtPointer(answer, '/results/*/category_scores', (scores) =>
      Object.fromEntries(
        Object.entries(objectOf(scores)).map(([category, score]) => [category, change(Number(score))]),
      ),
    );
  });
}

function changeLogprobs(change: (logprobs: JsonObject) => JsonObject): Alternative {
  return showField('text_completion', '/choices/*/logprobs', (logprobs) =>
    isJsonObject(logprobs) ? change(logprobs) : logprobs,
  );
}

function choiceIn({ data }: ParsedEvent): JsonObject | undefined {
  const [choice] = elementsOf(objectOf(data)['choices']);
  return choice === undefined ? undefined : objectOf(choice);
}

/** Drops the empty chunk that ends a choice, and gives its finish_reason to the chunk before. */
function endWithText(all: readonly ParsedEvent[]): readonly ParsedEvent[] {
  const chunks = all.map((event) => ({ event, choice: choiceIn(event) }));
  return chunks.flatMap(({ event, choice }, i) => {
    if (choice === undefined) return [event];
    const next = chunks.slice(i + 1).find((other) => other.choice?.['index'] === choice['index'])?.choice;
    const hasEarlier = chunks.slice(0, i).some((other) => other.choice?.['index'] === choice['index']);
    if (choice['finish_reason'] !== null && choice['text'] === '' && hasEarlier) return [];
    const reason =
      next?.['text'] === '' ? (next['finish_reason'] ?? null) : (choice['finish_reason'] ?? null);
    return [{ ...event, data: { ...objectOf(event.data), choices: [{ ...choice, finish_reason: reason }] } }];
  });
}

/** Adds the usage to the last chunk with a choice or to each, and drops the chunk that has only the usage. */
function addUsage(showsUsage: (isLast: boolean) => boolean): Alternative {
  const requestUsage = replaceBody((body) =>
    body['stream'] === true ? { ...body, stream_options: { include_usage: true } } : body,
  );
  const moveUsage = editEvents(COMPLETION_OPERATIONS, (all) => {
    const usage = all.map(({ data }) => objectOf(data)['usage']).find((one) => one !== undefined) ?? null;
    const last = all.findLast((event) => choiceIn(event) !== undefined);
    return all.flatMap((event) => {
      if (event.data === '[DONE]') return [event];
      if (choiceIn(event) === undefined) return [];
      return showsUsage(event === last) ? [{ ...event, data: { ...objectOf(event.data), usage } }] : [event];
    });
  });
  return combine([intercept(COMPLETION_OPERATIONS, requestUsage), moveUsage]);
}

function ignoreCursor(name: 'after' | 'before'): Alternative {
  return overrideHandler(PAGED_LISTS, (request, proceed) => {
    const { after, before } = request.query;
    if (after === undefined || before === undefined) return proceed(request);
    return proceed({ ...request, query: dropFields(request.query, [name]) });
  });
}

function forgiveUnknownCursor(instead: HandlerOverride): Alternative {
  return overrideHandler(PAGED_LISTS, async (request, proceed, callOperation) => {
    try {
      return await proceed(request);
    } catch (error) {
      if (!(error instanceof ApiError) || !['after', 'before'].includes(error.param ?? '')) throw error;
      return instead(request, proceed, callOperation);
    }
  });
}

function setEmptyPageIds(id: Json | undefined): Alternative {
  return showObjects('list', (list) => {
    if (!Array.isArray(list['data']) || list['data'].length > 0 || !('first_id' in list)) return list;
    return { ...dropFields(list, ['first_id', 'last_id']), first_id: id, last_id: id };
  });
}
