import type { Json } from '../../exchange/http/body.ts';
import { isObject, textAt } from '../trace/json.ts';
import { LruMap } from '../trace/lru-map.ts';
import type { ShownObject } from './shown-objects.ts';

/**
 * Settings as responses showed them. As they may change unseen, JSON mode counts if it was ever shown, and instructions
 * only if they always asked for JSON.
 */
export class AssistantSettings {
  readonly #toolNames = new LruMap<readonly string[] | null>();
  readonly #usesJson = new LruMap<true>();
  readonly #asksForJson = new LruMap<boolean>();

  recordShown({ object, id, tools, response_format: format, instructions }: ShownObject): void {
    if (object !== 'assistant' || typeof id !== 'string') return;
    if (isObject(format) && format['type'] === 'json_object') this.#usesJson.set(id, true);
    const asks = typeof instructions === 'string' && asksForJson(instructions);
    this.#asksForJson.set(id, asks && this.#asksForJson.get(id) !== false);
    this.#recordTools(id, tools);
  }

  usesJsonMode(id: string): boolean {
    return this.#usesJson.get(id) === true;
  }

  hasJsonInstructions(id: string): boolean {
    return this.#asksForJson.get(id) === true;
  }

  #recordTools(id: string, tools: Json | undefined): void {
    if (!Array.isArray(tools)) return;
    const names = tools.map(toolName);
    const known = this.#toolNames.get(id);
    if (known === undefined) this.#toolNames.set(id, names);
    // The tools have changed, so the tools at the start of a run are unknown.
    else if (known?.join('\n') !== names.join('\n')) this.#toolNames.set(id, null);
  }

  toolNamesOf(id: string): readonly string[] | null {
    return this.#toolNames.get(id) ?? null;
  }
}

/** `JSON` is the same word in every language. */
export function asksForJson(text: string): boolean {
  return /json/i.test(text);
}

/** `function` with its name, or the type of another tool: equal for a tool and for the choice that forces it. */
export function toolName(tool: Json): string {
  const isFunction = isObject(tool) && isObject(tool['function']);
  return isFunction ? `function ${textAt(tool, 'function', 'name') ?? ''}` : (textAt(tool, 'type') ?? '');
}
