import { expect, test } from 'vitest';
import { isSameModel } from './model-names.ts';

test.each([
  ['chat-1', 'chat-1', true],
  ['chat-1', 'chat-1-2024-05-13', true],
  ['chat-1', 'chat-1@latest', true],
  ['chat-1', 'owner/chat-1', true],
  ['chat-1', 'models/chat-1-0613', true],
  ['chat-1', 'chat-1-20240513-v1:0', true],
  ['chat-1', 'chat-12', false],
  ['chat-1', 'chat-1-mini', false],
  ['chat-1', 'chat-1-turbo-2024-04-09', false],
  ['chat-1', 'chat-1-32k', false],
  ['chat-1', 'tiny-chat-1', false],
  ['chat-1', 'ft:chat-1:org:suffix:id', false],
  ['chat-1', 'old-chat-10', false],
  ['chat-1', 'another-model', false],
  ['chat-1', '', false],
  ['chat-1', null, false],
  ['chat-1', undefined, false],
])(
  'whether %s, as requested, and %s, as reported, name the same model: %s',
  (requested, reported, expected) => {
    expect(isSameModel(requested, reported)).toBe(expected);
  },
);
