import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import { operation } from '../../schemas/index.ts';
import { bodyTree } from '../probe/request-constraints.ts';
import { bodyFeatures } from './body-features.ts';

function treeOf(id: string) {
  const [variant] = operation(id).variants;
  const tree = variant === undefined ? null : bodyTree(variant);
  if (tree === null) throw new Error(`${id} has no body`);
  return tree;
}

function readFeatures(id: string, body: Json) {
  return bodyFeatures(treeOf(id), body);
}

const user = { role: 'user', content: 'x' };

describe('a chat request', () => {
  test.for<[string, { readonly [name: string]: Json }, readonly string[]]>([
    ['n beyond its default', { n: 2 }, ['body.n', 'body.n>1', 'body.n>default']],
    ['n at its default', { n: 1 }, ['body.n']],
    ['a null', { n: null }, ['body.n', 'body.n=null']],
    [
      'a bound',
      { top_p: 1, temperature: 2 },
      [
        'body.temperature',
        'body.temperature=maximum',
        'body.temperature>1',
        'body.temperature>default',
        'body.top_p',
      ],
    ],
    ['a boolean', { logprobs: true }, ['body.logprobs', 'body.logprobs=true']],
    ['an empty list', { tools: [] }, ['body.tools', 'body.tools=empty']],
    [
      'roles in an unusual order',
      { messages: [user, user, { role: 'system', content: 'x' }] },
      [
        'body.messages=several',
        'body.messages[].role="system"',
        'body.messages[].role=late',
        'body.messages[].role=repeated',
      ],
    ],
    [
      'a listed word',
      { tool_choice: 'none' },
      [
        'body.tool_choice',
        'body.tool_choice(string)',
        'body.tool_choice(string)="none"',
        'body.tool_choice:string',
      ],
    ],
    [
      'members of a union',
      { stop: ['a', 'b'] },
      [
        'body.stop',
        'body.stop(array)',
        'body.stop(array)=several',
        'body.stop(array)[]',
        'body.stop:array',
        'body.stop=several',
      ],
    ],
  ])('has the features of %s', ([, more, features]) => {
    const plain = new Set(readFeatures('createChatCompletion', { model: 'm', messages: [user] }).features);
    const {
      features: all,
      unlisted,
      broken,
    } = readFeatures('createChatCompletion', { model: 'm', messages: [user], ...more });
    expect(all.filter((one) => !plain.has(one))).toEqual([...features].sort());
    expect([unlisted, broken]).toEqual([[], []]);
  });

  test('has the kinds of parts and roles as features', () => {
    const url = 'data:image/png;base64,AA';
    const content = [
      { type: 'text', text: 'x' },
      { type: 'image_url', image_url: { url } },
    ];
    const { features, unlisted } = readFeatures('createChatCompletion', {
      model: 'm',
      messages: [
        { role: 'system', content: 'x' },
        { role: 'user', content },
      ],
    });
    expect(features).toEqual(
      expect.arrayContaining([
        'body.messages[].role="system"',
        'body.messages[].content(array)[text]',
        'body.messages[].content(array)[image_url]',
      ]),
    );
    expect(unlisted).toEqual([]);
  });

  test.for<[string, { readonly [name: string]: Json }, readonly string[], readonly string[]]>([
    ['an unlisted parameter', { reasoning: 'much' }, ['/reasoning'], []],
    ['an unlisted parameter with a slash in its name', { 'a/b': 1 }, ['/a~1b'], []],
    ['an unlisted role', { messages: [{ role: 'tool', content: 'x' }] }, ['/messages/0/role'], []],
    ['an unlisted member of a message', { messages: [{ ...user, name: 'x' }] }, ['/messages/0/name'], []],
    [
      'an unlisted kind of part',
      { messages: [{ role: 'user', content: [{ type: 'video' }] }] },
      ['/messages/0/content/0/type'],
      [],
    ],
    ['a broken bound', { temperature: 3 }, [], ['/temperature']],
    ['a null where none is allowed', { messages: null }, [], ['/messages']],
  ])('yields the pointer to %s', ([, more, unlisted, broken]) => {
    const content = readFeatures('createChatCompletion', { model: 'm', messages: [user], ...more });
    expect([content.unlisted, content.broken]).toEqual([unlisted, broken]);
  });
});

test('a value that selects the open branch of a union is listed if the specification shows it', () => {
  const unlistedWith = (type: string) =>
    readFeatures('createRun', { assistant_id: 'a', tool_choice: { type } }).unlisted;
  expect(unlistedWith('file_search')).toEqual([]);
  expect(unlistedWith('web_search')).toEqual(['/tool_choice/type']);
});

test('no free value of a request becomes part of a feature', () => {
  const secret = fc.string({ minLength: 4, maxLength: 20, unit: fc.constantFrom(...'QXZ') });
  fc.assert(
    fc.property(secret, secret, (text, name) => {
      const { features } = readFeatures('createChatCompletion', {
        model: text,
        messages: [{ role: text, content: text }],
        stop: [text],
        user: text,
        logit_bias: { [name]: 1 },
        tools: [{ type: 'function', function: { name: text, parameters: { [name]: text } } }],
      });
      for (const feature of features) expect(feature).not.toMatch(/[QXZ]{4}/);
    }),
  );
});
