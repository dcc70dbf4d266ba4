// Cassettes, journals and HAR files are untrusted, so they are checked by the schemas in `cassettes/`.
import { createRequire } from 'node:module';
import {
  type Ajv2020,
  type AjvOptions,
  createBareAjv,
  standaloneCode,
  type ValidateFunction,
} from '../../schemas/index.ts';
import { generatedLineValidators } from './generated-validators.ts';

const FORMATS = ['cassette', 'journal', 'har'] as const;
type Format = (typeof FORMATS)[number];

interface FormatSchema {
  readonly $defs: Readonly<Record<string, object>>;
}

const require = createRequire(import.meta.url);
const validators: Readonly<Record<Format, Map<string, ValidateFunction>>> = {
  cassette: new Map(),
  journal: new Map(),
  har: new Map(),
};
let sharedAjv: Ajv2020 | null = null;

/** Allows additional members, because later versions may write them. */
function loadSchema(format: Format): FormatSchema {
  const text = JSON.stringify(require(`#cassettes/${format}.schema.json`));
  const lenient = JSON.parse(text, (name, value: unknown) =>
    name === 'additionalProperties' && value === false ? undefined : value,
  );
  return lenient as FormatSchema; // as: part of the sources
}

function createFormatAjv(options: AjvOptions['ajv'] = {}): Ajv2020 {
  const ajv = createBareAjv({ allErrors: false, strictRequired: false, ...options });
  for (const format of FORMATS) ajv.addSchema(loadSchema(format), `format:///${format}.schema.json`);
  return ajv;
}

export function generateFormatValidators(): { readonly names: readonly string[]; readonly code: string } {
  const names = FORMATS.flatMap((format) =>
    Object.keys(loadSchema(format).$defs).map((name) => `${format}.schema.json#/$defs/${name}`),
  );
  const ajv = createFormatAjv({ code: { source: true, esm: true, lines: true } });
  const code = standaloneCode(
    ajv,
    Object.fromEntries(names.map((name, n) => [`v${n}`, `format:///${name}`])),
  );
  return { names, code };
}

export function validatorOf(format: Format, name: string): ValidateFunction {
  const cached = validators[format].get(name);
  if (cached !== undefined) return cached;
  const key = `${format}.schema.json#/$defs/${name}`;
  const validate = generatedLineValidators('formats')?.get(key) ?? compile(key);
  validators[format].set(name, validate);
  return validate;
}

function compile(key: string): ValidateFunction {
  sharedAjv ??= createFormatAjv();
  const validate = sharedAjv.getSchema(`format:///${key}`);
  if (validate === undefined) throw new Error(`There is no definition ${key}.`);
  return validate;
}
