import { expect, test } from 'vitest';
import { parseOpenApiDocument } from './openapi-document.ts';

const lists = (name: string, item: string) => `${name}: &${name} [${Array(10).fill(item).join(', ')}]\n`;

test.for([
  ['without an anchor', 'a: *b', 'Unresolved alias'],
  [
    'that expand exponentially',
    lists('a', '1') + lists('b', '*a') + lists('c', '*b'),
    'Excessive alias count',
  ],
] as const)('a YAML document with aliases %s is rejected', async ([, yaml, problem]) => {
  await expect(parseOpenApiDocument(`openapi: 3.1.0\n${yaml}`, 'choir.yaml')).rejects.toMatchObject({
    name: 'ExtensionError',
    message: expect.stringContaining(`choir.yaml is not valid YAML: ${problem}`),
  });
});
