import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAjv } from '../../schemas/index.ts';
import type { JsonObject } from '../http/json.ts';
import { makeArguments } from './arguments.ts';

describe('arguments', () => {
  const leaf: fc.Arbitrary<JsonObject> = fc.oneof(
    fc.constantFrom<JsonObject>({ type: 'boolean' }, { type: 'null' }, { const: 7 }, { enum: ['a', 2] }, {}),
    fc
      .tuple(fc.nat(20), fc.nat(20))
      .map(
        ([a, b]): JsonObject => ({ type: 'string', minLength: Math.min(a, b), maxLength: Math.max(a, b) }),
      ),
    fc
      .tuple(fc.constantFrom('integer', 'number'), fc.integer({ min: -9, max: 9 }), fc.nat(9))
      .map(([type, minimum, width]): JsonObject => ({ type, minimum, maximum: minimum + width })),
    fc
      .tuple(
        fc.constantFrom('integer', 'number'),
        fc.integer({ min: -9, max: 9 }),
        fc.integer({ min: 2, max: 9 }),
      )
      .map(
        ([type, exclusiveMinimum, width]): JsonObject => ({
          type,
          exclusiveMinimum,
          exclusiveMaximum: exclusiveMinimum + width,
        }),
      ),
    fc.constantFrom('date', 'email', 'uuid').map((format): JsonObject => ({ type: 'string', format })),
  );
  const { schema } = fc.letrec<{ schema: JsonObject; object: JsonObject }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      leaf,
      tie('object'),
      fc.tuple(tie('schema'), fc.nat(3), fc.nat(3)).map(
        ([items, a, b]): JsonObject => ({
          type: 'array',
          items,
          minItems: Math.min(a, b),
          maxItems: a + b + 1,
        }),
      ),
      fc.array(tie('schema'), { minLength: 1, maxLength: 2 }).map((anyOf): JsonObject => ({ anyOf })),
    ),
    object: fc.tuple(fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('schema')), fc.boolean()).map(
      ([properties, all]): JsonObject => ({
        type: 'object',
        properties,
        required: all ? Object.keys(properties) : [],
      }),
    ),
  }));

  it('conform to the schema of the function', () => {
    const ajv = createAjv({ ajv: { strict: false, validateFormats: false } });
    const object = fc.dictionary(fc.constantFrom('x', 'y', 'z'), schema).map((properties) => ({
      type: 'object',
      properties,
      required: Object.keys(properties),
    }));
    fc.assert(
      fc.property(object, fc.constantFrom('', 'Paris'), (parameters, topic) => {
        const args = makeArguments(parameters, topic);
        const check = ajv.compile(parameters);
        expect(check(args), JSON.stringify([parameters, args, check.errors])).toBe(true);
      }),
    );
  });

  it.each<[JsonObject, unknown]>([
    [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }, 0.5],
    [{ type: 'integer', exclusiveMinimum: 1, exclusiveMaximum: 3 }, 2],
    [{ type: 'integer', exclusiveMinimum: -1, exclusiveMaximum: 1 }, 0],
    [{ type: 'number', minimum: 5, exclusiveMinimum: 2 }, 5],
    [{ type: 'number', maximum: -5, exclusiveMaximum: -2 }, -5],
    [{ type: 'integer', minimum: -9, maximum: 3, multipleOf: 5 }, 0],
    [{ type: 'integer', maximum: 0.5 }, 0],
    [{ type: 'integer', minimum: 1.5, multipleOf: 0.5 }, 2],
    [{ type: 'integer', minimum: 1.25, multipleOf: 0.25 }, 2],
    [{ type: 'string', format: 'constructor' }, '😀'],
    [{ type: 'string', minLength: 300 }, `😀${'.'.repeat(299)}`],
    [{ type: 'string', minLength: 3, maxLength: 3 }, '😀..'],
  ])('obey the keywords of %j', (a, value) => {
    expect(makeArguments({ type: 'object', properties: { a } }, '😀')).toEqual({ a: value });
  });

  const base = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
  const more = { type: 'object', properties: { b: { type: 'string' } }, required: ['b'] };

  const alias = { $ref: '#/$defs/more' };

  it.each<[JsonObject, unknown]>([
    [{ allOf: [{ $ref: '#/$defs/base' }, more] }, { a: 'T', b: 'T' }],
    [
      { ...base, anyOf: [more, {}] },
      { a: 'T', b: 'T' },
    ],
    [
      { ...base, oneOf: [{ $ref: '#/$defs/more' }] },
      { a: 'T', b: 'T' },
    ],
    [{ $ref: '#/$defs/list/0' }, { a: 'T' }],
    [
      { ...base, $ref: '#/$defs/more' },
      { a: 'T', b: 'T' },
    ],
    [
      { ...base, anyOf: [{ $ref: '#/$defs/alias' }] },
      { a: 'T', b: 'T' },
    ],
  ])('are made from the subschemas of %j', (x, value) => {
    const parameters = { type: 'object', properties: { x }, $defs: { base, more, list: [base], alias } };
    expect(makeArguments(parameters, 'T')).toEqual({ x: value });
  });

  it('are null for a reference that is not a JSON pointer', () => {
    expect(makeArguments({ type: 'object', properties: { x: { $ref: '#anchor' } } }, 'T')).toEqual({
      x: null,
    });
  });

  it('have properties named __proto__ and constructor', () => {
    const properties = JSON.parse(
      '{ "__proto__": { "type": "integer" }, "constructor": { "type": "integer" } }',
    );
    const required = ['__proto__', 'constructor'];
    const merged = { allOf: [{ properties, required }] };
    for (const parameters of [{ type: 'object', properties }, merged])
      expect(JSON.stringify(makeArguments(parameters, ''))).toBe('{"__proto__":1,"constructor":1}');
  });

  it('are bounded, however many elements nested arrays demand', () => {
    let items: JsonObject = { type: 'boolean' };
    for (let depth = 0; depth < 5; depth += 1) items = { type: 'array', minItems: 100, items };
    const text = JSON.stringify(makeArguments({ type: 'object', properties: { items } }, ''));
    expect(text.match(/true/g)?.length).toBeLessThan(100_000);
  });

  it('have a text padded to at most 10,000 characters, whatever its minLength', () => {
    const parameters = { type: 'object', properties: { a: { type: 'string', minLength: 1e9 } } };
    expect(makeArguments(parameters, '😀')).toEqual({ a: `😀${'.'.repeat(9_999)}` });
  });

  const createListSchema = (required: readonly string[]) => ({
    type: 'object',
    properties: { head: { $ref: '#/$defs/node' } },
    $defs: {
      node: {
        type: 'object',
        properties: { value: { type: 'integer' }, next: { $ref: '#/$defs/node' } },
        required,
      },
    },
  });

  it('follow references, and leave out optional properties below the top level', () => {
    expect(makeArguments(createListSchema(['value']), '')).toEqual({ head: { value: 1 } });
  });

  it('end although a required property refers to its own schema', () => {
    const last = { value: null, next: null };
    expect(makeArguments(createListSchema(['value', 'next']), '')).toEqual({
      head: { value: 1, next: { value: 1, next: last } },
    });
  });
});
