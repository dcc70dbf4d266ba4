import { expect, test } from 'vitest';
import { bodyTree, requestConstraints } from '../../judge/probe/request-constraints.ts';
import { operations, schemaValidator } from '../../schemas/index.ts';
import { bodyCases } from './probes.ts';
import type { ReadyRequest, RequestFields } from './requests.ts';
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

test.each(requests)(
  'a body of $name that satisfies a constraint is valid, and one that violates it is not',
  ({ id, variant, tree, validate }) => {
    expect.hasAssertions();
    const fields = sampleValue(tree, {}) as RequestFields; // as: bodies of requests are objects
    const ready: ReadyRequest = { fields, companions: (field) => companions[field] ?? {} };
    for (const constraint of requestConstraints()) {
      const { keyword, pointer, carrier, operation } = constraint;
      if (operation !== id || constraint.variant !== variant.name || carrier !== 'json') continue;
      const { keeping, breaking } = bodyCases(constraint, ready, tree);
      for (const body of keeping) {
        expect({ pointer, keyword, body, errors: validate(body) }).toHaveProperty('errors', []);
      }
      for (const { request, control } of breaking) {
        expect(keeping).toContain(control);
        expect({ pointer, keyword, request, valid: validate(request).length === 0 }).toHaveProperty(
          'valid',
          false,
        );
      }
    }
  },
);
