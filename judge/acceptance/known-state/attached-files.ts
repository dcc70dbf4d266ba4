import type { Json } from '../../../exchange/http/body.ts';
import { formDataParts } from '../../../exchange/http/form-data.ts';
import { isObject } from '../../evidence/json.ts';
import { LruMap } from '../../evidence/lru-map.ts';
import type { Call } from '../../trace/call.ts';
import type { ShownObject } from './shown-objects.ts';

/** Files that an assistant of the first form holds at most. */
const MOST = 20;
/** Files of one assistant or store that are remembered. */
const REMEMBERED = 1000;

/** Uploaded files, and the assistants and vector stores that they were put into. */
export class AttachedFiles {
  /** What was uploaded, by id of the file: purpose, format and digest. */
  readonly #contents = new LruMap<string>();
  /** By id of the file. */
  readonly #purposes = new LruMap<string>();
  /** Ids of the files that requests wanted in an assistant or a store, by its id. Kept where the request was refused, too. */
  readonly #wanted = new LruMap<Set<string>>();

  /** Assistants and stores of which it is not known what was put into them. */
  readonly #unknown = new LruMap<true>();

  /** A call outside the specification may have put files into any of these objects. */
  outside(ids: readonly string[]): void {
    for (const id of ids) this.#unknown.set(id, true);
  }

  /** Takes note of the purpose that a file is shown with. */
  show({ object, id, purpose }: ShownObject): void {
    if (object === 'file' && typeof id === 'string' && typeof purpose === 'string')
      this.#purposes.set(id, purpose);
  }

  /** The purpose that a file was last shown with; null where it was not shown. */
  purposeOf(id: string): string | null {
    return this.#purposes.get(id) ?? null;
  }

  /** Takes note of uploads, and of files that a request puts somewhere. */
  call(call: Call): void {
    const { responseJson: answer, operation } = call;
    const id = isObject(answer) ? answer['id'] : undefined;
    if (operation.id === 'createFile' && typeof id === 'string' && call.knowsRequest)
      this.#contents.set(id, contentOf(call));
    const files = fileIdsIn(call.sentJson);
    const owner = Object.values(call.path)[0] ?? id;
    if (!call.holdsRequest && typeof owner === 'string') this.outside([owner]);
    if (files.length === 0 || typeof owner !== 'string') return;
    const wanted = this.#wanted.at(owner, () => new Set());
    for (const file of files) if (wanted.size < REMEMBERED) wanted.add(file);
  }

  /** Whether none of the files of a request was put into its assistant or store before, and there is room for all of them. */
  areNew(call: Call): boolean {
    const owner = Object.values(call.path)[0] ?? '';
    if (this.#unknown.get(owner) === true) return false;
    const wanted = this.#wanted.get(owner);
    const files = fileIdsIn(call.requestJson);
    if (new Set(files).size < files.length) return false;
    const all = files.length + (wanted?.size ?? 0);
    const most = call.operation.id === 'createAssistantFile' ? MOST : REMEMBERED - 1;
    return all <= most && !files.some((file) => wanted?.has(file) === true);
  }

  /** What was uploaded under the ids that a request names, as texts that are equal for equal contents; null where that was not seen. */
  contentsIn(call: Call): readonly string[] | null {
    const contents = fileIdsIn(call.requestJson).map((id) => this.#contents.get(id));
    const known = contents.filter((one) => one !== undefined);
    return known.length === contents.length ? known : null;
  }
}

/** Names of members that hold ids of files. */
const FILES = ['file_id', 'file_ids', 'input_file_id', 'training_file', 'validation_file'] as const;

/** Ids of files that the body of a request names at its top. */
export function fileIdsIn(asked: Json | undefined): readonly string[] {
  if (!isObject(asked)) return [];
  return FILES.flatMap((name) => asked[name] ?? []).filter((id) => typeof id === 'string');
}

/** Purpose, ending and digest of an upload. */
function contentOf({ exchange, requestJson: asked }: Call): string {
  const file = (formDataParts(exchange.request) ?? []).find(({ filename }) => filename !== null);
  const purpose = isObject(asked) ? String(asked['purpose']) : '';
  return `${purpose} ${endingOf(file?.filename ?? null)} ${file?.body.sha256 ?? ''}`;
}

/** What stands behind the last dot of a file name: services tell the format by it. */
export function endingOf(filename: string | null): string {
  return filename?.slice(filename.lastIndexOf('.') + 1) ?? '';
}
