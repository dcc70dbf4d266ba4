import type { Json } from '../../exchange/http/body.ts';
import {
  type Ajv2020,
  type AjvOptions,
  codeOf,
  createAjv,
  type ErrorObject,
  type JsonSchema,
  standaloneCode,
  type ValidateFunction,
} from '../../schemas/index.ts';
import { getOrMake } from '../../schemas/maps.ts';
import type { Violation } from '../requirements/requirement.ts';
import { isOfType, JSON_KINDS, type JsonKind, type JsonType, jsonKindIndex } from '../trace/json.ts';
import { BREAKS, lowerTree, VISIT } from './lower.ts';
import { childrenOf, extendPointer, type SchemaNode } from './node.ts';

/** Keywords whose own errors only repeat nested errors. */
const WRAPPING_KEYWORDS = new Set(['if', 'propertyNames']);

/** `at`: JSON pointer of the wrong value, or of the absent one. */
export interface BrokenConstraint extends Pick<Violation, 'at' | 'actual'> {
  readonly id: string;
}

export class VisitCounts {
  /** Number of the exchange that is inspected; set by the caller. */
  exchange = 0;
  readonly #counts: Float64Array;
  /** For each node and JSON type, the lowest number of an exchange with a visit by such a value; 0 for none. */
  readonly #first: Uint32Array;

  constructor(nodes: number) {
    this.#counts = new Float64Array(nodes * JSON_KINDS.length);
    this.#first = new Uint32Array(nodes * JSON_KINDS.length);
  }

  add(node: number, value: unknown): void {
    const place = node * JSON_KINDS.length + jsonKindIndex(value);
    this.#counts[place] = (this.#counts[place] ?? 0) + 1;
    const first = this.#first[place];
    if (first === 0 || (first !== undefined && first > this.exchange)) this.#first[place] = this.exchange;
  }

  count(node: number, kinds: readonly JsonKind[]): number {
    let visits = 0;
    for (const kind of kinds)
      visits += this.#counts[node * JSON_KINDS.length + JSON_KINDS.indexOf(kind)] ?? 0;
    return visits;
  }

  /** Number of the first exchange that visited the node with a value of these types; Infinity if none did. */
  first(node: number, kinds: readonly JsonKind[]): number {
    const firsts = kinds.map((kind) => this.#first[node * JSON_KINDS.length + JSON_KINDS.indexOf(kind)] ?? 0);
    return Math.min(...firsts.filter((number) => number > 0));
  }
}

export type GeneratedValidators = ReadonlyMap<string, ValidateFunction>;

/** Validates values with ajv, and counts the visits of nodes: ajv reports only failures, but a pass needs evidence. */
export class SchemaInspector {
  readonly #trees: ReadonlyMap<string, SchemaNode>;
  readonly #numbers = new Map<SchemaNode, number>();
  /** Compiled on first use, because a trace needs few of them. */
  readonly #compiled = new Map<string, ValidateFunction>();
  readonly #generated: GeneratedValidators | null;
  #ajv: Ajv2020 | undefined;

  constructor(trees: ReadonlyMap<string, SchemaNode>, generated: GeneratedValidators | null = null) {
    this.#trees = trees;
    this.#generated = generated;
    for (const tree of trees.values())
      for (const node of nodesOf(tree)) this.#numbers.set(node, this.#numbers.size);
  }

