import type { Json } from '../../exchange/body.ts';
import { inAnswer, status } from '../../judge/edit/breaks.ts';
import { all, put, remove } from '../../judge/edit/values.ts';
import { get, isObject, list } from '../../judge/json.ts';
import { answers, only, requests } from '../../judge/selectors/answers.ts';
import { choice } from '../../judge/write.ts';
import { acceptance } from '../generate/acceptance.ts';

const SPEC = '1 Assistant';
const SAMPLING = ['temperature', 'top_p'];
/** Operations that answer with an assistant. */
const TELLING = ['createAssistant', 'retrieveAssistant', 'modifyAssistant'];

export const omittedSettings = choice({
  id: 'assistants.v1.omitted-settings',
  spec: SPEC,
  says: 'Whether a legacy assistant is answered with temperature, top_p and response_format.',
  places: ['assistant.v1:temperature', 'assistant.v1:top_p'],
  alternatives: ['with them', 'without them'],
  on: answers(TELLING, { variant: 'v1' }),
  taken: ({ answer }) => {
    const settings = ['temperature', 'top_p', 'response_format'].map(
      (field) => get(answer, field) !== undefined,
    );
    if (settings.every(Boolean)) return 'with them';
    return settings.some(Boolean) ? 'with some of them' : 'without them';
  },
  examples: {
    'without them': inAnswer(
      'retrieveAssistant',
      all(remove('/temperature'), remove('/top_p'), remove('/response_format')),
    ),
  },
});

export const otherForm = choice({
  id: 'assistants.form.other-fields',
  spec: '1 Versioning',
  says: 'What becomes of a field of the other form when an assistant is created.',
  alternatives: ['left out', 'kept', 'refused'],
  on: only(requests('createAssistant'), ({ call, asked }) => {
    const foreign = call.variant === null ? undefined : FOREIGN[call.variant.name];
    return foreign !== undefined && get(asked, foreign) !== undefined && call.exchange.probe === null;
  }),
  taken: ({ call }) => {
    if (call.outcome === 'rejected') return 'refused';
    if (call.answer === undefined) return null;
    return get(call.answer, FOREIGN[call.variant?.name ?? ''] ?? '') === undefined ? 'left out' : 'kept';
  },
  examples: {
    kept: inAnswer('createAssistant', all(put('/file_ids', []), put('/tool_resources', {}))),
    refused: status('createAssistant', 400),
  },
});

/** By form, a field that only the other one has. */
const FOREIGN: Readonly<Record<string, string>> = { v1: 'tool_resources', v2: 'file_ids' };

export const missingHeader = choice({
  id: 'assistants.form.missing-header',
  spec: '1 Versioning',
  says: 'What a request for an assistant gets without a beta header.',
  alternatives: ['the legacy form', 'the beta form', 'refused'],
  on: only(requests('retrieveAssistant'), ({ call: { exchange, variant } }) => {
    return variant === null && !exchange.request.headers.some(([, value]) => value.includes('assistants='));
  }),
  taken: ({ call: { outcome, answer } }) => {
    if (outcome === 'rejected') return 'refused';
    if (answer === undefined) return null;
    const told = [get(answer, 'file_ids'), get(answer, 'tool_resources')].map((field) => field !== undefined);
    if (told[0] === told[1]) return told[0] ? 'both forms at once' : 'neither form';
    return told[0] ? 'the legacy form' : 'the beta form';
  },
  examples: {
    'the legacy form': inAnswer('retrieveAssistant', all(put('/file_ids', []), remove('/tool_resources'))),
    refused: status('retrieveAssistant', 400),
  },
});

export const bareFunction = choice({
  id: 'assistants.function.omitted-parts',
  spec: '1 Common shapes',
  says: 'How a function that was given no description and no parameters is answered.',
  alternatives: ['left out', 'empty'],
  on: only(answers('createAssistant'), ({ asked }) => list(asked, 'tools').some(isBare)),
  taken: ({ asked, answer }) => {
    const place = list(asked, 'tools').findIndex(isBare);
    const told = get(answer, 'tools', place, 'function');
    const parts = [get(told, 'description'), get(told, 'parameters')];
    if (parts.every((part) => part === undefined)) return 'left out';
    if (parts.includes(null)) return null;
    return parts.every((part) => part === undefined || isEmpty(part)) ? 'empty' : 'something else';
  },
  examples: {
    empty: inAnswer(
      'createAssistant',
      all(put('/tools/0/function/description', ''), put('/tools/0/function/parameters', {})),
    ),
  },
});

export const unsetResources = choice({
  id: 'assistants.resources.unset',
  spec: SPEC,
  says: 'How the tool_resources of an assistant read that was given none.',
  places: ['assistant.v2:tool_resources'],
  alternatives: ['an empty object', 'null'],
  on: only(
    answers('createAssistant', { variant: 'v2' }),
    ({ asked }) => get(asked, 'tool_resources') === undefined,
  ),
  taken: ({ answer }) => {
    const told = get(answer, 'tool_resources');
    if (told === undefined) return 'absent';
    if (told === null) return 'null';
    return isEmpty(told) ? 'an empty object' : 'something else';
  },
  examples: {
    null: inAnswer('createAssistant', put('/tool_resources', null)),
  },
});

export const unsetSampling = choice({
  id: 'assistants.sampling.unset',
  spec: SPEC,
  says: 'How temperature and top_p of an assistant read that were not given.',
  alternatives: ['their defaults', 'null', 'absent'],
  on: only(answers('createAssistant'), ({ asked }) =>
    SAMPLING.every((field) => get(asked, field) === undefined),
  ),
  taken: ({ answer }) => {
    const told = SAMPLING.map((field) => get(answer, field));
    if (told.every((value) => value === undefined)) return 'absent';
    if (told.every((value) => (value ?? null) === null)) return 'null';
    return told.every((value) => value === 1) ? 'their defaults' : 'something else';
  },
});

function isBare(tool: Json): boolean {
  const told = get(tool, 'function');
  return isObject(told) && Object.keys(told).join() === 'name';
}

function isEmpty(value: Json): boolean {
  if (value === '') return true;
  return isObject(value) && Object.keys(value).length === 0;
}

/** Fields that a request may leave out, and that an assistant may have null for. */
const OPTIONAL = ['name', 'description', 'instructions', 'tool_resources', 'temperature', 'top_p'];

export const nullRequest = acceptance({
  id: 'assistants.request.null',
  spec: '1 Assistants',
  says: 'Whether null may be sent for an optional field of an assistant, as it may be answered.',
  operations: ['createAssistant', 'modifyAssistant'],
  concerns: (asked) => OPTIONAL.some((field) => get(asked, field) === null),
});
