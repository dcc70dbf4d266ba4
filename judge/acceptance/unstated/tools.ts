// Functions that a request offers to a model, and the tool that it forces.
import type { JsonObject } from '../../../schemas/json.ts';
import { isObject } from '../../evidence/json.ts';
import type { KnownObjects } from '../known-state/objects.ts';
import { toolName } from '../known-state/tool-name.ts';
import { isPlainParameters } from './function-schema.ts';

/** Names that every service can give to the function of a model. */
const PLAIN_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Whether a function has parameters beyond a plain schema. */
export function hasOtherParameters(body: JsonObject): boolean {
  return functionsIn(body).some(
    ({ parameters }) => parameters !== undefined && !isPlainParameters(parameters),
  );
}

/** Whether a tool other than a function is listed twice. */
function hasToolTwice({ tools }: JsonObject): boolean {
  const kinds = (Array.isArray(tools) ? tools : [])
    .map(toolName)
    .filter((name) => !name.startsWith('function '));
  return new Set(kinds).size < kinds.length;
}

/** Whether two functions have one name, or one has a name beyond letters, digits, dashes and underscores. */
export function hasOtherNames(body: JsonObject): boolean {
  const names = functionsIn(body).map(({ name }) => String(name));
  if (hasToolTwice(body)) return true;
  return new Set(names).size < names.length || !names.every((name) => PLAIN_NAME.test(name));
}

/** Whether a tool is forced that is not known to be there. */
export function forcesOtherTool(body: JsonObject, objects: KnownObjects): boolean {
  const { tool_choice: choice, assistant_id: assistant, tools } = body;
  // The default without tools is none; to ask for another choice among none is not described.
  if (choice === 'auto' && assistant === undefined) return !Array.isArray(tools) || tools.length === 0;
  if (choice !== 'required' && !isObject(choice)) return false;
  const shown = typeof assistant === 'string' ? objects.tools.of(assistant) : [];
  const given = Array.isArray(tools) ? tools.map(toolName) : shown;
  if (given === null) return true;
  return isObject(choice) ? !given.includes(toolName(choice)) : given.length === 0;
}

/** The functions in the tools of a request. */
function functionsIn({ tools }: JsonObject): readonly JsonObject[] {
  return (Array.isArray(tools) ? tools : []).flatMap((tool) => {
    const called = isObject(tool) ? tool['function'] : undefined;
    return isObject(called) ? [called] : [];
  });
}
