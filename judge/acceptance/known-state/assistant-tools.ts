import type { Json } from '../../../exchange/http/body.ts';
import { isObject } from '../../evidence/json.ts';
import { LruMap } from '../../evidence/lru-map.ts';
import { asksForJson } from './json-instruction.ts';
import type { ShownObject } from './shown-objects.ts';
import { toolName } from './tool-name.ts';

/** The tools of assistants, and whether they answer in JSON, as answers show them. */
export class AssistantTools {
  /** Names of the tools, by id of the assistant; null for one that has been shown with others. */
  readonly #names = new LruMap<readonly string[] | null>();

  /** Ids of the assistants that were shown in JSON mode. */
  readonly #inJson = new LruMap<true>();
  /** Ids of the assistants that were shown with instructions which do not ask for JSON, or without any. */
  readonly #uninstructed = new LruMap<true>();

  /** Takes note of an object that an answer shows. */
  show(shown: ShownObject): void {
    const { object, id, tools, response_format: format, instructions } = shown;
    if (object !== 'assistant' || typeof id !== 'string') return;
    if (isObject(format) && format['type'] === 'json_object') this.#inJson.set(id, true);
    if (typeof instructions !== 'string' || !asksForJson(instructions)) this.#uninstructed.set(id, true);
    this.#showTools(id, tools);
  }

  /** Whether a run of an assistant may be in JSON mode though the run does not ask for it. */
  isInJson(id: string): boolean {
    return this.#inJson.get(id) === true;
  }

  /** Whether the instructions of an assistant have always asked for JSON. */
  isInstructed(id: string): boolean {
    return this.#uninstructed.get(id) !== true;
  }

  #showTools(id: string, tools: Json | undefined): void {
    if (!Array.isArray(tools)) return;
    const names = tools.map(toolName);
    const known = this.#names.get(id);
    if (known === undefined) this.#names.set(id, names);
    // Which of its tools it had when a run began is not known.
    else if (known?.join('\n') !== names.join('\n')) this.#names.set(id, null);
  }

  /** The names of the tools that an assistant was always shown with; null where that is not known. */
  of(id: string): readonly string[] | null {
    return this.#names.get(id) ?? null;
  }
}
