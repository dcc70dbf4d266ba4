import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** The description of the operations, as it is named in the package. */
export const OPENAPI = 'schemas/openapi.json';

let lines: ReadonlyMap<string, number> | undefined;

/** Absolute path of the description in the package that runs. */
export function openApiFile(): string {
  return createRequire(import.meta.url).resolve(`#${OPENAPI}`);
}

/** The line of an operation in the description, from 1; that is also the line for an unknown one. */
export function operationLine(id: string | undefined): number {
  lines ??= new Map(readFileSync(openApiFile(), 'utf8').split('\n').flatMap(operationIn));
  return (id === undefined ? undefined : lines.get(id)) ?? 1;
}

/** The operation whose id stands in a line, with the number of the line. */
function operationIn(line: string, index: number): readonly (readonly [string, number])[] {
  const [, id] = /"operationId": "(\w+)"/.exec(line) ?? [];
  return id === undefined ? [] : [[id, index + 1]];
}
