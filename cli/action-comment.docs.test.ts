// Runs the script that posts the comment of the action on a pull request.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, onTestFinished, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'assay-comment-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface User {
  readonly id: number;
  readonly type: 'Bot' | 'User';
}
const BOT: User = { id: 1, type: 'Bot' };
const PERSON: User = { id: 2, type: 'User' };

/** A stand-in for the GitHub API that stores the comments of one pull request; its token belongs to `user`. */
async function startComments({ refusalStatus = null as number | null, user = BOT } = {}) {
  const comments: { id: number; body: string; user: User }[] = [];
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '' } = request;
    requests.push(`${method} ${url} ${request.headers.authorization}`);
    const text = await readBody(request);
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const page = Number(searchParams.get('page') ?? 1);
    const id = Number(/comments\/(\d+)$/.exec(pathname)?.[1] ?? Number.NaN);
    response.statusCode = refusalStatus ?? 200;
    if (pathname === '/user') {
      // GitHub does not allow this with the token of a job.
      if (user.type === 'Bot') response.statusCode = 403;
      response.end(JSON.stringify(user));
    } else if (method === 'GET') response.end(JSON.stringify(comments.slice((page - 1) * 100, page * 100)));
    else {
      const { body } = JSON.parse(text) as { readonly body: string }; // as: only the script sends requests
      const known = comments.find((one) => one.id === id);
      if (known === undefined && refusalStatus === null)
        comments.push({ id: comments.length + 1, body, user });
      else if (known !== undefined) known.body = body;
      response.end('{}');
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // as: it listens on a port
  return { comments, requests, api: `http://127.0.0.1:${port}` };
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
  return text;
}

const execFileAsync = promisify(execFile);

async function postComment(
  api: string,
  text: string | null,
  {
    event = '{"pull_request":{"number":7,"head":{"sha":"fedcba9876543210"}}}',
    name = 'assay',
    exitCode = '0',
  } = {},
) {
  const dir = mkdtempSync(join(folder, 'comment-'));
  writeFileSync(join(dir, 'event.json'), event);
  if (text !== null) writeFileSync(join(dir, 'comment.md'), text);
  const env = {
    ...{ PATH: process.env['PATH'] ?? '', GITHUB_API_URL: api, GITHUB_REPOSITORY: 'me/server' },
    ...{ GITHUB_EVENT_PATH: join(dir, 'event.json'), GITHUB_TOKEN: 'token-of-the-job' },
    ...{ GITHUB_SERVER_URL: 'https://github.test', GITHUB_RUN_ID: '99', GITHUB_SHA: '0123456789abcdef' },
    EXIT_CODE: exitCode,
  };
  const script = join(root, 'scripts/action-comment.mjs');
  return (await execFileAsync(process.execPath, [script, join(dir, 'comment.md'), name], { env })).stdout;
}

test('a pull request gets one comment, which later runs update; comments of others and of other jobs stay', async () => {
  const { comments, requests, api } = await startComments();
  const quotation = 'quoted: <!-- assay assay -->';
  for (let n = 1; n <= 150; n += 1) comments.push({ id: n, body: quotation, user: PERSON });
  expect(await postComment(api, 'first\n')).toBe('posted the comment on pull request 7\n');
  expect(await postComment(api, 'of GPUs\n', { name: 'gpu' })).toContain('posted');
  expect(await postComment(api, 'second\n')).toBe('updated the comment on pull request 7\n');
  const run =
    '[Summary, annotations and report of this run](https://github.test/me/server/actions/runs/99), commit fedcba9\n';
  expect(comments.map(({ body }) => body)).toEqual([
    ...Array<string>(150).fill(quotation),
    `<!-- assay assay -->\nsecond\n\n${run}`,
    `<!-- assay gpu -->\nof GPUs\n\n${run}`,
  ]);
  expect(requests.at(-1)).toBe('PATCH /repos/me/server/issues/comments/151 Bearer token-of-the-job');
});

test('a comment of another user stays unchanged, even if it begins like that of the action', async () => {
  for (const user of [BOT, { id: 3, type: 'User' } as const]) {
    const { comments, api } = await startComments({ user });
    comments.push({ id: 1, body: '<!-- assay assay -->\nconforms', user: PERSON });
    expect(await postComment(api, 'first\n')).toContain('posted');
    expect(await postComment(api, 'second\n')).toContain('updated');
    expect(comments.map(({ body }) => body)).toEqual([
      '<!-- assay assay -->\nconforms',
      expect.stringContaining('second'),
    ]);
  }
});

test('a run that ends before its reports replaces the old verdict', async () => {
  const { comments, api } = await startComments();
  await postComment(api, '### assay: conforms\n');
  expect(await postComment(api, null, { exitCode: '2' })).toContain('updated');
  expect(comments[0]?.body).toContain('this run gave no verdict (exit 2)');
  // The file may be from an earlier run if the run did not start.
  await postComment(api, '### assay: conforms\n', { exitCode: '' });
  expect(comments[0]?.body).toContain('this run gave no verdict (it did not start, or was stopped)');
  expect(comments).toHaveLength(1);
  expect(readFileSync(join(root, 'action.yml'), 'utf8')).toContain(
    `EXIT_CODE: \${{ steps.run.outputs.exit-code }}`,
  );
});

test('a comment that cannot be posted is a warning, which names the permission only if the token may lack it', async () => {
  for (const status of [401, 403, 404])
    expect(await postComment((await startComments({ refusalStatus: status })).api, 'x')).toMatch(
      new RegExp(
        `^::warning title=assay::No comment .*${status}\\)\\. It needs permissions: pull-requests: write`,
      ),
    );
  for (const status of [422, 500]) {
    const warning = await postComment((await startComments({ refusalStatus: status })).api, 'x');
    expect(warning).toMatch(new RegExp(`^::warning .*${status}\\)\\.`));
    expect(warning).not.toContain('permissions');
  }
  expect(await postComment('http://127.0.0.1:1', 'x')).toMatch(/^::warning (?!.*permissions)/);
});

test('a long comment is truncated at the end of a line', async () => {
  const { comments, api } = await startComments();
  await postComment(api, 'a line of the report\n'.repeat(9000));
  const [long] = comments;
  expect(long?.body.length).toBeLessThan(65_536);
  expect(long?.body).toMatch(/report\n\n…\n\n\[Summary/);
});

test('a run without a pull request sends nothing', async () => {
  const { requests, api } = await startComments();
  expect(await postComment(api, 'x', { event: '{}' })).toBe(
    'no comment: this run does not belong to a pull request\n',
  );
  expect(requests).toEqual([]);
});
