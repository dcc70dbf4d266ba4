import { choiceOf } from '../rows/rows.ts';
import { outcome } from '../vocabulary/choice-shapes.ts';
import { arrayAt, deepEqual, isObject, valueAtPath } from '../vocabulary/json.ts';
import { requests, responses, where } from '../vocabulary/selectors.ts';
import type { Json } from '../vocabulary/types.ts';

export const assistantsFunctionOmittedParts = choiceOf('assistants.function.omitted-parts', {
  selector: where(responses('createAssistant'), ({ asked }) => arrayAt(asked, 'tools').some(hasNameOnly)),
  taken: ({ asked, answer }) => {
    const index = arrayAt(asked, 'tools').findIndex(hasNameOnly);
    const shown = valueAtPath(answer, 'tools', index, 'function');
    if (!isObject(shown)) return null;
    const parts = [valueAtPath(shown, 'description'), valueAtPath(shown, 'parameters')];
    if (parts.every((part) => part === undefined)) return 'left out';
    if (parts.includes(null)) return null;
    const areEmpty = parts.every((part) => part === undefined || part === '' || deepEqual(part, {}));
    return areEmpty ? 'empty' : 'something else';
  },
});

function hasNameOnly(tool: Json): boolean {
  const definition = valueAtPath(tool, 'function');
  return isObject(definition) && Object.keys(definition).join() === 'name';
}

export const assistantsToolsTwice = choiceOf('assistants.tools.twice', {
  selector: where(requests(['createAssistant', 'modifyAssistant']), ({ asked }) => {
    const tools = arrayAt(asked, 'tools').map((tool) => JSON.stringify(tool));
    return new Set(tools).size < tools.length;
  }),
  taken: outcome('accepted'),
});
