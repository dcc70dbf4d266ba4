// What a target may refuse though the request breaks no constraint: the specification does not say that it is accepted. Each
// kind is an exclusion of the ledger. No request by which the suite shows a requirement is of any of them.
import type { Json, JsonObject } from '../../../schemas/json.ts';
import { isObject } from '../../evidence/json.ts';
import type { Exclusion } from '../../requirements/requirement.ts';
import type { Call } from '../../trace/call.ts';
import { fileIdsIn } from '../known-state/attached-files.ts';
import type { KnownObjects } from '../known-state/objects.ts';
import { hasOtherNumber, hasOtherTokens } from './numbers.ts';
import { isMissing, isMonologue, lacksInstruction } from './texts.ts';
import { forcesOtherTool, hasOtherNames, hasOtherParameters } from './tools.ts';
import { isWrittenOtherwise } from './transport.ts';
import type { UnstatedRequest } from './unstated-request.ts';

const KINDS: readonly UnstatedRequest[] = [
  {
    id: 'service.accepts.json-mode-without-instruction',
    spec: '1 Assistant',
    says: 'A request in JSON mode is accepted though nothing in it asks for JSON.',
    reason: 'To ask for it is a duty of the caller.',
    holds: lacksInstruction,
  },
  {
    id: 'service.accepts.forced-tool-that-is-missing',
    spec: '2 Chat completions',
    says: 'A request is accepted that forces a tool which it does not give, nor its assistant.',
    reason: 'That such a tool can be forced is not stated, and no model can call it.',
    holds: (body, _call, objects) => forcesOtherTool(body, objects),
  },
  {
    id: 'service.accepts.other-function-schemas',
    spec: '1 Common shapes',
    says: 'Functions are accepted whatever JSON Schema their parameters have.',
    reason: 'The dialect and the form of these schemas are not shown; plain objects are accepted.',
    holds: hasOtherParameters,
  },
  {
    id: 'service.accepts.other-function-names',
    spec: '1 Common shapes',
    says: 'Functions are accepted whatever their names are, and two of one name or any tool twice.',
    reason:
      'Which names a model can call is not shown; letters, digits, dashes and underscores are accepted.',
    holds: hasOtherNames,
  },
  {
    id: 'service.accepts.other-tokens',
    spec: '2 Limits',
    says: 'Tokens are accepted whatever their ids are.',
    reason: 'The vocabulary of a model is not shown; ids below 256 are accepted.',
    holds: hasOtherTokens,
  },
  {
    id: 'service.accepts.other-numbers',
    spec: '2 Chat completions',
    says: 'Numbers without a stated range are accepted whatever they are, such as no answer at all.',
    reason: 'Their meaning beyond the usual range is not shown; within it they are accepted.',
    holds: hasOtherNumber,
  },
  {
    id: 'service.accepts.empty-texts',
    spec: '2 Chat completions',
    says: 'Texts and lists that a model works on are accepted though nothing is in them.',
    reason: 'The result of a model that has nothing to work on is not shown.',
    holds: isMissing,
  },
  {
    id: 'service.accepts.one-file-twice',
    spec: '1 Vector stores',
    says: 'A request is accepted that names one file or store twice.',
    reason:
      'Whether the second naming is an error is not shown; for training it is excluded by a duty of the caller.',
    holds: (body, call, objects) => namesTwice(body) || validatesWithTraining(call, objects),
  },
  {
    id: 'service.accepts.files-of-other-purposes',
    spec: '2 Files',
    says: 'Assistants, messages and vector stores are given files that were uploaded for another purpose.',
    reason: 'That a file serves another purpose than its own is not stated.',
    holds: (body, _call, { files }) =>
      namedFiles(body).some((id) => !SERVING.has(files.purposeOf(id) ?? 'assistants')),
  },
  {
    id: 'service.accepts.monologues',
    spec: '2 Chat completion',
    says: 'A conversation is accepted of which each message is by the model.',
    reason: 'The answer of a model to itself is not shown.',
    holds: (body, { operation }) => operation.id === 'createChatCompletion' && isMonologue(body),
  },
  {
    id: 'service.accepts.other-writing',
    spec: '1 What the service does',
    says: 'Requests are accepted that are not plain JSON (another type, a member twice, NUL, an integer as 1.0), that are conditional, or whose callers do not take JSON.',
    reason:
      'Requests and answers are described as JSON; other ways to write and to ask for them are not shown.',
    holds: isWrittenOtherwise,
  },
  {
    id: 'service.accepts.other-names-of-models',
    spec: '2 Fine-tuning',
    says: 'Any signs are accepted in the suffix of a new model.',
    reason: 'The signs in names of models are not listed; letters, digits and dashes are accepted.',
    holds: ({ suffix }, { operation }) =>
      operation.id === 'createFineTuningJob' && typeof suffix === 'string' && !/^[A-Za-z0-9-]+$/.test(suffix),
  },
  {
    id: 'service.accepts.other-languages',
    spec: '2 Audio',
    says: 'Recordings are accepted in whatever language they are said to be.',
    reason: 'The languages of a model are not listed; those of its most frequent training are accepted.',
    holds: ({ language }) => language !== undefined && !LANGUAGES.has(language),
  },
];

/** Languages that every model of speech is trained with, by code or by name. */
const LANGUAGES: ReadonlySet<Json> = new Set(['de', 'en', 'english', 'es', 'fr', 'it', 'ja', 'pt', 'zh']);

/** Whether a request is of a kind of which it is not stated that it is accepted. */
export function isUnstatedRequest(call: Call, objects: KnownObjects): boolean {
  const { requestJson: body } = call;
  return isObject(body) && KINDS.some(({ holds }) => holds(body, call, objects));
}

/** The kinds, as exclusions of the ledger. */
export function unstatedExclusions(): readonly Exclusion[] {
  return KINDS.map(({ id, spec, says, reason }) => ({ id, spec, says, reason }));
}

/** Whether a list of ids, or the fields for files, have one id twice. */
function namesTwice(body: JsonObject): boolean {
  return [fileIdsIn(body), ...idLists(body)].some((ids) => new Set(ids).size < ids.length);
}

/** Whether a model is to be validated with the bytes that it is trained with. */
function validatesWithTraining(call: Call, { files }: KnownObjects): boolean {
  if (call.operation.id !== 'createFineTuningJob') return false;
  const contents = files.contentsIn(call) ?? [];
  return new Set(contents).size < contents.length;
}

/** Purposes of the files that assistants work with. */
const SERVING: ReadonlySet<string> = new Set(['assistants', 'assistants_output', 'vision']);

/** Names of members with ids of files that assistants, messages and stores work with. */
const SERVED: ReadonlySet<string> = new Set(['file_id', 'file_ids']);

/** Those ids, wherever they stand in a body. */
function namedFiles(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(namedFiles);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    SERVED.has(name) ? [inner].flat().filter((id) => typeof id === 'string') : namedFiles(inner),
  );
}

/** The lists of ids in the resources of tools. */
function idLists({ tool_resources: resources }: JsonObject): readonly (readonly Json[])[] {
  const tools = isObject(resources) ? Object.values(resources) : [];
  return tools.flatMap((tool) =>
    isObject(tool) ? Object.values(tool).filter((ids) => Array.isArray(ids)) : [],
  );
}
