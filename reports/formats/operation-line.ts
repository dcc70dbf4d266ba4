import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

export const OPENAPI = 'schemas/openapi.json';

let lineByOperation: ReadonlyMap<string, number> | undefined;

export function openApiFile(): string {
  return createRequire(import.meta.url).resolve(`#${OPENAPI}`);
}

/** The line, from 1, on which an operation is defined; 1 if it is unknown. */
export function operationLine(id: string | undefined): number {
  lineByOperation ??= new Map(readFileSync(openApiFile(), 'utf8').split('\n').flatMap(operationIn));
  return (id === undefined ? undefined : lineByOperation.get(id)) ?? 1;
}

function operationIn(line: string, index: number): readonly (readonly [string, number])[] {
  const [, id] = /"operationId": "(\w+)"/.exec(line) ?? [];
  return id === undefined ? [] : [[id, index + 1]];
}
