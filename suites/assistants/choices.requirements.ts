import { acceptance } from '../generate/acceptance.ts';
import { choiceOf } from '../rows/rows.ts';
import { fieldState, fieldsShown, refusedOr } from '../vocabulary/choice-shapes.ts';
import { arrayAt, isObject, valueAtPath } from '../vocabulary/json.ts';
import { leavesOut, requests, responses, unprobed, where } from '../vocabulary/selectors.ts';
import type { Call, Json } from '../vocabulary/types.ts';
import { withoutBeta } from './samples.ts';

const SAMPLING = ['temperature', 'top_p'];
/** Operations that answer with an assistant. */
const TELLING = ['createAssistant', 'retrieveAssistant', 'modifyAssistant'];

export const assistantsV1OmittedSettings = choiceOf('assistants.v1.omitted-settings', {
  selector: responses(TELLING, { variant: 'v1' }),
  taken: fieldsShown([...SAMPLING, 'response_format'], 'with them', 'with some of them', 'without them'),
});

export const assistantsFormOtherFields = choiceOf('assistants.form.other-fields', {
  selector: where(requests('createAssistant'), unprobed, ({ call }) => isForeign(call, call.requestJson)),
  taken: refusedOr(({ call }) => (isForeign(call, call.responseJson) ? 'kept' : 'left out')),
});

export const assistantsFormUnaskedFileIds = choiceOf('assistants.form.unasked-file-ids', {
  selector: where(responses('createAssistant', { variant: 'v2' }), leavesOut('file_ids')),
  taken: ({ answer }) => shownIn(answer, 'file_ids'),
});

export const assistantsFormUnaskedToolResources = choiceOf('assistants.form.unasked-tool-resources', {
  selector: where(responses('createAssistant', { variant: 'v1' }), leavesOut('tool_resources')),
  taken: ({ answer }) => shownIn(answer, 'tool_resources'),
});

/** By form, a field that only the other one has. */
const FOREIGN: Readonly<Record<string, string>> = { v1: 'tool_resources', v2: 'file_ids' };

export const assistantsFormMissingHeader = choiceOf('assistants.form.missing-header', {
  selector: where(requests('retrieveAssistant'), withoutBeta, ({ call }) => call.variant === null),
  taken: ({ call }) => formOf(call),
});

export const assistantsFunctionOmittedParts = choiceOf('assistants.function.omitted-parts', {
  selector: where(responses('createAssistant'), ({ asked }) => arrayAt(asked, 'tools').some(isBare)),
  taken: ({ asked, answer }) => {
    const place = arrayAt(asked, 'tools').findIndex(isBare);
    const shown = valueAtPath(answer, 'tools', place, 'function');
    const parts = [valueAtPath(shown, 'description'), valueAtPath(shown, 'parameters')];
    if (parts.every((part) => part === undefined)) return 'left out';
    if (parts.includes(null)) return null;
    return parts.every((part) => part === undefined || isEmpty(part)) ? 'empty' : 'something else';
  },
});

export const assistantsResourcesUnset = choiceOf('assistants.resources.unset', {
  selector: where(responses('createAssistant', { variant: 'v2' }), leavesOut('tool_resources')),
  taken: fieldState('tool_resources', 'something else', 'an empty object'),
});

export const assistantsSamplingUnset = choiceOf('assistants.sampling.unset', {
  selector: where(responses('createAssistant'), ...SAMPLING.map(leavesOut)),
  taken: ({ answer }) => {
    const shown = SAMPLING.map((field) => valueAtPath(answer, field));
    if (shown.every((value) => value === undefined)) return 'absent';
    if (shown.every((value) => (value ?? null) === null)) return 'null';
    return shown.every((value) => value === 1) ? 'their defaults' : 'something else';
  },
});

/** Whether JSON has a field that only the other form has. */
function isForeign({ variant }: Call, json: Json | undefined): boolean {
  const field = FOREIGN[variant?.name ?? ''];
  return field !== undefined && valueAtPath(json, field) !== undefined;
}

function shownIn(answer: Json, field: string): string {
  return valueAtPath(answer, field) === undefined ? 'left out' : 'shown';
}

/** The form of the assistant in a response. */
function formOf({ responseClass: outcome, responseJson: answer }: Call): string | null {
  if (outcome === 'rejected') return 'refused';
  if (answer === undefined) return null;
  const shown = [valueAtPath(answer, 'file_ids'), valueAtPath(answer, 'tool_resources')].map(
    (field) => field !== undefined,
  );
  if (shown[0] === shown[1]) return shown[0] ? 'both forms at once' : 'neither form';
  return shown[0] ? 'the legacy form' : 'the beta form';
}

function isBare(tool: Json): boolean {
  const shown = valueAtPath(tool, 'function');
  return isObject(shown) && Object.keys(shown).join() === 'name';
}

function isEmpty(value: Json): boolean {
  if (value === '') return true;
  return isObject(value) && Object.keys(value).length === 0;
}

/** Fields that a request may leave out, and that an assistant may have null for. */
const OPTIONAL = ['name', 'description', 'instructions', 'tool_resources', 'temperature', 'top_p'];

export const nullRequest = acceptance({
  id: 'assistants.request.null',
  operations: ['createAssistant', 'modifyAssistant'],
  concerns: (asked) => OPTIONAL.some((field) => valueAtPath(asked, field) === null),
});
