import { acceptance } from '../generate/acceptance.ts';
import { choiceOf } from '../rows/rows.ts';
import { refusal } from '../vocabulary/choice-shapes.ts';
import { arrayAt, isObject, valueAtPath } from '../vocabulary/json.ts';
import { requests, responses, unprobed, where } from '../vocabulary/selectors.ts';
import type { Call, Json } from '../vocabulary/types.ts';
import { withoutBeta } from './samples.ts';

export const assistantsFormOtherFields = choiceOf('assistants.form.other-fields', {
  selector: where(requests('createAssistant'), unprobed, ({ call }) => isForeign(call, call.requestJson)),
  taken: refusal('left out'),
});

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

function isForeign({ variant }: Call, json: Json | undefined): boolean {
  const field = FOREIGN[variant?.name ?? ''];
  return field !== undefined && valueAtPath(json, field) !== undefined;
}

/** The specification leaves the status of a refusal open: 404 is one as well. */
function isRefused({ responseClass }: Call): boolean {
  return responseClass === 'rejected' || responseClass === 'absent';
}

function formOf(call: Call): string | null {
  const { responseJson: answer } = call;
  if (isRefused(call)) return 'refused';
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

export const toolTwice = acceptance({
  id: 'assistants.tools.twice',
  operations: ['createAssistant', 'modifyAssistant'],
  concerns: (asked) => {
    const tools = arrayAt(asked, 'tools').map((tool) => JSON.stringify(tool));
    return new Set(tools).size < tools.length;
  },
});

const OPTIONAL = ['name', 'description', 'instructions', 'tool_resources', 'temperature', 'top_p'];

export const nullRequest = acceptance({
  id: 'assistants.request.null',
  operations: ['createAssistant', 'modifyAssistant'],
  concerns: (asked) => OPTIONAL.some((field) => valueAtPath(asked, field) === null),
});