  get names(): readonly string[] {
    return [...this.#trees.keys()];
  }

  createVisitCounts(): VisitCounts {
    return new VisitCounts(this.#numbers.size);
  }

  numberOf(node: SchemaNode): number {
    const number = this.#numbers.get(node);
    if (number === undefined) throw new Error(`the node ${node.path} belongs to no tree of this inspector`);
    return number;
  }

  /** Yields the name of each validator, so that the caller can pause in between. */
  *prepare(): Generator<string> {
    for (const name of this.#trees.keys()) {
      this.#validator(name);
      yield name;
    }
  }

  /** The result has the order in which ajv reports failures; adds to `visits`. Throws if the name is unknown. */
  inspect(name: string, value: Json, visits: VisitCounts): readonly BrokenConstraint[] {
    const validate = this.#validator(name);
    if (validate.call(visits, value)) return [];
    return (validate.errors ?? []).flatMap(brokenConstraints);
  }

  holds(schema: JsonSchema, value: Json): boolean {
    this.#ajv ??= this.#assemble();
    return this.#ajv.compile(schema)(value);
  }

  #validator(name: string): ValidateFunction {
    return getOrMake(this.#compiled, name, () => this.#generated?.get(name) ?? this.#compile(name));
  }

  #compile(name: string): ValidateFunction {
    this.#ajv ??= this.#assemble();
    const validate = this.#ajv.getSchema(treeUri(name));
    if (validate === undefined) throw new Error(`unknown schema tree ${name}`);
    return validate;
  }

  /** Returns an ES module that exports the validators of `names` as `v0`, `v1`, … in this order. */
  generate(): string {
    const ajv = this.#assemble({ code: { source: true, esm: true, lines: true } });
    const names = this.names.map((name, n) => [`v${n}`, treeUri(name)]);
    return standaloneCode(ajv, Object.fromEntries(names));
  }

  #assemble(options: AjvOptions['ajv'] = {}): Ajv2020 {
    const ajv = createAjv({
      keywords: [
        {
          keyword: VISIT,
          schemaType: 'number',
          // Generated code, because ajv takes twice as long to call a `validate` function for each node.
          code: ({ gen, data, schema }) =>
            gen.code(codeOf`if (this !== undefined) this.add(${schema}, ${data});`),
        },
        { keyword: BREAKS },
      ],
      prepare: () => ({}),
      ajv: {
        allErrors: true,
        // Errors then contain the schema of the keyword, which identifies the constraint.
        verbose: true,
        messages: false,
        passContext: true,
        strict: false,
        validateSchema: false,
        ...options,
      },
    });
    for (const [name, tree] of this.#trees) {
      ajv.addSchema(
        lowerTree(tree, { name, numberOf: (node) => this.numberOf(node), refTo: treeUri }),
        treeUri(name),
      );
    }
    return ajv;
  }
}

/** Schemas under `refs` are separate trees. */
export function* nodesOf(node: SchemaNode): Generator<SchemaNode> {
  yield node;
  if (node.typeCounter !== null) yield node.typeCounter;
  for (const rule of node.rules) yield rule.node;
  for (const inner of childrenOf(node)) yield* nodesOf(inner);
}

function treeUri(name: string, part = ''): string {
  return `judge:///${encodeURIComponent(name)}${part}`;
}

function brokenConstraints({
  keyword,
  parentSchema,
  instancePath,
  data,
  ...error
}: ErrorObject): BrokenConstraint[] {
  if (WRAPPING_KEYWORDS.has(keyword)) return [];
  const broken: unknown = parentSchema?.[BREAKS]?.[keyword];
  const missing: unknown = error.params['missingProperty'];
  const id = typeof broken === 'object' && broken !== null ? Reflect.get(broken, String(missing)) : broken;
  if (typeof id !== 'string')
    throw new Error(`ajv reports ${keyword} at ${error.schemaPath}, which has no constraint`);
  // A value of the wrong type is reported once, for its type.
  const comparesValue = keyword === 'enum' || keyword === 'const';
  if (comparesValue && !isOfTypes(data, parentSchema?.['type'] ?? parentSchema?.[BREAKS].types)) return [];
  if (missing !== undefined)
    return [{ id, at: extendPointer(instancePath, String(missing)), actual: undefined }];
  const key = error.propertyName;
  // as: ajv was given JSON
  return [
    { id, at: key === undefined ? instancePath : extendPointer(instancePath, key), actual: data as Json },
  ];
}

function isOfTypes(value: unknown, types: unknown): boolean {
  return !Array.isArray(types) || types.some((type: JsonType) => isOfType(value, type));
}
