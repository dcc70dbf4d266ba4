import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Report } from '../reports/report.ts';
import { type BrokenField, startBreakingProxy } from './testing/breaking-proxy.ts';
import { runAssay, type ServingCommand, startServing } from './testing/run-assay.ts';

const MAX_BREAKS_PER_RUN = 12;

const chat = 'createChatCompletion';
const ABSENT = undefined;

const BREAKS: readonly (readonly [
  operation: string,
  pointer: string,
  value: unknown,
  requirement: string,
])[] = [
  ['listModels', '/object', 'models', 'model.list:object#const'],
  ['listModels', '/data', { 0: { id: 'chat-large' } }, 'model.list:data#type'],
  ['listModels', '/data/*/id', 7, 'model:id#type'],
  ['listModels', '/data/*/created', '2023', 'model:created#type'],
  ['listModels', '/data/*/owned_by', ABSENT, 'model:owned_by#required'],
  ['retrieveModel', '/object', 'engine', 'model:object#const'],
  ['retrieveModel', '/created', 1.5, 'model:created#type'],
  ['retrieveModel', '/id', ABSENT, 'model:id#required'],
  ['createFile', '/bytes', '12', 'file:bytes#type'],
  ['createFile', '/purpose', 'other', 'file:purpose#enum'],
  ['createFile', '/created_at', null, 'file:created_at#type'],
  ['createFile', '/filename', ABSENT, 'file:filename#required'],
  ['createFile', '/object', 'upload', 'file:object#const'],
  ['listFiles', '/data', ABSENT, 'file.list:data#required'],
  ['listFiles', '/object', 'files', 'file.list:object#const'],
  ['retrieveFile', '/status', 'done', 'file:status#enum'],
  ['retrieveFile', '/bytes', 1.5, 'file:bytes#type'],
  ['retrieveFile', '/id', 3, 'file:id#type'],
  ['deleteFile', '/deleted', 'yes', 'file.deleted:deleted#type'],
  ['deleteFile', '/deleted', false, 'file.deleted:deleted#const'],
  ['deleteFile', '/object', 'gone', 'file.deleted:object#const'],
  ['deleteFile', '/id', ABSENT, 'file.deleted:id#required'],
  [chat, '/id', ABSENT, 'chat.completion:id#required'],
  [chat, '/object', 'completion', 'chat.completion:object#const'],
  [chat, '/created', 'now', 'chat.completion:created#type'],
  [chat, '/model', ABSENT, 'chat.completion:model#required'],
  [chat, '/choices', {}, 'chat.completion:choices#type'],
  [chat, '/choices/*/index', '0', 'chat.completion:choices[].index#type'],
  [chat, '/choices/*/finish_reason', 3, 'chat.completion:choices[].finish_reason#type'],
  [chat, '/choices/*/message', ABSENT, 'chat.completion:choices[].message#required'],
  [chat, '/choices/*/message/role', 'user', 'chat.message:role#const'],
  [chat, '/choices/*/message/content', 5, 'chat.message:content#type'],
  [chat, '/choices/*/message/tool_calls/*/type', 'tool', 'chat.tool_call:type#const'],
  [chat, '/choices/*/message/tool_calls/*/function/arguments', {}, 'chat.tool_call:function.arguments#type'],
  [chat, '/choices/*/logprobs/content/*/token', 1, 'chat.logprobs:content[].token#type'],
  [chat, '/usage', ABSENT, 'chat.completion:usage#required'],
  [chat, '/usage/total_tokens', '9', 'usage:total_tokens#type'],
  [chat, '/choices/*/delta', ABSENT, 'chat.completion.chunk:choices[].delta#required'],
  [chat, '/choices/*/delta/content', 5, 'chat.completion.chunk:choices[].delta.content#type'],
  [chat, '/object', ABSENT, 'chat.completion.chunk:object#required'],
];

interface Break extends BrokenField {
  readonly requirement: string;
}

/** Groups breaks that can share a run, because a run takes seconds. No broken place of a group contains another. */
function groupIndependent(breaks: readonly Break[]): readonly (readonly Break[])[] {
  const groups: Break[][] = [];
  for (const candidate of breaks) {
    const group = groups.find(
      (others) => others.length < MAX_BREAKS_PER_RUN && others.every((other) => isApart(candidate, other)),
    );
    if (group === undefined) groups.push([candidate]);
    else group.push(candidate);
  }
  return groups;
}

function isApart(one: Break, other: Break): boolean {
  const isWithin = (a: string, b: string) => `${a}/`.startsWith(`${b}/`);
  return (
    one.operation !== other.operation ||
    !(isWithin(one.pointer, other.pointer) || isWithin(other.pointer, one.pointer))
  );
}

const groups = groupIndependent(
  BREAKS.map(([operation, pointer, value, requirement]) => ({ operation, pointer, value, requirement })),
);

describe('a target with broken fields', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-breaks-'));
  let reference: ServingCommand;

  beforeAll(async () => {
    reference = await startServing(['serve']);
  });

  afterAll(async () => {
    await reference.stop();
    rmSync(folder, { recursive: true });
  });

  test.for(groups.map((group) => [group.map(({ requirement }) => requirement), group] as const))(
    'fails each of %s, and the first failure is printed with its exchange',
    async ([requirements, group], { task }) => {
      const proxy = await startBreakingProxy(reference.url, group);
      const reports = join(folder, task.id);
      const only = requirements.flatMap((id) => ['--only', id]);
      const flags = ['--model', 'chat=chat-large', '--model', 'vision=chat-large', '--report-dir', reports];
      const { code, stdout } = await runAssay(['run', '--base-url', proxy.url, ...only, ...flags]);
      await proxy.close();
      const report = JSON.parse(readFileSync(join(reports, 'report.json'), 'utf8')) as Report; // as: its schema is tested elsewhere
      const failed = report.requirements.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
      expect({ code, failed }).toEqual({ code: 1, failed: requirements.toSorted() });
      expect(stdout).toMatch(
        /^FAIL {2}\S+\n\n(?: {6}.*\n|\n)*? {6}> (GET|POST|DELETE) \/v1\/.*\n {6}< 200 /m,
      );
      const judged = report.requirements.filter(({ id }) => requirements.includes(id));
      expect(judged.filter(({ findings }) => findings[0]?.exchange === undefined)).toEqual([]);
    },
  );
});
