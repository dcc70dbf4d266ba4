import { expect, test } from 'vitest';
import { findApiRoot } from './api-root.ts';

test.for([
  ['http://h:8000/v1/chat/completions', 'http://h:8000/v1'],
  ['http://h:8000/v1/chat/completions/v1', 'http://h:8000/v1'],
  ['https://h/chat/completions/', 'https://h/v1'],
  ['https://h/api/v1/models', 'https://h/api/v1'],
  ['https://h/api/v1/files/file-1/content', 'https://h/api/v1'],
  ['https://h/v1', null],
  ['https://h/api/v1', null],
  ['https://h/v1/chat', null],
  ['no URL', null],
] as const)('the root of %s is %s', ([url, root]) => {
  expect(findApiRoot(url)).toBe(root);
});
