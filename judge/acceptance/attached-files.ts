import type { Json } from '../../exchange/http/body.ts';
import { formDataParts } from '../../exchange/http/form-data.ts';
import type { Call } from '../trace/call.ts';
import { isObject, textAt } from '../trace/json.ts';
import { LruMap } from '../trace/lru-map.ts';
import type { ShownObject } from './shown-objects.ts';

/** Maximum number of files that an assistant may have in version 1. */
const MAX_ASSISTANT_FILES = 20;
const MAX_TRACKED_FILES = 1000;
const FILE_ID_FIELDS = ['file_id', 'file_ids', 'input_file_id', 'training_file', 'validation_file'] as const;

export class AttachedFiles {
  readonly #contents = new LruMap<string>();
  readonly #purposes = new LruMap<string>();
  readonly #attached = new LruMap<Set<string>>();
  readonly #unknownOwners = new LruMap<true>();

  markUnknown(ids: readonly string[]): void {
    for (const id of ids) this.#unknownOwners.set(id, true);
  }

  recordShown({ object, id, purpose }: ShownObject): void {
    if (object === 'file' && typeof id === 'string' && typeof purpose === 'string')
      this.#purposes.set(id, purpose);
  }

  purposeOf(id: string): string | null {
    return this.#purposes.get(id) ?? null;
  }

  call(call: Call): void {
    const id = textAt(call.responseJson, 'id');
    const content = call.operation.id === 'createFile' && call.knowsRequest ? contentOf(call) : null;
    if (id !== undefined && content !== null) this.#contents.set(id, content);
    const files = fileIdsIn(call.sentJson);
    const owner = Object.values(call.path)[0] ?? id;
    if (!call.holdsRequest && owner !== undefined) this.markUnknown([owner]);
    if (files.length === 0 || owner === undefined) return;
    const attached = this.#attached.at(owner, () => new Set());
    for (const file of files) if (attached.size < MAX_TRACKED_FILES) attached.add(file);
  }

  canAttach(call: Call): boolean {
    const owner = Object.values(call.path)[0] ?? '';
    if (this.#unknownOwners.get(owner) === true) return false;
    const attached = this.#attached.get(owner);
    const files = fileIdsIn(call.requestJson);
    if (new Set(files).size < files.length) return false;
    const count = files.length + (attached?.size ?? 0);
    // At `MAX_TRACKED_FILES`, further attached files may be untracked.
    const maximum = call.operation.id === 'createAssistantFile' ? MAX_ASSISTANT_FILES : MAX_TRACKED_FILES - 1;
    return count <= maximum && !files.some((file) => attached?.has(file) === true);
  }

  /** Null if the content of one of the files is unknown. */
  contentsIn(call: Call): readonly string[] | null {
    const contents = fileIdsIn(call.requestJson).map((id) => this.#contents.get(id));
    const known = contents.filter((content) => content !== undefined);
    return known.length === contents.length ? known : null;
  }
}

export function fileIdsIn(body: Json | undefined): readonly string[] {
  if (!isObject(body)) return [];
  return FILE_ID_FIELDS.flatMap((name) => body[name] ?? []).filter((id) => typeof id === 'string');
}

/** Null if the request has no file in a readable form. */
function contentOf({ exchange, requestJson }: Call): string | null {
  const file = formDataParts(exchange.request)?.find(({ filename }) => filename !== null);
  if (file === undefined) return null;
  return `${textAt(requestJson, 'purpose') ?? ''} ${extensionOf(file.filename)} ${file.body.sha256}`;
}

/** The text after the last dot, by which services recognize formats; the whole name if it has none; empty for null. */
export function extensionOf(filename: string | null): string {
  return filename?.slice(filename.lastIndexOf('.') + 1) ?? '';
}
