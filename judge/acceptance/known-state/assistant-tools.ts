import { LruMap } from '../../evidence/lru-map.ts';
import type { ShownObject } from './shown-objects.ts';
import { toolName } from './tool-name.ts';

/** The tools of assistants, as answers show them. */
export class AssistantTools {
  /** Names of the tools, by id of the assistant; null for one that has been shown with others. */
  readonly #names = new LruMap<readonly string[] | null>();

  /** Takes note of an object that an answer shows. */
  show({ object, id, tools }: ShownObject): void {
    if (object !== 'assistant' || typeof id !== 'string' || !Array.isArray(tools)) return;
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
