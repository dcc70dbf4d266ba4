import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from './api-error.ts';
import { Router } from './router.ts';

const router = new Router([
  { method: 'GET', path: '/v1/files' },
  { method: 'POST', path: '/v1/files' },
  { method: 'GET', path: '/v1/files/{file_id}' },
  { method: 'DELETE', path: '/v1/files/{file_id}' },
  { method: 'POST', path: '/v1/threads/{thread_id}' },
  { method: 'POST', path: '/v1/threads/runs' },
  { method: 'GET', path: '/v1/threads/{thread_id}/runs/{run_id}' },
] as const);

function readRefusal(method: string, path: string): { status: number; allow: string | undefined } {
  try {
    router.find(method, path);
  } catch (error) {
    if (error instanceof ApiError) return { status: error.status, allow: error.headers['allow'] };
    throw error;
  }
  throw new Error(`${method} ${path} was found`);
}

describe('router', () => {
  it('prefers a fixed segment to a parameter', () => {
    expect(router.find('POST', '/v1/threads/runs').route.path).toBe('/v1/threads/runs');
    expect(router.find('POST', '/v1/threads/run').params).toEqual({ thread_id: 'run' });
  });

  it('serves HEAD like GET', () => {
    expect(router.find('HEAD', '/v1/files')).toEqual(router.find('GET', '/v1/files'));
    expect(readRefusal('HEAD', '/v1/threads/x')).toEqual({ status: 405, allow: 'POST' });
  });

  it('decodes path parameters with any characters, and long ones', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 2000 });
    fc.assert(
      fc.property(text, text, (thread, run) => {
        const path = `/v1/threads/${encodeURIComponent(thread)}/runs/${encodeURIComponent(run)}`;
        expect(router.find('GET', path).params).toEqual({ thread_id: thread, run_id: run });
      }),
    );
    const file_id = 'x'.repeat(16_000);
    expect(router.find('GET', `/v1/files/${file_id}`).params).toEqual({ file_id });
  });

  it.each([
    ['GET', '/v1/files/%ff', 400, undefined],
    ['GET', '/v1/%', 400, undefined],
    ['PATCH', '/v1/files/%ff', 400, undefined],
    ['GET', '/v1/nothing', 404, undefined],
    ['GET', '/v1/files/x/y', 404, undefined],
    ['GET', '/V1/files', 404, undefined],
    ['GET', '', 404, undefined],
    ['OPTIONS', '*', 404, undefined],
    ['PATCH', '/v1/nothing', 404, undefined],
    ['PATCH', '/v1/files/x', 405, 'GET, DELETE'],
    ['POST', '/v1/files/x', 405, 'GET, DELETE'],
    ['DELETE', '/v1/files', 405, 'GET, POST'],
  ])('rejects %s %s with %i', (method, path, status, allow) => {
    expect(readRefusal(method, path)).toEqual({ status, allow });
  });

  it('rejects two routes with the same method and path', () => {
    const route = { method: 'GET', path: '/v1/files/{file_id}' } as const;
    expect(() => new Router([route, route])).toThrow(/already declared/);
  });
});
