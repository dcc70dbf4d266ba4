import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { jsonSyntaxError } from '../../exchange/http/json-text.ts';
import { messageOf, schemaErrorWords } from '../../schemas/error-message.ts';
import { createAjv, operations, type ValidateFunction } from '../../schemas/index.ts';
import { Dialect, type DialectFile } from './dialect.ts';

class DialectError extends Error {
  override readonly name = 'DialectError';
}

/** `where` names the file in messages. Throws DialectError. */
export function readDialect(text: string, where: string): Dialect {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new DialectError(`${where} is not valid JSON: ${jsonSyntaxError(error)}`);
  }
  check(parsed, where);
  const file = { errata: [], ...parsed };
  const odd = file.errata
    .flatMap(({ paths = {} }) => Object.keys(paths))
    .find((path) => !operations().some((operation) => operation.path === path));
  if (odd !== undefined)
    throw new DialectError(`${where} gives ${odd} another path, but no operation has it.`);
  const unknown = operationsIn(file).find((id) => !operations().some((operation) => operation.id === id));
  if (unknown !== undefined)
    throw new DialectError(`${where} names the operation ${unknown}, which is unknown; see assay list.`);
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
  try {
    return new Dialect(file, digest);
  } catch (error) {
    throw new DialectError(
      `${where}: a schema or a pattern of an erratum is not a valid JSON Schema or regular expression: ${messageOf(error)}`,
    );
  }
}

function operationsIn({ errata }: DialectFile): readonly string[] {
  return errata.flatMap(({ excuses = [], modes = [], refusals = [] }) =>
    [...excuses, ...modes, ...refusals].flatMap(({ operations: named = [] }) => named),
  );
}

let shape: ValidateFunction | undefined;

function check(
  file: unknown,
  where: string,
): asserts file is Omit<DialectFile, 'errata'> & Partial<Pick<DialectFile, 'errata'>> {
  if (shape === undefined) {
    const path = createRequire(import.meta.url).resolve('#dialects/dialect.schema.json');
    const ajv = createAjv({ ajv: { allErrors: true, strict: false } });
    shape = ajv.compile(JSON.parse(readFileSync(path, 'utf8')));
  }
  if (shape(file)) return;
  throw new DialectError(`${where} is not a valid dialect: ${schemaErrorWords(shape.errors)}.`);
}
