import { describe, expect, test } from 'vitest';
import { bodyTree, requestConstraints } from '../../judge/probe/request-constraints.ts';
import { operations, schemaValidator } from '../../schemas/index.ts';
import { bodyCases } from './probes.ts';
import { formParts, type ReadyRequest, type RequestFields } from './requests.ts';

import { sampleValue } from './values.ts';

const companions: Readonly<Record<string, RequestFields>> = {
  top_logprobs: { logprobs: true },
  stream_options: { stream: true },
};

const requests = operations().flatMap(({ id, variants }) =>
  variants.flatMap((variant) => {
    const tree = variant.body?.carrier === 'json' && variant.counted ? bodyTree(variant) : null;
    if (tree === null || variant.body === null) return [];
    return [
      { name: `${id} ${variant.name}`, id, variant, tree, validate: schemaValidator(variant.body.schema) },
    ];
  }),
);

describe('bodies that satisfy a constraint are valid, and those that violate it are not', () => {
  test.each(requests)('$name', ({ id, variant, tree, validate }) => {
    const fields = sampleValue(tree, {}) as RequestFields; // as: bodies of requests are objects
    const ready: ReadyRequest = { fields, companions: (field) => companions[field] ?? {} };
    const ours = requestConstraints().filter((one) => one.operation === id && one.variant === variant.name);
    for (const constraint of ours.filter(({ carrier }) => carrier === 'json')) {
      const { keyword, pointer } = constraint;
      const { keeping, breaking } = bodyCases(constraint, ready, tree);
      for (const body of keeping) {
        expect({ pointer, keyword, body, wrong: validate(body) }).toEqual({
          pointer,
          keyword,
          body,
          wrong: [],
        });
      }
      for (const { request, control } of breaking) {
        expect(keeping).toContain(control);
        expect({ pointer, keyword, request, valid: validate(request).length === 0 }).toHaveProperty(
          'valid',
          false,
        );
      }
    }
  });
});

test('a form can contain text, files and repeated names', () => {
  const file = { file: Buffer.from('x'), filename: 'x.bin', type: 'a/b' };
  expect(formParts({ n: 2, size: '1x1', 'kinds[]': ['a', 'b'], file })).toEqual([
    { name: 'n', value: '2' },
    { name: 'size', value: '1x1' },
    { name: 'kinds[]', value: 'a' },
    { name: 'kinds[]', value: 'b' },
    { name: 'file', ...file },
  ]);
});
