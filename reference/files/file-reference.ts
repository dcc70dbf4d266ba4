import { ApiError, shorten } from '../server/api-error.ts';
import type { Service } from '../state/service.ts';
import { filesOf } from './file-store.ts';

/** @throws ApiError 400 naming the first id whose file does not exist or has another purpose. */
export function checkFiles(service: Service, ids: readonly string[], param: string, purpose?: string): void {
  for (const [n, id] of ids.entries()) checkFile(service, id, `${param}[${n}]`, purpose);
}

/** The ids whose files exist, in the same order. */
export function existingFiles(service: Service, ids: readonly string[]): readonly string[] {
  return ids.filter((id) => filesOf(service).get(id) !== undefined);
}

/** Checks an id in a body; without `purpose` any is accepted. @throws ApiError 400 naming `param`. */
export function checkFile(service: Service, id: string, param: string, purpose?: string): void {
  const file = filesOf(service).get(id);
  if (file === undefined) throw ApiError.invalid(param, `'${param}' names no file: '${shorten(id)}'.`);
  if (purpose !== undefined && file.purpose !== purpose) {
    const why = `its purpose is '${file.purpose}', and '${purpose}' is needed`;
    throw ApiError.invalid(param, `'${param}' names the file '${shorten(id)}', but ${why}.`);
  }
}
