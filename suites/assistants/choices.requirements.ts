import { choiceOf } from '../rows/rows.ts';
import { outcome } from '../vocabulary/choice-shapes.ts';
import { arrayAt, isObject, valueAtPath } from '../vocabulary/json.ts';
import { requests, responses, where } from '../vocabulary/selectors.ts';
import type { Json } from '../vocabulary/types.ts';

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

function isBare(tool: Json): boolean {
  const shown = valueAtPath(tool, 'function');
  return isObject(shown) && Object.keys(shown).join() === 'name';
}

function isEmpty(value: Json): boolean {
  if (value === '') return true;
  return isObject(value) && Object.keys(value).length === 0;
}

export const toolTwice = choiceOf('assistants.tools.twice', {
  selector: where(requests(['createAssistant', 'modifyAssistant']), ({ asked }) => {
    const tools = arrayAt(asked, 'tools').map((tool) => JSON.stringify(tool));
    return new Set(tools).size < tools.length;
  }),
  taken: outcome('accepted'),
});
